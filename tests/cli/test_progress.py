"""What is shown while something runs: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import io
import json
import re

import pytest
from rich.console import Console

import weft
from weft.cli import progress as shown
from weft.commands.trials import Trial
from weft.corpora import bundled
from weft.criteria import expected_accuracy
from weft.models.progress import Outlook
from weft.optimise.annealing import Annealing
from weft.optimise.lbfgs import LBFGS
from weft.optimise.online import Perceptron
from weft.optimise.search import Search
from weft.train.usual import most_iterations

CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


def console_of(terminal: bool) -> Console:
    """A terminal of 120 columns that is written to memory, or a file."""
    return Console(
        file=io.StringIO(), force_terminal=terminal, width=120, _environ={"TERM": "xterm"}
    )


def text_of(console: Console) -> str:
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


@pytest.fixture
def ticks(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, which tests change."""
    now = [0.0]
    monkeypatch.setattr(shown.time, "perf_counter", lambda: now[0])
    return now


def test_a_terminal_has_a_bar_with_the_time_that_is_left() -> None:
    console = console_of(terminal=True)
    with shown.watching(console) as watch:
        watch(Outlook(12, -3456.789, 12.5, 6.0, 0.9321, 100))
    found = CODES.sub("", text_of(console))
    assert (
        "iteration 12 of 100  value -3,456.79  held-out 93.21 %  0:06, at most 0:44 left" in found
    )
    assert "━" in found


def test_nothing_but_lines_goes_elsewhere() -> None:
    console = console_of(terminal=False)
    with shown.watching(console) as watch:
        for number in range(21):
            watch(Outlook(number, -1.0, 2.0, 0.1 * number, None, 100))
    lines = text_of(console).splitlines()
    assert [line.split("  ")[0] for line in lines] == [f"iteration {n}" for n in (0, 10, 20)]
    assert "\x1b" not in text_of(console)


@pytest.mark.parametrize("terminal", [True, False])
def test_a_quiet_console_shows_nothing(terminal: bool) -> None:
    console = console_of(terminal)
    console.quiet = True
    with shown.watching(console) as watch, shown.watching_folds(console) as folds:
        watch(Outlook(0, -1.0, 2.0, 0.1))
        folds(1, 2)
    assert text_of(console) == ""


def test_json_lines_say_how_far_it_is() -> None:
    console = console_of(terminal=False)
    with shown.watching(console, "json") as watch:
        watch(Outlook(3, -1.0, 2.0, 0.5, None, 10, 2, 4))
    found = json.loads(text_of(console))
    assert (found["iteration"], found["most"], found["start"], found["starts"]) == (3, 10, 2, 4)


def test_a_grid_says_how_long_its_trials_may_take(ticks: list[float]) -> None:
    console = console_of(terminal=True)
    trials = [
        Trial(n, {"order": str(n)}, -5.25, -900.0, 12, 3.0, None, "converged") for n in range(1, 5)
    ]
    with shown.watching_trials(console) as told:
        told(trials[:2], 5)  # one of which was known
        ticks[0] = 60.0
        told(trials[:4], 5)
    found = CODES.sub("", text_of(console))
    assert "4 of 5 trials  last order=4  -5.25  12 iterations  about 0:20 left" in found


def test_folds_of_a_second_recipe_are_counted_anew(ticks: list[float]) -> None:
    console = console_of(terminal=True)
    with shown.watching_folds(console) as told:
        for seconds, done in ((30.0, 1), (60.0, 2), (100.0, 1)):
            ticks[0] = seconds
            told(done, 3)
    assert "1 of 3 folds  about 1:20 left" in CODES.sub("", text_of(console))


@pytest.mark.parametrize(
    ("optimiser", "most"),
    [(LBFGS(max_iterations=7), 7), (Perceptron(epochs=3), 3), (Annealing(steps=200_000), 100)],
)
def test_optimisers_say_how_many_iterations_they_have_at_most(optimiser: object, most: int) -> None:
    assert most_iterations(optimiser) == most


def test_training_tells_how_many_iterations_and_starts_there_may_be() -> None:
    told: list[Outlook] = []
    found = weft.fit(
        weft.Chain(),
        bundled("train")[:30],
        criterion=expected_accuracy,
        optimiser=LBFGS(max_iterations=4),
        search=Search(restarts=2),
        progress=told.append,
    )
    assert [each.start for each in told] == sorted(each.start for each in told)
    assert {each.start for each in told} == {1, 2, 3} == set(range(1, told[0].starts + 1))
    assert told[0].most == 3 * 5 - 1
    assert all(each.iteration <= each.most for each in told if each.most is not None)
    assert told[-1].most - told[-1].iteration <= 4
    kept = re.fullmatch(
        r"start (\d) of 3 was kept, by value: ([\d.]+); the others from ([\d.]+) to ([\d.]+)",
        found.notes["restarts"],
    )
    assert kept is not None
    best, lowest, highest = map(float, kept.groups()[1:])
    assert best >= highest >= lowest > 0.5 * best  # random starts are where there is a slope
    assert f"{found.trace[-1].value:.2f}" == kept[2]
