"""Likely mistakes of feature grammars."""

from __future__ import annotations

import io

import pytest

from weft.unification import read_fcfg, read_patr
from weft.unification.check import check_features


def found(text):
    return check_features(read_fcfg(io.BytesIO(text.encode())))


def unmet(text):
    return [(each.side.rule.line, each.paths) for each in found(text).unmet]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        # No left side has it, wherever it is asked for.
        ("S -> A[F=?x]\nA -> 'u'", [(1, (("F",),))]),
        # Of equal sides of a line, one is told.
        ("S -> A[F=?x] B | B A[F=?x]\nA -> 'u'\nB -> 'u'", [(1, (("F",),))]),
        ("S -> A[F=[G=a, H=b]]\nA[F=[H=b]] -> 'u'", [(1, (("F", "G"),))]),
        # Some left side has it, or may have it.
        ("S -> A[F=a]\nA[F=?x] -> B[F=?x]\nA -> 'u'\nB[F=a] -> 'u'", []),
        ("S -> A[F=[G=a]]\nA[F=?x] -> B[F=?x]\nB[F=[G=a]] -> 'u'", []),
        ("S -> A[F=[G=a]]\nA[F=(1)[H=b], K->(1)] -> 'u'", []),
        ("S -> A/B\nA/B -> 'u'", []),
        # What fails altogether is told as that.
        ("S -> A[F=a, G=b]\nA[F=c] -> 'u'", []),
    ],
)
def test_features_that_never_meet(rules, expected):
    assert unmet(rules) == expected


def test_whole_constituents_may_have_any_feature():
    text = """
    Rule S -> A: <A f g> = a.
    Rule A -> B X: <B wants> = <A>.
    Rule S -> C: <C f> = a.
    Rule X -> X_1 "and" X_2: <X> = <X_1> <X> = <X_2>.
    Word u: <cat> = B <wants f g> = a.
    Word v: <cat> = C.
    Word w: <cat> = D.
    """
    findings = check_features(read_patr(io.BytesIO(text.encode())))
    assert [(each.side.rule.line, each.paths) for each in findings.unmet] == [(4, (("f",),))]
    assert not findings.undefined
    # The second rule's X may be of any category.
    assert not findings.unreachable
    assert not findings.cycles


def test_what_any_category_may_be_is_no_cycle_unless_it_is_one():
    text = (
        "Rule S -> X: <X f> = <S f>.\nRule X_0 -> X_1: <X_0 cat> = <X_1 cat>.\nWord u: <cat> = S."
    )
    findings = check_features(read_patr(io.BytesIO(text.encode())))
    assert [side.rule.line for side in findings.cycles] == [1, 2]
    text = text.replace("<X f> = <S f>", "<X cat> = A").replace("<X_0 cat> = <X_1 cat>", "")
    findings = check_features(read_patr(io.BytesIO(text.encode())))
    assert [str(side) for side in findings.undefined] == []


def test_cycles_and_recursion_after_nothing():
    findings = found("S -> E S 'x' | 'x'\nS -> E T\nT -> S E\nE ->\nS -> S 'y'")
    assert [(side.rule.line, side.number) for side in findings.cycles] == [(2, 1), (3, 0)]
    assert [(side.rule.line, side.number) for side in findings.recursive] == [(1, 1)]


def test_a_grammar_without_mistakes():
    findings = found("S -> NP[N=?n] VP[N=?n]\nNP[N=sg] -> 'Kim'\nVP[N=sg] -> 'flies'")
    assert findings.problems == 0
    assert not findings.recursive
    assert not findings.cycles


def test_mistakes_of_known_grammars(data_folder):
    folder = data_folder / "grammars"
    lines = {
        name: [(each.side.rule.line, each.paths) for each in check_features(read).unmet]
        for name in ("book_grammars/simple-sem", "book_grammars/german", "sample_grammars/event")
        for read in [read_fcfg(folder / f"{name}.fcfg")]
    }
    # The first asks for +TO, where the entries have +to.
    assert lines == {
        "book_grammars/simple-sem": [(27, (("TO",),))],
        "book_grammars/german": [],
        "sample_grammars/event": [(24, (("to",),))],
    }
