"""What grammars promise as models beside the laws of criteria, which test_table.py has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from charts import all_trees
from trees import tree
from weft.criteria import (
    conditional,
    contrast,
    joint,
    marginal,
    no_penalty,
)
from weft.errors import EvidenceError, OptionError
from weft.grammars.normalise import Scale, normalise_conditional
from weft.models.grammar.prepare import prepare_grammar, start_weights
from weft.models.grammar.spec import Cfg
from weft.models.instances import GRAMMARS
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.search import Search
from weft.structures.constituents import Constituents, Span
from weft.structures.evidence import EVERYTHING, Evidence, Example, Sentence
from weft.structures.tree import leaves
from weft.train import fit

TREES = [
    "(TOP (S (NP n) (VP v (NP d n))))",
    "(TOP (S (NP (NP d n) (PP p (NP n))) (VP v)))",
    "(TOP (S (NP n) (VP v (NP n) (PP p (NP d n)))))",
    "(TOP (S (S (VP v (NP (NP n) (PP p (NP n))))) (VP v)))",
    "(TOP (NP d n n))",
]
CORPUS = [
    Example(Sentence((tuple(leaves(each)),), source=f"tree {number}"), parse=each, weight=weight)
    for number, (each, weight) in enumerate(
        zip(map(tree, TREES), (1.0, 2.0, 1.0, 0.5, 1.0), strict=True)
    )
]
RAW = [replace(each, parse=None) for each in CORPUS]

SPECS = GRAMMARS

specs = pytest.mark.parametrize("name", SPECS)


def at(name, rng):
    model = prepare_grammar(SPECS[name], CORPUS)
    theta = start_weights(model, SPECS[name], CORPUS, 0.5)
    # A little below relative frequencies, so that the sum over all trees surely converges.
    return model, theta - 0.5 + 0.2 * rng.normal(size=len(theta))


@pytest.mark.parametrize("name", ["free", "pcfg", "binary", "parents", "heads", "words"])
def test_joint_is_conditional_and_marginal(name, rng):
    model, theta = at(name, rng)
    parts = [contrast(model, CORPUS, each)(theta) for each in (joint, conditional, marginal)]
    assert parts[0][0] == pytest.approx(parts[1][0] + parts[2][0])
    assert parts[0][1] == pytest.approx(parts[1][1] + parts[2][1], abs=1e-8)


@specs
def test_sums_over_trees_are_those_of_enumeration(name, rng):
    model, theta = at(name, rng)
    charts = model.chart([each.evidence(labelled=False) for each in CORPUS], 1)
    found = charts.log_partition(theta)
    for example, value, *best in zip(CORPUS, found, *charts.best(theta), strict=True):
        words = model.terminals(example.tokens.words)
        # Binary trees of these words are at most so deep; unary chains have two steps at most.
        every = {each for each, _ in all_trees(model.grammar, words, 3 * len(words) + 3)}
        restored = [model.restored(each, example.tokens.words) for each in every]
        evidence = [Evidence(example.tokens, parse=each) for each in restored]
        scores = model.trees(evidence).log_partition(theta)
        assert value == pytest.approx(np.logaddexp.reduce(scores))
        assert best[0] == pytest.approx(scores.max())
        place = restored.index(model.restored(best[1], example.tokens.words))
        assert scores[place] == pytest.approx(scores.max())


@specs
def test_trees_come_back(name, rng):
    model, _ = at(name, rng)
    for example in CORPUS:
        shaped = model.shaped(example.parse)
        assert model.restored(shaped, example.tokens.words) == example.parse


def test_known_constituents_are_between_tree_and_sentence(rng):
    model, theta = at("free", rng)
    example = CORPUS[2]
    spans = [(), (Span(3, 6, "PP"),), (Span(1, 6, "VP"), Span(3, 6, "PP"))]
    known = [Evidence(example.tokens, parse=Constituents(each)) for each in spans]
    values = model.derivations([*known, example.evidence()]).log_partition(theta)
    assert values[0] == model.derivations([Evidence(example.tokens)]).log_partition(theta)[0]
    assert (np.diff(values) <= 1e-12).all()
    assert values[0] > values[-1]


@pytest.mark.parametrize("corpus", [CORPUS, RAW], ids=["trees", "raw"])
def test_em_never_decreases(corpus, rng):
    model, theta = at("pcfg", rng)
    cfg = Cfg(normalisation="joint", grammar=model.grammar_at(theta))
    criterion = joint if corpus is CORPUS else marginal
    parser = fit(cfg, corpus, criterion=criterion, optimiser=EM(20, 1e-9))
    values = [step.value for step in parser.trace]
    assert len(values) == 2 if corpus is CORPUS else len(values) > 5
    assert (np.diff(values) >= -1e-12).all()
    assert values[-1] > values[0]


def test_counting_gives_relative_frequencies():
    parser = fit(Cfg(normalisation="joint"), CORPUS, criterion=joint, optimiser=EM())
    probs = {(rule.head, rule.body): np.exp(rule.weight) for rule in parser.grammar.rules()}
    assert probs["TOP", ("S",)] == pytest.approx(4.5 / 5.5)
    assert np.bincount(parser.grammar.heads, np.exp(parser.grammar.weights)) == pytest.approx(1)


def test_a_joint_model_of_free_weights_is_the_counted_one():
    counted = fit(Cfg(normalisation="joint"), CORPUS, criterion=joint, optimiser=EM())
    free = fit(
        Cfg(),
        CORPUS,
        criterion=joint,
        penalty=no_penalty,
        optimiser=LBFGS(tolerance=1e-12, max_iterations=200),
    )
    a, b = (
        contrast(each.model, CORPUS, joint).per_example(each.weights) for each in (counted, free)
    )
    assert a == pytest.approx(b, abs=1e-6)


def test_both_conditional_estimates_have_one_supremum():
    # Every tree has a rival, and so neither runs away.
    rivals = ["(TOP (S (NP n) (VP v (NP n) (PP p (NP d n)))))"]
    rivals += ["(TOP (S (NP n) (VP v (NP (NP n) (PP p (NP d n))))))"] * 2
    corpus = [Example(Sentence((tuple(leaves(each)),)), parse=each) for each in map(tree, rivals)]
    precise = LBFGS(tolerance=1e-13, max_iterations=500)
    how = {"criterion": conditional, "penalty": no_penalty, "optimiser": precise}
    values = [
        contrast(parser.model, corpus, conditional)(parser.weights)[0]
        for parser in (fit(Cfg(normalisation=each), corpus, **how) for each in ("joint", "none"))
    ]
    expected = np.log(1 / 3) + 2 * np.log(2 / 3)
    assert values == pytest.approx([expected, expected], abs=1e-5)


@pytest.mark.parametrize("name", ["free", "heads", "phrases"])
def test_restarts_climb_from_elsewhere(name):
    few = LBFGS(max_iterations=3)
    parser = fit(SPECS[name], CORPUS, optimiser=few, search=Search(restarts=1, spread=0.1))
    alone = fit(SPECS[name], CORPUS, optimiser=few)
    assert parser.trace[-1].value >= alone.trace[-1].value


def test_everything_is_shared(rng):
    model, theta = at("free", rng)
    found = model.derivations([EVERYTHING, EVERYTHING])
    assert len(found) == 2
    values, gradient = found.evaluate(theta, np.array([1.0, -1.0]))
    assert values[0] == values[1]
    assert not gradient.any()


def test_raw_text_needs_rules_or_symbols():
    with pytest.raises(OptionError, match="there is no tree to read rules off"):
        fit(Cfg(normalisation="joint"), RAW, criterion=marginal, optimiser=EM())
    with pytest.raises(OptionError, match="restarts"):
        fit(Cfg(normalisation="joint", symbols=3), RAW, criterion=marginal, optimiser=EM())
    parser = fit(
        Cfg(normalisation="joint", symbols=3),
        RAW,
        criterion=marginal,
        optimiser=EM(30),
        search=Search(restarts=2),
    )
    assert parser.trace[-1].value > parser.trace[0].value
    assert all(parse is not None for parse in parser.parse([each.tokens for each in RAW]))


def test_a_tree_with_other_rules_is_named(rng):
    model, _ = at("free", rng)
    strange = tree("(TOP (VP n))")
    example = Example(Sentence((("n",),), source="new.mrg:7"), parse=strange)
    with pytest.raises(EvidenceError, match=r"new.mrg:7: the grammar has no rule TOP -> VP"):
        contrast(model, [example], conditional)
    assert not model.covers(example)
    assert model.covers(CORPUS[0])


def test_sentences_without_a_tree_are_named(rng):
    model, _ = at("free", rng)
    cfg = Cfg(normalisation="joint", grammar=model.grammar)
    raw = [*RAW, Example(Sentence((("n", "p"),), source="raw.txt:9"))]
    with pytest.raises(EvidenceError, match=r"raw.txt:9: the grammar has no tree .* token 2, 'p'"):
        fit(cfg, raw, criterion=marginal, optimiser=EM())


def test_held_out_trees_end_training():
    held_out = CORPUS[1:3]
    parser = fit(
        Cfg(),
        CORPUS[:4],
        penalty=no_penalty,
        development=held_out,
        patience=10,
        optimiser=LBFGS(tolerance=0.0),
    )
    values = contrast(parser.model, held_out, conditional)
    at_start = start_weights(parser.model, Cfg(), CORPUS[:4])
    assert values(parser.weights)[0] >= values(at_start)[0]


@pytest.mark.parametrize("scale", [Scale.LEAST, Scale.PAPER])
def test_a_conditional_grammar_becomes_a_probabilistic_one_with_its_parses(scale):
    free = fit(Cfg(), CORPUS)
    found = normalise_conditional(free.grammar, scale).grammar
    assert np.bincount(found.heads, np.exp(found.weights)) == pytest.approx(1)
    charts = free.model.chart([each.evidence(labelled=False) for each in CORPUS])
    (before, trees), (after, same) = charts.best(free.weights), charts.best(found.weights)
    assert trees == same
    posteriors = [
        scores - charts.log_partition(theta)
        for scores, theta in ((before, free.weights), (after, found.weights))
    ]
    assert posteriors[0] == pytest.approx(posteriors[1], abs=1e-8)
