"""Prefixes: against the sum over all strings, with left recursion, cycles and empty right sides."""

import math

import numpy as np
import pytest
from hypothesis import given

from random_grammars import all_strings, small_grammars, string_sums, weighted
from strategies import quick
from weft.automata import ANY, transducer
from weft.errors import DivergenceError, EvidenceError, LimitError
from weft.grammars import prefix as prefixes
from weft.grammars.intersection import intersect
from weft.grammars.prefix import (
    END,
    begin,
    extend_prefix,
    next_symbols,
    prefix_log_prob,
    prefix_parser,
    read_prefix,
    sentence_log_prob,
)
from weft.grammars.sums.partition import partition
from weft.structures.grammar import Grammar


def weight_of_prefix(rules: Grammar, words: tuple[str, ...]) -> float:
    """The sum over all strings that begin so: the grammar ∩ words Σ*, by Newton's method."""
    arcs = [(number, word, word, number + 1) for number, word in enumerate(words)]
    machine = transducer([*arcs, (len(words), ANY, ANY, len(words))], [len(words)])
    return partition(intersect(rules, machine)).log_value


@quick
@given(small_grammars(heaviest=-16, most_symbols=2))
def test_prefixes_are_sums_over_all_continuations(rules: Grammar) -> None:
    total = partition(rules)
    if not np.isfinite(total.log_value) or total.radii[np.isfinite(total.radii)].max() > 0.99:
        return
    parser = prefix_parser(rules)
    assert parser.log_total == pytest.approx(total.log_value)
    for words in all_strings("ab", 3):
        wanted = weight_of_prefix(rules, words) - total.log_value
        assert prefix_log_prob(parser, words) == pytest.approx(wanted, abs=1e-8)


@quick
@given(small_grammars(heaviest=-64, most_symbols=2))
def test_sentences_are_sums_over_their_trees(rules: Grammar) -> None:
    total = partition(rules)
    if not np.isfinite(total.log_value) or total.radii[np.isfinite(total.radii)].max() > 0.5:
        return
    listed = string_sums(rules, 7)
    parser = prefix_parser(rules)
    for words, weight in listed.items():
        found = math.exp(sentence_log_prob(parser, words) + total.log_value)
        assert found >= weight * (1 - 1e-9)
        assert found <= weight + math.exp(total.log_value) - sum(listed.values()) + 1e-9


@quick
@given(small_grammars(heaviest=-16))
def test_next_words_sum_to_one_and_are_ratios(rules: Grammar) -> None:
    if not np.isfinite(partition(rules).log_value):
        return
    start = begin(prefix_parser(rules))
    waiting = [start]
    while waiting:
        here = waiting.pop()
        assert sum(here.next_probs.values()) == pytest.approx(1.0, abs=1e-9)
        assert all(chance > 0 for chance in here.next_probs.values())
        for word, chance in here.next_probs.items():
            if word == END:
                ends = here.log_prob + math.log(chance)
                assert here.log_sentence_prob == pytest.approx(ends)
            elif len(here.words) < 3:
                longer = extend_prefix(here, word)
                assert longer.log_prob - here.log_prob == pytest.approx(math.log(chance), abs=1e-9)
                waiting.append(longer)


def test_what_cannot_follow_has_no_share_at_all() -> None:
    """However the systems are solved: rounding must not allow what the grammar forbids."""
    heads = [("S", "A S", 0.3), ("S", "B", 0.7), ("A", "A B", 0.3), ("A", "B A", 0.3)]
    ends = [("A", "a", 0.4), ("B", "B B", 0.2), ("B", "b", 0.5), ("B", "", 0.3), ("C", "c", 1.0)]
    rules = weighted([*heads, *ends])
    assert set(next_symbols(rules, [])) == {"a", "b", END}
    dyck = weighted([("S", "l S r S", 0.4), ("S", "", 0.6)])
    parser = prefix_parser(dyck)
    for words in all_strings("lr", 6):
        depth = 0
        for word in words:
            depth += 1 if word == "l" else -1
            if depth < 0:
                break
        if depth < 0:
            assert prefix_log_prob(parser, words) == -math.inf
        else:
            expected = {"l", "r"} if depth else {"l", END}
            assert set(next_symbols(parser, words)) == expected


def test_what_is_unlikely_is_not_forgotten() -> None:
    """What came first with little probability may turn out to be what was meant."""
    ends = [("A", "a", 1.0), ("B", "a", 1.0)]
    rules = weighted([("S", "A c", 1e-9), ("S", "B d", 1 - 1e-9), *ends])
    assert next_symbols(rules, ["a"]) == pytest.approx({"c": 1e-9, "d": 1 - 1e-9}, rel=1e-9)
    assert sentence_log_prob(rules, ["a", "c"]) == pytest.approx(math.log(1e-9))


def test_long_prefixes_do_not_underflow() -> None:
    rules = weighted([("S", "S S", 0.45), ("S", "a", 0.001), ("S", "b", 0.549)])
    prefix = begin(prefix_parser(rules))
    for _ in range(120):
        prefix = extend_prefix(prefix, "a")
    assert prefix.log_prob < -750
    assert sum(prefix.next_probs.values()) == pytest.approx(1.0)
    # After any word, what follows depends on the number of words alone; P(a) : P(b) = 1 : 549.
    assert prefix.next_probs["b"] == pytest.approx(549 * prefix.next_probs["a"])


def test_a_weighted_grammar_is_its_probabilistic_one() -> None:
    rules = weighted([("S", "S S", 0.08), ("S", "a", 2.0), ("S", "b", 0.5)])
    z = (1 - math.sqrt(1 - 4 * 0.08 * 2.5)) / 0.16
    assert next_symbols(rules, [])["a"] == pytest.approx(0.8)
    assert sentence_log_prob(rules, ["a", "b"]) == pytest.approx(math.log(0.08 * 2 * 0.5 / z))


def test_errors() -> None:
    rules = weighted([("S", "a S b", 0.5), ("S", "", 0.5)])
    with pytest.raises(EvidenceError, match=r"word 3, 'a', cannot follow after 'a b'"):
        read_prefix(rules, ["a", "b", "a"])
    with pytest.raises(EvidenceError, match=r"word 1, 'x', is in no string"):
        next_symbols(rules, ["x"])
    with pytest.raises(EvidenceError, match=r"word 1, '', is in no string"):
        next_symbols(rules, [""])
    with pytest.raises(ValueError, match="split it first"):
        next_symbols(rules, "ab")
    with pytest.raises(DivergenceError):
        prefix_parser(weighted([("S", "S S", 1.0), ("S", "a", 1.0)]))


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefixes, "MOST_NUMBERS", 100)
    rules = weighted([("S", "a S", 0.5), ("S", "a", 0.5)])
    with pytest.raises(LimitError, match="give a shorter one"):
        read_prefix(rules, ["a"] * 20)


def test_weights_beyond_the_range_of_numbers() -> None:
    """By hand: S → a B [1e-300] | c, B → b C [1e-300], C → d C [1e-200] | e."""
    last = [("C", "d C", 1e-200), ("C", "e", 1.0)]
    rules = weighted([("S", "a B", 1e-300), ("S", "c", 1.0), ("B", "b C", 1e-300), *last])
    parser = prefix_parser(rules)
    ten = math.log(10)
    total = parser.log_total
    assert total == pytest.approx(0.0, abs=1e-12)
    assert prefix_log_prob(parser, ["a"]) == pytest.approx(-600 * ten)
    assert prefix_log_prob(parser, ["a", "b"]) == pytest.approx(-600 * ten)
    for several in (0, 1, 2, 7):
        words = ["a", "b", *["d"] * several]
        weight = (-600 - 200 * several) * ten
        assert prefix_log_prob(parser, words) == pytest.approx(weight)
        assert sentence_log_prob(parser, [*words, "e"]) == pytest.approx(weight)
        assert prefix_log_prob(parser, [*words, "c"]) == -math.inf
    begun = begin(parser)
    assert begun.next_log_probs == pytest.approx({"a": -600 * ten, "c": 0.0})
    assert begun.next_probs == {"a": 0.0, "c": 1.0}


@quick
@given(small_grammars(heaviest=-16, lightest=-64 * 800, most_symbols=2))
def test_unlikely_prefixes_are_sums_over_all_continuations(rules: Grammar) -> None:
    """With weights down to exp(-800), which no number holds."""
    total = partition(rules)
    if not np.isfinite(total.log_value) or total.radii[np.isfinite(total.radii)].max() > 0.99:
        return
    parser = prefix_parser(rules)
    for words in all_strings("ab", 3):
        wanted = weight_of_prefix(rules, words) - total.log_value
        assert prefix_log_prob(parser, words) == pytest.approx(wanted, abs=1e-8, rel=1e-12)


@pytest.mark.slow
def test_long_sentences_beyond_the_range_of_numbers() -> None:
    """300 words of S → S S [0.4] | a [1e-300] | b [0.6]: Catalan numbers of equal trees."""
    rules = weighted([("S", "S S", 0.4), ("S", "a", 1e-300), ("S", "b", 0.6)])
    words = ["a"] * 300
    trees = math.lgamma(599) - math.lgamma(300) - math.lgamma(301)
    wanted = trees + 299 * math.log(0.4) - 90000 * math.log(10)
    assert sentence_log_prob(rules, words) == pytest.approx(wanted, rel=1e-12)
