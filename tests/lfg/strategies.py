"""Random small lexical-functional grammars, every construct in some of them."""

from dataclasses import replace
from itertools import product

from hypothesis import strategies as st

from lfg.small import SAME, down, grammar, pred, steps, up
from weft.lfg.language import (
    AFTER,
    BEFORE,
    DOWN,
    UP,
    AnyAttribute,
    At,
    Attribute,
    Category,
    CheckCategory,
    CheckContains,
    CheckEqual,
    CheckExists,
    Choice,
    Contains,
    Either,
    Element,
    Entry,
    Equal,
    Form,
    From,
    Ignore,
    Local,
    Mark,
    Not,
    Nothing,
    OneOf,
    Repeat,
    Repeated,
    Sequence,
    Shuffle,
    Steps,
    Symbol,
    Values,
)

WORDS = "abc"
PHRASES = ("S", "P", "Q")
LEAVES = ("X", "Y", "Z")
FUNCTIONS = ("SUBJ", "OBJ", "COMP")
ATTRIBUTES = (*FUNCTIONS, "ADJ", "F", "G", "PRED")
ATOMS = ("x", "y")

attributes = st.sampled_from(ATTRIBUTES)
plain_paths = st.lists(st.sampled_from(ATTRIBUTES[:-1]), min_size=1, max_size=2).map(
    lambda names: steps(" ".join(names))
)
off_path = st.builds(
    lambda base, name, value, positive: (
        CheckEqual(At(base, Attribute(name)), Symbol(value), positive),
    ),
    st.sampled_from((AFTER, BEFORE)),
    st.sampled_from(("F", "G")),
    st.sampled_from(ATOMS),
    st.booleans(),
)
moves = st.one_of(
    st.builds(Attribute, st.sampled_from(ATTRIBUTES[:-1])),
    st.builds(Attribute, st.sampled_from(ATTRIBUTES[:-1]), off_path),
)
uncertain_paths = st.one_of(
    st.builds(lambda one, two: OneOf((one, two)), moves, moves),
    st.builds(lambda one, two: Steps((Repeated(one), two)), moves, moves),
    st.builds(lambda one: Repeated(one, 1), moves),
    st.builds(lambda one: Repeated(one, 0, 2), moves),
    st.builds(lambda one: Steps((Attribute("ADJ"), Element(), one)), moves),
)
# Where f-structures lead to themselves, ?* has more ways than anybody can list: only for tests.
searching_paths = st.one_of(
    st.builds(lambda one: Steps((Repeated(AnyAttribute(), 0, 2), one)), moves),
    st.builds(lambda one: Steps((AnyAttribute(one.off_path), one)), moves),
)
choosing_paths = st.builds(lambda one: Steps((AnyAttribute(one.off_path), one)), moves)
local = Local("v")
bases = st.sampled_from((UP, UP, UP, DOWN, local))
plain = st.builds(At, bases, plain_paths)
values = st.one_of(
    st.builds(Symbol, st.sampled_from(ATOMS)),
    st.builds(Symbol, st.sampled_from(ATOMS)),
    st.builds(Symbol, st.sampled_from(ATOMS), st.just(True)),
    st.builds(Values, st.sampled_from((frozenset("xy"), frozenset("yz")))),
)
places = st.one_of(plain, plain, bases)
uncertain = st.one_of(
    st.builds(At, bases, uncertain_paths),
    st.builds(At, bases, choosing_paths),
    st.builds(From, choosing_paths, bases),
    st.builds(At, st.builds(From, moves, st.just(UP)), plain_paths),
    st.builds(From, uncertain_paths, st.just(UP)),
)
anything = st.one_of(plain, plain, uncertain, st.builds(At, bases, searching_paths))
atomic = st.builds(
    lambda name, value: Equal(up(name), value), st.sampled_from(("F", "G", "SUBJ F")), values
)
equations = st.one_of(
    atomic, atomic, st.builds(Equal, plain, values), st.builds(Equal, places, places)
)
definitions = st.one_of(
    equations,
    equations,
    st.builds(Contains, bases, plain),
    st.builds(Contains, st.builds(Symbol, st.sampled_from(ATOMS)), plain),
    st.builds(Contains, plain, st.just(Values(frozenset("xz")))),
    st.builds(Equal, uncertain, st.one_of(bases, values)),
    st.builds(Equal, uncertain, values),
    st.builds(
        lambda one: Equal(At(UP, Steps((Attribute("ADJ"), Element(), one))), Symbol("x")), moves
    ),
    st.builds(Contains, st.one_of(bases, values), uncertain),
    st.builds(lambda name: Equal(up(f"{name} PRED"), Form("pro")), st.sampled_from(FUNCTIONS)),
)
tests = st.one_of(
    st.builds(CheckEqual, anything, values, st.booleans()),
    st.builds(
        lambda name, positive: CheckEqual(up("PRED FN"), Symbol(name), positive),
        st.sampled_from("pq"),
        st.booleans(),
    ),
    st.builds(CheckEqual, anything, places, st.booleans()),
    st.builds(CheckExists, anything, st.booleans()),
    st.builds(CheckExists, anything),
    st.builds(lambda one: CheckExists(At(UP, Steps((Attribute("ADJ"), Element(), one)))), moves),
    st.builds(CheckContains, st.one_of(bases, values), plain, st.booleans()),
    st.builds(
        CheckCategory,
        st.one_of(plain, st.just(UP)),
        st.sampled_from((frozenset("X"), frozenset("PQ"))),
        st.booleans(),
    ),
)
simple = st.one_of(
    definitions, definitions, tests, st.builds(Mark, st.sampled_from(("good", "bad")))
)
statements = st.one_of(
    simple,
    simple,
    st.builds(lambda one, two: Either(((one,), (two,))), simple, simple),
    st.builds(lambda one: Either(((one,), ())), simple),
    st.builds(lambda one: Either(((one,), (replace(one, positive=not one.positive),))), tests),
    st.builds(lambda one, two: Not((one, two)), tests, st.one_of(tests, equations)),
)
descriptions = st.one_of(
    st.just(()), st.just(()), st.lists(statements, min_size=1, max_size=2).map(tuple)
)

heads = (
    (SAME,),
    (SAME,),
    *((Equal(up(name), DOWN),) for name in FUNCTIONS),
    (Contains(DOWN, up("ADJ")),),
    (Contains(DOWN, UP),),
    (Contains(DOWN, up("ADJ")), Equal(UP, down("SUBJ"))),
    (),
)
notes = st.builds(lambda one, more: (*one, *more), st.sampled_from(heads), descriptions)


def categories(names):
    return st.builds(Category, st.sampled_from(names), notes)


def right_sides(names):
    part = categories(names)
    empty = st.builds(Nothing, descriptions)
    inner = st.one_of(
        part,
        part,
        part,
        st.builds(lambda one: Choice((one, Sequence(()))), part),
        st.builds(lambda one, two: Choice((one, two)), part, part),
        st.builds(lambda one, two: Choice((one, two)), part, empty),
        st.builds(Repeat, part),
        st.builds(lambda one: Repeat(one, 1), part),
        st.builds(lambda one: Repeat(one, 1, 2), part),
    )
    return st.one_of(
        inner,
        st.builds(lambda one, two: Sequence((one, two)), inner, inner),
        st.builds(lambda one, two: Sequence((one, two)), part, inner),
        st.builds(lambda one, two: Shuffle((one, two)), part, inner),
        st.builds(lambda one, two, no: Ignore(Sequence((one, two)), no), part, inner, part),
    )


predicates = st.sampled_from(
    (
        pred("p"),
        pred("q", "SUBJ"),
        pred("r", "SUBJ", "OBJ"),
        Equal(up("PRED"), Form("s", (None, up("OBJ")))),
        pred("t", "SUBJ", "OBJ COMP"),
    )
)


@st.composite
def entries(draw):
    found = []
    for word in WORDS:
        for leaf in draw(st.lists(st.sampled_from(LEAVES), min_size=2, unique=True)):
            said = draw(descriptions)
            if draw(st.booleans()):
                said = (draw(predicates), *said)
            found.append(Entry(word, leaf, said))
    return found


@st.composite
def grammars(draw):
    """A grammar; its phrases use words and each other, itself too."""
    rules = {
        "S": draw(right_sides((*LEAVES, "P", "Q"))),
        "P": draw(right_sides((*LEAVES, "Q", "S"))),
        "Q": draw(right_sides(LEAVES)),
    }
    return grammar(
        rules,
        draw(entries()),
        governable=draw(st.sampled_from(((), ("OBJ",), ("SUBJ", "OBJ")))),
        semantic=draw(st.sampled_from(((), ("ADJ",)))),
        nondistributive=("G",),
        optimality=(("bad",), ("+good",)),
    )


def texts():
    """All sentences of one and two words, and some of three."""
    several = [*WORDS, *map(" ".join, product(WORDS, repeat=2))]
    return [*several, "a a a", "a b c", "c b a", "b a b"]


# Names for f-structures that only whole sentences choose, with tests of these, and of sets.
named = (Local("v"), Local("w"))
names = st.sampled_from(named)
holding = st.one_of(
    st.builds(From, st.builds(Attribute, st.sampled_from(("SUBJ", "OBJ", "ADJ"))), bases),
    st.builds(From, st.just(Steps((Attribute("ADJ"), Element()))), st.just(UP)),
    st.builds(
        lambda one, base: From(
            Repeated(OneOf((Attribute(one), Attribute("ADJ"), Element())), 1), base
        ),
        st.sampled_from(FUNCTIONS),
        st.sampled_from((UP, *named)),
    ),
    st.builds(From, st.just(AnyAttribute()), st.just(UP)),
)
late_sides = st.one_of(
    holding,
    holding,
    st.builds(At, bases, st.just(AnyAttribute())),
    st.builds(At, bases, st.just(Steps((Attribute("ADJ"), Element())))),
    st.builds(
        lambda base, one, two: At(base, Steps((Repeated(Attribute(one)), Attribute(two)))),
        st.sampled_from((UP, *named)),
        attributes,
        st.sampled_from(("SUBJ", "OBJ", "ADJ", "F")),
    ),
)
tested = st.builds(
    lambda base, path: At(base, steps(path)),
    st.sampled_from((UP, *named, *named)),
    st.sampled_from(("F", "G", "SUBJ F", "ADJ F", "OBJ", "ADJ", "PRED")),
)
late_tests = st.one_of(
    st.builds(CheckEqual, tested, st.builds(Symbol, st.sampled_from(ATOMS)), st.booleans()),
    st.builds(CheckExists, st.one_of(tested, tested, holding), st.booleans()),
    st.builds(CheckExists, st.builds(At, holding, plain_paths), st.booleans()),
    st.builds(CheckEqual, tested, st.one_of(names, tested), st.booleans()),
    st.builds(CheckContains, st.one_of(names, st.just(UP)), tested, st.booleans()),
)
late_definitions = st.one_of(
    st.builds(Equal, names, late_sides),
    st.builds(Equal, names, late_sides),
    st.builds(Contains, names, late_sides),
    st.builds(Contains, late_sides, tested),
    st.builds(Equal, tested, st.one_of(names, late_sides)),
)


@st.composite
def late_descriptions(draw):
    """A late definition, and tests of what it names."""
    said = [draw(late_definitions), draw(late_tests)]
    said += draw(st.lists(st.one_of(late_tests, atomic, equations), max_size=2))
    if draw(st.booleans()):
        said[-1:] = [Not(tuple(said[-1:]))] if not isinstance(said[-1], Equal) else said[-1:]
    return tuple(draw(st.permutations(said)))


chosen = st.one_of(
    atomic,
    atomic,
    st.builds(lambda one, two: Either(((one,), (two,))), atomic, atomic),
    st.builds(lambda one: Either(((one,), ())), st.one_of(atomic, late_tests)),
)


def simple_parts(names):
    """A category as a head, a function or an element, perhaps with an attribute."""
    notes = st.builds(
        lambda head, more: (*head, *more),
        st.sampled_from(heads),
        st.one_of(st.just(()), st.just(()), st.builds(lambda one: (one,), atomic)),
    )
    return st.builds(Category, st.sampled_from(names), notes)


@st.composite
def late_grammars(draw):
    """A grammar whose words, or a rule, name what only the whole sentence chooses, and test it."""
    late = draw(late_descriptions())
    rules = {
        "S": Sequence(tuple(draw(st.lists(simple_parts((*LEAVES, "P")), min_size=1, max_size=3)))),
        "P": Choice(tuple(draw(st.lists(simple_parts(LEAVES), min_size=1, max_size=2)))),
    }
    where = draw(st.integers(0, 3))
    if where == 3:
        top = rules["S"].parts[0]
        changed = Category(top.name, (*top.notes, *late))
        rules["S"] = Sequence((changed, *rules["S"].parts[1:]))
    found = []
    other = draw(st.one_of(st.just(()), late_descriptions()))
    for place, word in enumerate(WORDS):
        for leaf in draw(st.lists(st.sampled_from(LEAVES), min_size=2, unique=True)):
            late_here = {where: late, where - 1: other}.get(place, ())
            said = (*late_here, *draw(st.lists(chosen, max_size=1 if late_here else 2)))
            if draw(st.booleans()):
                said = (draw(predicates), *said)
            found.append(Entry(word, leaf, said))
    return grammar(
        rules,
        found,
        governable=draw(st.sampled_from(((), ("OBJ",), ("SUBJ", "OBJ")))),
        semantic=draw(st.sampled_from(((), ("ADJ",)))),
        nondistributive=("G",),
    )
