"""What cross-validation found on its folds, kept in a ledger."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from weft.commands.files.ledger import Ledger
from weft.evaluate.selection import Judgements
from weft.train.crossvalidation import Fold

_TYPES = {
    "ambiguous": np.bool_,
    "credits": np.float64,
    "log_probs": np.float64,
    "better": np.int64,
    "ties": np.int64,
    "right_ties": np.int64,
}


class KeptFolds:
    """Folds that are found one by one, and written down as they are."""

    def __init__(self, ledger: Ledger | None) -> None:
        self._ledger = ledger
        read = {} if ledger is None else dict(ledger.open(_read_fold))
        self.known: Mapping[int, Fold] = dict(read)
        self._found = dict(read)

    def keep(self, number: int, fold: Fold) -> None:
        """Write down what was found on a fold."""
        self._found[number] = fold
        if self._ledger is not None:
            self._ledger.write([_entry(each, self._found[each]) for each in sorted(self._found)])


def _entry(number: int, fold: Fold) -> dict[str, Any]:
    return {
        "fold": number,
        "features": fold.features,
        "judgements": _lists(fold.judgements),
        "baseline": _lists(fold.baseline),
        "scaled": None if fold.scaled is None else _lists(fold.scaled),
    }


def _lists(found: Judgements) -> dict[str, list[Any]]:
    return {each.name: _plain(getattr(found, each.name).tolist()) for each in fields(found)}


def _plain(values: list[Any]) -> list[Any]:
    # JSON has no infinity, and float() reads its name.
    return [value if math.isfinite(value) else str(value) for value in values]


def _read_fold(entry: dict[str, Any]) -> tuple[int, Fold]:
    number, features = entry["fold"], entry["features"]
    if type(number) is not int or type(features) is not int:
        raise ValueError(entry)
    scaled = None if entry["scaled"] is None else _read_judgements(entry["scaled"])
    judged = [_read_judgements(entry[name]) for name in ("judgements", "baseline")]
    if len({len(each) for each in (*judged, *([] if scaled is None else [scaled]))}) > 1:
        raise ValueError(entry)
    return number, Fold(judged[0], judged[1], scaled, features)


def _read_judgements(lists: Mapping[str, list[Any]]) -> Judgements:
    arrays: dict[str, Any] = {name: np.array(lists[name], dtype) for name, dtype in _TYPES.items()}
    if len({array.shape for array in arrays.values()}) > 1 or arrays["ties"].ndim != 1:
        raise ValueError(lists)
    return Judgements(**arrays)
