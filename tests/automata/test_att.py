"""The AT&T text format."""

from __future__ import annotations

import io
import math
from pathlib import Path

import pytest
from hypothesis import given

from machines import transducers
from strategies import quick
from weft.automata import (
    ANY,
    EPSILON,
    Arc,
    Transducer,
    read_transducer,
    transducer,
    trim,
    write_transducer,
)
from weft.errors import FormatError


def read(text: str, **options) -> Transducer:
    return read_transducer(io.BytesIO(text.encode()), **options)


@quick
@given(transducers())
def test_what_is_written_is_read(tmp_path_factory, machine):
    path = tmp_path_factory.mktemp("att") / "machine.txt"
    write_transducer(path, machine)
    assert read_transducer(path) == trim(machine)
    before = path.read_bytes()
    write_transducer(path, read_transducer(path))
    assert path.read_bytes() == before


def test_the_format(tmp_path: Path):
    machine = Transducer(
        (
            Arc(0, "time", "Zeit", 1, -0.25),
            Arc(0, ANY, EPSILON, 0),
            Arc(1, "naïve", "no\N{NO-BREAK SPACE}break", 1, 2.0),
        ),
        (-math.inf, 0.5),
    )
    path = tmp_path / "m.att"
    write_transducer(path, machine)
    assert path.read_text("utf-8") == (
        "0\t1\ttime\tZeit\t0.25\n"
        "0\t0\t<any>\t<eps>\n"
        "1\t1\tnaïve\tno\N{NO-BREAK SPACE}break\t-2.0\n"
        "1\t-0.5\n"
    )
    assert read_transducer(path) == machine


def test_states_may_have_any_numbers_and_spaces_any_width():
    machine = read("900000000000  7\ta b\n\n7 3 c d 1e1\r\n3 .5")
    assert machine.arcs == (Arc(0, "a", "b", 2), Arc(2, "c", "d", 1, -10.0))
    assert machine.finals == (-math.inf, -0.5, -math.inf)


def test_the_first_line_has_the_initial_state():
    assert read("2\n1 2 a a\n").finals == (0.0, -math.inf)
    assert read("").finals == (-math.inf,)
    assert read("5\n").finals == (0.0,)


def test_infinite_costs_are_impossible():
    machine = read("0 1 a b Infinity\n1 inf\n")
    assert machine.arcs[0].weight == -math.inf
    assert machine.finals == (-math.inf, -math.inf)
    assert math.copysign(1, read("0 0\n").finals[0]) == 1


def test_acceptors():
    machine = read("0 1 a 0.5\n0 1 <eps>\n1\n", acceptor=True)
    assert machine.arcs == (Arc(0, "a", "a", 1, -0.5), Arc(0, "", "", 1))


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("0 1 a a\n0 1 a\n", ":2:1", "[cost]', but there are 3 fields"),
        ("0 1 a b 1 2\n", ":1:1", "but there are 6 or more fields"),
        ("0 1 a b 1 2 3 4\n", ":1:1", "but there are 6 or more fields"),
        ("x 1 a b\n", ":1:1", "'x' is no state; number the states 0, 1, 2 …"),
        ("0 -1 a b\n", ":1:3", "'-1' is no state"),
        ("0  1.5\ta b\n", ":1:4", "'1.5' is no state"),
        ("0 ١ a b\n", ":1:3", "'١' is no state"),
        ("0 1 a b nan\n", ":1:9", "'nan' is no cost; give a number, Infinity, or nothing for 0"),
        ("0 1 a b -inf\n", ":1:9", "'-inf' is no cost"),
        ("0 1 a b -1e999\n", ":1:9", "'-1e999' is no cost"),
        ("0 1 a b 1_0\n", ":1:9", "'1_0' is no cost"),
        ("0 x\n", ":1:3", "'x' is no cost"),
        ("0\n1\n0 2\n", ":3:1", "the state ends a second time"),
    ],
)
def test_broken_lines_are_named(text, place, message):
    with pytest.raises(FormatError) as caught:
        read(text)
    assert str(caught.value).startswith(f"<stream>{place}: ")
    assert message in str(caught.value)


def test_an_acceptor_has_one_symbol():
    with pytest.raises(FormatError, match="expected 'source target symbol"):
        read("0 1 a b 2\n", acceptor=True)


def test_files_are_bounded():
    with pytest.raises(FormatError, match=":3:1: there are more than 2 arcs and ends"):
        read("0 1 a a\n1\n2\n", limit=2)
    long = f"0 1 {'a' * 1000} b c d\n"
    with pytest.raises(FormatError) as caught:
        read(long)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("symbol", ["a b", "a\tb", "a\r", "<eps>", "<any>"])
def test_symbols_that_cannot_be_written(tmp_path: Path, symbol: str):
    path = tmp_path / "m.att"
    path.write_text("as it was")
    with pytest.raises(FormatError, match="cannot be written in this format"):
        write_transducer(path, transducer([(0, "a", symbol, 1)], [1]))
    assert path.read_text() == "as it was"


def test_a_missing_file(tmp_path: Path):
    with pytest.raises(FormatError, match="cannot be read: no such file"):
        read_transducer(tmp_path / "missing")


@pytest.mark.parametrize("epsilon", ["@0@", "@_EPSILON_SYMBOL_@"])
def test_nothing_as_foma_and_hfst_write_it(epsilon):
    text = f"0 1 a b\n1 2 s {epsilon}\n2 0.0\n"
    assert read(text).arcs == read(text.replace(epsilon, "<eps>")).arcs
    assert read(text).arcs[1].output == EPSILON
