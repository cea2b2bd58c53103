"""Grids: trials in processes, a ledger that goes on, and the best model kept."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import weft
from processes import has_ended, holds
from weft import commands
from weft.commands import Choose, FileLayout, read_grid
from weft.commands.request import Request
from weft.commands.trials import Job, read_job, run_trials
from weft.errors import FormatError, OptionError, WeftError
from weft.structures.evidence import example

TAGGED = (
    "the/DT dog/NN barks/VBZ\nthe/DT walk/NN ends/VBZ\nwe/PRP walk/VBP\nwe/PRP end/VBP walks/NNS\n"
)
RAW = "the dog walks\nwe walk the dog\n"
DICTIONARY = (
    "the\tDT\ndog\tNN\nbarks\tVBZ NNS\nwalk\tNN VBP\nends\tVBZ NNS\nwe\tPRP\nend\tNN VBP\n"
    "walks\tNNS VBZ\n"
)
GRID = {"penalty": ("dirichlet:0.1", "dirichlet:5"), "order": ("1", "2")}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    for name, text in [("t.tagged", TAGGED), ("d.txt", RAW), ("tags", DICTIONARY)]:
        (folder / name).write_text(text)
    return folder


def options(files: Path, **others: object) -> dict[str, object]:
    default = {
        "recipe": "hmm-em",
        "development": files / "t.tagged",
        "dictionary": files / "tags",
        "settings": {"iterations": "5"},
    }
    return {**default, **others}


@pytest.fixture(scope="module")
def made(files: Path, tmp_path_factory: pytest.TempPathFactory) -> commands.Grid:
    """A grid of four trials, two at a time."""
    path = tmp_path_factory.mktemp("grid") / "m.weft"
    return commands.train_grid(path, [files / "t.tagged"], GRID, processes=2, **options(files))


def test_every_point_is_tried_and_the_best_is_kept(made, files, tmp_path):
    points = [dict(trial.point) for trial in made.trials]
    assert points == [{"penalty": p, "order": o} for p in GRID["penalty"] for o in GRID["order"]]
    assert [trial.number for trial in made.trials] == [1, 2, 3, 4]
    best = max(made.trials, key=lambda trial: trial.score)
    assert made.chosen == best.number
    kept = weft.load(made.training.path)
    assert kept.notes["grid"] == f"{best.name}; the best of 4 trials by criterion"
    alone = commands.train(
        tmp_path / "alone.weft",
        [files / "t.tagged"],
        **options(
            files,
            penalty=best.point["penalty"],
            settings={"iterations": "5", "order": best.point["order"]},
        ),
    )
    assert kept.weights.tobytes() == alone.trained.weights.tobytes()
    assert made.training.score == alone.score
    assert (made.training.sentences, made.training.tokens) == (4, 11)


def test_the_score_is_the_criterion_a_token(made):
    corpus = [line.split() for line in TAGGED.splitlines()]
    examples = [example([token.split("/")[0] for token in line]) for line in corpus]
    for trial in made.trials:
        tagger = weft.load(Path(made.folder) / f"{trial.number:03}.weft")
        expected = tagger.log_sums(examples).marginal.sum() / 11
        assert trial.score == pytest.approx(expected)


def test_json_lists_all_trials(made):
    values = json.loads(json.dumps(made.as_json(), allow_nan=False))
    assert len(values["grid"]["trials"]) == 4
    assert values["grid"]["trials"][0]["point"] == {"penalty": "dirichlet:0.1", "order": "1"}
    assert values["grid"]["chosen"] == made.chosen


@pytest.mark.slow
def test_a_grid_goes_on_where_it_was(made, files, monkeypatch):
    ran = []

    def counted(jobs, processes):
        ran.extend(job.number for job in jobs)
        return run_trials(jobs, processes)

    monkeypatch.setattr("weft.commands.grid.run_trials", counted)
    ledger = Path(made.folder) / "ledger.json"
    before = ledger.read_text()
    told = []

    def again() -> commands.Grid:
        return commands.train_grid(
            made.training.path,
            [files / "t.tagged"],
            GRID,
            finished=lambda done, total: told.append((len(done), total)),
            **options(files),
        )

    assert again().trials == made.trials
    assert ran == []
    found = json.loads(before)
    del found["trials"][1]  # as if it had been killed before the second was finished
    ledger.write_text(json.dumps(found))
    (Path(made.folder) / "004.weft").unlink()
    repeated = again()
    assert sorted(ran) == [2, 4]
    assert told == [(4, 4), (2, 4), (3, 4), (4, 4)]
    assert [trial.score for trial in repeated.trials] == [trial.score for trial in made.trials]
    assert repeated.chosen == made.chosen
    assert Path(made.folder, "004.weft").is_file()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"settings": {"iterations": "6"}}, 'settings was {"iterations": "5"}, and is'),
        ({"dilute": "count<2"}, 'dilute was null, and is "count<2"'),
    ],
)
def test_other_arguments_are_refused(made, files, change, message):
    with pytest.raises(OptionError, match=message):
        commands.train_grid(
            made.training.path, [files / "t.tagged"], GRID, **options(files, **change)
        )


def test_other_contents_are_refused(made, files):
    path = files / "tags"
    original = path.read_text()
    try:
        path.write_text(original + "new\tNN\n")
        with pytest.raises(OptionError, match="contents of files was"):
            commands.train_grid(made.training.path, [files / "t.tagged"], GRID, **options(files))
    finally:
        path.write_text(original)


def test_other_folders_are_refused(files, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    arguments = (tmp_path / "m.weft", [files / "t.tagged"], GRID)
    with pytest.raises(FormatError, match="something else here"):
        commands.train_grid(*arguments, folder=tmp_path / "mine", **options(files))
    whole = {"number": 1, "point": {"order": "1"}, "score": -1.0, "value": -2.0, "iterations": 3}
    whole |= {"seconds": 0.1, "accuracy": None, "stopped": "converged"}
    changes = [{"number": "../x"}, {"score": "much"}, {"iterations": None}, {"point": {"order": 1}}]
    edited = [{**whole, **change} for change in [*changes, {"choose": "fate"}, {"stopped": 1}]]
    texts = [json.dumps({"arguments": {}, "trials": [trial]}) for trial in edited]
    for text in ("{}", "[", "[]", "[" * 100_000, *texts):
        (tmp_path / "mine" / "ledger.json").write_text(text)
        with pytest.raises(FormatError, match="no ledger of a grid"):
            commands.train_grid(*arguments, folder=tmp_path / "mine", **options(files))


@pytest.mark.parametrize("choose", ["accuracy", "oracle"])
@pytest.mark.slow
def test_choosing_by_labels(files, tmp_path, choose):
    grid = commands.train_grid(
        tmp_path / "m.weft",
        [files / "t.tagged"],
        {"order": ["1", "2"]},
        choose=choose,
        processes=2,
        **options(files),
    )
    for trial in grid.trials:
        tagger = weft.load(tmp_path / "m.weft.grid" / f"{trial.number:03}.weft")
        assert trial.score == commands.evaluate(tagger, files / "t.tagged").accuracy
    assert grid.choose is Choose(choose)


@pytest.mark.slow
def test_raw_text_is_enough_to_choose_by_the_criterion(files, tmp_path):
    asked = options(files, layout=FileLayout("text"), development=files / "d.txt")
    arguments = (tmp_path / "m.weft", [files / "d.txt"], {"order": ["1"]})
    grid = commands.train_grid(*arguments, **asked)
    assert grid.trials[0].score < 0
    assert grid.trials[0].accuracy is None
    with pytest.raises(OptionError, match=r"trial 1 \(order=1\): the development corpus has no"):
        commands.train_grid(*arguments, choose="accuracy", folder=tmp_path / "b", **asked)


def test_labels_that_the_criterion_looks_at_must_be_there(files, tmp_path):
    raw = FileLayout("tagged", partial=True)
    unknown = tmp_path / "unknown.tagged"
    unknown.write_text("the/? dog/?\n")
    asked = options(files, recipe="crf", layout=raw, development=unknown, dictionary=None)
    with pytest.raises(OptionError, match="conditional looks at labels, and the development"):
        commands.train_grid(tmp_path / "m.weft", [files / "t.tagged"], {"order": ["1"]}, **asked)
    assert not list((tmp_path / "m.weft.grid").glob("*.weft"))  # nothing was trained in vain


def test_what_fails_is_named_and_the_rest_is_ended(files, tmp_path):
    broken = tmp_path / "broken.tagged"
    broken.write_text("the/DT dog\n")
    with pytest.raises(WeftError, match=r"trial 1 \(order=1\): .*broken.tagged:1"):
        commands.train_grid(
            tmp_path / "m.weft", [broken], {"order": ["1", "2"]}, processes=1, **options(files)
        )
    assert not multiprocessing.active_children()
    assert not (tmp_path / "m.weft").exists()


@pytest.mark.slow
def test_leaving_early_ends_all_processes(files, tmp_path):
    endless = tmp_path / "endless.tagged"
    os.mkfifo(endless)  # which nobody writes to: its reader would wait for ever
    jobs = [
        Job(
            number,
            {},
            str(tmp_path / f"{number}.weft"),
            Choose.CRITERION,
            Request([source], **options(files)),
        )
        for number, source in enumerate([files / "t.tagged", endless], 1)
    ]
    trials = run_trials(jobs, 2)
    assert next(trials).number == 1
    [running] = multiprocessing.active_children()
    trials.close()
    assert not multiprocessing.active_children()
    assert running.exitcode == -signal.SIGTERM


def test_another_choice_trains_nothing_again(files, tmp_path, monkeypatch):
    """A word that cannot have its tag makes the development corpus impossible for the criterion."""
    impossible = tmp_path / "dev.tagged"
    impossible.write_text("the/NN dog/NN\n")
    arguments = (tmp_path / "m.weft", [files / "t.tagged"], {"order": ("1", "2")})
    asked = options(files, recipe="hmm", development=impossible, settings={})
    monkeypatch.setattr("weft.commands.trials.multiprocessing.get_context", _here)
    monkeypatch.setattr("weft.commands.processes.signal.signal", lambda *_: None)
    with pytest.raises(OptionError, match=r"no trial has a score: .* give --choose accuracy"):
        commands.train_grid(*arguments, **asked)
    models = {path.name: path.read_bytes() for path in (tmp_path / "m.weft.grid").glob("*.weft")}
    assert sorted(models) == ["001.weft", "002.weft"]

    def never(*_: object, **__: object) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr("weft.commands.trials.train_on", never)
    grid = commands.train_grid(*arguments, choose="accuracy", **asked)
    assert [trial.choose for trial in grid.trials] == [Choose.ACCURACY] * 2
    assert [trial.score for trial in grid.trials] == [trial.accuracy for trial in grid.trials]
    again = commands.train_grid(*arguments, choose="oracle", **asked)
    assert all(trial.score is not None for trial in again.trials)
    assert weft.load(tmp_path / "m.weft").notes["grid"].endswith("by oracle")


class _Here:
    """Stands for a process, and works in this one."""

    def __init__(self, target, args, daemon):  # noqa: ARG002
        self.start = lambda: target(*args)

    def join(self) -> None: ...


def _here(_: str) -> object:
    return type("Context", (), {"Pipe": multiprocessing.Pipe, "Process": _Here})


ORPHANS = """
import os, sys, time
from weft.commands import Choose
from weft.commands.request import Request
from weft.commands.trials import Job, run_trials

if __name__ == "__main__":
    source, model = sys.argv[1:]
    jobs = [Job(1, {}, model, Choose.CRITERION, Request([source]))]
    next(run_trials(jobs, 1))
"""


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGKILL,
        pytest.param(signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param(signal.SIGINT, marks=pytest.mark.slow),
    ],
)
def test_trials_end_with_their_parent(tmp_path, number):
    endless = tmp_path / "endless.tagged"
    os.mkfifo(endless)  # whose reader waits for ever
    script = tmp_path / "script.py"
    script.write_text(ORPHANS)
    with subprocess.Popen(
        [sys.executable, script, endless, tmp_path / "m.weft"],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        writer = os.open(endless, os.O_WRONLY)  # returns when the trial has begun to read
        process.send_signal(number)
        process.wait(timeout=600)
    try:
        if not holds(lambda: has_ended(process.pid)):
            os.killpg(process.pid, signal.SIGKILL)
            raise AssertionError("a trial goes on without its parent")
    finally:
        os.close(writer)


def test_jobs_as_text(files):
    layout = FileLayout("columns", 2, (1,), True)
    request = Request([str(files / "t.tagged")], **options(files, layout=layout))
    job = read_job(Job(3, {"order": "2"}, "m.weft", Choose.ORACLE, request).text())
    assert (job.number, job.choose, job.request.layout) == (3, Choose.ORACLE, layout)
    assert job.request.settings == {"iterations": "5"}
    assert job.request.dictionary == str(files / "tags")


@pytest.mark.parametrize(
    ("grid", "change", "message"),
    [
        ({}, {}, "needs values to try"),
        ({"order": ["1", "3"]}, {}, "order is 1 or 2"),
        ({"penalty": ["l0:1"]}, {}, "no penalty"),
        ({"what": ["1"]}, {}, "no setting 'what'"),
        ({"iterations": ["1"]}, {}, "has a value already"),
        ({"penalty": ["none"]}, {"penalty": "none"}, "has a value already"),
        ({"order": ["1"]}, {"development": None}, "needs a development corpus: give --dev"),
        ({"order": ["1"]}, {"choose": "luck"}, "'luck' is none of criterion, accuracy, oracle"),
        ({"seed": [str(n) for n in range(1001)]}, {}, "at most 1000"),
    ],
)
def test_refusals_before_anything_runs(files, tmp_path, grid, change, message):
    with pytest.raises(OptionError, match=message):
        commands.train_grid(
            tmp_path / "m.weft", [files / "t.tagged"], grid, **options(files, **change)
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [("-", OptionError, "only once: save it"), ("none.tagged", FormatError, "no such plain file")],
)
def test_what_is_no_plain_file_is_refused(files, tmp_path, source, error, message):
    with pytest.raises(error, match=message):
        commands.train_grid(tmp_path / "m.weft", [source], {"order": ["1"]}, **options(files))


@pytest.mark.parametrize("text", ["penalty", "=1", "order=", "order=1||2", "order=1|1"])
def test_grids_that_cannot_be_read(text):
    with pytest.raises(OptionError, match="--grid"):
        read_grid([text])
    with pytest.raises(OptionError, match="twice"):
        read_grid(["order=1", "order=2"])
