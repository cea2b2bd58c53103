"""Training that was killed goes on from its checkpoint, and ends with the same bits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import weft
from weft import commands
from weft.corpora import bundled, bundled_folder, bundled_parse_sets, dictionary_of
from weft.criteria import accuracy, conditional, margin, marginal, perceptron
from weft.errors import FormatError, OptionError
from weft.models.model import Trained
from weft.models.progress import Progress
from weft.optimise.annealing import Annealing
from weft.optimise.passes import ByPasses
from weft.optimise.search import Search
from weft.recipes.optimisers import OPTIMISERS, find_optimiser
from weft.train.checkpoints import Checkpoint

CORPUS, HELD_OUT = bundled("train")[:25], bundled("train")[20:30]
HMM = weft.Chain(
    templates=weft.templates("word[0]"),
    attributes="all",
    ngrams="all",
    normalisation="joint",
    dictionary=dictionary_of(CORPUS),
)
CRITERIA = {
    "subgradient": margin(),
    "frank-wolfe": margin(),
    "perceptron": perceptron,
    "pa": margin(),
    "arow": margin(),
}


class Killed(BaseException):
    """As good as a signal that nobody handles."""


Fit = Callable[..., Any]


def of_optimiser(name: str) -> Fit:
    """Training with an optimiser that goes on for some iterations."""
    if name in ("em", "variational-bayes"):
        optimiser = find_optimiser(name)
        return lambda **more: weft.fit(
            HMM, CORPUS, criterion=marginal, optimiser=optimiser, development=HELD_OUT, **more
        )
    if name == "annealing":
        sets = bundled_parse_sets()[:20]
        annealing = Annealing(steps=20_000)
        return lambda **more: weft.fit(
            weft.Selection(), sets, criterion=accuracy, optimiser=annealing, **more
        )
    criterion, optimiser = CRITERIA.get(name, conditional), find_optimiser(name)
    if isinstance(optimiser, ByPasses):
        optimiser = replace(optimiser, epochs=4, tolerance=0.0)
    return lambda **more: weft.fit(
        weft.Chain(), CORPUS, criterion=criterion, optimiser=optimiser,
        development=HELD_OUT, **more,
    )  # fmt: skip


def shape_of(trained: Trained) -> tuple[Any, ...]:
    """All of a model that is saved."""
    steps = [(s.iteration, s.value, s.gradient_norm, s.accuracy) for s in trained.trace]
    return trained.weights.tobytes(), steps, dict(trained.notes)


def killed_at(fit: Fit, path: Path, iteration: int, every: float = 0.0) -> None:
    def stop(step: Progress) -> None:
        if step.iteration >= iteration:
            raise Killed

    with pytest.raises(Killed):
        fit(progress=stop, checkpoint=Checkpoint(path, every=every))


def test_line_search_keeps_none(tmp_path: Path) -> None:
    sets, optimiser = bundled_parse_sets()[:5], find_optimiser("line-search")
    with pytest.raises(OptionError, match="line-search keeps no checkpoints"):
        weft.fit(
            weft.Selection(), sets, criterion=accuracy, optimiser=optimiser,
            checkpoint=Checkpoint(tmp_path / "c"),
        )  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in ("adam", "em", "lbfgs") else pytest.mark.slow)
        for name in sorted(OPTIMISERS.keys() - {"line-search"})
    ],
)
def test_every_optimiser_goes_on_to_the_same_bits(name: str, tmp_path: Path) -> None:
    fit, path = of_optimiser(name), tmp_path / "c"
    whole = fit()
    last = whole.trace[-1].iteration
    assert last >= 2
    for iteration in sorted({1, last // 2, last}):
        path.unlink(missing_ok=True)
        killed_at(fit, path, iteration)
        told: list[int] = []
        again = fit(
            progress=lambda step: told.append(step.iteration),  # noqa: B023
            checkpoint=Checkpoint(path, every=0),
        )
        assert told == list(range(iteration, last + 1))
        assert shape_of(again) == shape_of(whole)


@pytest.mark.parametrize(
    "search",
    [
        Search(restarts=2, seed=3),
        pytest.param(Search(anneal=0.3, growth=2.0), marks=pytest.mark.slow),
        pytest.param(
            Search(restarts=1, anneal=0.5, growth=2.0, choose="entropy"), marks=pytest.mark.slow
        ),
    ],
)
def test_searches_go_on_in_the_climb_where_they_were(search: Search, tmp_path: Path) -> None:
    optimiser = weft.EM(max_iterations=4, tolerance=0.0)

    def fit(**more: Any) -> Any:
        return weft.fit(HMM, CORPUS, criterion=marginal, optimiser=optimiser, search=search, **more)

    seen: list[int] = []
    whole = fit(progress=lambda step: seen.append(step.iteration))
    for iteration in range(1, len(seen)):
        path = tmp_path / str(iteration)
        killed_at(fit, path, iteration)
        assert shape_of(fit(checkpoint=Checkpoint(path))) == shape_of(whole)


def test_em_remembers_the_likelihood_that_it_stops_by(tmp_path: Path) -> None:
    optimiser = weft.EM(tolerance=1e-2, measured_on="likelihood")

    def fit(**more: Any) -> Any:
        heavy = weft.Dirichlet(10.0)
        return weft.fit(HMM, CORPUS, criterion=marginal, penalty=heavy, optimiser=optimiser, **more)

    whole = fit()
    last = whole.trace[-1].iteration
    assert 2 <= last < optimiser.max_iterations
    for iteration in range(1, last + 1):
        path = tmp_path / str(iteration)
        killed_at(fit, path, iteration)
        assert shape_of(fit(checkpoint=Checkpoint(path))) == shape_of(whole)


def test_patience_is_remembered(tmp_path: Path) -> None:
    def fit(**more: Any) -> Any:
        return weft.fit(weft.Chain(), CORPUS, development=HELD_OUT, patience=3, **more)

    whole = fit()
    iterations = whole.trace[-1].iteration
    assert whole.notes["stopped"].startswith("held-out")
    for iteration in (2, iterations - 1, iterations):
        path = tmp_path / str(iteration)
        killed_at(fit, path, iteration)
        assert shape_of(fit(checkpoint=Checkpoint(path))) == shape_of(whole)


def test_an_l1_penalty(tmp_path: Path) -> None:
    def fit(**more: Any) -> Any:
        return weft.fit(weft.Chain(), CORPUS, optimiser=weft.LBFGS(l1=0.5), **more)

    whole = fit()
    killed_at(fit, tmp_path / "c", 9)
    assert shape_of(fit(checkpoint=Checkpoint(tmp_path / "c"))) == shape_of(whole)


def test_it_is_written_at_most_every_few_seconds(tmp_path: Path) -> None:
    path, times = tmp_path / "c", []

    def watch(_: Progress) -> None:
        times.append(path.stat().st_mtime_ns)

    weft.fit(weft.Chain(), CORPUS, progress=watch, checkpoint=Checkpoint(path, every=1e9))
    assert len(times) > 2
    assert len(set(times)) == 1


def test_other_trainings_and_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "c"
    fit = of_optimiser("lbfgs")
    killed_at(fit, path, 2)
    content = path.read_bytes()
    with pytest.raises(OptionError, match=r"of another training: optimiser used was .*; remove"):
        of_optimiser("conjugate-gradient")(checkpoint=Checkpoint(path))
    with pytest.raises(OptionError, match="another training: number of weights was"):
        weft.fit(weft.Chain(), CORPUS[:9], optimiser=weft.LBFGS(), checkpoint=Checkpoint(path))
    with pytest.raises(OptionError, match=r"another training: files was null, and is \"x\""):
        fit(checkpoint=Checkpoint(path, {"files": "x"}))
    for place in range(200, len(content), len(content) // 10):
        path.write_bytes(content[:place])
        with pytest.raises(FormatError):
            fit(checkpoint=Checkpoint(path))
    damaged = bytearray(content)
    damaged[len(content) // 2] ^= 0xFF
    path.write_bytes(bytes(damaged))
    with pytest.raises(FormatError):
        fit(checkpoint=Checkpoint(path))
    weft.save(path, fit())
    with pytest.raises(FormatError, match="not a 'checkpoint'"):
        fit(checkpoint=Checkpoint(path))


PROGRAM = """
import os, signal, sys
from weft.train import checkpoints

checkpoints.EVERY = 0.0
save, saved = checkpoints.save_archive, []

def save_and_die(*arguments):
    save(*arguments)
    saved.append(arguments)
    if "killed" in os.environ and len(saved) == 2:
        os.kill(os.getpid(), signal.SIGKILL)

checkpoints.save_archive = save_and_die
from weft.cli.app import app
app(sys.argv[1:])
"""


@pytest.mark.parametrize(
    "more",
    [
        (),
        pytest.param(
            ("--recipe", "hmm-em", "--dictionary-from", "train.tagged", "--set", "tolerance=0"),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            ("--optimiser", "sgd", "--set", "iterations=40", "--set", "tolerance=0"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_program_that_was_killed_goes_on(more: tuple[str, ...], tmp_path: Path) -> None:
    train = bundled_folder() / "train.tagged"
    (tmp_path / "train.tagged").write_text(
        "".join(train.read_text().splitlines(keepends=True)[:60])
    )

    def command(model: str, *others: str) -> list[str]:
        arguments = ["train", model, "--train", "train.tagged", "--quiet", *more, *others]
        return [sys.executable, "-c", PROGRAM, *arguments]

    subprocess.run(command("whole.weft"), cwd=tmp_path, check=True)
    checkpoint = tmp_path / "c"
    killed = subprocess.run(
        command("m.weft", "--checkpoint", "c"),
        cwd=tmp_path,
        env={**os.environ, "killed": "after the second checkpoint"},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert checkpoint.exists()
    assert not (tmp_path / "m.weft").exists()
    subprocess.run(command("m.weft", "--checkpoint", "c"), cwd=tmp_path, check=True)
    assert (tmp_path / "m.weft").read_bytes() == (tmp_path / "whole.weft").read_bytes()
    assert not checkpoint.exists()


def test_checkpoints_of_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (bundled_folder() / "heldout.tagged").read_text()
    Path("a.tagged").write_text(text)

    def stop(step: Progress) -> None:
        if step.iteration == 2:
            raise Killed

    with pytest.raises(Killed):
        commands.train("m.weft", ["a.tagged"], checkpoint="c", watch=stop)
    with pytest.raises(OptionError, match=r"another training: settings was \{\}, and is"):
        commands.train("m.weft", ["a.tagged"], checkpoint="c", settings={"order": "2"})
    Path("a.tagged").write_text(text + "a/DT dog/NN\n")
    with pytest.raises(OptionError, match="another training: contents of files was"):
        commands.train("m.weft", ["a.tagged"], checkpoint="c")
    with pytest.raises(OptionError, match="is where the model will be"):
        commands.train("m.weft", ["a.tagged"], checkpoint="./m.weft")
    with pytest.raises(OptionError, match=r"a\.tagged is what this command reads"):
        commands.train("m.weft", ["a.tagged"], checkpoint="a.tagged")
    assert Path("c").exists()
    assert not Path("m.weft").exists()
    commands.train("m.weft", ["a.tagged"], checkpoint="d", settings={"iterations": "3"})
    assert not Path("d").exists()
