"""Training a tagger from files into a file."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from weft.commands.evaluation import assess
from weft.commands.inputs import (
    UNSAID,
    Layout,
    StrPath,
    check_writable,
    finite,
    labelled_format,
    notes_of,
    other_format,
)
from weft.corpora import Format, read_dictionary, read_examples
from weft.criteria import read_penalty
from weft.errors import OptionError
from weft.files import Source, name_of
from weft.models import Chain
from weft.models.storage import save_tagger
from weft.models.tagger import Progress, Tagger
from weft.optimise.solution import Reason
from weft.recipes import Recipe, fit_recipe, recipe_named, with_settings
from weft.structures.evidence import Example

Watch = Callable[[Progress], bool | None]
"""Told of every iteration of training; True ends it."""


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """How training went.

    Attributes:
        tagger: The tagger, with its trace.
        path: Where it was saved.
        sentences: The size of the training corpus.
        tokens: Likewise.
        accuracy: On the development corpus; None where there is none.
    """

    tagger: Tagger
    path: str
    sentences: int
    tokens: int
    accuracy: float | None

    @property
    def stopped(self) -> str:
        """Why the optimiser stopped."""
        return self.tagger.notes["stopped"]

    @property
    def interrupted(self) -> bool:
        """Whether the user stopped it."""
        return self.stopped == Reason.INTERRUPTED

    @property
    def last(self) -> Progress:
        """Where training ended."""
        return self.tagger.trace[-1] if self.tagger.trace else Progress(0, -math.inf, math.inf, 0.0)

    def as_json(self) -> dict[str, Any]:
        """Return what a program may want to know, ready for JSON."""
        return {
            "model": self.path,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "tags": len(self.tagger.model.tags),
            "features": len(self.tagger.weights),
            "iterations": self.last.iteration,
            "value": finite(self.last.value),
            "gradient_norm": finite(self.last.gradient_norm),
            "seconds": self.last.seconds,
            "stopped": self.stopped,
            "interrupted": self.interrupted,
            "development_accuracy": self.accuracy,
            "notes": dict(self.tagger.notes),
        }


def train(
    path: StrPath,
    sources: Sequence[Source],
    *,
    recipe: str = "crf",
    development: Source | None = None,
    layout: Layout = UNSAID,
    penalty: str | None = None,
    settings: Mapping[str, str] | None = None,
    dictionary: Source | None = None,
    threads: int | None = None,
    watch: Watch | None = None,
) -> Training:
    """Train a tagger and save it.

    Everything that can be checked is checked before training starts. An interrupt (ctrl-C)
    ends training, and the best weights so far are saved.

    Args:
        path: Where the tagger is saved, whole or not at all.
        sources: The files of the training corpus, each in a format of its own if none is named.
            The model remembers that of the first.
        recipe: The recipe's name.
        development: A file whose accuracy is reported at every iteration.
        layout: What is said about the format of these files.
        penalty: What large weights cost, if not what the recipe says.
        settings: Settings of the recipe, as text.
        dictionary: A file with the tags that words may have.
        threads: How many threads to use, all by default; no result depends on it.
        watch: Told of every iteration.

    Raises:
        OptionError: If an option, a setting or its value does not exist.
        FormatError: If a file cannot be read or written.
        EvidenceError: If a sentence has no possible tagging.
    """
    if not sources:
        raise OptionError("there is no training corpus; give a file")
    plan = _plan(recipe, penalty, settings or {}, dictionary)
    check_writable(path)
    corpus_format = labelled_format(layout, sources[0])
    first = read_examples(corpus_format, sources[0])
    others = [_read_other(layout, source, corpus_format) for source in sources[1:]]
    held_out = None if development is None else _read_other(layout, development, corpus_format)
    corpus = list(itertools.chain(first, *others))
    tokens = sum(len(example.tokens) for example in corpus)
    notes = {
        "settings": ", ".join(f"{key}={value}" for key, value in (settings or {}).items()),
        "files": ", ".join(Path(name_of(source)).name for source in sources),
        "development": "" if development is None else Path(name_of(development)).name,
        "sentences": str(len(corpus)),
        "tokens": str(tokens),
        "weft": version("weft"),
        **notes_of(corpus_format, first),
    }
    tagger = fit_recipe(
        plan, corpus, development=held_out, progress=watch, threads=threads, notes=notes
    )
    save_tagger(path, tagger)
    accuracy = None if held_out is None else assess(tagger, held_out, threads=threads).accuracy
    return Training(tagger, os.fspath(path), len(corpus), tokens, accuracy)


def _read_other(layout: Layout, source: Source, first: Format) -> list[Example]:
    return read_examples(other_format(layout, source, first), source)


def _plan(
    recipe: str, penalty: str | None, settings: Mapping[str, str], dictionary: Source | None
) -> Recipe:
    plan = with_settings(recipe_named(recipe), settings)
    chain = plan.chain
    if "templates" in settings and isinstance(chain, Chain) and not chain.templates:
        message = "give at least one template, or 'bias', which every token has"
        raise OptionError(f"--set templates={settings['templates']}: {message}")
    if penalty is not None:
        plan = replace(plan, penalty=read_penalty(penalty))
    if dictionary is not None:
        if not isinstance(chain, Chain):
            raise OptionError(f"the recipe {recipe} is counted, and takes no dictionary")
        plan = replace(plan, chain=replace(chain, dictionary=read_dictionary(dictionary)))
    return plan
