"""A sentence with the analyses that a grammar gives it, each of them a bag of features.

The analyses come from anywhere: of their structure nothing is left but how often each feature
occurs. They are either listed, a row each, or packed into a forest, a row per edge: a derivation's
features are then those of its edges.

Reference: Johnson, Geman, Canon, Chi and Riezler (1999), "Estimators for Stochastic
'Unification-Based' Grammars", section 2; Miyao and Tsujii (2002), "Maximum Entropy Estimation for
Feature Forests".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import (
    FloatArray,
    IndexArray,
    IntArray,
    are_numbers,
    are_offsets,
    freeze,
    offsets_of,
)
from weft.reprs import Brief
from weft.structures.hypergraph import Hypergraph

FeatureName = tuple[str, str]
"""The kind of a feature, which is the property that it comes from, and its name."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Alternatives(Brief):
    """What a sentence's analyses are told apart by.

    Attributes:
        names: The features of this sentence, each once.
        offsets: Where each row's entries begin, and where the last ones end. [rows + 1]
        columns: Numbers of names, ascending within a row. [entries]
        values: How often, or how much; None where every value is 1. [entries]
        base: The log-weight of each row by a reference distribution, usually 0. [rows]
        forest: The forest whose edges the rows are; None where they are the analyses themselves.
        source: Where the sentence comes from, such as ``train.jsonl:17``, for messages.

    Raises:
        ValueError: If these do not fit together, a value is not finite, or a base weight is NaN
            or +inf.
    """

    names: tuple[FeatureName, ...]
    offsets: IntArray
    columns: IndexArray
    values: FloatArray | None
    base: FloatArray
    forest: Hypergraph | None = None
    source: str = ""

    def __post_init__(self) -> None:
        where, entries = self.source or "a sentence", len(self.columns)
        if self.columns.shape != (entries,) or not are_numbers(self.columns, len(self.names)):
            raise ValueError(f"{where}: columns are numbers of its {len(self.names)} features")
        if self.base.ndim != 1 or not are_offsets(self.offsets, len(self), entries):
            raise ValueError(f"{where}: offsets must ascend from 0 to {entries}, one row each")
        if self.values is not None and (
            self.values.shape != (entries,) or not np.isfinite(self.values).all()
        ):
            raise ValueError(f"{where}: a feature's value must be finite, one for each entry")
        if not (self.base < np.inf).all():
            raise ValueError(f"{where}: a base weight must be finite or -inf")
        if self.forest is not None and self.forest.edge_count != len(self):
            raise ValueError(
                f"{where}: there are {len(self)} rows for {self.forest.edge_count} edges"
            )

    def __len__(self) -> int:
        return len(self.base)

    @property
    def words(self) -> tuple[str, ...]:
        """None: of a sentence, only what its analyses are told apart by is left."""
        return ()


@dataclass(frozen=True, slots=True)
class Picked:
    """What is known of the analysis of a sentence: it is one of some.

    Attributes:
        tokens: The sentence with its analyses.
        analysis: The numbers of the rows that it is made of, each once; None for any of them.

    Raises:
        ValueError: If there is no such row, or one comes twice.
    """

    tokens: Alternatives
    analysis: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        _check_rows(self.tokens, self.analysis)


@dataclass(frozen=True, slots=True)
class Selected:
    """A sentence with its analyses, and which of them are right.

    Attributes:
        tokens: The sentence with its analyses.
        analysis: The right ones, at least one; in a forest, the edges of the right derivations.
            None where nothing is known.
        weight: How often the example counts.

    >>> both = alternatives([{("rule", "NP"): 1.0}, {("rule", "VP"): 1.0}])
    >>> Selected(both, (1,)).evidence().analysis
    (1,)
    """

    tokens: Alternatives
    analysis: tuple[int, ...] | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        where = self.tokens.source or "an example"
        if not 0 <= self.weight < float("inf"):
            raise ValueError(f"{where}: a weight must be finite and ≥ 0, not {self.weight}")
        _check_rows(self.tokens, self.analysis)

    def evidence(self, labelled: bool = True) -> Picked:
        """Return what is known of the example, with or without which analyses are right."""
        return Picked(self.tokens, self.analysis if labelled else None)


def _check_rows(tokens: Alternatives, analysis: tuple[int, ...] | None) -> None:
    """Refuse what is no choice of some rows: kernels read whatever is there."""
    if analysis is None:
        return
    whole = all(isinstance(row, int | np.integer) for row in analysis)
    if not analysis or not whole or not 0 <= min(analysis) <= max(analysis) < len(tokens):
        raise ValueError(
            f"{tokens.source or 'an example'}: the right analyses must be some of 0 to "
            f"{len(tokens) - 1}, not {analysis}"
        )
    if len(set(analysis)) < len(analysis):
        raise ValueError(
            f"{tokens.source or 'an example'}: give each right analysis once, unlike {analysis}"
        )


def alternatives(
    rows: Sequence[Mapping[FeatureName, float]],
    base: Sequence[float] | None = None,
    forest: Hypergraph | None = None,
    source: str = "",
) -> Alternatives:
    """Make alternatives of the features of each analysis, or of each edge of a forest.

    Rows that have the same features are summed in the same order, and so score alike to the last
    bit. Features whose value is 0 are left out.

    >>> two = alternatives([{("rule", "b"): 2.0, ("rule", "a"): 1.0}, {}])
    >>> two.names, two.columns.tolist(), two.values.tolist()
    ((('rule', 'a'), ('rule', 'b')), [0, 1], [1.0, 2.0])

    Raises:
        ValueError: If there are no rows, a value is not finite, or a base weight is NaN or +inf.
    """
    if not rows:
        raise ValueError(f"{source or 'a sentence'} has no analyses")
    kept = [{name: value for name, value in row.items() if value != 0.0} for row in rows]
    names = tuple(sorted({name for row in kept for name in row}))
    number = {name: place for place, name in enumerate(names)}
    pairs = [sorted((number[name], value) for name, value in row.items()) for row in kept]
    columns = np.array([column for row in pairs for column, _ in row], np.int32)
    values = np.array([value for row in pairs for _, value in row], np.float64)
    weights = np.zeros(len(rows)) if base is None else np.array(base, np.float64)
    if len(weights) != len(rows):
        raise ValueError(f"{source or 'a sentence'}: there are {len(weights)} base weights")
    return Alternatives(
        names,
        freeze(offsets_of(map(len, pairs))),
        freeze(columns),
        None if (values == 1.0).all() else freeze(values),
        freeze(weights),
        forest,
        source,
    )


def row_features(tokens: Alternatives, rows: Iterable[int]) -> dict[FeatureName, float]:
    """Return the features of an analysis that is made of some rows, with their values.

    >>> row_features(alternatives([{("rule", "a"): 2.0}, {("rule", "a"): 1.0}]), [0, 1])
    {('rule', 'a'): 3.0}
    """
    found: dict[FeatureName, float] = {}
    for row in rows:
        first, last = tokens.offsets[row : row + 2].tolist()
        for place in range(first, last):
            name = tokens.names[tokens.columns[place]]
            value = 1.0 if tokens.values is None else float(tokens.values[place])
            found[name] = found.get(name, 0.0) + value
    return found


def no_right_analysis(source: str, place: int) -> str:
    """Say that an example of some source, number ``place`` from 0, has no right analysis."""
    return (
        f"{source or f'example {place + 1}'}: no right analysis is possible: "
        "the reference distribution excludes them all, or they are no whole derivation; mend "
        "its scores, or say which analysis is right"
    )
