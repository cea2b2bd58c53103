"""Console blocks of the pages: what is typed there is run, and what is shown is compared.

All blocks of a page are one session of a shell, in a folder with copies of the bundled corpora,
stand-ins for those files of the reader's own that commands name, and nothing to read from the
keyboard. On a page that shows nothing of what is printed, the corpora are stand-ins, too, which
are smaller. A block is not run if a comment says why not, on the line before it::

    <!-- not run: it takes hours -->

What a command prints, on both streams, is compared where the page shows anything. A line ``...`` is
any number of lines, … within a line any text; times (``3.7 s``) and numbers of iterations are any.
Other whole numbers are as they are shown, and those with a point nearly so. A file that is shown by
``cat`` and is no bundled one is written first, as it is shown, and no stand-in takes its place.
``/tmp`` is another folder then.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUNDLED = ROOT / "src" / "weft" / "corpora"
ALWAYS = ("parses/*.jsonl", "trees/*.mrg")
FILES = (*ALWAYS, "english/*.tagged")
BLOCK = re.compile(
    r"(?:<!-- (not run: [^\n]+) -->\n)?^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
ANY_LINES = r"(?:.*\n)*?"
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
VARIABLE = re.compile(r"\b\d+\.\d(?= s\b)|(?<=\biteration )\d+|\b\d+(?= iterations?\b)")
TMP = "/tmp/"  # noqa: S108  what the pages write to
MARK = "—— end of a command ——"


@dataclass(frozen=True)
class Command:
    """What is typed, and what the page shows below it."""

    typed: str
    shown: str


def blocks_of(text: str) -> Iterator[tuple[str, list[Command]]]:
    """Yield why a block is not run, if so, and its commands."""
    for reason, block in BLOCK.findall(text):
        commands: list[Command] = []
        for line in re.split(r"(?m)^\$ ", block)[1:]:
            typed, shown = re.match(r"((?:[^\n]*\\\n)*[^\n]*\n?)(.*)", line, re.DOTALL).groups()  # type: ignore[union-attr]
            commands.append(Command(typed.rstrip("\n"), shown))
        yield reason, commands


def run_session(
    commands: list[Command],
    folder: Path,
    stand_ins: Path | None = None,
    programs: Iterable[Path] = (),
) -> list[tuple[str, int]]:
    """Return what each command of a session prints, and its exit status.

    Args:
        commands: What is typed, in this order.
        folder: A folder of its own.
        stand_ins: A folder of files that commands find where they name them.
        programs: Folders of programs that commands find by name.
    """
    work = folder / "work"
    work.mkdir()
    for pattern in FILES if any(command.shown.strip() for command in commands) else ALWAYS:
        for path in BUNDLED.glob(pattern):
            shutil.copy(path, work)
    _write_shown(commands, work)
    _copy_named(stand_ins.iterdir() if stand_ins else (), commands, work)
    shutil.copytree(BUNDLED / "lfg" / "english", work / "english")
    inside = work / BUNDLED.relative_to(ROOT)
    shutil.copytree(BUNDLED, inside, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    script = "".join(f"{each.typed}\nended=$?; echo; echo '{MARK}' $ended\n" for each in commands)
    environment = {
        **os.environ,
        "COLUMNS": "120",
        "LC_ALL": "C.UTF-8",
        "PATH": os.pathsep.join([*map(str, programs), os.environ["PATH"]]),
    }
    done = subprocess.run(
        ["bash", "-c", script.replace(TMP, f"{folder}/")],
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    parts = re.findall(rf"(.*?)\n{MARK} (\d+)\n", done.stdout, re.DOTALL)
    return [(printed.replace(f"{folder}/", TMP), int(status)) for printed, status in parts]


def _write_shown(commands: Iterable[Command], work: Path) -> None:
    for command in commands:
        name = re.fullmatch(r"cat ([\w.-]+)", command.typed)
        if name and not (work / name[1]).exists():
            (work / name[1]).write_text(command.shown, encoding="utf-8")


def _copy_named(paths: Iterable[Path], commands: Iterable[Command], work: Path) -> None:
    typed = " ".join(command.typed for command in commands)
    for path in paths:
        if path.name in typed and not (work / path.name).exists():
            shutil.copy(path, work)


def agrees(shown: str, printed: str) -> bool:
    """Whether a command prints what a page shows; nothing shown is no claim."""
    if not shown.strip():
        return True
    lines = [VARIABLE.sub("…", line.rstrip()) for line in shown.strip("\n").split("\n")]
    pattern = "".join(ANY_LINES if line == "..." else _pattern(line) for line in lines)
    found = re.fullmatch(pattern, printed.strip("\n") + "\n")
    wanted = [each for line in lines for each in NUMBER.findall(line)]
    return found is not None and all(
        _is_same(one, other) for one, other in zip(wanted, found.groups(), strict=True)
    )


def _pattern(line: str) -> str:
    """A line whose numbers are groups: their last digits may differ on other processors."""
    texts = [re.escape(text).replace("…", ".*?") for text in NUMBER.split(line)]
    return rf"({NUMBER.pattern})".join(texts) + r"[ \t]*\n"


def _is_same(one: str, other: str) -> bool:
    if "." not in one:
        return one == other
    values = [float(number.replace(",", "")) for number in (one, other)]
    return math.isclose(*values, rel_tol=0.01)
