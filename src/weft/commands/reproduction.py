"""The papers' tables and figures, made anew: experiments run part by part, and kept.

What a part found lies in a file of its own, named after all that it depends on: its arguments, the
seed, the contents of its corpora, and this program. So a run that was ended goes on where it was,
and one with another corpus begins anew where that matters.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from weft import DISTRIBUTION
from weft.commands.processes import ask_workers
from weft.corpora.locate import VARIABLE
from weft.derivations.threads import thread_count
from weft.errors import FormatError, OptionError, WeftError
from weft.files import read_bytes, write_text
from weft.papers.check import compare_reports
from weft.papers.experiment import Experiment, Part, PartOptions, corpus_digest, source_of
from weft.papers.pages import Reproduced, Reproduction, write_report
from weft.papers.registry import find_experiments
from weft.papers.results import Result, read_result

Told = Callable[[str, int, int], None]
"""Told what is done, how many parts are, and how many there are."""

QUICK = "quick"
"""The folder of a quick run's report, which is kept apart from that of a full run."""

_KEPT = "parts"
_LARGEST_REPORT = 1 << 28  # bytes


@dataclass(frozen=True, slots=True)
class _Job:
    """A part that is to be done, or a whole result that is to be made of its parts."""

    experiment: Experiment
    file: Path
    part: Part | None
    made_of: tuple[_Job, ...] = ()

    @property
    def name(self) -> str:
        return self.experiment.name + (f": {self.part.name}" if self.part else "")


def list_experiments(
    names: Sequence[str] = (),
    *,
    data: str | os.PathLike[str] | None = None,
    quick: bool = False,
) -> list[dict[str, Any]]:
    """Return experiments with the corpora that they read, and which of them are missing.

    Args:
        names: Those of experiments or papers; all if there is none.
        data: The folder of corpora, if not the one that ``WEFT_DATA`` names.
        quick: Whether little is to be done, on what comes with the package.

    Raises:
        OptionError: If there is no such experiment, or no such folder.
    """
    with _data_folder(data):
        return [
            {
                "name": each.name,
                "title": each.title,
                "corpora": list(each.corpora(quick)),
                "missing": _missing(each, quick),
                "parts": len(each.parts(quick)),
                "seconds": sum(part.seconds for part in each.parts(quick)),
            }
            for each in find_experiments(names)
        ]


def missing_things(
    names: Sequence[str] = (),
    *,
    data: str | os.PathLike[str] | None = None,
    quick: bool = False,
) -> dict[str, str]:
    """Return the corpora and packages that experiments need and that are not here.

    Args:
        names: Those of experiments or papers; all if there is none.
        data: The folder of corpora, if not the one that ``WEFT_DATA`` names.
        quick: Whether little is to be done, on what comes with the package.

    Returns:
        By name, where to get each.

    Raises:
        OptionError: If there is no such experiment, or no such folder.
    """
    with _data_folder(data):
        absent = [name for each in find_experiments(names) for name in _missing(each, quick)]
    return {name: source_of(name) for name in absent}


def read_report(
    path: str | os.PathLike[str], *, quick: bool = False, seed: int | None = None
) -> dict[str, Any]:
    """Return a kept report, to be compared with the figures of a run of the same kind.

    Args:
        path: Its JSON.
        quick: Whether a quick run was asked for.
        seed: The seed that was asked for, if any was.

    Raises:
        FormatError: If it cannot be read, or is no report.
        OptionError: If it is of another kind of run than the one that was asked for.
    """
    try:
        kept: dict[str, Any] = json.loads(read_bytes(path, _LARGEST_REPORT))
        asked = (quick or kept["quick"], kept["seed"] if seed is None else seed)
        compare_reports(kept, kept)
    except WeftError:  # a missing file, or one that is too large
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise FormatError(
            "this is no report: give the report.json that `weft reproduce` wrote",
            path=os.fspath(path),
        ) from None
    if asked != (kept["quick"], kept["seed"]):
        run = "a quick run" if kept["quick"] else "a full run"
        raise OptionError(
            f"{os.fspath(path)} is of {run} with seed {kept['seed']}, and only the same can be "
            "compared: leave --quick and --seed out"
        )
    return kept


def report_folder(out: str | os.PathLike[str], quick: bool) -> Path:
    """Return the folder of the report.

    >>> report_folder("reproduced", quick=True).parts
    ('reproduced', 'quick')
    """
    return Path(out) / QUICK if quick else Path(out)


def _missing(experiment: Experiment, quick: bool) -> list[str]:
    return list(dict.fromkeys(name for part in experiment.parts(quick) for name in part.missing))


def reproduce_papers(
    names: Sequence[str] = (),
    *,
    out: str | os.PathLike[str],
    data: str | os.PathLike[str] | None = None,
    quick: bool = False,
    seed: int = 0,
    jobs: int | None = None,
    fresh: bool = False,
    written: bool = True,
    told: Told | None = None,
) -> Reproduction:
    """Run experiments, and write a report of them.

    Args:
        names: Those of experiments or papers; all if there is none.
        out: The folder of the report, and of what parts found; the report of a quick run has a
            folder of its own there, :data:`QUICK`.
        data: The folder of corpora, if not the one that ``WEFT_DATA`` names.
        quick: Whether to do little, on what comes with the package.
        seed: Of whatever is drawn.
        jobs: The number of processes, by default as many as there are cores; no figure depends on
            it.
        fresh: Whether to do everything anew, whatever was kept.
        written: Whether to write the report.
        told: Told of every part that is done.

    Raises:
        OptionError: If there is no such experiment.
        FormatError: If the folder cannot be written.
        WeftError: If the folder of corpora is none.
    """
    experiments = find_experiments(names)
    folder = Path(out)
    _make(folder / _KEPT)
    with _data_folder(data), _going_on(folder):
        outcomes = _run(experiments, folder / _KEPT, quick, seed, jobs, fresh, told)
        made = Reproduction(version(DISTRIBUTION), _commit(), quick, seed, tuple(outcomes))
        if written:
            report = report_folder(folder, quick)
            _make(report)
            write_report(report, made)
    return made


def _run(
    experiments: Sequence[Experiment],
    folder: Path,
    quick: bool,
    seed: int,
    jobs: int | None,
    fresh: bool,
    told: Told | None,
) -> Iterator[Reproduced]:
    processes = jobs or thread_count(None)
    how = PartOptions(seed, max(1, thread_count(None) // processes))
    corpora = {name for each in experiments for name in each.corpora(quick)}
    digests = {name: corpus_digest(name) for name in sorted(corpora)}
    parts = [
        _Job(each, _file(folder, each, each.key(part, seed, digests), part), part)
        for each in experiments
        for part in each.parts(quick)
        if not part.missing
    ]
    failed = _work(parts, how, processes, fresh, told)
    wholes = []
    for each in experiments:
        own = [job for job in parts if job.experiment is each and job.name not in failed]
        if own:
            key = each.result_key([job.file.name for job in own])
            wholes.append(_Job(each, _file(folder, each, key, None), None, tuple(own)))
    failed |= _work(wholes, how, processes, fresh, None)
    made = {job.experiment.name: job for job in wholes if job.name not in failed}
    for each in experiments:
        yield _outcome(each, quick, parts, made.get(each.name), failed)


def _outcome(
    experiment: Experiment,
    quick: bool,
    parts: Sequence[_Job],
    whole: _Job | None,
    failed: Mapping[str, str],
) -> Reproduced:
    own = [job for job in parts if job.experiment is experiment]
    listed = experiment.parts(quick)
    names = [job.name for job in own] + [experiment.name]
    found = None if whole is None else _kept(whole)
    seconds = sum(kept["seconds"] for job in own if (kept := _kept(job)))
    return Reproduced(
        experiment.name,
        experiment.title,
        experiment.differs_quick if quick else experiment.differs,
        {part.name: dict(part.arguments) for part in listed},
        None if found is None else read_result(found["found"]),
        {name: source_of(name) for name in _missing(experiment, quick)},
        {name: failed[name] for name in names if name in failed},
        seconds,
    )


def _file(folder: Path, experiment: Experiment, key: str, part: Part | None) -> Path:
    name = experiment.name.partition("/")[2] if part is None else part.name
    plain = "".join(each if each.isalnum() or each in "-." else "-" for each in name)
    return folder / experiment.paper / f"{plain}.{key[:20]}.json"


def _kept(job: _Job) -> dict[str, Any] | None:
    """What was found before; None if it is not there, or cannot be read."""
    try:
        kept: dict[str, Any] = json.loads(job.file.read_text(encoding="utf-8"))
        seconds, found = float(kept["seconds"]), dict(kept["found"])
        if job.part is None:
            read_result(found)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
    return {"found": found, "seconds": seconds}


def _work(
    jobs: Sequence[_Job], how: PartOptions, processes: int, fresh: bool, told: Told | None
) -> dict[str, str]:
    """Do what is not there yet, the longest first, and return what failed, with the reason."""
    # Experiments may share what a part finds.
    several: dict[Path, _Job] = {}
    for job in jobs:
        several.setdefault(job.file, job)
    left = [job for job in several.values() if fresh or _kept(job) is None]
    left.sort(key=lambda job: -(job.part.seconds if job.part else 0.0))
    done = len(several) - len(left)
    failed: dict[str, str] = {}
    texts = [_text(job, how) for job in left]
    with closing(ask_workers(answer_job, texts, processes)) as answers:
        for place, answer in answers:
            job, done = left[place], done + 1
            if "error" in answer:
                failed |= {each.name: answer["error"] for each in jobs if each.file == job.file}
            else:
                _make(job.file.parent)
                with write_text(job.file) as stream:
                    stream.write(json.dumps(answer, ensure_ascii=False, allow_nan=False) + "\n")
            if told is not None:
                ended = "failed" if "error" in answer else f"{answer['seconds']:.1f} s"
                told(f"{done} of {len(several)} parts  {job.name}  {ended}", done, len(several))
    return failed


def _text(job: _Job, how: PartOptions) -> str:
    part = None if job.part is None else asdict(job.part)
    parts = [
        {"part": asdict(each.part), "file": str(each.file)} for each in job.made_of if each.part
    ]
    said = {"experiment": job.experiment.name, "part": part, "parts": parts}
    return json.dumps({**said, "how": asdict(how)})


def answer_job(text: str) -> dict[str, Any]:
    """Do a part, or make a result of parts: what a process does."""
    asked = json.loads(text)
    [experiment] = find_experiments([asked["experiment"]])
    began = time.process_time()
    try:
        if asked["part"] is not None:
            found = experiment.work(asked["part"]["arguments"], PartOptions(**asked["how"]))
        else:
            found = _combined(experiment, asked["parts"]).as_json()
    except (WeftError, OSError, MemoryError) as error:
        return {"error": str(error) or "out of memory"}
    except Exception as error:
        # A fault in one experiment is no reason to lose an hour of others.
        return {"error": "".join(traceback.format_exception(error, limit=-3)).strip()}
    return {"found": found, "seconds": time.process_time() - began}


def _combined(experiment: Experiment, parts: Sequence[Mapping[str, Any]]) -> Result:
    found = []
    for each in parts:
        kept = json.loads(Path(each["file"]).read_text(encoding="utf-8"))
        found.append((Part(**each["part"]), kept["found"]))
    return experiment.combine(found)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FormatError(f"{reason}; name another folder with --out", path=str(folder)) from None


@contextmanager
def _data_folder(data: str | os.PathLike[str] | None) -> Iterator[None]:
    """Look for corpora in this folder meanwhile."""
    if data is None:
        yield
        return
    if not Path(data).is_dir():
        raise OptionError(f"--data {os.fspath(data)}: there is no such folder")
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(Path(data).absolute())
    try:
        yield
    finally:
        del os.environ[VARIABLE]
        os.environ |= {} if before is None else {VARIABLE: before}


@contextmanager
def _going_on(folder: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        message = f"what is done is kept in {folder}; the same command goes on from there"
        raise KeyboardInterrupt(message) from None


def _commit() -> str | None:
    """The commit of the sources; None where they are not in a repository of their own."""
    here = Path(__file__)
    commands = (
        ["ls-files", here.name],
        ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
    )
    said = ""
    for command in commands:
        try:
            done = subprocess.run(  # noqa: S603
                ["git", *command],  # noqa: S607
                cwd=here.parent,
                capture_output=True,
                text=True,
                timeout=10,
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        said = done.stdout.strip()
        if not said:
            return None
    return said
