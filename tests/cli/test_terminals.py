"""Control characters of files, of names and of servers: a terminal shows them, and obeys none."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from typing import NoReturn
from urllib.error import HTTPError

import pytest

from cli.conftest import Weft
from samples import TAGGED
from weft import commands
from weft.cli import streams
from weft.cli.app import app
from weft.cli.output import messages
from weft.cli.progress import watching_parts
from weft.corpora import downloads

EVIL = "\x1b]0;pwn\x07\x1b[8m\x9b2J\u202e\u2066"
SHOWN = r"\u001b]0;pwn\u0007\u001b[8m\u009b2J\u202e\u2066"
OURS = re.compile(r"\x1b\[(?!8m)[0-9;?]*[A-Za-z]|\r")
"""Colours, and what moves a bar's cursor."""

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FILES = {
    "evil.tagged": TAGGED.replace("/NN", f"/{EVIL}"),
    "rules.fcfg": f"S -> NP {EVIL} [[[\n",
    "rules.pcfg": f"S -> 'the' '{EVIL}' 'barks' [0.75] | 'dog' [0.25]\n",
    "bad.pcfg": f"S -> '{EVIL}' [x]\n",
    "rules.lfg": f"D E CONFIG (1.0)\n  {EVIL} S.\n----\n",
    "evil.mrg": f"(TOP (S (NP (NN dog)) (VB barks)))\n(TOP (S (NN {EVIL})))) x\n",
    "gold.tagged": "dog/VB\n",
    "words.txt": f"the {EVIL} barks\n",
    "prefix.txt": "the\n",
}


class Screen(io.StringIO):
    """A terminal, on which everything stays."""

    def isatty(self) -> bool:
        return True


Show = Callable[..., str]


@pytest.fixture
def show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Show:
    """Runs the program at a terminal, and returns what comes there, without our own colours."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, text in FILES.items():
        Path(name).write_text(text)

    def run(*arguments: str | Path) -> str:
        screen = Screen()
        for name in ("stdout", "stderr"):
            monkeypatch.setattr(sys, name, screen)
        streams.guard_terminals()
        with pytest.raises(SystemExit):
            app(list(map(str, arguments)), prog_name="weft")
        return OURS.sub("", screen.getvalue())

    return run


@pytest.fixture(scope="module")
def forged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tagger with such a tag."""
    folder = tmp_path_factory.mktemp("forged")
    (folder / "evil.tagged").write_text(FILES["evil.tagged"])
    commands.train(folder / "m", [folder / "evil.tagged"], settings={"iterations": "5"})
    return folder / "m"


COMMANDS = [
    "inspect MODEL --tag NAME",
    "inspect MODEL",
    "inspect MODEL --json",
    "inspect NAME",
    "evaluate MODEL gold.tagged",
    "evaluate MODEL gold.tagged --json",
    "evaluate MODEL words.txt",
    "compare MODEL gold.tagged NAME",
    "predict MODEL evil.tagged",
    "predict MODEL evil.tagged --json",
    "predict MODEL evil.tagged --kbest 2",
    "predict MODEL words.txt --format text",
    "predict MODEL words.txt -o NAME --format conllu",
    "explain MODEL words.txt --format text",
    "explain MODEL words.txt --format text --json",
    "convert MODEL --to NAME",
    "train NAME.weft --train evil.tagged --set iterations=3",
    "train m.weft --train evil.tagged --set NAME=3",
    "train m.weft --train evil.mrg --recipe pcfg",
    "train m.weft --train NAME --verbose",
    "crossvalidate evil.mrg --recipe NAME",
    "neighbours trans1 NAME",
    "recipes NAME",
    "plot NAME MODEL",
    "grammar check bad.pcfg",
    "grammar check NAME",
    "grammar normalise rules.pcfg",
    "grammar sample rules.pcfg --seed 1",
    "grammar parse rules.pcfg words.txt",
    "grammar count bad.pcfg words.txt --verbose",
    "grammar prefix rules.pcfg prefix.txt",
    "unify check rules.fcfg",
    "unify check rules.fcfg --json",
    "unify check rules.lfg",
    "unify parse rules.fcfg words.txt --verbose",
    "data fetch NAME",
    "--NAME",
]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_terminal_obeys_nothing_of_a_file(show: Show, forged: Path, line: str) -> None:
    names = {"MODEL": str(forged), "NAME": EVIL}
    words = [re.sub("MODEL|NAME", lambda each: names[each[0]], word) for word in line.split()]
    text = show(*words)
    assert OBEYED.findall(text) == []
    assert r"\u" in text, text


def test_a_bar_shows_control_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    streams.guard_terminals()
    with watching_parts(messages(), EVIL) as tell:
        tell(EVIL, 1, 2)
    text = OURS.sub("", screen.getvalue())
    assert SHOWN[:8] in text
    assert OBEYED.findall(text) == []


def test_what_a_server_says_is_shown(monkeypatch: pytest.MonkeyPatch, show: Show) -> None:
    def answer(*_: object) -> NoReturn:
        raise HTTPError("https://x", 500, EVIL, Message(), None)

    monkeypatch.setattr(downloads, "_answer", answer)
    text = show("data", "fetch", "ewt", "--out", "here")
    assert f"the server answers 500 ({SHOWN})" in text
    assert OBEYED.findall(text) == []


def test_what_is_piped_stays_as_it_is(weft: Weft, forged: Path) -> None:
    Path("words.txt").write_text(FILES["words.txt"])
    found = weft("predict", forged, "words.txt", "--format", "text")
    assert f" {EVIL}/" in found.stdout
    named = weft("predict", forged, "words.txt", "--format", "text", "-o", "out")
    assert (named.exit_code, Path("out").read_text()) == (0, found.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_the_program_at_a_terminal(tmp_path: Path) -> None:
    """Errors are still red, and nothing else is obeyed."""
    (tmp_path / "bad.fcfg").write_text(FILES["rules.fcfg"])
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    done = subprocess.run(
        [sys.executable, "-m", "weft", "unify", "check", "bad.fcfg"],
        cwd=tmp_path,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        check=False,
    )
    os.close(theirs)
    with open(ours, "rb") as stream:
        text = stream.read1(1 << 16).decode()
    assert done.returncode == 1
    assert "\x1b[31m" in text
    assert SHOWN in text
    assert OBEYED.findall(OURS.sub("", text)) == []
