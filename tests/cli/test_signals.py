"""Long commands that are interrupted: what they save, what they leave, what they answer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

import pytest

import weft as library
from processes import has_ended, holds, ticks
from weft.models.storage import load_model

TREES = "( (S (NP (D the) (N dog)) (VP (V saw) (NP (D a) (N cat)))) )\n" * 3
ENDLESS = ("--set", "restarts=100000000", "--set", "tolerance=0")
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}

SLOW = pytest.mark.slow
NUMBERS = [pytest.param(each, marks=() if each == signal.SIGTERM else SLOW) for each in CODES]
SIGNALS = pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.name)


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The program in a session of its own, in which nothing may be left in the end."""

    def plain() -> None:
        # A shell that runs the tests in the background makes its children ignore interrupts.
        for each in CODES:
            signal.signal(each, signal.SIG_DFL)

    with subprocess.Popen(
        [sys.executable, "-m", "weft", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=plain,
    ) as process:
        yield process
    assert ends(process.pid), "a process was left behind"


def ends(group: int) -> bool:
    """Whether all processes of a group end; those that do not are ended."""
    if holds(lambda: has_ended(group)):
        return True
    os.killpg(group, signal.SIGKILL)
    return False


def wait_for(process: subprocess.Popen[str], start: str) -> None:
    assert process.stderr is not None
    lines = iter(process.stderr.readline, "")
    assert any(line.startswith(start) for line in lines), f"never said {start}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("english/train.tagged", "parses/attachments.jsonl"):
        text = resources.files("weft.corpora").joinpath(name).read_text("utf-8")
        (tmp_path / Path(name).name).write_text(text, "utf-8")
    (tmp_path / "train.mrg").write_text(TREES)
    return tmp_path


@SIGNALS
@pytest.mark.parametrize(
    ("recipe", "corpus", "moment"),
    [
        ("crf", "train.tagged", "iteration 0 "),
        pytest.param("pcfg-mcle", "train.mrg", "iteration 20 ", marks=SLOW),
        pytest.param("parse-selection", "attachments.jsonl", "iteration 10 ", marks=SLOW),
    ],
)
def test_training_saves_what_it_has(
    folder: Path, number: signal.Signals, recipe: str, corpus: str, moment: str
) -> None:
    arguments = ("train", "m.weft", "--recipe", recipe, "--train", corpus, *ENDLESS)
    with running(folder, *arguments) as process:
        wait_for(process, moment)
        process.send_signal(number)
        if number != signal.SIGINT:  # of which a second one ends the program, if it is late
            process.send_signal(number)  # as `timeout` does
        _, messages = process.communicate(timeout=600)
    assert process.returncode == CODES[number]
    assert "Interrupted: the best weights so far are saved in m.weft" in messages
    saved = load_model(folder / "m.weft")
    assert saved.notes["stopped"] == "interrupted"
    assert saved.trace
    assert not list(folder.glob(".*"))


@SIGNALS
def test_before_training_there_is_nothing_to_save(folder: Path, number: signal.Signals) -> None:
    os.mkfifo(folder / "endless.tagged")
    library.save(folder / "m.weft", library.fit(library.Chain(), [library.example(["a"], ["A"])]))
    before = (folder / "m.weft").read_bytes()
    with running(folder, "train", "m.weft", "--train", "endless.tagged") as process:
        writer = os.open(folder / "endless.tagged", os.O_WRONLY)  # returns when it is being read
        process.send_signal(number)
        assert process.communicate(timeout=600) == ("", "weft: interrupted\n")
        os.close(writer)
    assert process.returncode == CODES[number]
    assert (folder / "m.weft").read_bytes() == before


@SLOW
@pytest.mark.parametrize("number", [*CODES, signal.SIGKILL], ids=lambda number: number.name)
def test_a_grid_leaves_no_process_and_goes_on(folder: Path, number: signal.Signals) -> None:
    corpus = ("--train", "train.tagged", "--dev", "train.tagged", "--recipe", "crf")
    grid = ("--grid", "restarts=0|100000000", "--set", "iterations=2", "--threads", "2")
    with running(folder, "train", "m.weft", *corpus, *grid) as process:
        wait_for(process, "1 of 2 trials")
        process.send_signal(number)
        _, messages = process.communicate(timeout=600)
    assert process.returncode == CODES.get(number, -number)
    if number in CODES:
        assert "what is done is kept in m.weft.grid; the same command goes on" in messages
    names = sorted(path.name for path in (folder / "m.weft.grid").iterdir())
    assert names == ["001.weft", "ledger.json"]
    assert not (folder / "m.weft").exists()
    ledger = json.loads((folder / "m.weft.grid" / "ledger.json").read_text())
    assert [trial["number"] for trial in ledger["trials"]] == [1]


@SLOW
@SIGNALS
def test_crossvalidation_goes_on_where_it_was(folder: Path, number: signal.Signals) -> None:
    settings = ("--recipe", "max-correct", "--set", "steps=300000", "--folds", "5")
    command = ("crossvalidate", "attachments.jsonl", *settings, "--threads", "1", "--json")
    with running(folder, *command, "--work", "cv") as process:
        wait_for(process, "2 of 5 folds")
        process.send_signal(number)
        output, messages = process.communicate(timeout=600)
    assert process.returncode == CODES[number]
    assert output == ""
    assert "kept in cv/max-correct; the same command goes on from there" in messages
    with running(folder, *command, "--work", "cv") as process:
        resumed, messages = process.communicate(timeout=600)
    told = [line for line in messages.splitlines() if line.endswith("of 5 folds")]
    assert told[0] in ("2 of 5 folds", "3 of 5 folds")
    with running(folder, *command) as process:
        assert process.communicate(timeout=600)[0] == resumed


# Every two neighbours are tried in a million ways, which all fail: this takes long, and no memory.
SLOW_GRAMMAR = "\n".join(
    [
        "% start S",
        "S -> Y S | X[F=?f, G=a] X[F=?f, G=b]",
        "Y -> 'a'",
        *(f"X[F=f{number}, G=a] -> 'a'" for number in range(1_000)),
    ]
)


SHARED = " ".join(f"(^ F{number})=(! F{number})" for number in range(11))
SLOW_LFG = f"""\
SLOW X CONFIG (1.0)
  ROOTCAT S.  RULES (SLOW X).  LEXENTRIES (SLOW X).
----
SLOW X RULES (1.0)
  S --> {{ Y S | S Y | X: {SHARED}; X: {SHARED} (! G)=b }}.
----
SLOW X LEXICON (1.0)
  a Y *; X * (^ G)=a {" ".join(f"{{ (^ F{n})=p | (^ F{n})=q }}" for n in range(11))}.
----
"""
LONG = {"slow.fcfg": (SLOW_GRAMMAR, 2_000), "slow.lfg": (SLOW_LFG, 100)}


@SIGNALS
@pytest.mark.parametrize("grammar", LONG)
@pytest.mark.parametrize(
    "command",
    [
        ("parse", "--html", "p.html", "--latex", "m.tex", "--svg", "pictures"),
        pytest.param(("export", "-o", "sets.jsonl"), marks=SLOW),
    ],
    ids=lambda command: command[0],
)
def test_a_sentence_that_takes_long(
    folder: Path, number: signal.Signals, command: tuple[str, ...], grammar: str
) -> None:
    text, length = LONG[grammar]
    (folder / grammar).write_text(text)
    os.mkfifo(folder / "sentences")
    before = sorted(folder.iterdir())
    name, *options = command
    with running(folder, "unify", name, grammar, "sentences", *options) as process:
        with open(folder / "sentences", "w", encoding="utf-8") as writer:  # when it is being read
            writer.write("a " * length + "\n")
        # After half a second of work the kernel runs, most likely; if not, the same should happen.
        before_work = ticks(process.pid)
        assert holds(lambda: ticks(process.pid) > before_work + 50)
        assert process.poll() is None
        process.send_signal(number)
        assert process.communicate(timeout=600) == ("", "weft: interrupted\n")
    assert process.returncode == CODES[number]
    assert sorted(folder.iterdir()) == before


@SIGNALS
def test_sentences_without_end(folder: Path, number: signal.Signals) -> None:
    (folder / "endless.fcfg").write_text("S -> S S | 'a'\n")
    with running(
        folder, "unify", "generate", "endless.fcfg", "--depth", "9", "-n", "999999999"
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "a\n"
        process.send_signal(number)
        output, messages = process.communicate(timeout=600)
    assert process.returncode == CODES[number]
    assert messages == "weft: interrupted\n"
    assert set(output.split()) <= {"a"}


@SIGNALS
def test_a_signal_after_the_work_changes_no_exit_code(number: signal.Signals) -> None:
    """Python takes a moment to end, and obeys signals in that time as any process does."""
    program = f"""if True:
        import os, sys
        class Last:
            def __del__(self, kill=os.kill, me=os.getpid()):
                kill(me, {int(number)})
        last = Last()
        sys.argv = ["weft", "--version"]
        from weft.cli import main
        main()
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"weft ")


@SIGNALS
def test_a_signal_after_a_command_changes_no_exit_code(number: signal.Signals) -> None:
    """What was printed and saved is there, and the handlers of the work are gone."""
    program = f"""if True:
        import os, sys
        from weft.cli import app as module, main
        class Signalled(module.Program):
            def invoke(self, ctx):
                super().invoke(ctx)
                os.kill(os.getpid(), {int(number)})
        module.app.info.cls = Signalled
        sys.argv = ["weft", "recipes"]
        main()
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"hmm-em" in done.stdout
