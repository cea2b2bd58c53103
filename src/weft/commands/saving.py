"""Training and saving as one, whatever signals come."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from weft.commands.files.inputs import StrPath
from weft.interrupts import Held
from weft.models.model import Trained
from weft.models.progress import Outlook
from weft.models.storage import save_model
from weft.optimise.solution import Reason

Watch = Callable[[Outlook], bool | None]
"""Told of every iteration of training; True ends it."""

TrainedT = TypeVar("TrainedT", bound=Trained)


def fit_and_save(
    path: StrPath, fit: Callable[[Watch], TrainedT], watch: Watch | None = None
) -> TrainedT:
    """Train a model and save it.

    An interrupt ends the program as long as there is nothing to lose. From the first iteration on
    it ends training, whose best weights so far are saved, and while the model is being saved it
    waits.

    Args:
        path: Where the model is saved, whole or not at all.
        fit: Trains, and tells what it is given of every iteration.
        watch: Told of every iteration; True ends training.

    Raises:
        KeyboardInterrupt: If there was nothing to save, or if training had ended by itself; what
            has become of the model is its message.
        FormatError: If the file cannot be written.
    """
    held = Held()

    def told(step: Outlook) -> bool | None:
        held.hold()
        if held.came:
            held.release()
        return None if watch is None else watch(step)

    try:
        model = fit(told)
        if model.notes.get("stopped") == Reason.INTERRUPTED and not model.trace:
            raise KeyboardInterrupt("nothing was learnt yet, and nothing is saved")
        held.hold()
        save_model(path, model, force=True)  # whoever calls this has looked at what is there
    except BaseException:
        held.release()
        raise
    try:
        held.release()
    except KeyboardInterrupt:
        message = f"training was done, and the model is saved in {os.fspath(path)}"
        raise KeyboardInterrupt(message) from None
    return model
