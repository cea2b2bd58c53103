"""What every family has, because estimation knows none of them."""

from __future__ import annotations

import numpy as np
import pytest

from parse_sets import random_examples
from trees import tree
from weft import Cfg, Chain, Dirichlet, Gaussian, Selection, Tables, fit, templates
from weft.corpora import bundled
from weft.criteria import accuracy, conditional, contrast, joint, marginal, no_penalty
from weft.errors import OptionError
from weft.models.model import NO_START
from weft.optimise.annealing import Annealing
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.search import Search
from weft.optimise.variational import VariationalBayes
from weft.structures.evidence import Example, sentence
from weft.structures.tree import leaves
from weft.train import Term

FEW = LBFGS(max_iterations=5)
TREES = [
    Example(sentence(list(leaves(each))), parse=each)
    for each in map(
        tree,
        (
            "(S (N a) (V b))",
            "(S (S (N a) (V b)) (V c))",
            "(S (N a) (S (N a) (V b)))",
            "(S (N b) (V c))",
            "(S (N (N a) (N b)) (V c))",
        ),
    )
]
RAW = [Example(each.tokens) for each in TREES]


def family(name: str):
    """A specification, a corpus and a development corpus of each family."""
    if name == "chain":
        return Chain(), bundled("train")[:30], bundled("heldout")[:10]
    if name == "grammar":
        return Cfg(), TREES, TREES[:3]
    examples = random_examples(np.random.default_rng(5), 12)
    return Selection(relevance=0), examples[:9], examples[9:]


families = pytest.mark.parametrize("name", ["chain", "grammar", "selection"])


@families
def test_two_terms_are_their_weighted_sum(name):
    """A corpus once more with weight ½ is the corpus with weights of one and a half."""
    spec, corpus, _ = family(name)
    twice = fit(spec, corpus, extra=[Term(0.5, corpus, conditional)], optimiser=FEW)
    objective = contrast(twice.model, corpus, conditional)
    value = 1.5 * objective(twice.weights)[0]
    assert twice.notes["criterion"] == "conditional + 0.5 conditional"
    assert twice.trace[-1].value <= value < 0
    free = fit(spec, corpus, extra=[(0.5, corpus, conditional)], optimiser=FEW, penalty=no_penalty)
    assert free.trace[-1].value == pytest.approx(
        1.5 * contrast(free.model, corpus, conditional)(free.weights)[0]
    )


@families
def test_patience_keeps_the_weights_that_held_out_examples_like_best(name):
    spec, corpus, held_out = family(name)
    options = {"penalty": no_penalty, "optimiser": LBFGS(tolerance=0.0, max_iterations=60)}
    told: list[float] = []
    model = fit(spec, corpus, **options).model

    def watch(progress):
        told.append(progress.iteration)

    looks = {"development": held_out, "patience": 2, "watched": "criterion"}
    stopped = fit(spec, corpus, progress=watch, **looks, **options)
    able = [each for each in held_out if spec.covers(model, each)]
    objective = contrast(model, able, conditional)

    def value(weights) -> float:
        found = objective.per_example(weights)
        return float(found[np.isfinite(objective.per_example(np.zeros_like(weights)))].sum())

    free = fit(spec, corpus, **options)
    assert value(stopped.weights) >= value(free.weights) - 1e-9
    if stopped.notes["stopped"].startswith("held-out"):
        assert "2 iterations" in stopped.notes["stopped"]
        assert len(told) < 60


def test_patience_needs_held_out_examples():
    spec, corpus, _ = family("chain")
    with pytest.raises(OptionError, match="patience is with a development corpus"):
        fit(spec, corpus, patience=3)
    with pytest.raises(OptionError, match="at least 1"):
        fit(spec, corpus, development=corpus, patience=-1)


@families
def test_annealing_climbs_accuracy(name):
    """Accuracy has no gradient; the share of right answers is above that of zeros."""
    spec, corpus, _ = family(name)
    found = fit(spec, corpus, criterion=accuracy, optimiser=Annealing(steps=300))
    objective = contrast(found.model, corpus, accuracy)
    assert objective.value(found.weights) >= objective.value(np.zeros_like(found.weights))
    assert found.notes["penalty"] == "none"


def test_variational_bayes_of_a_grammar_prefers_few_rules():
    """With a small prior, rules that are hardly used lose more than EM takes from them."""
    rules = fit(Cfg(normalisation="joint"), TREES, optimiser=EM(), criterion=joint)
    given = Cfg(normalisation="joint", grammar=rules.grammar)
    sparse = fit(
        given,
        RAW,
        criterion=marginal,
        penalty=Dirichlet(0.01),
        optimiser=VariationalBayes(max_iterations=30),
    )
    values = [step.value for step in sparse.trace]
    assert (np.diff(values) >= -1e-9).all()
    assert values[-1] > values[0]
    # Sub-probabilities of each left side: exp E[log p] sums to less than one.
    totals = np.bincount(sparse.model.grammar.heads, np.exp(sparse.weights))
    assert (totals <= 1 + 1e-9).all()


def test_alike_symbols_need_restarts():
    spec = Cfg(normalisation="joint", symbols=2)
    with pytest.raises(OptionError, match=NO_START[:30]):
        fit(spec, RAW, criterion=marginal, optimiser=EM())
    found = fit(spec, RAW, criterion=marginal, optimiser=EM(5), search=Search(restarts=1))
    assert found.trace[-1].value > found.trace[0].value


def test_the_curve_is_of_the_model_that_is_saved():
    """An HMM is opened to unknown words when it is saved; its held-out accuracy is of that."""
    corpus, held_out = bundled("train")[:60], bundled("heldout")
    every = {"attributes": "all", "ngrams": "all", "normalisation": "joint"}
    hmm = Chain(templates=templates("word[0]"), **every)
    tagger = fit(hmm, corpus, criterion=joint, optimiser=EM(), development=held_out)
    predicted = tagger.tag([each.tokens for each in held_out])
    pairs = [
        gold == tag
        for each, tags in zip(held_out, predicted, strict=True)
        for gold, tag in zip(each.analysis, tags, strict=True)
    ]
    assert tagger.trace[-1].accuracy == pytest.approx(np.mean(pairs))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"criterion": "joint"}, "find_criterion"),
        ({"optimiser": "lbfgs"}, "weft.LBFGS"),
        ({"penalty": 1.0}, "weft.Gaussian"),
    ],
)
def test_axes_of_the_wrong_type_are_named(wrong, message):
    with pytest.raises(TypeError, match=message):
        fit(Chain(), bundled("train")[:3], **wrong)
    with pytest.raises(TypeError, match=r"weft\.example"):
        fit(Chain(), "the dog barks")
    with pytest.raises(TypeError, match=r"weft\.Chain"):
        fit("crf", bundled("train")[:3])


def test_counted_families_take_no_optimiser():
    with pytest.raises(OptionError, match="tables are counted"):
        fit(Tables(), bundled("train")[:30], penalty=Gaussian(1.0))
