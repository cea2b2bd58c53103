"""Weights: exactly as many as the model has, and each a number or -inf."""

import numpy as np
import pytest

from fuzzing.models import SENTENCES, TAGGED, TREES, makers, parse_sets, selected
from weft.models.grammar.parser import Parser
from weft.models.selection.selector import Selector
from weft.models.tagger import Tagger
from weft.structures.alternatives import Picked
from weft.structures.evidence import Evidence, OfLength, sentence
from weft.structures.lattice import Lattice
from weft.structures.tree import leaves

MODELS = ("order 2", "memm", "hmm", "mrf", "arcs", "pcfg", "phrases", "packed")


def bad_weights(weights):
    """Too few, too many, not numbers, and in another shape."""
    yield weights[:-1]
    yield np.append(weights, 0.0)
    yield weights[None]
    for value in (np.nan, np.inf):
        bad = weights.copy()
        bad[len(bad) // 2] = value
        yield bad


@pytest.fixture(scope="module", params=MODELS)
def trained(request):
    return makers()[request.param]()


def evidences(trained):
    """What the model's sets of derivations are made of, of every kind that it takes."""
    if isinstance(trained, Selector):
        return [[Picked(each.tokens) for each in trained.compiled(parse_sets())]]
    if isinstance(trained, Parser):
        tree = TREES[0]
        whole = Evidence(sentence(tuple(leaves(tree))), parse=tree)
        return [[Evidence(sentence(SENTENCES[0]))], [whole]]
    return [[Evidence(sentence(SENTENCES[0])), Evidence(TAGGED[0].tokens, TAGGED[0].analysis)]]


def test_models_check_their_weights(trained):
    for bad in bad_weights(trained.weights):
        with pytest.raises(ValueError, match="weight"):
            type(trained)(trained.model, bad)


def test_sets_of_derivations_check_their_weights(trained):
    for some in evidences(trained):
        derivations = trained.model.derivations(some)
        for bad in bad_weights(trained.weights):
            with pytest.raises(ValueError, match="weight"):
                derivations.log_partition(bad)
            with pytest.raises(ValueError, match="weight"):
                derivations.evaluate(bad, np.ones(len(some)))


def test_sums_over_many_sentences_check_their_weights():
    hmm = makers()["mrf"]()
    for tokens in (None, OfLength(2), Lattice.from_sentence(SENTENCES[0])):
        derivations = hmm.model.derivations([Evidence(tokens)])
        for bad in bad_weights(hmm.weights):
            with pytest.raises(ValueError, match="weight"):
                derivations.log_partition(bad)


def test_a_selector_with_too_few_weights_reads_nothing():
    selector = makers()["listed"]()
    [first, *_] = selected(selector)
    bags = selector.model.analyses([first.tokens])
    with pytest.raises(ValueError, match="weights in a row"):
        bags.scores(selector.weights[:-1].copy(), 1)


def test_tables_have_no_weights():
    tables = makers()["johnson-7"]()
    with pytest.raises(ValueError, match="takes 0 weights"):
        Tagger(tables.model, np.zeros(1))
    with pytest.raises(ValueError, match="takes 0 weights"):
        tables.model.derivations([Evidence(sentence(SENTENCES[0]))]).log_partition(np.zeros(1))


def test_a_tagger_takes_impossible_weights():
    hmm = makers()["hmm"]()
    assert isinstance(Tagger(hmm.model, np.full_like(hmm.weights, -np.inf)), Tagger)
