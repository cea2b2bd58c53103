"""Training that is written down now and then: a run that was killed goes on where it was."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weft.archive import load_archive, save_archive
from weft.arrays import FloatArray
from weft.errors import FormatError, OptionError, abbreviate
from weft.optimise.keeping import Keeper, Snapshot, Take
from weft.train.report import Report

EVERY = 5.0
"""The fewest seconds between two writes, but for the first."""

_KIND = "checkpoint"
_ADVICE = "remove the file, or name another"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where the state of training is kept.

    Attributes:
        path: The file, which is replaced as a whole. Where there is one, training goes on from it.
        asked: All that training depends on, ready for JSON: a file of something else is refused.
        every: The fewest seconds between two writes; :data:`EVERY` by default.
    """

    path: str | os.PathLike[str]
    asked: Mapping[str, Any] = field(default_factory=dict)
    every: float | None = None

    def watch(self, report: Report, said: Mapping[str, str], start: FloatArray) -> Keeper:
        """Return a callback that tells a report, and keeps the state of both.

        Args:
            report: Told of every iteration; where there is a file, it goes on from there.
            said: What is known of training beside what was asked for.
            start: [θ], where it starts.

        Raises:
            FormatError: If the file is damaged, or no checkpoint.
            OptionError: If it is of something else.
        """
        import hashlib  # only where a checkpoint is wanted: it takes 4 MB

        digest = hashlib.sha256(np.ascontiguousarray(start).tobytes()).hexdigest()
        used = {f"{name} used": text for name, text in said.items()}
        asked = {**self.asked, **used, "number of weights": len(start), "weights at first": digest}
        before = self._load(asked)
        if before is not None:
            report.restore(before.part("report"))
        last = -np.inf

        def keep(take: Take) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last >= (EVERY if self.every is None else self.every):
                self._save(asked, take().under("search") + report.take().under("report"))
                last = time.monotonic()

        return Keeper(report, keep, None if before is None else before.part("search"))

    def _save(self, asked: Mapping[str, Any], state: Snapshot) -> None:
        manifest = {"kind": _KIND, "asked": asked, "facts": state.facts}
        save_archive(self.path, manifest, state.arrays)

    def _load(self, asked: Mapping[str, Any]) -> Snapshot | None:
        if not os.path.exists(self.path):
            return None
        manifest, arrays = load_archive(self.path, _KIND)
        before, facts = manifest.get("asked"), manifest.get("facts")
        if not isinstance(before, dict) or not isinstance(facts, dict):
            message = f"this is no checkpoint that Weft wrote: {_ADVICE}"
            raise FormatError(message, path=os.fspath(self.path))
        now = json.loads(json.dumps(asked))
        for key in {**now, **before}:
            if before.get(key) != now.get(key):
                raise OptionError(
                    f"{os.fspath(self.path)} is a checkpoint of another training: {key} was "
                    f"{_shown(before.get(key))}, and is {_shown(now.get(key))}; {_ADVICE}"
                )
        return Snapshot(arrays, facts)


def _shown(value: object) -> str:
    return abbreviate(json.dumps(value, ensure_ascii=False))
