"""Signals that end a program, which may still save what it has.

The first of them raises a KeyboardInterrupt, at which training ends and gives its best weights. A
second ctrl-C ends the program at once. SIGTERM and SIGHUP that follow are ignored, since they
often come twice: ``timeout`` signals a process and then its group, and a terminal that closes
signals the shell and its jobs.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

ENDING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""The signals that end a program, as many of them as the system has."""

_TWICE = 0.3  # within this many seconds, two interrupts are one


def ignore_all() -> None:
    """Ignore signals that end a program, whose work is done."""
    for each in ENDING:
        signal.signal(each, signal.SIG_IGN)


class Caught:
    """Which signal came first, if one came, and whether it is too late for one."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.over = False

    @property
    def code(self) -> int:
        """The exit code of a program that was ended by it; by ctrl-C if none is known."""
        return 128 + (self.number or signal.SIGINT)

    def handle(self, number: int, _: FrameType | None) -> None:
        """Raise a KeyboardInterrupt, and let a further interrupt end the program.

        Raises:
            KeyboardInterrupt: Unless the work is over.
        """
        if self.over:
            return
        self.number = number
        ignore_all()
        time.sleep(_TWICE)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        raise KeyboardInterrupt


@contextmanager
def caught(*, last: bool = False) -> Iterator[Caught]:
    """Turn signals that end the program into a KeyboardInterrupt while the block runs.

    Those that are ignored, as ``nohup`` and shells see to for jobs in the background, stay so.

    Args:
        last: Whether the block is all that the program does: later signals are then ignored.
    """
    found = Caught()
    before = _handlers()
    for each, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(each, found.handle)
    try:
        yield found
    finally:
        found.over = True
        for each, handler in before.items():
            signal.signal(each, signal.SIG_IGN if last else handler)


def _handlers() -> dict[signal.Signals, signal._HANDLER]:
    """The handlers that there are; none outside the main thread, where they cannot be changed."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    found = {each: signal.getsignal(each) for each in ENDING}
    return {each: handler for each, handler in found.items() if handler is not None}


class Held:
    """Signals with a handler in Python, held back until it does no harm to handle them."""

    def __init__(self) -> None:
        self._handlers: dict[signal.Signals, signal._HANDLER] = {}
        self._first: int | None = None

    def hold(self) -> None:
        """Note from now on which signal comes first, and do nothing else.

        A second ctrl-C still ends the program at once.
        """
        if not self._handlers:
            self._handlers = {e: handler for e, handler in _handlers().items() if callable(handler)}
            for each in self._handlers:
                signal.signal(each, self._note)

    def _note(self, number: int, _: FrameType | None) -> None:
        if self._first is not None:
            return
        self._first = number
        if signal.SIGINT in self._handlers:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            time.sleep(_TWICE)
            signal.signal(signal.SIGINT, signal.SIG_DFL)

    @property
    def came(self) -> bool:
        """Whether a signal came."""
        return self._first is not None

    def release(self) -> None:
        """Give back the handlers, and call that of the signal that came."""
        first, self._first = self._first, None
        handlers, self._handlers = self._handlers, {}
        for each, handler in handlers.items():
            signal.signal(each, handler)
        if first is not None:
            signal.raise_signal(first)


def interruptible(call: Callable[..., Any], *arguments: Any) -> Any:
    """Call something that may take long and looks at no signal, so that ctrl-C ends the wait.

    It runs in a thread of its own, which is left alone if a signal comes; outside the main thread,
    where none comes, it is just called.

    >>> interruptible(max, 1, 2)
    2
    """
    if threading.current_thread() is not threading.main_thread():
        return call(*arguments)
    found: list[Any] = []
    problems: list[BaseException] = []

    def run() -> None:
        try:
            found.append(call(*arguments))
        except BaseException as problem:
            problems.append(problem)

    thread = threading.Thread(target=run, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # there is no thread to be had
        return call(*arguments)
    thread.join()
    if problems:
        raise problems[0]
    return found[0]
