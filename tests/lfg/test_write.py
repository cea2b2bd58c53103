"""Grammars that are written and read again are the same."""

from __future__ import annotations

import dataclasses
import io

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from lfg.reading import read
from weft.lfg import read_lfg
from weft.lfg.language import (
    AFTER,
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
    Lfg,
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
from weft.lfg.write import write_lfg

NAMES = st.text("ab'-_.+ %`\"N)<é?!", min_size=1, max_size=4).filter(
    lambda text: text.strip() == text and text not in ("+", "NULL", "e")
)
PLAIN = st.sampled_from(["A", "B-C", "D'", "é", "1"])
REPEATS = st.sampled_from([(0, None), (1, None), (0, 1), (2, 3), (2, None)])
SYMBOLS = st.builds(Symbol, NAMES, st.booleans())


def several(part, least=2):
    return st.lists(part, min_size=least, max_size=3, unique=True).map(tuple)


def paths(notes):
    leaves = st.one_of(
        st.builds(Attribute, NAMES, notes), st.builds(AnyAttribute, notes), st.just(Element())
    )
    return st.recursive(
        leaves,
        lambda part: st.one_of(
            st.builds(Steps, several(part)),
            st.builds(OneOf, several(part)),
            st.builds(lambda one, times: Repeated(one, *times), part, REPEATS),
        ),
        max_leaves=4,
    )


BASES = (UP, DOWN, Local("x"))


def reached(notes):
    return st.recursive(
        st.sampled_from(BASES),
        lambda base: st.one_of(
            st.builds(At, base, paths(notes)), st.builds(From, paths(notes), base)
        ),
        max_leaves=2,
    ).filter(lambda designator: designator not in BASES)


def statements(notes, part=None):
    where = reached(notes)
    values = several(NAMES).map(frozenset).map(Values)
    forms = st.builds(Form, NAMES, several(st.none() | where, 0), several(where, 0))
    signs = st.booleans()
    tests = st.one_of(
        st.builds(CheckEqual, where, SYMBOLS | values | where, signs),
        st.builds(CheckExists, where, signs),
    )
    either = [] if part is None else [st.builds(Either, several(part))]
    return st.one_of(
        st.builds(Equal, where, SYMBOLS | values | forms | where),
        st.builds(Contains, where, where),
        tests,
        st.builds(CheckContains, where, where, signs),
        st.builds(CheckCategory, where, st.frozensets(PLAIN, min_size=1), signs),
        st.builds(Mark, NAMES),
        st.builds(Not, several(tests)),
        *either,
    )


OFF_PATH = st.one_of(
    st.just(()), st.tuples(st.builds(CheckExists, st.just(At(AFTER, Attribute("A")))))
)
DESCRIPTIONS = st.recursive(
    several(statements(OFF_PATH), 0),
    lambda part: several(statements(OFF_PATH, part), 0),
    max_leaves=3,
)
SIDES = st.recursive(
    st.one_of(
        st.builds(
            lambda name, notes: Category(name, (Equal(UP, DOWN), *notes)), PLAIN, DESCRIPTIONS
        ),
        st.builds(Nothing, DESCRIPTIONS),
    ),
    lambda part: st.one_of(
        st.builds(Sequence, several(part)),
        st.builds(Choice, several(part)),
        part.map(lambda one: Choice((one, Sequence(())))),
        st.builds(
            lambda one, times: Repeat(one, *times), part, REPEATS.filter(lambda t: t != (0, 1))
        ),
        st.builds(Shuffle, several(part)),
        st.builds(Ignore, part, part),
    ),
    max_leaves=5,
)


def again(grammar, tmp_path):
    write_lfg(tmp_path / "g.lfg", grammar)
    return read_lfg(tmp_path / "g.lfg")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("written")


@settings(max_examples=50, deadline=None)
@given(side=SIDES, notes=DESCRIPTIONS, word=NAMES)
def test_rules_and_entries_are_read_as_they_were(folder, side, notes, word):
    unknown = (Entry("-unknown", "N_BASE", (Equal(At(UP, Attribute("P")), Form("%stem")),), False),)
    grammar = Lfg("D E", "S", {"S": side}, {word: (Entry(word, "X[a,b]", notes),)}, unknown)
    found = again(grammar, folder)
    assert not found.warnings
    assert found.rules == grammar.rules
    assert found.entries == grammar.entries
    assert found.unknown == unknown


def test_configurations_are_kept(tmp_path):
    config = """ROOTCAT S. GOVERNABLERELATIONS SUBJ OBL-?+. SEMANTICFUNCTIONS A.
        NONDISTRIBUTIVES B C. OPTIMALITYORDER X (Y Z) NOGOOD +W."""
    grammar = read(config=config)
    found = again(grammar, tmp_path)
    for field in dataclasses.fields(Lfg):
        if field.name not in ("places", "morphology"):
            assert getattr(found, field.name) == getattr(grammar, field.name), field.name


def test_a_category_may_have_the_usual_name_of_the_empty_string(tmp_path):
    grammar = read("S --> e nil: (^ X)=y.", config="ROOTCAT S. RULES (D E). EPSILON nil.")
    assert again(grammar, tmp_path).rules == grammar.rules


def test_the_standard_output(capsys):
    write_lfg("-", read("S --> N.", "w N *."))
    text = capsys.readouterr().out
    assert "  S --> N: ^ = !;.\n" in text
    assert list(read_lfg(io.BytesIO(text.encode())).entries) == ["w"]
