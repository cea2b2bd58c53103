"""An engineer who has a pipeline already, and would move it piece by piece."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import weft as library
from weft.corpora import bundled

Weft = Callable[..., str]

SENTENCES = bundled("train")[:80]
X = [[[f"w={word}", f"end={word[-2:]}"] for word in example.tokens.words] for example in SENTENCES]
Y = [list(example.analysis) for example in SENTENCES]


def test_with_a_model_of_crfsuite(tmp_path: Path) -> None:
    pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed")
    trainer = pycrfsuite.Trainer(verbose=False)
    for tokens, tags in zip(X, Y, strict=True):
        trainer.append(tokens, tags)
    trainer.set_params({"max_iterations": 20})
    trainer.train(str(tmp_path / "old.crfsuite"))
    theirs = pycrfsuite.Tagger()
    theirs.open(str(tmp_path / "old.crfsuite"))
    ours = library.load(tmp_path / "old.crfsuite")
    given = [library.Sentence((("_",) * len(tokens),), tuple(tokens)) for tokens in X]
    assert [list(tags) for tags in ours.tag(given)] == [theirs.tag(tokens) for tokens in X]


def test_with_files_of_crfpp(weft: Weft) -> None:
    rows = (
        "".join(
            f"{w} {w[0].isupper()} {t}\n" for w, t in zip(e.tokens.words, e.analysis, strict=True)
        )
        for e in SENTENCES
    )
    Path("train.data").write_text("\n".join(rows), encoding="utf-8")
    Path("template").write_text("U00:%x[0,0]\nU01:%x[-1,0]\nU02:%x[0,1]\nB\n", encoding="utf-8")
    arguments = ("--train", "train.data", "--format", "columns", "--template", "template")
    weft("train", "m.weft", *arguments, "--set", "iterations=20", "-q")
    tagged = weft("predict", "m.weft", "train.data")
    given = Path("train.data").read_text("utf-8")
    assert [line.split()[:2] for line in tagged.split("\n") if line] == [
        line.split()[:2] for line in given.split("\n") if line
    ]


def test_with_an_hmm_of_hmmlearn() -> None:
    hmmlearn = pytest.importorskip("hmmlearn.hmm", reason="hmmlearn is not installed")
    from weft.conversions.probabilities import hmm_probabilities
    from weft.recipes import find_recipe, fit_recipe, with_settings

    plan = with_settings(find_recipe("hmm"), {"rare": 0})
    found = hmm_probabilities(fit_recipe(plan, SENTENCES))
    theirs = hmmlearn.CategoricalHMM(len(found.tags))
    theirs.startprob_, theirs.emissionprob_ = found.start, found.emissions
    theirs.transmat_ = found.transitions / found.transitions.sum(axis=1, keepdims=True)
    word = found.words.index("The")
    expected = np.log(found.start @ found.emissions[:, word])
    assert theirs.score(np.array([[word]])) == pytest.approx(expected)


def test_with_a_pipeline_of_nltk() -> None:
    pytest.importorskip("nltk", reason="NLTK is not installed")
    from weft.interfaces.nltk import NltkTagger, examples_from_nltk

    tagged = [list(zip(e.tokens.words, e.analysis, strict=True)) for e in SENTENCES]
    few = library.LBFGS(max_iterations=20)
    tagger = NltkTagger(library.fit(library.Chain(), examples_from_nltk(tagged), optimiser=few))
    assert tagger.accuracy(tagged) > 0.9


def test_programs_read_what_is_printed(weft: Weft) -> None:
    told = weft("inspect", "absent.weft", "--json", code=1)
    assert '"code": 1' in told.splitlines()[-1]
