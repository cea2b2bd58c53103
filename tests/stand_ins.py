"""Small files under the names that pages give to files of the reader's own.

They are made of the bundled corpora, so that commands on such files can be run.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import pycrfsuite

from weft.corpora import bundled, bundled_trees
from weft.corpora.bundled import bundled_marks, bundled_parses

Sentence = list[tuple[str, str]]

TOY_LFG = """TOY ENGLISH CONFIG (1.0)
  ROOTCAT S.  RULES (TOY ENGLISH).  LEXENTRIES (TOY ENGLISH).  GOVERNABLERELATIONS SUBJ OBJ.
----
TOY ENGLISH RULES (1.0)
  S --> N: (^ SUBJ)=!; VP.  VP --> V (N: (^ OBJ)=!).
----
TOY ENGLISH LEXICON (1.0)
  Kim    N * (^ PRED)='Kim' (^ NUM)=sg.
  Sandy  N * (^ PRED)='Sandy' (^ NUM)=sg.
  sees   V * (^ PRED)='see<(^ SUBJ)(^ OBJ)>' (^ SUBJ NUM)=sg.
  see    V * (^ PRED)='see<(^ SUBJ)(^ OBJ)>' (^ SUBJ NUM)=pl.
----
"""
TOY_WCFG = "S -> NP VP [2]\nNP -> 'the' N [1]\nN -> 'dog' [3] | 'cat' [1]\nVP -> 'barks' [2]\n"
TOY_PCFG = "S -> NP VP [1]\nNP -> 'the' N [1]\nN -> 'dog' [0.5] | 'cat' [0.5]\nVP -> 'barks' [1]\n"
INSERT_NOT = "0 0 <any> <any>\n0 1 <eps> not\n1 1 <any> <any>\n0\n1\n"
RULES = "S -> NP VP\nNP -> 'Kim' [0.5] | 'stars' [0.5]\nVP -> V NP\nV -> 'sees'\n"
TEMPLATE = "U00:%x[0,0]\nU01:%x[-1,0]\nU02:%x[0,1]\nB\n"


def sentences(part: str, count: int) -> list[Sentence]:
    return [list(zip(e.tokens.words, e.analysis, strict=True)) for e in bundled(part)[:count]]


def lines(made: Callable[[Sentence], str], several: Iterable[Sentence]) -> str:
    return "".join(f"{made(each)}\n" for each in several)


def text(sentence: Sentence) -> str:
    return " ".join(word for word, _ in sentence)


def tagged(sentence: Sentence) -> str:
    return " ".join(f"{word}/{tag}" for word, tag in sentence)


def untagged(sentence: Sentence) -> str:
    return " ".join(f"{word}/?" for word, _ in sentence)


def columns(sentence: Sentence) -> str:
    """Words, tags and something like chunks: runs of nouns."""
    found, before = [], ""
    for word, tag in sentence:
        inside = tag.startswith("N")
        found.append(f"{word} {tag} {('I-N' if before else 'B-N') if inside else 'O'}\n")
        before = "N" if inside else ""
    return "".join(found)


def conllu(sentence: Sentence) -> str:
    return "".join(
        f"{n}\t{word}\t{word}\t{tag[:1]}\t{tag}\tStart={tag[0]}\t_\t_\t_\t_\n"
        for n, (word, tag) in enumerate(sentence, 1)
    )


def crfsuite(sentence: Sentence) -> str:
    return "".join(f"{tag}\tw={word}\tend={word[-2:]}\n" for word, tag in sentence).replace(
        ":", "\\:"
    )


def dictionary(several: Iterable[Sentence]) -> str:
    tags = defaultdict(set)
    for sentence in several:
        for word, tag in sentence:
            tags[word].add(tag)
    return "".join(f"{word}\t{' '.join(sorted(each))}\n" for word, each in tags.items())


def dictionary_rules(several: Iterable[Sentence]) -> str:
    """A grammar of all strings of the words, in pieces that are weighed."""
    words = sorted({word for sentence in several for word, _ in sentence})
    quoted = (f'"{word}"' if "'" in word else f"'{word}'" for word in words)
    return f"S -> X S [0.5] | X [0.5]\nX -> {' | '.join(quoted)}\n"


def first(path: Path, count: int, end: str = "\n") -> str:
    return end.join(path.read_text(encoding="utf-8").split(end)[:count]) + end


def write_stand_ins(folder: Path, count: int = 40) -> None:
    """Write files for the names that pages use, of at most so many sentences."""
    parts = {part: sentences(part, count) for part in ("train", "heldout", "test")}
    known = parts["train"]
    sets, marks = first(bundled_parses(), count), bundled_marks("manuals")
    files = {
        "tags.txt": dictionary(sentences("train", 10_000)),
        "rules.cfg": RULES,
        "toy.wcfg": TOY_WCFG,
        "toy.pcfg": TOY_PCFG,
        "own.att": INSERT_NOT,
        "words.txt": "time flies like an arrow\n",
        "start.cfg": dictionary_rules(known),
        "template": TEMPLATE,
        "pattern": TEMPLATE,
        "toy.lfg": TOY_LFG,
        "toy.marks": "Kim sees Sandy\n[S Kim [VP sees Sandy]]\n",
        "testfile.lfg": "# a test suite\n\nKim sees Sandy (1! 0 0 0)\n",
        "sentences.txt": "Kim sees Sandy\nSandy sees Kim\n",
        "manuals.marks": first(marks, 10, "\n\n"),
        "old.tagged": lines(tagged, known),
        "trees.txt": first(bundled_trees(), count),
    }
    names = {"train": ("train", "small", "big", "full", "raw", "a"), "test": ("test", "new", "b")}
    names["heldout"] = ("dev", "more", "news", "heldout")
    for part, aliases in names.items():
        for name in aliases:
            each = parts[part]
            raw = name == "raw"
            plain = name in ("raw", "more", "news")
            files[f"{name}.tagged"] = lines(untagged if raw else tagged, each)
            files[f"{name}.txt"] = lines(text if plain else columns, each)
            files[f"{name}.conllu"] = lines(conllu, each)
            files[f"{name}.crfsuite"] = lines(crfsuite, each)
            files[f"{name}.mrg"] = first(bundled_trees(), count)
            files[f"{name}.jsonl"] = sets
    files["trees.mrg"] = files["wsj.mrg"] = files["train.mrg"]
    files["parses.jsonl"] = sets
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    for name in ("big.conllu", "news.txt"):
        (folder / f"{name}.gz").write_bytes(gzip.compress(files[name].encode()))
    write_crfsuite_model(folder / "model.crfsuite", known)


def write_crfsuite_model(path: Path, several: Iterable[Sentence]) -> None:
    trainer = pycrfsuite.Trainer(verbose=False)
    for sentence in several:
        trainer.append(
            [[f"w={w}", f"end={w[-2:]}"] for w, _ in sentence], [tag for _, tag in sentence]
        )
    trainer.train(str(path))
