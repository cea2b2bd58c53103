"""Chains as grammars and grammars as automata: the same weight for every string and path."""

import itertools
import math

import numpy as np
import pytest

from random_grammars import string_sums, weighted
from weft.automata import transducer
from weft.errors import OptionError
from weft.grammars.forms.linear import Moore, from_acceptor, from_moore, to_acceptor, to_moore
from weft.grammars.intersection import intersect
from weft.grammars.sums.partition import partition
from weft.structures.lattice import Lattice


def random_chain(rng: np.random.Generator, states: int = 3, words: int = 2) -> Moore:
    """A hidden Markov model."""

    def rows(*shape: int) -> np.ndarray:
        numbers = rng.random(shape)
        return numbers / numbers.sum(axis=-1, keepdims=True)

    going = rows(states, states + 1)
    with np.errstate(divide="ignore"):
        return Moore(
            tuple("XYZ"[:states]),
            tuple("ab"[:words]),
            np.log(rows(states)),
            np.log(going[:, :-1]),
            np.log(going[:, -1]),
            np.log(rows(states, words)),
        )


def test_a_chain_is_its_grammar(rng: np.random.Generator) -> None:
    chain = random_chain(rng)
    rules = from_moore(chain)
    assert partition(rules).log_value == pytest.approx(0.0, abs=1e-12)
    for words in (("a",), ("b", "a"), ("a", "b", "b")):
        wanted = 0.0
        for path in itertools.product(range(3), repeat=len(words)):
            score = chain.begin[path[0]] + chain.end[path[-1]]
            score += sum(chain.go[one, other] for one, other in itertools.pairwise(path))
            score += sum(chain.say[s, "ab".index(w)] for s, w in zip(path, words, strict=True))
            wanted += math.exp(score)
        found = partition(intersect(rules, Lattice.from_sentence(words))).log_value
        assert math.exp(found) == pytest.approx(wanted)


def test_there_and_back(rng: np.random.Generator) -> None:
    chain = random_chain(rng)
    again = to_moore(from_moore(chain))
    assert again.states == chain.states
    assert again.words == chain.words
    for name in ("begin", "go", "end", "say"):
        assert np.array_equal(getattr(again, name), getattr(chain, name))


def test_moore_refusals(rng: np.random.Generator) -> None:
    with pytest.raises(OptionError, match="collide"):
        from_moore(random_chain(rng), start="X")
    with pytest.raises(OptionError, match="S -> S S is no rule of a Moore machine"):
        to_moore(weighted([("S", "S S", 1.0)]))
    with pytest.raises(ValueError, match=r"go must be \(1, 1\)"):
        Moore(("X",), ("a",), np.zeros(1), np.zeros((2, 2)), np.zeros(1), np.zeros((1, 1)))


def test_acceptors_are_right_linear_grammars() -> None:
    arcs = [(0, "a", "a", 1, -0.5), (1, "b", "b", 0, -0.25), (1, "a", "a", 1, -1.0)]
    machine = transducer([*arcs, (0, "", "", 1, -2.0)], [1])
    rules = from_acceptor(machine)
    assert to_acceptor(rules) == machine
    # S → a | a S, as a grammar with words at its ends.
    ends = to_acceptor(
        weighted([("S", "a S", 0.5), ("S", "b", 0.25), ("S", "A", 0.1), ("A", "", 1.0)])
    )
    found = string_sums(from_acceptor(ends), 6)
    for number in range(3):
        assert found[("a",) * number + ("b",)] == pytest.approx(0.5**number * 0.25)
        assert found[("a",) * number] == pytest.approx(0.5**number * 0.1)


def test_acceptor_refusals() -> None:
    with pytest.raises(OptionError, match="S -> S 'a' is no rule of an automaton"):
        to_acceptor(weighted([("S", "S a", 1.0)]))
    with pytest.raises(ValueError, match="not a transducer"):
        from_acceptor(transducer([(0, "a", "b", 0)], [0]))
    with pytest.raises(ValueError, match="as many different names"):
        from_acceptor(transducer([(0, "a", "a", 1)], [1]), ["q", "q"])
