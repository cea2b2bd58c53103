"""What cross-validation found on its folds, kept in a ledger."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from weft.commands.files.ledger import Ledger
from weft.train.crossvalidation import ESTIMATED, Columns, Fold


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
    judged = {
        name: {column: _plain(values.tolist()) for column, values in columns.items()}
        for name, columns in fold.judged.items()
    }
    return {"fold": number, "features": fold.features, "judged": judged}


def _plain(values: list[Any]) -> list[Any]:
    # JSON has no infinity, and float() reads its name.
    return [value if math.isfinite(value) else str(value) for value in values]


def _read_fold(entry: dict[str, Any]) -> tuple[int, Fold]:
    number, features = entry["fold"], entry["features"]
    if type(number) is not int or type(features) is not int:
        raise ValueError(entry)
    judged = {str(name): _read_columns(each) for name, each in entry["judged"].items()}
    sizes = {array.shape for each in judged.values() for array in each.values()}
    if ESTIMATED not in judged or len(sizes) != 1 or len(sizes.pop()) != 1:
        raise ValueError(entry)
    return number, Fold(judged, features)


def _read_columns(lists: Mapping[str, list[Any]]) -> Columns:
    return {str(name): np.array(values, np.float64) for name, values in lists.items()}
