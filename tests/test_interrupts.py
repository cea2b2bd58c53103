"""Signals that end a program, and what is saved before they do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import weft
from weft import Chain, example, fit
from weft.commands.saving import fit_and_save
from weft.interrupts import ENDING, Held, caught, interruptible
from weft.models.progress import Progress
from weft.models.storage import save_model

CORPUS = [example(["the", "dog"], ["DT", "NN"]), example(["dogs", "bark"], ["NNS", "VBP"])]


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Those of Python, whatever the tests are run by; and all as they were in the end."""
    before = {each: signal.getsignal(each) for each in ENDING}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_DFL)
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


@pytest.mark.parametrize(("number", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_each_signal_is_an_interrupt(number: str, code: int) -> None:
    with caught() as found:
        assert found.number is None
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(getattr(signal, number))
        signal.raise_signal(signal.SIGTERM)  # often comes twice
        signal.raise_signal(signal.SIGHUP)
    assert found.code == code
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_what_is_ignored_stays_so() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with caught() as found:
        signal.raise_signal(signal.SIGHUP)
    assert found.number is None


SLOW = """
import signal
import threading
from weft import interrupts
# One key may come twice, as by `timeout`: the second comes in the pause for it.
interrupts.time.sleep = lambda _: signal.raise_signal(signal.SIGINT)
with interrupts.caught():
    try:
        print("ready", flush=True)
        threading.Event().wait()
    except KeyboardInterrupt:
        print("first", flush=True)
        threading.Event().wait()
"""


def test_a_second_interrupt_ends_at_once() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SLOW],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "first\n"
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=600) == -signal.SIGINT


def test_signals_are_held_until_they_are_released() -> None:
    held = Held()
    held.release()
    held.hold()
    signal.raise_signal(signal.SIGINT)
    assert held.came
    with pytest.raises(KeyboardInterrupt):
        held.release()
    held.release()  # nothing is left
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class TestSaving:
    def test_an_interrupt_while_the_model_is_saved_waits(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(path: Path, model: weft.Tagger, *, force: bool) -> None:
            signal.raise_signal(signal.SIGINT)
            save_model(path, model, force=force)

        monkeypatch.setattr("weft.commands.saving.save_model", interrupted)
        with pytest.raises(KeyboardInterrupt, match="the model is saved in"):
            fit_and_save(tmp_path / "m.weft", lambda told: fit(Chain(), CORPUS, progress=told))
        assert weft.load(tmp_path / "m.weft").notes["stopped"] != "interrupted"

    def test_an_interrupt_after_the_last_iteration_loses_nothing(self, tmp_path: Path) -> None:
        def fitted(told: object) -> weft.Tagger:
            tagger = fit(Chain(), CORPUS, progress=told)
            signal.raise_signal(signal.SIGINT)
            return tagger

        with pytest.raises(KeyboardInterrupt, match="the model is saved in"):
            fit_and_save(tmp_path / "m.weft", fitted)
        assert weft.load(tmp_path / "m.weft").tag([["the", "dog"]]) == [("DT", "NN")]

    def test_an_interrupt_ends_training_at_the_next_iteration(self, tmp_path: Path) -> None:
        def watch(step: Progress) -> None:
            if step.iteration == 2:
                signal.raise_signal(signal.SIGINT)

        tagger = fit_and_save(
            tmp_path / "m.weft", lambda told: fit(Chain(), CORPUS, progress=told), watch
        )
        assert tagger.notes["stopped"] == "interrupted"
        assert tagger.trace[-1].iteration == 3
        assert weft.load(tmp_path / "m.weft").notes["stopped"] == "interrupted"

    def test_a_failure_gives_the_handlers_back(self, tmp_path: Path) -> None:
        def failing(_: object) -> weft.Tagger:
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            fit_and_save(tmp_path / "m.weft", failing)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_call_that_looks_at_no_signal_can_be_interrupted() -> None:
    never = threading.Event()

    def signalled() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        never.wait(600)

    with pytest.raises(KeyboardInterrupt):
        interruptible(signalled)
    never.set()


def test_a_call_that_can_be_interrupted_is_an_ordinary_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert interruptible(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        interruptible(divmod, 7, 0)

    def none_left(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none_left)
    assert interruptible(divmod, 7, 2) == (3, 1)
