"""What becomes of a joint parser's probability, against the sum over all trees of its grammar."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stack_models import CYCLIC, TREES, model_of, pair_grammar
from weft.errors import LimitError, NotDefined
from weft.grammars.sums.partition import partition
from weft.models.stack import mass
from weft.models.stack.mass import canonical_share, mass_of
from weft.structures.evidence import Evidence, OfLength


def total_of(model) -> float:
    sums = partition(pair_grammar(model))
    return math.exp(sums.log_values[sums.start])


@pytest.mark.parametrize("texts", [TREES, CYCLIC])
@pytest.mark.parametrize("unseen", ["back-off", "lose"])
def test_the_mass_of_finished_parses_is_the_sum_over_all_trees(texts, unseen):
    model = model_of(texts, "joint", unseen)
    found = mass_of(model.table)
    assert found.finished == pytest.approx(total_of(model), abs=1e-6)
    assert found.change < 1e-6
    if unseen == "back-off":
        assert not found.lost
    else:
        assert found.finished < 0.95
    assert found.finished + found.stuck + found.endless == pytest.approx(1.0)


def test_what_is_lost_is_said_pair_by_pair():
    """Two a's become A or B, but B was never at the bottom of a stack, and A never over c."""
    model = model_of(["(S (A a a) b)", "(S c (B a a))"], "joint", "lose")
    found = mass_of(model.table)
    named = {
        tuple(model.labels[label] for label in pair): share for pair, share in found.lost.items()
    }
    assert named == pytest.approx({("B", "⋆"): 0.25, ("A", "c"): 0.25})
    assert found.finished == pytest.approx(0.5)
    assert found.endless == pytest.approx(0.0, abs=1e-6)


def test_what_never_ends_is_neither_finished_nor_lost():
    """S over S becomes S, and more is shifted than reduced, as where trees branch too often."""
    texts = ["(S a)", *["(S (S a) (S a))"] * 3]
    model = model_of(texts, "joint")
    found = mass_of(model.table)
    assert found.finished == pytest.approx(total_of(model), abs=1e-6)
    bounded = mass_of(model.table, sweeps=2)
    assert bounded.finished <= found.finished + 1e-9
    assert bounded.endless >= found.endless - 1e-9
    assert found.converged
    assert not bounded.converged


def test_what_has_no_mass_says_so(monkeypatch):
    with pytest.raises(NotDefined, match="no distribution over sentences"):
        mass_of(model_of(TREES, "conditional").table)
    monkeypatch.setattr(mass, "MOST_LABELS", 3)
    with pytest.raises(LimitError, match="unknowns"):
        mass_of(model_of(TREES, "joint").table)


def test_canonical_parses_are_drawn_as_often_as_they_are_probable():
    texts = ["(S (NP d n) v (NP d a n))", "(S (NP d n p n) v)", "(S (NP n c n) v)"]
    model = model_of(texts, "joint", "interpolate", canonical=True)
    share, error = canonical_share(model, 2000)
    total = 0.0  # of short sentences, which are nearly all that is canonical
    for length in range(1, 8):
        forest = model.forest([Evidence(OfLength(length))])
        total += float(np.exp(forest.log_partition(np.zeros(0)))[0])
    assert 0 < error < 0.012
    assert total - 4 * error < share < total + 0.03 + 4 * error
    assert share < mass_of(model.table).finished - 0.5
