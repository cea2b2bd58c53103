"""Right sides as automata, beside a matcher of regular expressions."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from weft.lfg.language import Category, Choice, Ignore, Nothing, Repeat, Sequence, Shuffle
from weft.lfg.right_sides import build_machine

A, B, C = (Category(name) for name in "ABC")
symbols = st.sampled_from((A, B, C))
sides = st.recursive(
    st.one_of(symbols, symbols, st.just(Nothing()), st.just(Sequence(()))),
    lambda part: st.one_of(
        st.builds(lambda *parts: Sequence(parts), part, part),
        st.builds(lambda *parts: Choice(parts), part, part),
        st.builds(lambda *parts: Shuffle(parts), part, part),
        st.builds(Repeat, part),
        st.builds(lambda one: Repeat(one, 1, 2), part),
        st.builds(lambda one: Repeat(one, 1), part),
        st.builds(Ignore, part, symbols),
    ),
    max_leaves=4,
)


def strings(side, most):
    """All sequences of a right side up to a length, by its definition."""
    match side:
        case Category(name):
            return {name} if most else set()
        case Nothing():
            return {""}
        case Sequence(parts):
            found = {""}
            for part in parts:
                found = {one + two for one in found for two in strings(part, most)}
            return {each for each in found if len(each) <= most}
        case Choice(options):
            return set().union(*(strings(each, most) for each in options))
        case Repeat(part, least, limit):
            once = strings(part, most)
            found, level = set(), {""}
            for times in range((least + most if limit is None else limit) + 1):
                if times >= least:
                    found |= level
                level = {o + t for o in level for t in once if len(o + t) <= most}
            return found
        case Shuffle(parts):
            found = {""}
            for part in parts:
                found = {w for o in found for t in strings(part, most) for w in merge(o, t)}
            return {each for each in found if len(each) <= most}
        case Ignore(part, ignored):
            several = strings(Repeat(ignored), most)
            found = {w for o in strings(part, most) for t in several for w in merge(o, t)}
            return {each for each in found if len(each) <= most}


def merge(one, two):
    if not one or not two:
        return {one + two}
    return {one[0] + w for w in merge(one[1:], two)} | {two[0] + w for w in merge(one, two[1:])}


def accepts(machine, text):
    states = {0}
    for letter in text:
        states = {t for s in states for step, t in machine.arcs[s] if step.name == letter}
    return not states.isdisjoint(machine.final)


@given(sides)
def test_automata_accept_what_right_sides_allow(side):
    machine = build_machine(side)
    texts = ["".join(each) for n in range(4) for each in product("ABC", repeat=n)]
    assert {text for text in texts if accepts(machine, text)} == strings(side, 3)
    assert all(len({step for step, _ in row}) == len(row) for row in machine.arcs)


def test_automata_are_least():
    assert len(build_machine(Choice((Sequence((A, B)), Sequence((C, B))))).arcs) == 3
    assert len(build_machine(Choice((A, Repeat(A)))).arcs) == 1
    assert len(build_machine(Sequence((A, Repeat(B), Repeat(B)))).arcs) == 2
