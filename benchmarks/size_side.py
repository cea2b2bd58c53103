"""What is measured of Weft with many tags, and the corpora that its peers see, too."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.job import Clock, Result, main
from benchmarks.size_peers import nothing

if TYPE_CHECKING:
    from weft.structures.evidence import Example

STEMS = 600  # so that there are about as many words as in the Brown corpus


def make(path: str, tags: int, tokens: int, held_out: int) -> Result:
    """Sample a corpus, and sentences to be tagged."""
    from benchmarks.many_tags import sampled

    made = 0
    with Path(path).open("w") as train, Path(f"{path}.test").open("w") as test:
        for sentence in sampled(tags, tokens + held_out, stems=STEMS):
            stream = train if made < tokens else test
            stream.write(" ".join(f"{word}/{tag}" for word, tag in sentence) + "\n")
            made += len(sentence)
    return {}


def count(path: str, recipe: str) -> Result:
    """Read a file, and count."""
    clock = Clock()
    clock.start()
    tagger = _fit(_read(path), recipe)
    clock.lap()
    return {**clock.laps(), "weights": len(tagger.weights)}


def _read(path: str) -> list[Example]:
    from weft.corpora import Tagged, read_examples

    return read_examples(Tagged(), Path(path))


def _fit(corpus: Sequence[Example], recipe: str) -> Any:
    from weft.recipes import find_recipe
    from weft.recipes.fitting import fit_recipe

    return fit_recipe(find_recipe(recipe), corpus, threads=1)


def tag(path: str, recipe: str, tokens: int) -> Result:
    """Count, and tag held-out sentences of about so many tokens three times, with one thread."""
    tagger, clock = _fit(_read(path), recipe), Clock()
    test = _read(f"{path}.test")
    for _ in range(3):
        clock.start()
        found = tagger.tag([each.tokens.words for each in test], threads=1)
        clock.lap()
    result = {**clock.laps(), **_accuracy(test, found)}
    assert tokens / 2 < result["tokens"] < 2 * tokens  # noqa: S101
    return result


def _accuracy(gold: Sequence[Example], found: Sequence[Sequence[str]]) -> dict[str, float]:
    from benchmarks.data import accuracy

    return accuracy([[str(tag) for tag in each.analysis or ()] for each in gold], found)


def _treebank(name: str, part: str, column: str, most: int | None) -> list[Example]:
    """The first sentences of a part of a treebank, all without ``most``."""
    from weft.corpora import Conllu, bundled, corpus_path
    from weft.corpora.records import stream_examples

    if name == "bundled":
        return bundled("heldout" if part == "dev" else part)[:most]
    [path] = corpus_path(name).glob(f"*-{part}.conllu")
    return list(islice(stream_examples(Conllu(column), path), most))


def read_treebank(name: str, part: str, most: int | None = None) -> list[tuple[Any, Any]]:
    """The words of sentences, and their composite tags."""
    corpus = _treebank(name, part, "upos+feats", most)
    return [(each.tokens.words, each.analysis) for each in corpus]


def composite(treebank: str, sentences: int, recipe: str) -> Result:
    """Learn composite tags from some sentences, and tag the development part."""
    clock = Clock()
    clock.start()
    tagger = _fit(_treebank(treebank, "train", "upos+feats", sentences), recipe)
    test = _treebank(treebank, "dev", "upos+feats", None)
    found = tagger.tag([each.tokens.words for each in test], threads=1)
    clock.lap()
    return {**clock.laps(), **_accuracy(test, found)}


def train(corpus: str, sentences: int, iterations: int) -> Result:
    """Train the default CRF, without the weights of boundaries, which CRFsuite does not have."""
    import weft
    from weft.optimise.lbfgs import LBFGS

    clock = Clock()
    clock.start()
    examples = _treebank(corpus, "train", "upos", sentences)
    limits = LBFGS(max_iterations=iterations, tolerance=0.0)
    chain = weft.Chain(boundaries=False)
    tagger = weft.fit(chain, examples, optimiser=limits, adapt=False, threads=1)
    clock.lap()
    return {**clock.laps(), "weights": len(tagger.weights), "value": tagger.trace[-1].value}


def write_attributes(corpus: str, sentences: int, path: str) -> Result:
    """Write what :func:`train` sees of each token, by name: its tag, and its attributes."""
    import weft
    from weft.features.attributes import attribute_names, find_attributes

    examples = _treebank(corpus, "train", "upos", sentences)
    index = weft.Chain(boundaries=False).prepare(examples, examples).index
    names = attribute_names(index)
    with Path(path).open("w", encoding="utf-8") as stream:
        for each in examples:
            found = find_attributes(index, [each.tokens])
            for place, tag in enumerate(each.analysis or ()):
                mine = found.attributes[found.offsets[place] : found.offsets[place + 1]]
                stream.write("\t".join([str(tag), *(names[k] for k in mine.tolist())]) + "\n")
            stream.write("\n")
    return {}


if __name__ == "__main__":
    main((nothing, make, count, tag, composite, train, write_attributes))
