"""Footnote 7 of Smith and Eisner (2005): every model under every criterion."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from weft.corpora.tags.dictionaries_made import dictionary_of
from weft.criteria import conditional
from weft.papers.contrastive.learning import (
    METHODS,
    Settings,
    check_methods,
    criterion_of,
    first_words,
    learn,
    read_text,
    value_of,
)
from weft.report.tables import table


@dataclass(frozen=True, slots=True)
class CriterionTable:
    """Every model under every criterion.

    Attributes:
        corpus: Its name.
        methods: What the models were learnt by, and what they are looked at with.
        values: For each model, for each criterion, the value per word on the text that was learnt
            from; None where a model has no such value, its sum over all sentences being infinite.
        conditional: For each model, the conditional likelihood per word of the right tags.
    """

    corpus: str
    methods: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    conditional: tuple[float, ...]

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return asdict(self)


def models_by_criteria(
    corpus_name: str,
    methods: Sequence[str] = METHODS,
    *,
    smoothing: float = 1.0,
    words: int | None = None,
    settings: Settings | None = None,
    watch: Callable[[str], None] | None = None,
) -> CriterionTable:
    """Learn a model by each method, and look at each with every criterion.

    >>> made = models_by_criteria("english", ["trans1", "length"], words=300)
    >>> made.values[1][1] > made.values[0][1]  # LENGTH's own criterion
    True

    Args:
        corpus_name: A corpus that :func:`weft.corpora.parts.read_part` knows.
        methods: Names of :data:`METHODS`.
        smoothing: λ for EM, the variance for the others.
        words: Take this many words at most, from the beginning.
        settings: What they have in common.
        watch: Told what is trained next.

    Raises:
        OptionError: If there is no such method or corpus.
    """
    check_methods(methods)
    settings = settings or Settings()
    threads = settings.threads
    corpus = first_words(read_text(corpus_name), words)
    tokens = sum(len(example.tokens) for example in corpus)
    dictionary = dictionary_of(corpus)
    values, conditionals = [], []
    for method in methods:
        if watch:
            watch(method)
        tagger = learn(method, smoothing, corpus, (), dictionary, settings)
        under = [value_of(tagger, corpus, criterion_of(each), threads) / tokens for each in methods]
        values.append(tuple(value if math.isfinite(value) else None for value in under))
        conditionals.append(value_of(tagger, corpus, conditional, threads) / tokens)
    return CriterionTable(corpus_name, tuple(methods), tuple(values), tuple(conditionals))


def criteria_tables(made: CriterionTable) -> list[Table]:
    """Return the table for the terminal."""
    rows = [
        (
            method,
            *("—" if value is None else f"{value:.4f}" for value in values),
            f"{likelihood:.4f}",
        )
        for method, values, likelihood in zip(
            made.methods, made.values, made.conditional, strict=True
        )
    ]
    headers = ["learnt by", *made.methods, "conditional"]
    return [table(f"Values per word on {made.corpus}, under each criterion", headers, rows)]
