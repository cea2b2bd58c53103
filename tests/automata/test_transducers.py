"""Machines against the listing of their paths."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines import (
    Relation,
    composed,
    isomorphic,
    paths,
    relation,
    residuals,
    thorough,
    transducers,
)
from strategies import extreme_weights, mixed_weights
from weft.algebra import LOG, MAX
from weft.automata import (
    ANY,
    EPSILON,
    Arc,
    Tape,
    Transducer,
    compose,
    determinise,
    from_lattice,
    minimise,
    outgoing,
    project,
    push,
    remove_epsilons,
    remove_weights,
    string_acceptor,
    to_lattice,
    transducer,
    trim,
    union,
    with_words,
)
from weft.errors import LimitError
from weft.structures.lattice import Lattice, lattice

algebras = pytest.mark.parametrize("algebra", [LOG, MAX], ids=["log", "max"])


def same(found: Relation, expected: Relation, tolerance: float = 1e-9) -> bool:
    return found.keys() == expected.keys() and all(
        math.isclose(found[pair], expected[pair], rel_tol=1e-12, abs_tol=tolerance)
        for pair in found
    )


def deterministic(machine: Transducer) -> bool:
    symbols = [(arc.source, arc.input, arc.output) for arc in machine.arcs]
    return len(set(symbols)) == len(symbols)


@algebras
@thorough
@given(transducers(), transducers())
def test_composition(algebra, first, second):
    best = algebra is MAX
    assert same(relation(compose(first, second), best), composed(first, second, best))


@thorough
@given(transducers(), transducers())
def test_composition_makes_one_path_of_a_pair(first, second):
    pairs = sum(one[1] == other[0] for one in paths(first) for other in paths(second))
    assert len(list(paths(compose(first, second)))) == pairs


def test_steps_that_nothing_passes_through_have_one_order():
    first = transducer([(0, "a", EPSILON, 1), (1, "a", EPSILON, 2), (2, "c", "c", 3)], [3])
    second = transducer([(0, EPSILON, "b", 1), (1, EPSILON, "b", 2), (2, "c", EPSILON, 3)], [3])
    made = compose(first, second)
    assert list(paths(made)) == [(("a", "a", "c"), ("b", "b"), 0.0)]
    assert made.state_count == 6


@pytest.mark.parametrize(
    ("algebra", "expected"), [(LOG, math.log(math.exp(-1) + math.exp(-2))), (MAX, -1.0)]
)
def test_several_empty_ways_are_summed(algebra, expected):
    ways = [(0, "", "", 1, -1.0), (0, "", "", 2, -2.0), (1, "", "", 2)]
    [arc] = remove_epsilons(transducer([*ways, (2, "a", "a", 3)], [3]), algebra).arcs
    assert arc.weight == pytest.approx(expected)
    twice = transducer([(0, "a", "b", 1, -1.0), (0, "a", "b", 1, -2.0)], [1])
    [arc] = remove_epsilons(twice, algebra).arcs
    assert arc.weight == pytest.approx(expected)


@algebras
@thorough
@given(transducers(weights=mixed_weights))
def test_removing_epsilons(algebra, machine):
    made = remove_epsilons(machine, algebra)
    assert all(arc.input or arc.output for arc in made.arcs)
    assert same(relation(made, algebra is MAX), relation(machine, algebra is MAX))


@algebras
@thorough
@given(transducers(epsilons=False, weights=mixed_weights))
def test_determinisation(algebra, machine):
    made = determinise(machine, algebra)
    assert deterministic(made)
    assert same(relation(made, algebra is MAX), relation(machine, algebra is MAX), 1e-7)


@algebras
@thorough
@given(transducers(epsilons=False, weights=mixed_weights))
def test_minimisation_keeps_the_weights_and_shrinks(algebra, machine):
    deterministic_one = determinise(machine, algebra)
    made = minimise(deterministic_one, algebra)
    assert deterministic(made)
    assert made.state_count <= deterministic_one.state_count
    assert same(relation(made, algebra is MAX), relation(machine, algebra is MAX), 1e-7)
    assert all(arc.source < arc.target for arc in made.arcs)


@algebras
@thorough
@given(transducers(epsilons=False, weights=extreme_weights))
def test_extreme_weights(algebra, machine):
    made = minimise(determinise(machine, algebra), algebra)
    expected = relation(machine, algebra is MAX)
    assert same(relation(made, algebra is MAX), expected, 1e-6)


@thorough
@given(transducers(acceptor=True, epsilons=False))
def test_the_minimal_machine_has_a_state_for_each_future(machine):
    strings = {reads for reads, _, _ in paths(machine)}
    made = minimise(determinise(remove_weights(machine), MAX), MAX)
    assert {reads for reads, _, _ in paths(made)} == strings
    assert made.state_count == max(1, len(residuals(strings)))


@thorough
@given(transducers(epsilons=False))
def test_weighted_futures_that_differ_by_a_constant_are_one(machine):
    # The same machine twice, once with dearer ends, behind different words.
    twice = [Arc(0, "x", "x", 1), Arc(0, "y", "y", 1 + machine.state_count)]
    for shift in (1, 1 + machine.state_count):
        moved = (arc._replace(source=arc.source + shift) for arc in machine.arcs)
        twice += [arc._replace(target=arc.target + shift) for arc in moved]
    dearer = (weight - 3.0 for weight in machine.finals)
    both = Transducer(tuple(twice), (-math.inf, *machine.finals, *dearer))
    one = minimise(determinise(machine))
    expected = one.state_count + 1 if any(paths(machine)) else 1
    assert minimise(determinise(both)).state_count == expected


@algebras
@thorough
@given(transducers(weights=mixed_weights))
def test_pushing(algebra, machine):
    made = push(machine, algebra)
    assert same(relation(made, algebra is MAX), relation(machine, algebra is MAX))
    for state in range(1, made.state_count):
        ahead = Transducer(
            (Arc(0, "", "", state), *(arc for arc in made.arcs if arc.source != 0)),
            (-math.inf, *made.finals[1:]),
        )
        weights = [weight for _, _, weight in paths(ahead)]
        total = math.log(sum(map(math.exp, weights))) if algebra is LOG else max(weights)
        assert abs(total) < 1e-9


def test_nothing_is_left_of_a_machine_without_a_path():
    nothing = Transducer((), (-math.inf,))
    assert trim(transducer([(0, "a", "a", 0), (0, "b", "b", 1)], [])) == nothing
    assert trim(transducer([(1, "a", "a", 0)], [1])) == nothing


@thorough
@given(transducers(weights=mixed_weights))
def test_trimming(machine):
    made = trim(machine)
    assert sorted(paths(made)) == sorted(paths(machine))
    used = {0}
    rows = outgoing(made)
    waiting = [((0,), 0)]
    while waiting:
        seen, state = waiting.pop()
        if made.finals[state] > -math.inf:
            used |= set(seen)
        waiting += [((*seen, arc.target), arc.target) for arc in rows[state]]
    assert used == set(range(made.state_count))


@thorough
@given(transducers(), st.lists(transducers(), max_size=2))
def test_union_and_projection(first, others):
    machines = [first, *others]
    assert sorted(paths(union(*machines))) == sorted(
        path for machine in machines for path in paths(machine)
    )
    for tape, number in ((Tape.INPUT, 0), (Tape.OUTPUT, 1)):
        expected = sorted((path[number], path[number], path[2]) for path in paths(first))
        assert sorted(paths(project(first, tape))) == expected


@thorough
@given(transducers(acceptor=True, epsilons=False))
def test_lattices_are_acceptors(machine):
    strings = {reads for reads, _, _ in paths(machine)}
    made = minimise(determinise(remove_weights(machine), MAX), MAX)
    if not strings:
        with pytest.raises(ValueError, match="no string"):
            to_lattice(made)
        return
    found = to_lattice(made)
    assert set(found.strings()) == strings
    assert found.state_count == made.state_count
    assert {reads for reads, _, _ in paths(from_lattice(found))} == strings
    assert isomorphic(to_lattice(from_lattice(found)), found)


def test_any_becomes_the_words_there_are():
    machine = transducer(
        [(0, ANY, ANY, 0), (0, ANY, "x", 1), (1, EPSILON, ANY, 1), (1, "y", ANY, 0, -2.0)], [1]
    )
    arcs = with_words(machine, ["a", "b", "a"]).arcs
    assert [(arc.source, arc.input, arc.output, arc.target) for arc in arcs] == [
        (0, "a", "a", 0),
        (0, "b", "b", 0),
        (0, "a", "x", 1),
        (0, "b", "x", 1),
        (1, "", "a", 1),
        (1, "", "b", 1),
        (1, "y", "a", 0),
        (1, "y", "b", 0),
    ]
    assert [arc.weight for arc in arcs][-2:] == [-2.0, -2.0]
    with pytest.raises(LimitError, match="would be more than 7"):
        with_words(machine, ["a", "b"], limit=7)


def test_a_string_is_an_acceptor():
    assert relation(string_acceptor(["a", "b"])) == {(("a", "b"), ("a", "b")): 0.0}
    assert relation(string_acceptor([])) == {((), ()): 0.0}


@pytest.mark.parametrize(
    ("arcs", "finals", "message"),
    [
        ((), (), "at least one state"),
        (((0, "a", "a", 1),), (0.0,), "states 0 to 0 only"),
        (((-1, "a", "a", 0),), (0.0,), "states 0 to 0 only"),
        (((0, "a", "a", 0, math.nan),), (0.0,), "not nan"),
        ((), (math.inf,), "not inf"),
    ],
)
def test_what_is_no_transducer_is_refused(arcs, finals, message):
    with pytest.raises(ValueError, match=message):
        Transducer(arcs, finals)


def test_states_that_are_not_numbered_from_0_are_refused():
    with pytest.raises(ValueError, match="numbered from 0"):
        transducer([(-1, "a", "a", 0)], [0])
    with pytest.raises(ValueError, match="there is a state 1000000000000"):
        transducer([(0, "a", "a", 10**12)], [0])


def test_cycles_are_refused_where_they_matter():
    loop = transducer([(0, "a", "a", 1), (1, "b", "b", 2), (2, "c", "c", 1)], [2])
    for function in (minimise, push, to_lattice):
        with pytest.raises(LimitError, match=r"the states 1 → 2 → 1 form a cycle"):
            function(loop)
    empty = transducer([(0, "", "", 1), (1, "", "", 0)], [0])
    with pytest.raises(LimitError, match="form a cycle"):
        remove_epsilons(empty)
    assert determinise(loop) == loop
    long = transducer([(i, "a", "a", (i + 1) % 50) for i in range(50)], [0])
    with pytest.raises(LimitError, match="9 → … → 0 form a cycle"):
        minimise(long)


def test_empty_arcs_must_be_removed_first():
    machine = union(string_acceptor(["a"]))
    with pytest.raises(ValueError, match="remove_epsilons first"):
        determinise(machine)
    with pytest.raises(ValueError, match="project and remove_epsilons first"):
        to_lattice(machine)
    with pytest.raises(ValueError, match="project and remove_epsilons first"):
        to_lattice(transducer([(0, "a", "b", 1)], [1]))


def test_blow_ups_are_refused():
    # Whether the tenth word from the end was an a takes 2¹⁰ states to remember.
    arcs = [(0, word, word, 0) for word in "ab"] + [(0, "a", "a", 1)]
    arcs += [(i, word, word, i + 1) for i in range(1, 10) for word in "ab"]
    tail = transducer(arcs, [10])
    assert determinise(tail, MAX).state_count == 2**10
    with pytest.raises(LimitError, match="arcs would be more than 500; make the machine or"):
        determinise(tail, MAX, limit=500)
    wide = transducer([(0, "a", str(i), 1) for i in range(50)], [1])
    narrow = transducer([(0, str(i), "b", i % 7 + 1) for i in range(50)], range(1, 8))
    with pytest.raises(LimitError, match="composition's arcs"):
        compose(wide, narrow, limit=49)
    assert len(compose(wide, narrow, limit=50).arcs) == 50
    fan = union(*[wide] * 3)
    with pytest.raises(LimitError, match="empty ones"):
        remove_epsilons(fan, limit=100)


def test_determinising_what_cannot_be_ends_at_the_limit():
    # The two loops drift apart: there is a residual for each length.
    arcs = [(0, "a", "a", 1), (0, "a", "a", 2), (1, "b", "b", 1, -1.0), (2, "b", "b", 2, -2.0)]
    twins = transducer([*arcs, (1, "c", "c", 3), (2, "d", "d", 3)], [3])
    with pytest.raises(LimitError):
        determinise(twins, MAX, limit=1000)


def test_a_deep_machine_is_no_problem():
    words = ["a"] * 5_000
    made = minimise(determinise(remove_epsilons(union(string_acceptor(words))), MAX), MAX)
    assert made.state_count == len(words) + 1
    assert to_lattice(made).count() == 1


def test_equal_machines_are_equal():
    one = Transducer((Arc(1, "a", "a", 2), Arc(0, "b", "b", 1)), (-math.inf, -math.inf, 0))
    other = Transducer((Arc(0, "b", "b", 1), Arc(1, "a", "a", 2)), (-math.inf, -math.inf, 0.0))
    assert one == other
    assert hash(one) == hash(other)
    assert Lattice.from_sentence(["b", "a"]).count() == lattice([(0, "b", 1)], [1]).count()
