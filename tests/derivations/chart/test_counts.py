"""Numbers of trees are exact, also where there are infinitely many."""

from __future__ import annotations

import math

from hypothesis import given, reject, settings

from charts import TooManyError, all_trees, grammars, sentences
from weft.derivations.chart.chart import Chart
from weft.derivations.chart.counts import counts
from weft.structures.evidence import Evidence, sentence
from weft.structures.grammar import Rule, Terminal, grammar


@settings(max_examples=150)
@given(rules=grammars(), words=sentences(3))
def test_counts_equal_enumeration(rules, words):
    try:
        some, more, most = (len(all_trees(rules, words, d, most=300)) for d in (7, 8, 14))
    except TooManyError:
        reject()
    [found] = counts(Chart(rules, [Evidence(sentence(words))]))
    # A cycle makes new trees at every depth, or at every few.
    assert found == (some if some == more == most else math.inf)


def test_counts_of_long_sentences_are_catalan_numbers():
    rules = grammar([Rule("S", ("S", "S")), Rule("S", (Terminal("a"),))])
    lengths = [1, 2, 30, 90]
    charts = Chart(rules, [Evidence(sentence(["a"] * n)) for n in lengths], 2)
    assert counts(charts) == [math.comb(2 * n - 2, n - 1) // n for n in lengths]


def test_only_sentences_that_use_a_cycle_have_infinitely_many():
    rules = grammar(
        [
            Rule("S", ("A",)),
            Rule("S", ("B",)),
            Rule("A", ("A",)),
            Rule("A", (Terminal("a"),)),
            Rule("B", (Terminal("b"), "E")),
            Rule("E", ()),
            Rule("E", ("F",)),
            Rule("F", ()),
        ]
    )
    several = [Evidence(sentence(words)) for words in (["a"], ["b"], ["c"], [])]
    assert counts(Chart(rules, several)) == [math.inf, 2, 0, 0]
