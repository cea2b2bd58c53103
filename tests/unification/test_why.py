"""Why sentences have no analyses: what failed last."""

from __future__ import annotations

import io
from itertools import count

from weft.unification import FeatureParser, ParseLimits, limits, read_fcfg, read_patr
from weft.unification.why import find_reasons

RULES = """\
% start S
S -> NP[NUM=?n] VP[NUM=?n]
S -> VP[FORM=imp]
NP[NUM=?n] -> D[NUM=?n] N[NUM=?n]
VP[NUM=?n, FORM=?f] -> V[NUM=?n, FORM=?f] NP[CASE=acc]
VP -> 'please' VP[FORM=imp]
D[NUM=sg] -> 'a'
N[NUM=pl] -> 'dogs'
N[NUM=sg] -> 'dog'
V[NUM=sg, FORM=fin] -> 'sees'
NP[NUM=pl, CASE=acc] -> 'them'
NP[NUM=pl, CASE=nom] -> 'they'
"""


def reasons(text, sentence, most=9):
    parser = FeatureParser(read_fcfg(io.BytesIO(text.encode())))
    return find_reasons(parser, sentence.split(), most)


def failures(text, sentence):
    return [
        (each.rule.line, each.pieces[0].start, each.pieces[-1].end, each.path)
        for each in reasons(text, sentence).failures
    ]


def test_what_failed_last_comes_first():
    # The subject fails over all words; what is inside it ended earlier.
    assert failures(RULES, "a dogs sees them") == [
        (3, 2, 4, ("FORM",)),
        (4, 0, 2, ("NUM",)),
    ]
    assert failures(RULES, "they sees them") == [
        (2, 0, 3, ("NUM",)),
        (3, 1, 3, ("FORM",)),
    ]


def test_rules_with_one_part_and_with_words():
    assert failures(RULES, "please sees them") == [(6, 0, 3, ("FORM",)), (3, 1, 3, ("FORM",))]
    [last, *_] = reasons(RULES, "please sees them").failures
    assert (len(last.pieces), last.wanted, last.given) == (2, "'imp'", "'fin'")


def test_the_longest_of_several_ways_to_fail_is_kept():
    text = "% start S\nS -> A[F=?x] B[F=?x]\nA[F=a] -> 'u' | 'u' 'u'\nB[F=b] -> 'v'"
    assert failures(text, "u u v") == [(2, 0, 3, ("F",))]


def test_categories_without_names():
    text = """Parameter: Start symbol is S.
    Rule S -> V X: <V wants> = <X>.
    Word sees: <cat> = V <wants cat> = NP <wants case> = acc.
    Word they: <cat> = NP <case> = nom.
    Word runs: <cat> = V.
    """
    parser = FeatureParser(read_patr(io.BytesIO(text.encode())))
    found = find_reasons(parser, ["sees", "they"])
    assert [(each.rule.line, each.path, each.wanted, each.given) for each in found.failures] == [
        (2, ("case",), "'acc'", "'nom'")
    ]
    found = find_reasons(parser, ["sees", "runs"])
    assert [each.path for each in found.failures] == [("*type*",)]
    assert [str(piece.structure) for piece in found.pieces] == [
        "V[wants=NP[case='acc']]",
        "V[]",
    ]


def test_failures_are_looked_for_until_the_time_is_over(monkeypatch):
    """Every look at the clock takes ten minutes, and any of them may be the last one."""
    ticks = count(step=600)
    monkeypatch.setattr(limits, "clock", lambda: next(ticks))
    parser = FeatureParser(read_fcfg(io.BytesIO(RULES.encode())))
    ends = set()
    for seconds in range(0, 600_000, 600):
        found = find_reasons(parser, ["they", "sees", "them"], limits=ParseLimits(seconds=seconds))
        if not found.truncated:
            break
        ends.add(len(found.failures))
    assert ends == {0, 1, 2}
    assert len(found.failures) == 2
