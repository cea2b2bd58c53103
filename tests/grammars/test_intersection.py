"""Products with automata: the weight of each string is the product of both weights."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_grammars import small_grammars, string_sums, trees_below, weighted
from strategies import quick
from weft.automata import ANY, EPSILON, Transducer, transducer
from weft.errors import DivergenceError, LimitError
from weft.grammars.intersection import intersect, origin
from weft.grammars.sums.partition import partition
from weft.structures.grammar import Grammar, shown
from weft.structures.lattice import Lattice, lattice
from weft.structures.tree import leaves


@st.composite
def acceptors(draw: st.DrawFn) -> Transducer:
    """Weighted machines of three states, with cycles, empty arcs and parallel ones."""
    symbols = st.sampled_from(["a", "b", "b", EPSILON])
    states = st.integers(0, 2)
    weights = st.integers(-64, -1).map(lambda k: k / 32)
    rows = draw(st.lists(st.tuples(states, symbols, states, weights), max_size=6))
    arcs = [(source, symbol, symbol, target, weight) for source, symbol, target, weight in rows]
    return transducer(arcs, draw(st.sets(states, min_size=1)))


def weight_by(machine: Transducer, words: tuple[str, ...]) -> float:
    """The sum over the paths of a string; empty arcs by a truncated sum."""
    now = np.zeros(machine.state_count)
    now[0] = 1.0
    moves = {word: np.zeros((machine.state_count,) * 2) for word in {"a", "b", EPSILON}}
    for arc in machine.arcs:
        moves[arc.input][arc.source, arc.target] += math.exp(arc.weight)
    rest = np.linalg.inv(np.eye(machine.state_count) - moves[EPSILON])
    now = now @ rest
    for word in words:
        now = now @ moves[word] @ rest
    return float(now @ np.exp(machine.finals))


@quick
@given(small_grammars(heaviest=-16, most_symbols=2), acceptors())
def test_weights_multiply(rules: Grammar, machine: Transducer) -> None:
    moves = np.zeros((machine.state_count,) * 2)
    for arc in machine.arcs:
        moves[arc.source, arc.target] += math.exp(arc.weight) * (arc.input == EPSILON)
    if abs(np.linalg.eigvals(moves)).max() > 0.99:
        return
    product = intersect(rules, machine)
    mine = string_sums(rules, 6)
    # A product tree has a rule more than its original: that of the start symbol.
    found = string_sums(product, 7)
    for words, weight in mine.items():
        wanted = weight * weight_by(machine, words)
        assert found.get(words, 0.0) == pytest.approx(wanted, rel=1e-9)


@quick
@given(small_grammars(heaviest=-16, most_symbols=2))
def test_lattices_choose_strings(rules: Grammar) -> None:
    strings = lattice([(0, "a", 1), (0, "b", 2), (1, "a", 2), (2, "b", 3)], [2, 3])
    product = intersect(rules, strings)
    members = set(strings.strings())
    listed = {tuple(leaves(tree)) for tree, _ in trees_below(rules, rules.start, 7)}
    found = {tuple(leaves(tree)) for tree, _ in trees_below(product, product.start, 8)}
    assert found == listed & members


def test_names_and_weights() -> None:
    rules = weighted([("S", "S a", 0.5), ("S", "", 0.25)])
    machine = Transducer(
        tuple(transducer([(0, "a", "a", 1, -1.0), (1, "a", "a", 0, -2.0)], [1]).arcs),
        (-math.inf, -3.0),
    )
    product = intersect(rules, machine)
    texts = {shown(rule): rule.weight for rule in product.rules()}
    assert texts == pytest.approx(
        {
            "S@ -> S@0,1": -3.0,
            "S@0,1 -> S@0,0 'a'": math.log(0.5) - 1.0,
            "S@0,0 -> S@0,1 'a'": math.log(0.5) - 2.0,
            "S@0,0 ->": math.log(0.25),
        }
    )
    assert origin("S@0,1") == ("S", 0, 1)


def test_parallel_arcs_and_empty_ones_add_up() -> None:
    rules = weighted([("S", "a", 1.0), ("S", "a a", 1.0)])
    half, third = math.log(1 / 2), math.log(1 / 3)
    twice = transducer([(0, "a", "a", 1, half), (0, "a", "a", 1, third)], [1])
    assert math.exp(partition(intersect(rules, twice)).log_value) == pytest.approx(5 / 6)
    ways = [(1, "", "", 2, half), (1, "", "", 3, third)]
    empty = transducer([(0, "a", "a", 1), *ways, (2, "a", "a", 2, half)], [2, 3])
    # a ends in 2 or 3; a a only in 2.
    assert math.exp(partition(intersect(rules, empty)).log_value) == pytest.approx(5 / 6 + 1 / 4)


def test_anything_goes_with_any() -> None:
    rules = weighted([("S", "S S", 0.4), ("S", "a", 0.3), ("S", "b", 0.3)])
    every = intersect(rules, transducer([(0, ANY, ANY, 0)], [0]))
    assert partition(every).log_value == pytest.approx(partition(rules).log_value)
    nothing = intersect(rules, Lattice.from_sentence(["c"]))
    assert nothing.rule_count == 0


def test_refusals() -> None:
    rules = weighted([("S", "S S", 0.4), ("S", "a", 0.6)])
    with pytest.raises(ValueError, match="an acceptor, not a transducer"):
        intersect(rules, transducer([(0, "a", "b", 0)], [0]))
    with pytest.raises(DivergenceError, match="loses no weight"):
        intersect(rules, transducer([(0, "a", "a", 0), (0, "", "", 0)], [0]))
    with pytest.raises(LimitError, match="more than 10 rules"):
        intersect(rules, Lattice.from_sentence(["a"] * 6), limit=10)
