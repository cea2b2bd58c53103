"""Training a tagger from files into a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from weft.commands.endings import Ending
from weft.commands.evaluation import assess
from weft.commands.inputs import StrPath
from weft.commands.outputs import check_output
from weft.commands.parsing import ParserTraining, train_parser
from weft.commands.request import Materials, Options, Request, materials, plan_of
from weft.commands.saving import Watch, fit_and_save
from weft.commands.selecting import SelectorTraining, train_selector
from weft.files import Source
from weft.models.cfg import Cfg
from weft.models.selection import Selection
from weft.models.storage import Trained
from weft.models.tagger import Tagger
from weft.recipes import fit_recipe


@dataclass(frozen=True, slots=True, eq=False)
class Training(Ending):
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
    def trained(self) -> Trained:
        """The tagger."""
        return self.tagger

    def as_json(self) -> dict[str, Any]:
        """Return what a program may want to know, ready for JSON."""
        return {
            "model": self.path,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "tags": len(self.tagger.model.tags),
            "development_accuracy": self.accuracy,
            **self.ending_json(),
        }


def train(
    path: StrPath,
    sources: Sequence[Source],
    *,
    threads: int | None = None,
    watch: Watch | None = None,
    force: bool = False,
    **options: Unpack[Options],
) -> Training | ParserTraining | SelectorTraining:
    """Train a model and save it: a tagger, or what else the recipe makes.

    Everything that can be checked is checked before training starts. An interrupt (ctrl-C)
    ends training, and the best weights so far are saved.

    Args:
        path: Where the model is saved, whole or not at all.
        sources: The files of the training corpus, each in a format of its own if none is named.
            The model remembers that of the first.
        threads: How many threads to use, all by default; no result depends on it.
        watch: Told of every iteration.
        force: Replace whatever file is there, also one that is read.
        options: The recipe, development file, dictionary and so on; see
            :class:`~weft.commands.request.Request`.

    Raises:
        OptionError: If an option, a setting or its value does not exist, or the file that is there
            is one of those that are read, or is no model.
        FormatError: If a file cannot be read or written.
        KeyboardInterrupt: If an interrupt comes before the first iteration, or after the last.
        EvidenceError: If a sentence has no possible tagging.
    """
    request = Request(sources, **options)
    plan = plan_of(request)
    check_output(path, request.files, model=True, force=force)
    if isinstance(plan.chain, Cfg):
        return train_parser(path, request, plan, threads=threads, watch=watch)
    if isinstance(plan.chain, Selection):
        return train_selector(path, request, plan, threads=threads, watch=watch)
    return train_on(path, materials(request), threads=threads, watch=watch)


def train_on(
    path: StrPath,
    given: Materials,
    *,
    threads: int | None = None,
    watch: Watch | None = None,
) -> Training:
    """Train a tagger on what was read, and save it; see :func:`train`."""

    def fit(told: Watch) -> Tagger:
        return fit_recipe(
            given.plan,
            given.corpus,
            raw=given.raw,
            development=given.held_out,
            progress=told,
            threads=threads,
            notes=given.notes,
        )

    return training_of(fit_and_save(path, fit, watch), path, given, threads=threads)


def training_of(
    tagger: Tagger, path: StrPath, given: Materials, *, threads: int | None = None
) -> Training:
    """Return how the training of a tagger went that was saved, judging it again."""
    accuracy = None
    if given.held_out is not None:
        accuracy = assess(tagger, given.held_out, threads=threads).accuracy
    tokens = sum(len(example.tokens) for example in given.corpus)
    return Training(tagger, os.fspath(path), len(given.corpus), tokens, accuracy)
