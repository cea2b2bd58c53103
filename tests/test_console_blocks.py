"""What the pages show of the command line is what it prints."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from consoles import BUNDLED, ROOT, TMP, Command, agrees, blocks_of, run_session
from stand_ins import write_stand_ins
from warm import serving

TEXTS = {
    page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8")
    for page in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
}
FIRST = ("README.md", "docs/tutorial.md")
FEW = 3


def to_run(text: str) -> list[Command]:
    """The commands of a page, but for blocks that are marked."""
    blocks = [commands for reason, commands in blocks_of(text) if not reason]
    return [command for block in blocks for command in block]


@pytest.fixture(scope="session")
def stand_ins(tmp_path_factory) -> Path:
    """A folder of files under the names that pages give to files of the reader's own."""
    folder: Path = tmp_path_factory.mktemp("stand-ins")
    write_stand_ins(folder)
    return folder


@pytest.fixture(scope="session")
def programs(tmp_path_factory) -> Iterator[list[Path]]:
    """The folder of a program ``weft`` that starts at once."""
    with serving(tmp_path_factory.mktemp("weft")) as program:
        yield [program.parent]


def pages() -> Iterator[Any]:
    """The pages that have commands; longer ones than those that are read first are slow."""
    for page, text in TEXTS.items():
        count = len(to_run(text))
        is_slow = count > FEW and page not in FIRST
        if count:
            yield pytest.param(page, marks=pytest.mark.slow if is_slow else ())


@pytest.mark.parametrize("page", [*pages()])
def test_commands_print_what_the_page_shows(page, tmp_path, stand_ins, programs):
    commands = to_run(TEXTS[page])
    answers = run_session(commands, tmp_path, stand_ins, programs)
    assert len(answers) == len(commands)
    for command, (printed, status) in zip(commands, answers, strict=True):
        told = f"$ {command.typed}\n{printed}\nis not what {page} shows; mend it, or mark the block"
        assert agrees(command.shown, printed), f"{told}: <!-- not run: REASON -->"
        assert (status != 0) == bool(re.search(r'weft: error|"error": "', command.shown)), told


def test_first_pages_are_run():
    found = {page.values[0]: bool(page.marks) for page in pages()}
    assert [found[page] for page in (*FIRST, "docs/guide/command-line.md")] == [False, False, True]


def test_reasons_belong_to_blocks():
    for page, text in TEXTS.items():
        marked = sum(1 for reason, _ in blocks_of(text) if reason)
        assert text.count("<!-- not run:") == marked, page


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("", "anything", True),
        ("a\nb\n", "a\nb", True),
        ("a\n", "a\nb", False),
        ("a\n...\n", "a\nb\nc", True),
        ("...\nc\n", "a\nb\nc\n", True),
        ("...\nc\n", "a\nb\nd\n", False),
        ("took 3.7 s\n", "took 11.2 s\n", True),
        ("iteration 130  3.7 s\n", "iteration 132  1.2 s\n", True),
        ("after 130 iterations\n", "after 132 iterations\n", True),
        ("took … in all\n", "took 5 minutes in all\n", True),
        ("value -480.99\n", "value -480.98\n", True),
        ("value -480.99\n", "value -470.99\n", False),
        ("1,934 words\n", "1,934 words  \n", True),
        ("1,934 words\n", "1,940 words\n", False),
        ("30 of 40\n", "30.1 of 40\n", False),
    ],
)
def test_agreement(shown, printed, same):
    assert agrees(shown, printed) == same


def test_blocks_are_read():
    text = "```console\n$ a \\\n  b\nout\n$ c\n```\n\n<!-- not run: no -->\n```console\n$ d\n```\n"
    assert list(blocks_of(text)) == [
        ("", [Command("a \\\n  b", "out\n"), Command("c", "")]),
        ("not run: no", [Command("d", "")]),
    ]


def test_files_that_are_shown_are_written_and_errors_are_statuses(tmp_path):
    commands = [Command("cat new.txt", "one\n"), Command("false", ""), Command(f"echo {TMP}x", "")]
    assert run_session(commands, tmp_path) == [("one\n", 0), ("", 1), (f"{TMP}x\n", 0)]


def test_files_that_are_named_are_there_unless_they_are_shown(tmp_path):
    for name in ("new.txt", "shown.txt", "unnamed.txt"):
        (tmp_path / name).write_text("of the reader\n", encoding="utf-8")
    commands = [Command("cat shown.txt", "one\n"), Command("cat new.txt | wc -l; ls *.txt", "")]
    (tmp_path / "session").mkdir()
    answers = run_session(commands, tmp_path / "session", tmp_path)
    assert answers == [("one\n", 0), ("1\nnew.txt\nshown.txt\n", 0)]


def test_sessions_write_into_copies(tmp_path):
    typed = "cd src/weft/corpora/english && touch written-here && ls test.tagged"
    assert run_session([Command(typed, "")], tmp_path) == [("test.tagged\n", 0)]
    assert not list(BUNDLED.rglob("written-here"))


def test_sessions_read_nothing_from_outside(tmp_path):
    program = (
        "import pathlib, sys, consoles\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "print(consoles.run_session([consoles.Command('cat', '')], folder))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path],
        cwd=ROOT / "tests",
        input="typed",
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout == "[('', 0)]\n"
