"""``weft neighbours``: what is listed, counted, drawn and refused."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from weft.automata import read_transducer, to_lattice

Weft = Callable[..., Result]

NATURAL = "natural language is a delicate thing"
MANY = " ".join(map(str, range(2000)))


def test_transpositions_of_the_papers_sentence(weft: Weft) -> None:
    done = weft("neighbours", "trans1", NATURAL)
    assert (done.exit_code, done.stderr) == (0, "")
    assert sorted(done.stdout.splitlines()) == sorted(
        [
            NATURAL,
            "language natural is a delicate thing",
            "natural is language a delicate thing",
            "natural language a is delicate thing",
            "natural language is delicate a thing",
            "natural language is a thing delicate",
        ]
    )


@pytest.mark.parametrize(
    ("name", "count"),
    [("del1word", 7), ("trans1", 6), ("delortrans1", 12), ("del1subseq", 21), ("length", 6**6)],
)
def test_counts(weft: Weft, name: str, count: int) -> None:
    assert weft("neighbours", name, NATURAL, "--count").stdout == f"{count}\n"


def test_sentences_of_the_standard_input(weft: Weft) -> None:
    done = weft("neighbours", "del1word", given="so so\n\n  you  see\n")
    assert done.stdout == "so\nso so\n\nyou\nyou see\nsee\n"
    assert weft("neighbours", "del1word", "--count", given="so so\nyou see\n").stdout == "2\n3\n"
    nothing = weft("neighbours", "trans1", given="")
    assert (nothing.exit_code, nothing.output) == (0, "")


def test_a_vocabulary(weft: Weft) -> None:
    Path("words").write_text("a b\na\tc\n")
    done = weft("neighbours", "length", "c", "--vocabulary", "words")
    assert done.stdout == "a\nb\nc\n"
    done = weft("neighbours", "length", "--vocabulary", "words", "--count", given="a\nb d\n")
    assert done.exit_code == 1
    assert done.stdout == "3\n"
    assert done.stderr.startswith("weft: error: <stdin>:2: the word 'd' is not in the vocabulary")


def test_a_limit(weft: Weft) -> None:
    done = weft("neighbours", "length", "a b c", "--limit", "2")
    assert done.stdout == "a a a\na a b\n"
    assert done.stderr == "weft: these are the first 2 strings of 27; --limit lists more\n"
    assert weft("neighbours", "length", "a b c", "--limit", "27").stderr == ""
    done = weft("neighbours", "length", MANY, "--limit", "1")
    assert "strings of a number of 6,603 digits; --limit" in done.stderr
    digits = str(2**2000) + 6000 * "0"
    assert weft("neighbours", "length", MANY, "--count").stdout == f"{digits}\n"


def test_a_transducer(weft: Weft) -> None:
    Path("own.att").write_text("0 0 <any> <any>\n0 1 <eps> not 1.5\n1 1 <any> <any>\n0\n1\n")
    expected = "do go\ndo go not\ndo not go\nnot do go\n"
    assert weft("neighbours", "--transducer", "own.att", "do go").stdout == expected
    assert weft("neighbours", "do go", "--transducer", "own.att").stdout == expected
    assert weft("neighbours", "--transducer", "own.att", given="do go\n").stdout == expected


def test_drawings(weft: Weft) -> None:
    picture = weft("neighbours", "del1subseq", NATURAL, "--svg")
    root = ElementTree.fromstring(picture.stdout)  # noqa: S314
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root[0].text == f"neighbours of: {NATURAL}"
    assert picture.stderr == ""
    graph = weft("neighbours", "length", "a b", "--dot").stdout
    assert graph.startswith('digraph "neighbours of: a b" {\n')
    assert graph.count("->") == 5
    assert weft("neighbours", "trans1", "--svg", given="a b\n").exit_code == 0


def test_lattices_for_openfst(weft: Weft) -> None:
    lattice = weft("neighbours", "trans1", "a b", "--att").stdout
    machine = read_transducer(io.BytesIO(lattice.encode()))
    assert sorted(to_lattice(machine).strings()) == [("a", "b"), ("b", "a")]
    assert all(len(line.split("\t")) in (1, 4) for line in lattice.splitlines())


def test_into_a_file(weft: Weft) -> None:
    assert weft("neighbours", "trans1", "a b", "-o", "out.gz").output == ""
    assert gzip.decompress(Path("out.gz").read_bytes()) == b"a b\nb a\n"
    Path("out").write_text("as it was")
    assert weft("neighbours", "trans1", given="a\n\xff".encode("latin-1")).exit_code == 1
    assert weft("neighbours", "length", "b", "--vocabulary", "x", "-o", "out").exit_code == 1
    assert Path("out").read_text() == "as it was"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "give a neighbourhood (del1word, trans1, delortrans1, del1subseq, length) or"),
        (
            ["trans2", "a"],
            2,
            "no neighbourhood 'trans2': did you mean trans1? There are del1",
        ),
        (["trans1", "a", "--transducer", "own"], 2, "or --transducer FILE, not both"),
        (["trans1", "  "], 2, "the sentence has no words"),
        (["trans1", "a", "--vocabulary", "own"], 2, "goes with the neighbourhood length only"),
        (["trans1", "a", "--dot", "--svg"], 2, "exclude each other"),
        (["trans1", "--svg"], 2, "of one sentence, but there are none"),
        (["length", "a", "--vocabulary", "missing"], 1, "missing: cannot be read: no such file"),
        (["length", "a", "--vocabulary", "empty"], 1, "empty: there is no word"),
        (["--transducer", "missing", "a"], 1, "missing: cannot be read: no such file"),
        (["--transducer", "own", "a"], 1, "own:2:3: 'x' is no state; number the states"),
        (["--transducer", "loop", "a"], 1, "neighbours would be infinitely many: paths have no"),
        (["del1subseq", MANY], 1, "the arcs of the spans would be more than 1,000,000; make"),
        (["trans1", MANY, "--svg"], 1, "arcs would show nothing; draw a shorter sentence"),
    ],
)
def test_errors(weft: Weft, arguments: list[str], code: int, message: str) -> None:
    Path("empty").touch()
    Path("own").write_text("0 1 a b\n1 x a b\n")
    Path("loop").write_text("0 0 <eps> a\n0\n")
    done = weft("neighbours", *arguments)
    assert done.exit_code == code
    assert done.stdout == ""
    assert done.stderr.startswith("weft: error: ")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_several_sentences_are_not_drawn(weft: Weft) -> None:
    done = weft("neighbours", "trans1", "--dot", given="a b\nc d\n")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "of one sentence, but there are more" in done.stderr


def test_help_has_examples(weft: Weft) -> None:
    done = weft("neighbours", "--help")
    assert done.exit_code == 0
    assert "Usage: weft neighbours" in done.stdout
    assert 'weft neighbours trans1 "natural language' in done.stdout.partition("Example")[2]


@pytest.mark.slow
def test_a_reader_that_stops_early_is_no_error() -> None:
    command = [sys.executable, "-m", "weft", "neighbours", "length", NATURAL, "--limit", "46656"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"natural natural natural natural natural natural\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=600) == 0
