"""Explanations where answers are few, far or none; the laws are in ``laws_of_explanations.py``."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contracts.laws_of_explanations import explanations
from contracts.models import FAMILIES
from weft import Chain, example, fit
from weft.errors import EvidenceError


@pytest.mark.parametrize("kind", ["chain", "tables", "grammar", "selection"])
def test_the_right_answer_is_found_beyond_the_ranking(kind, rng):
    """Where it is not among the two best."""
    beyond = wrong = 0
    for family in FAMILIES.values():
        if family.kind != kind:
            continue
        for model, each, _ in explanations(family, rng):
            found = model.explain(each.evidence(labelled=False), each, count=1)
            assert len(found.ranking) == 1
            if found.chosen.right is False:
                wrong += 1
                beyond += found.other.rank is None
                assert found.other.right
                assert found.other.score <= found.chosen.score
                total = sum(reason.difference for reason in found.reasons)
                assert total == pytest.approx(found.chosen.score - found.other.score, abs=1e-9)
    assert wrong or kind == "tables"  # which are right about what they were counted from
    assert beyond or kind in ("tables", "grammar", "selection")  # which have few answers here


def test_what_has_no_answer_has_no_reasons():
    chain = Chain(forbidden=frozenset({("A", "B")}), dictionary={"b": frozenset("B")})
    tagger = fit(chain, [example(["a"], ["A"]), example(["b"], ["B"])])
    tagger = replace(
        tagger, model=replace(tagger.model, dictionary={"a": frozenset("A"), "b": frozenset("B")})
    )
    with pytest.raises(EvidenceError, match="no analysis is possible"):
        tagger.explain(["a", "b"])


def test_states_that_show_one_tag_are_one_answer():
    """The best of their derivations stands for it."""
    tagger = fit(Chain(), [example(["a", "b", "a"], ["X", "Y", "X"]), example(["b"], ["Y"])])
    model = tagger.model
    doubled = replace(model, tags=("X",), shown=(0, 0))
    merged = replace(tagger, model=doubled)
    found = merged.explain(["a", "b"])
    assert found.chosen.answer == ("X", "X")
    assert found.other is None
