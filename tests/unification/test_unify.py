"""The laws of unification and subsumption, on random structures with and without sharing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unification.strategies import structures, unified
from weft.errors import NotDefined
from weft.unification import read_structure, subsumes, unify
from weft.unification.structure import CycleError, FeatureStructure, canonical
from weft.unification.unify import NLTK_DEFAULTS

ANY = st.one_of(structures(), structures(shared=False))
EMPTY = read_structure("[]")


@given(ANY, ANY)
def test_commutative(one, other):
    assert unified(unify, one, other) == unified(unify, other, one)


@given(ANY, ANY, ANY)
def test_associative(one, other, third):
    # Variables of the parts are different ones, so that sharing between the parts is none.
    inner = unified(unify, other, third)
    right = None if inner is None else unified(unify, one, inner)
    assert unified(unify, one, other, third) == right


@given(ANY)
def test_idempotent_and_neutral(one):
    assert unify(one, one) == one
    assert unify(one, EMPTY) == one == unify(EMPTY, one)


@given(ANY, ANY)
def test_the_unification_is_the_least_that_both_subsume(one, other):
    both = unified(unify, one, other)
    if both is not None:
        assert subsumes(one, both)
        assert subsumes(other, both)
    assert subsumes(one, other) == (both == other)


@given(ANY, ANY, ANY)
def test_monotone(one, other, third):
    more = unified(unify, one, third)
    if more is not None and unified(unify, more, other) is not None:
        less = unified(unify, one, other)
        assert less is not None
        assert subsumes(less, unified(unify, more, other))


@given(ANY, ANY)
def test_subsumption_is_an_order(one, other):
    assert subsumes(one, one)
    if subsumes(one, other) and subsumes(other, one):
        assert one == other


@given(ANY, st.randoms(use_true_random=False))
def test_canonical_form_does_not_depend_on_the_order_of_nodes(one, random):
    from weft.unification.structure import values_of, with_values

    order = list(range(len(one.nodes)))
    random.shuffle(order)
    place = {old: new for new, old in enumerate(order)}
    moved = [
        with_values(one.nodes[old], [place[value] for value in values_of(one.nodes[old])])
        for old in order
    ]
    again = canonical(moved, place[0])
    assert again == one
    assert hash(again) == hash(one)


@given(ANY)
def test_written_structures_are_read_back(one: FeatureStructure):
    assert read_structure(str(one)) == one


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("[A=?x, B=?x]", "[A=b]", "[A=b, B=b]"),
        ("[A=?x, B=?x]", "[A=[C=d], B=[E=f]]", "[A=(1)[C=d, E=f], B->(1)]"),
        ("[A=?x, B=?y]", "[A=?z, B=?z]", "[A=?x, B=?x]"),
        ("[A=[], B=[]]", "[A=?x, B=?x]", "[A=(1)[], B->(1)]"),
        ("[A=b]", "[A=c]", None),
        ("[A=b]", "[A=[]]", None),
        ("[A=1]", "[+A]", None),
        ("[A=[?x, b]]", "[A=[c, ?x]]", "[A=[c, b]]"),
        ("[A=[b]]", "[A=[b, c]]", None),
        ("[A=(?x, b), B=?x]", "[A=(c, b)]", "[A=(c, b), B=c]"),
        ("[A={b, c}]", "[A={c, b}]", "[A={b, c}]"),
        ("[A=<f(a)>]", "[A=<f(b)>]", None),
        ("VP[]", "VP[]/NP", "VP[]/NP"),
    ],
)
def test_known_unifications(one, other, both):
    found = unify(read_structure(one), read_structure(other))
    assert found == (None if both is None else read_structure(both))


def test_cycles_are_refused():
    with pytest.raises(CycleError):
        unify(read_structure("[A=?x, B=?x]"), read_structure("[A=?y, B=[C=?y]]"))


def test_a_lone_slash_meets_its_default():
    verb, gapped = read_structure("VP[]"), read_structure("VP[]/NP")
    assert unify(verb, gapped, NLTK_DEFAULTS) is None
    variable = read_structure("VP[*slash*=?x, A=?x]")
    assert unify(verb, variable, NLTK_DEFAULTS) == read_structure("VP[*slash*=False, -A]")
    assert unify(verb, verb, NLTK_DEFAULTS) == verb


def test_terms_that_would_have_to_be_computed_are_refused():
    with pytest.raises(NotDefined, match="concat"):
        unify(read_structure("[A=(?x+?y)]"), read_structure("[A=(b, c)]"))
    with pytest.raises(NotDefined, match="cannot be decided"):
        unify(read_structure("[A=b]"), read_structure("[A=<?f(?x)>]"))
