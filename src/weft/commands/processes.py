"""Processes that work for this one, and end with it.

What passes between them is text: JSON in, JSON out.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from weft.interrupts import ENDING

Answer = Callable[[str], dict[str, Any]]
"""From a line of JSON to what is answered; a function of a module, which processes can import."""


def attend_parent() -> None:
    """Leave interrupts to the parent, and end with it: to be called first in a process."""
    # The terminal interrupts the whole group; it is the parent that decides what becomes of it.
    for each in set(ENDING) - {signal.SIGTERM}:
        signal.signal(each, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Leave at once when the parent has gone, even if it was killed: nobody waits for an answer."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def receive_answer(connection: Connection) -> dict[str, Any]:
    """Return what a process answers; where it has ended, an error, with the key ``ended``."""
    try:
        answer: dict[str, Any] = json.loads(connection.recv_bytes())
    except (EOFError, OSError):
        reason = "its process ended without an answer: was it short of memory?"
        answer = {"error": reason, "ended": True}
    return answer


def ask_workers(
    answer: Answer, texts: Sequence[str], processes: int
) -> Generator[tuple[int, dict[str, Any]]]:
    """Have texts answered by so many processes, and yield each answer as soon as it is there.

    A process answers one text after the other. One that ends without an answer is replaced, and its
    answer is an object with the key ``error``.

    Args:
        answer: What a process does with a text.
        texts: In the order in which they are begun.
        processes: How many there are at a time.

    Yields:
        The place of a text, and its answer.
    """
    context = multiprocessing.get_context("spawn")
    waiting = list(reversed(range(len(texts))))
    running: dict[Connection, tuple[SpawnProcess, int]] = {}

    def begin() -> None:
        mine, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, answer), daemon=True)
        process.start()
        theirs.close()
        send(mine, process)

    def send(connection: Connection, process: SpawnProcess) -> None:
        place = waiting.pop()
        with suppress(OSError):  # a process that has ended is noticed when its answer is read
            connection.send_bytes(texts[place].encode())
        running[connection] = process, place

    try:
        while waiting or running:
            while waiting and len(running) < processes:
                begin()
            ready = wait(list(running))
            for connection in [each for each in running if each in ready]:
                process, place = running.pop(connection)
                found = receive_answer(connection)
                if waiting and "ended" not in found:
                    send(connection, process)
                else:
                    connection.close()
                    process.join()
                yield place, found
    finally:
        for process, _ in running.values():
            process.terminate()
            process.join()


def _work(connection: Connection, answer: Answer) -> None:
    """What a process does: answer until nothing more is asked."""
    attend_parent()
    while True:
        try:
            text = connection.recv_bytes().decode()
        except EOFError:
            return
        found = answer(text)
        try:
            said = json.dumps(found, allow_nan=False)
        except (TypeError, ValueError) as error:
            said = json.dumps({"error": f"what was found cannot be kept: {error}"})
        connection.send_bytes(said.encode())
