"""Tables about choices among analyses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.table import Table

from weft.arrays import IntArray
from weft.models.explaining import Contribution
from weft.models.model import Trained
from weft.ranking import ranked
from weft.report.features import feature_name
from weft.report.tables import table


def strongest_weights(
    trained: Trained, count: int, *, kind: str = "*", negative: bool = False
) -> list[tuple[str, float]]:
    """Return the features with the largest weights of one sign, the largest first; equals by name.

    Raises:
        OptionError: If there is no such kind.
    """
    sign = -1.0 if negative else 1.0
    kinds = trained.model.parameters.matching(kind) if len(trained.weights) else []
    places = [place for each in kinds for place in range(each.start, each.stop)]
    signed = np.array([p for p in places if sign * trained.weights[p] > 0], np.int64)

    def names(some: IntArray) -> list[str]:
        return [feature_name(*each) for each in trained.model.named(signed[some])]

    order = ranked(sign * trained.weights[signed], names, count)
    chosen = signed[order]
    return list(zip(names(order), trained.weights[chosen].tolist(), strict=True))


def named_weights_table(title: str, weights: Sequence[tuple[str, float]]) -> Table:
    """Return a table of features with their weights."""
    return table(title, ["feature", "weight"], [[name, f"{w:+.3f}"] for name, w in weights])


def reasons_table(title: str, reasons: Sequence[Contribution]) -> Table:
    """Return a table of what tells two answers apart, and by how much."""
    return table(
        title,
        ["feature", "weight", "in this", "in that", "log-odds"],
        [
            [
                each.feature,
                f"{each.weight:+.3f}",
                f"{each.chosen:g}",
                f"{each.other:g}",
                f"{each.difference:+.3f}",
            ]
            for each in reasons
        ],
    )
