"""Training end to end, and parity with CRFsuite."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pycrfsuite
import pytest

from chains import random_corpus
from weft.corpora import bundled, dictionary_of
from weft.criteria import Gaussian, conditional, contrast, input_only, no_penalty
from weft.errors import EvidenceError, OptionError
from weft.features.templates import template, templates
from weft.models import Chain, Extent, Scheme, prepare
from weft.models.progress import Outlook
from weft.models.tables import Tables
from weft.models.tagger import lexicon_of
from weft.optimise.lbfgs import LBFGS
from weft.recipes import RECIPES, every_setting, find_recipe, fit_recipe, with_settings
from weft.structures.evidence import Evidence, Example, Sentence, example
from weft.train import Term, fit

PRECISE = LBFGS(tolerance=0.0, gradient_tolerance=1e-8, max_iterations=3000)


def with_attributes(examples: list[Example]) -> list[Example]:
    """The examples with attributes as a user of CRFsuite would write them, some real-valued."""
    made = []
    for each in examples:
        words = each.tokens.words
        attributes = []
        for position, word in enumerate(words):
            before = words[position - 1] if position else "BOS"
            attributes.append(
                {f"w={word}": 1.0, f"p={before}": 1.0, f"s={word[-2:]}": 1.0, "len": len(word) / 10}
            )
        made.append(Example(Sentence(each.tokens.columns, tuple(attributes)), each.analysis))
    return made


class CRFsuite:
    """CRFsuite trained to convergence on examples with given attributes."""

    def __init__(
        self, examples: list[Example], variance: float, path: str, c1: float = 0.0
    ) -> None:
        trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
        for each in examples:
            trainer.append([dict(t) for t in each.tokens.attributes], list(each.analysis))
        trainer.set_params(
            {"c1": c1, "c2": 1 / (2 * variance), "epsilon": 1e-12, "delta": 1e-14, "period": 20}
        )
        trainer.train(path)
        self.loss = trainer.logparser.last_iteration["loss"]
        self.features = trainer.logparser.last_iteration["active_features"]
        self.tagger = pycrfsuite.Tagger()
        self.tagger.open(path)

    def tag(self, examples: list[Example]) -> list[tuple[str, ...]]:
        return [tuple(self.tagger.tag([dict(t) for t in e.tokens.attributes])) for e in examples]


@pytest.mark.parametrize(("c1", "variance"), [(2.0, math.inf), (0.5, 1.0)])
def test_parity_of_l1_and_elastic_net_with_crfsuite(tmp_path, c1, variance):
    """OWL-QN of both programs: the same converged loss, and the same weights at zero."""
    train = with_attributes(bundled("train")[:60])
    theirs = CRFsuite(train, variance, str(tmp_path / "crfsuite"), c1)
    precise = replace(PRECISE, l1=c1)
    chain = Chain(templates=(), boundaries=False)
    ours = fit(chain, train, penalty=Gaussian(variance), optimiser=precise)
    assert -ours.trace[-1].value == pytest.approx(theirs.loss, rel=1e-6)
    kept = int((ours.weights != 0).sum())
    assert kept == pytest.approx(theirs.features, rel=0.02)
    assert 0 < kept < 0.8 * len(ours.weights)


@pytest.mark.parametrize("variance", [0.1, 1.0, 10.0])
def test_parity_with_crfsuite(tmp_path, variance):
    """The same attributes, transitions and penalty: the same loss and the same predictions."""
    train = with_attributes(bundled("train")[:120])
    test = with_attributes(bundled("test"))
    theirs = CRFsuite(train, variance, str(tmp_path / "crfsuite"))
    chain = Chain(templates=(), boundaries=False)
    ours = fit(chain, train, penalty=Gaussian(variance), optimiser=PRECISE)
    assert len(ours.weights) == theirs.features
    assert -ours.trace[-1].value == pytest.approx(theirs.loss, rel=1e-6)
    tagged = [
        replace(each, analysis=tags) for each, tags in zip(test, theirs.tag(test), strict=True)
    ]
    best = [each.log_prob for each in ours.best([each.tokens for each in test])]
    assert ours.log_probs(tagged) == pytest.approx(best, abs=1e-3)


def test_templates_equal_the_same_attributes_given():
    """Attributes that templates make and the same ones named by a user are the same model."""
    train = bundled("train")[:60]
    several = templates("word[0] word[-1] suffix2[0]")
    given = []
    for each in train:
        words = each.tokens.words
        rows = [
            [w, f"p {words[i - 1] if i else '<-1>'}"] + ([f"s {w[-2:]}"] if len(w) > 1 else [])
            for i, w in enumerate(words)
        ]
        given.append(Example(Sentence(each.tokens.columns, tuple(rows)), each.analysis))
    values = [
        fit(chain, corpus, optimiser=PRECISE).trace[-1].value
        for chain, corpus in ((Chain(templates=several), train), (Chain(templates=()), given))
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-9)


def accuracy(gold: list[Example], predicted: list[tuple[str, ...]]) -> float:
    pairs = [
        pair
        for each, tags in zip(gold, predicted, strict=True)
        for pair in zip(each.analysis, tags, strict=True)
    ]
    return float(np.mean([tag == guess for tag, guess in pairs]))


@pytest.mark.parametrize(
    ("order", "sentences", "least"),
    [(1, 559, 0.84), pytest.param(2, 100, 0.75, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("extent", [Extent.OBSERVED, Extent.ALL])
def test_the_bundled_corpus_is_learnt(order, sentences, least, extent):
    """Far better than the most frequent tag, 14 % of the tokens, with every set of features."""
    chain = Chain(
        order=order, attributes=extent, ngrams=extent, templates=templates("word[0] suffix2[0]")
    )
    train, test = bundled("train")[:sentences], bundled("test")
    tagger = fit(chain, train, optimiser=LBFGS(max_iterations=15))
    assert accuracy(test, tagger.tag([each.tokens for each in test])) > least


def test_penalties_by_kind_hold_their_kind_down():
    train = bundled("train")[:40]
    chain = Chain(templates=templates("word[0] suffix2[0]"))
    tight = fit(chain, train, penalty=Gaussian(1.0, {"tag:suffix*": 1e-4}), optimiser=PRECISE)
    loose = fit(chain, train, penalty=Gaussian(1.0), optimiser=PRECISE)
    for kind in tight.model.parameters.kinds:
        norms = [np.linalg.norm(t.weights[kind.start : kind.stop]) for t in (tight, loose)]
        if kind.name.startswith("tag:suffix"):
            assert norms[0] < 0.05 * norms[1]
        else:
            assert norms[0] > 0.5 * norms[1]


def test_a_penalty_for_a_kind_that_does_not_exist_is_refused():
    with pytest.raises(OptionError, match=r"matches 'tri\*'.*bigram, tag:word"):
        fit(
            Chain(templates=templates("word[0]")),
            bundled("train")[:5],
            penalty=Gaussian(1.0, {"tri*": 1.0}),
        )


def test_example_weights_count_as_repetitions():
    first, second = bundled("train")[:2]
    weighted = [Example(first.tokens, first.analysis, 3.0), second]
    repeated = [
        Example(Sentence(e.tokens.columns), e.analysis) for e in (first, first, first, second)
    ]
    values = [
        fit(Chain(), corpus, optimiser=PRECISE).trace[-1].value for corpus in (weighted, repeated)
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-9)


def test_partial_labels_teach_what_they_say(rng):
    """Half of the labels hidden: still better than chance at the hidden ones."""
    train = bundled("train")[:300]
    hidden = [
        Example(e.tokens, tuple(None if rng.random() < 0.5 else tag for tag in e.analysis))
        for e in train
    ]
    chain = Chain(templates=templates("word[0] suffix2[0]"), attributes=Extent.ALL)
    tagger = fit(chain, hidden, optimiser=LBFGS(max_iterations=25))
    predicted = tagger.tag([e.tokens for e in train])
    right = [
        tag == guess
        for full, part, tags in zip(train, hidden, predicted, strict=True)
        for tag, label, guess in zip(full.analysis, part.analysis, tags, strict=True)
        if label is None
    ]
    assert np.mean(right) > 0.8


def test_sets_of_tags_equal_the_sum_over_them():
    """p(labels) for a set of tags is the sum over the sequences in it."""
    corpus = [example(["a", "b"], ["X", "Y"]), example(["b", "a"], ["Y", "Z"])]
    tagger = fit(Chain(), corpus)
    sentence = corpus[0].tokens
    partial = Example(sentence, (frozenset({"X", "Z"}), None))
    every = [Example(sentence, tags) for tags in itertools.product("XZ", "XYZ")]
    total = np.exp(tagger.log_probs(every)).sum()
    assert np.exp(tagger.log_probs([partial])[0]) == pytest.approx(total, rel=1e-12)


def test_an_impossible_example_is_named():
    corpus = [example(["a"], ["B-X"]), Example(Sentence((("a", "b"),), source="f:7"), ("O", "I-X"))]
    with pytest.raises(EvidenceError, match=r"f:7: no tagging is possible at token 2, 'b' .*I-X"):
        fit(Chain(scheme=Scheme.CHUNKS), corpus)


def test_progress_is_reported_and_kept():
    seen: list[Outlook] = []
    heldout = bundled("heldout")
    tagger = fit(
        Chain(),
        bundled("train")[:50],
        development=heldout,
        progress=lambda step: seen.append(step) or len(seen) == 4,
    )
    assert len(seen) == 4
    assert tagger.trace == tuple(step.progress for step in seen)
    predicted = tagger.tag([e.tokens for e in heldout])
    pairs = [
        pair
        for e, p in zip(heldout, predicted, strict=True)
        for pair in zip(e.analysis, p, strict=True)
    ]
    assert seen[-1].accuracy == pytest.approx(np.mean([a == b for a, b in pairs]))
    assert "callback" in tagger.notes["stopped"]


def test_an_interrupt_keeps_the_best_weights():
    def interrupt(step: Outlook) -> None:
        if step.iteration == 3:
            raise KeyboardInterrupt

    train = bundled("train")[:50]
    tagger = fit(Chain(), train, progress=interrupt)
    assert tagger.notes["stopped"] == "interrupted"
    assert tagger.trace[-1].iteration == 3
    objective = contrast(tagger.model, train, conditional) + Gaussian().objective(
        tagger.model.parameters
    )
    assert objective(tagger.weights)[0] == pytest.approx(tagger.trace[-1].value, rel=1e-12)


def test_without_penalty_separable_data_are_fitted_exactly():
    corpus = [example(["a", "b"], ["X", "Y"])]
    tagger = fit(Chain(), corpus, penalty=no_penalty, optimiser=LBFGS(max_iterations=200))
    assert tagger.log_probs(corpus)[0] == pytest.approx(0.0, abs=1e-3)


def test_any_number_of_threads_gives_the_same_weights():
    train = bundled("train")[:50]
    ours = [
        fit(Chain(), train, threads=threads, optimiser=LBFGS(max_iterations=6)).weights
        for threads in (1, 2, 3)
    ]
    np.testing.assert_array_equal(ours[0], ours[1])
    np.testing.assert_array_equal(ours[0], ours[2])


def test_the_lexicon_holds_certain_tags_only():
    corpus = [example(["a", "b"], ["X", None]), example(["a"], [frozenset({"Y", "Z"})])]
    assert lexicon_of(corpus) == {"a": {"X"}, "b": frozenset()}


@pytest.mark.parametrize(
    "name", [name for name in RECIPES if isinstance(RECIPES[name].model, Chain | Tables)]
)
def test_every_recipe_trains_and_predicts(name):
    recipe = find_recipe(name)
    few = {"iterations": "3"} if recipe.optimiser else {}
    corpus = bundled("train")[:30]
    if recipe.criterion and recipe.criterion.numerator is input_only:
        with pytest.raises(OptionError, match="nothing tells the tags apart"):
            fit_recipe(recipe, corpus)
        recipe = replace(recipe, model=replace(recipe.model, dictionary=dictionary_of(corpus)))
    raw = [replace(each, analysis=None) for each in corpus] if recipe.raw else ()
    tagger = fit_recipe(with_settings(recipe, few), corpus, raw=raw)
    assert tagger.decoder is (recipe.decoder or recipe.model.decoders[0])
    assert len(tagger.tag([["a", "test", "."]])[0]) == 3


def test_raw_text_has_the_weight_that_is_said():
    corpus = bundled("train")[:10]
    raw = [replace(each, analysis=None) for each in bundled("train")[10:20]]
    plan = with_settings(find_recipe("semi-supervised"), {"raw_weight": "2", "iterations": "4"})
    tagger = fit_recipe(plan, corpus, raw=raw)
    assert tagger.notes["criterion"] == "conditional + 2 contrastive:delortrans1"
    same = fit(
        plan.model,
        corpus,
        extra=[Term(2.0, raw, plan.raw.criterion)],
        penalty=plan.penalty,
        optimiser=plan.optimiser,
    )
    assert (tagger.weights == same.weights).all()
    with pytest.raises(OptionError, match="crf takes no raw text"):
        fit_recipe(find_recipe("crf"), corpus, raw=raw)
    with pytest.raises(OptionError, match="finite and ≥ 0, not -1"):
        with_settings(plan, {"raw_weight": "-1"})


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("order", "2", 2),
        ("templates", "word[0], bias", (template("word[0]"), template("bias"))),
        ("attributes", "all", Extent.ALL),
        ("boundaries", "no", False),
        ("scheme", "chunks", Scheme.CHUNKS),
        ("tolerance", "1e-3", 1e-3),
    ],
)
def test_settings_change_the_recipe(key, text, value):
    recipe = with_settings(find_recipe("crf"), {key: text})
    setting = every_setting()[key]
    assert getattr(getattr(recipe, setting.part), setting.name) == value


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"colour": "red"}, "no setting 'colour'"),
        ({"order": "three"}, "order=three"),
        ({"order": "3"}, "1 or 2"),
        ({"boundaries": "maybe"}, "yes or no"),
        ({"attributes": "some"}, "attributes=some"),
    ],
)
def test_settings_that_do_not_exist_are_refused(settings, message):
    with pytest.raises(OptionError, match=message):
        with_settings(find_recipe("crf"), settings)


def test_an_unknown_recipe_is_refused():
    with pytest.raises(OptionError, match="there are crf, memm"):
        find_recipe("magic")


def test_models_share_one_prepare(rng):
    """Two models of the same corpus and options are the same."""
    corpus = random_corpus(rng)
    one, two = prepare(Chain(), corpus), prepare(Chain(), corpus)
    evidences = [Evidence(e.tokens, e.analysis) for e in corpus]
    theta = rng.normal(size=one.parameters.size)
    np.testing.assert_array_equal(
        one.derivations(evidences).log_partition(theta),
        two.derivations(evidences).log_partition(theta),
    )
