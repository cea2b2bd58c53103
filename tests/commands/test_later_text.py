"""Text that comes after training: every sentence has an answer, or is told apart."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft import commands
from weft.commands import Ask, FileLayout
from weft.corpora import bundled, dictionary_of
from weft.criteria import marginal
from weft.errors import EvidenceError, UnansweredError
from weft.models.answers import Decoder
from weft.models.chain.unknown import open_vocabulary
from weft.models.tagger import Tagger
from weft.recipes import find_recipe, fit_recipe
from weft.structures.evidence import Evidence, Example, Sentence

CORPUS = bundled("train")
TEXT = FileLayout("text")


def estimated(name: str, count: int = 60, **changes: Any) -> Tagger:
    """A tagger of the first sentences, whose dictionary knows the words of all."""
    recipe = find_recipe(name)
    model = replace(recipe.model, dictionary=dictionary_of(CORPUS))
    optimiser = replace(recipe.optimiser or weft.LBFGS(), max_iterations=3)
    recipe = replace(recipe, model=model, optimiser=optimiser, **changes)
    tagger: Tagger = fit_recipe(recipe, CORPUS[:count])
    return tagger


def unreachable(tagger: Tagger, corpus: Sequence[Example]) -> set[str]:
    known = tagger.chain.dictionary or {}
    words = {word for each in corpus for word in each.tokens.words}
    return set(tagger.model.tags) - set().union(*(known[word] for word in words))


@pytest.mark.parametrize("name", ["hmm-em", "hmm-vb", "hmm-features-em"])
def test_a_tag_that_no_training_word_may_have_keeps_some_mass(name: str) -> None:
    tagger = estimated(name)
    assert unreachable(tagger, CORPUS[:60])  # else nothing is tried
    sentences = [each.tokens for each in CORPUS]
    assert np.isfinite(tagger.log_partition(sentences)).all()
    known = tagger.chain.dictionary or {}
    for tokens, tags in zip(sentences, tagger.tag(sentences), strict=True):
        assert all(tag in known[word] for word, tag in zip(tokens.words, tags, strict=True))


def test_tags_that_can_be_reached_are_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept for others moves nothing where there are none."""
    corpus = CORPUS[:20]
    chain = weft.Chain(
        templates=weft.templates("word[0]"), attributes="all", ngrams="all", normalisation="joint"
    )
    chain = replace(chain, dictionary=dictionary_of(corpus), rare=0)
    tagger = weft.fit(chain, corpus, criterion=marginal, optimiser=weft.EM(max_iterations=2))
    assert not unreachable(tagger, corpus)
    evidences = [each.evidence(labelled=False) for each in corpus]
    _, weights = open_vocabulary(tagger.chain, tagger.weights, evidences)
    monkeypatch.setattr("weft.models.chain.unknown._LEAST", 0.0)
    np.testing.assert_array_equal(
        weights, open_vocabulary(tagger.chain, tagger.weights, evidences)[1]
    )


@pytest.fixture(scope="module")
def unsmoothed() -> Tagger:
    """A tagger by which most later sentences have no tagging."""
    return estimated("hmm-em", penalty=weft.Dirichlet(0.0))


def text_of(corpus: Sequence[Example]) -> io.BytesIO:
    return io.BytesIO("".join(" ".join(each.tokens.words) + "\n" for each in corpus).encode())


def test_the_closest_answer_and_a_warning(unsmoothed: Tagger) -> None:
    heard: list[str] = []
    some = CORPUS[50:90]
    found = list(commands.predict(unsmoothed, text_of(some), layout=TEXT, told=heard.append))
    assert len(found) == len(some)
    impossible = np.isneginf(unsmoothed.log_partition([each.tokens for each in some]))
    assert 0 < impossible.sum() == len(heard)
    evaluated = commands.assess(unsmoothed, some)
    assert evaluated.unanalysed_sentences == len(heard)
    assert evaluated.as_json()["unanalysed_sentences"] == len(heard)
    # All words are in the dictionary, and only probabilities are in the way.
    known = unsmoothed.chain.dictionary or {}
    for line in found:
        pairs = [each.rsplit("/", 1) for each in line.split()]
        assert all(tag in known[word] for word, tag in pairs)


@pytest.mark.parametrize("ask", [Ask(kbest=2), Ask(marginals=True), Ask(sample=2)])
def test_whatever_is_asked_for(unsmoothed: Tagger, ask: Ask) -> None:
    heard: list[str] = []
    some = CORPUS[55:75]
    replies = list(
        commands.tag_file(unsmoothed, text_of(some), ask, layout=TEXT, told=heard.append)
    )
    assert len(replies) == len(some)
    strayed = [each for each in replies if each.reply.answers[0].log_prob == -np.inf]
    assert 0 < len(strayed) == len(heard)
    for each in strayed:
        assert len(each.reply.answers[0].answer) == len(each.record.example.tokens)
        assert each.as_json()["answers"][0]["probability"] == 0.0


def test_the_token_that_is_named(unsmoothed: Tagger) -> None:
    """No tagging gets past it, and some tagging gets to it."""
    named = 0
    some = [each.tokens for each in CORPUS[60:90]]
    impossible = np.isneginf(unsmoothed.log_partition(some))
    for tokens in compress(some, impossible.tolist()):
        with pytest.raises(EvidenceError, match="at token") as raised:
            unsmoothed.tag([tokens])
        place = int(str(raised.value).split("at token ")[1].split(",")[0]) - 1
        named += place > 0
        assert f"token {place + 1}, '{tokens.words[place]}'" in str(raised.value)
        assert not _gets_past(unsmoothed, tokens, place + 1)
        assert _gets_past(unsmoothed, tokens, place)
    assert named > 3


def _gets_past(tagger: Tagger, tokens: Sentence, length: int) -> bool:
    """By brute force: a step at a time, over all pairs of tags."""
    if not length:
        return True
    trellis = tagger.model.trellis([Evidence(Sentence((tokens.words[:length],)))])
    [(_, _, arguments)] = trellis.scored(trellis.scores.at(tagger.weights))
    tags, pairs = len(tagger.model.tags), arguments.transitions[0]
    at, known = {tags}, tagger.chain.dictionary or {}
    for place, word in enumerate(tokens.words[:length]):
        able = [n for n, tag in enumerate(tagger.model.tags) if tag in known[word]]
        at = {
            tag
            for tag in able
            if np.isfinite(arguments.emission[place, tag])
            and any(np.isfinite(pairs[before, tag]) for before in at)
        }
    return bool(at)


def test_forbidden_transitions_give_way_last() -> None:
    corpus = [weft.example(["a", "b"], ["A", "B"]), weft.example(["b", "a"], ["B", "A"])]
    chain = weft.Chain(dictionary={"a": frozenset("A"), "b": frozenset("B")})
    tagger = weft.fit(chain, corpus)
    never = np.array([[True, True, True], [True, True, False], [False, False, False]])
    topology = replace(tagger.chain.topology, forbidden=never)
    strict = replace(tagger, model=replace(tagger.chain, topology=topology))
    # One token may have another tag than the dictionary says; of two nothing is left to hold.
    assert strict.closest(["a"]) == ("B",)
    assert strict.closest(["a", "b"]) == ("A", "B")
    for decoder in Decoder:
        assert strict.nearest([["b"], ["a"]], decoder) == ([("B",), ("B",)], [1])


def test_a_sentence_without_any_answer(unsmoothed: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tagger, "relaxed", lambda *_: iter(()))
    heard: list[str] = []
    some = CORPUS[55:75]
    impossible = np.isneginf(unsmoothed.log_partition([each.tokens for each in some])).sum()
    stream = commands.predict(unsmoothed, text_of(some), layout=TEXT, told=heard.append)
    found = []
    with pytest.raises(UnansweredError, match=f"{impossible} sentences without an answer"):
        found.extend(each for each in stream)
    assert len(heard) == impossible
    assert all(each.startswith("left out: ") for each in heard)


def test_rules_that_training_made_impossible(tmp_path: Path) -> None:
    """The closest tree has them; words that the grammar does not have leave a flat one."""
    grammar, raw = tmp_path / "g.cfg", tmp_path / "raw.txt"
    grammar.write_text("S -> A B [0.5] | B A [0.5]\nA -> 'a' [1.0]\nB -> 'b' [1.0]\n")
    raw.write_text("a b\na b\n")
    out = tmp_path / "m.weft"
    commands.train(out, [raw], recipe="pcfg-em", grammar=grammar, layout=TEXT)
    parser: Any = weft.load(out)
    heard: list[str] = []
    how = commands.How(layout=TEXT, told=heard.append)
    text = io.BytesIO(b"a b\nb a\nb c\n")
    found = list(commands.task_of(parser).predict(parser, text, how))
    assert found[:2] == ["(S (A a) (B b))\n", "(S (B b) (A a))\n"]
    assert "(X c)" in found[2]
    assert ":2: all trees have a probability of zero, and the closest one is given" in heard[0]
    assert "a flat tree is printed" in heard[1]
