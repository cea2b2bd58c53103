"""Taggers for NLTK, and NLTK's taggers for us."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import nltk.data
import pytest
from nltk.tag import CRFTagger, DefaultTagger, UnigramTagger
from nltk.tag.api import TaggerI

import weft
from weft.corpora import bundled
from weft.errors import WeftError
from weft.interfaces.nltk import NltkTagger, examples_from_nltk, tag_by_nltk

CORPUS = bundled("train")[:40]
TAGGED = [list(zip(each.tokens.words, each.analysis or (), strict=True)) for each in CORPUS]


@pytest.fixture(scope="module")
def tagger() -> weft.Tagger:
    return weft.fit(weft.Chain(), CORPUS, optimiser=weft.LBFGS(max_iterations=10))


def test_ours_is_a_tagger_of_nltk(tagger: weft.Tagger) -> None:
    theirs = NltkTagger(tagger)
    assert isinstance(theirs, TaggerI)
    words = [word for word, _ in TAGGED[0]]
    assert theirs.tag(words) == list(zip(words, tagger.tag([words])[0], strict=True))
    right = sum(
        tag == found
        for each in CORPUS
        for tag, found in zip(each.analysis or (), tagger.tag([each.tokens])[0], strict=True)
    )
    assert theirs.accuracy(TAGGED) == right / sum(map(len, TAGGED))
    assert theirs.confusion(TAGGED)["NN", "NN"] > 0


def test_without_nltk_the_message_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)
    monkeypatch.delitem(sys.modules, "weft.interfaces.nltk")
    with pytest.raises(WeftError, match="NLTK is not installed: pip install nltk"):
        importlib.import_module("weft.interfaces.nltk")


def test_ours_is_a_back_off_of_theirs(tagger: weft.Tagger) -> None:
    words = [word for word, _ in TAGGED[0]]
    backed = UnigramTagger(model={words[0]: "XX"}, backoff=None)
    assert backed.tag(words)[0] == (words[0], "XX")
    assert NltkTagger(tagger).tag(words)[1:] == [
        *zip(words[1:], tagger.tag([words])[0][1:], strict=True)
    ]


def test_theirs_gives_examples() -> None:
    sentences = [each.tokens.words for each in CORPUS]
    unigrams = UnigramTagger(TAGGED[:5])
    found = tag_by_nltk(unigrams, sentences)
    assert [each.tokens.words for each in found] == sentences
    assert [list(each.analysis or ()) for each in found] == [
        [tag for _, tag in each] for each in unigrams.tag_sents(sentences)
    ]
    assert any(None in (each.analysis or ()) for each in found)  # words it has not seen
    assert tag_by_nltk(DefaultTagger("NN"), [["a", "b"]])[0].analysis == ("NN", "NN")


def test_tagged_sentences_are_examples() -> None:
    found = examples_from_nltk(TAGGED)
    assert [(e.tokens.words, e.analysis) for e in found] == [
        (e.tokens.words, e.analysis) for e in CORPUS
    ]


def test_models_of_nltks_crf_tagger_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])  # NLTK writes nowhere else
    theirs = CRFTagger(training_opt={"max_iterations": 20})
    theirs.train(TAGGED, str(tmp_path / "crf"))
    ours = weft.load(tmp_path / "crf")
    for sentence in TAGGED[:10]:
        words = [word for word, _ in sentence]
        attributes = tuple(theirs._get_features(words, place) for place in range(len(words)))
        [tags] = ours.tag([weft.Sentence((tuple(words),), attributes)])
        assert list(zip(words, tags, strict=True)) == theirs.tag(words)
