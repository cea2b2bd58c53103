"""Training a model of any family, from files into a file."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

from weft.cluster import check_cluster, connect
from weft.commands.files.inputs import StrPath, finite
from weft.commands.files.ledger import contents
from weft.commands.files.opening import as_files
from weft.commands.files.outputs import check_output
from weft.commands.request import Options, Request
from weft.commands.saving import Watch, fit_and_save
from weft.commands.tasks import Materials, Task, plan_request, read_materials, task_of
from weft.criteria import everything
from weft.errors import OptionError, RoomError
from weft.files import Source, name_of
from weft.models.forecast import Forecast
from weft.models.progress import Progress
from weft.optimise.solution import Reason
from weft.recipes import fit_recipe
from weft.reprs import Brief
from weft.structures.stream import Stream, token_count
from weft.train.checkpoints import Checkpoint
from weft.train.report import KEPT
from weft.train.spread import check_spread


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Training(Brief):
    """How training went.

    Attributes:
        task: The family.
        trained: The model with its weights and its trace.
        path: Where it was saved.
        given: What it was trained on.
        development: How good it is on the development corpus; None where there is none.
    """

    task: Task = field(repr=False)
    trained: Any
    path: str
    given: Materials = field(repr=False)
    development: Any

    @property
    def sentences(self) -> int:
        """The size of the training corpus."""
        return len(self.given.corpus)

    @property
    def tokens(self) -> int:
        """Likewise; of parse sets, analyses or edges."""
        return token_count(self.given.corpus)

    @property
    def score(self) -> float | None:
        """On the development corpus; None where there is none."""
        return None if self.development is None else self.task.score(self.development)

    @property
    def stopped(self) -> str:
        """Why the optimiser stopped."""
        reason: str = self.trained.notes["stopped"]
        return reason

    @property
    def interrupted(self) -> bool:
        """Whether the user stopped it."""
        return self.stopped == Reason.INTERRUPTED

    @property
    def last(self) -> Progress:
        """Where training ended."""
        trace = self.trained.trace
        return trace[-1] if trace else Progress(0, -math.inf, math.inf, 0.0)

    @property
    def kept(self) -> Progress:
        """The iteration whose weights were kept: the last, or the best on held-out examples."""
        iteration = int(self.trained.notes.get(KEPT, self.last.iteration))
        steps = (step for step in self.trained.trace if step.iteration == iteration)
        return next(steps, self.last)

    @property
    def seconds(self) -> float:
        """How long training took."""
        return self.last.seconds or 0.0

    def as_json(self) -> dict[str, Any]:
        """Return what a program may want to know, ready for JSON."""
        return {
            "model": self.path,
            "sentences": self.sentences,
            "tokens": self.tokens,
            **self.task.training_json(self.trained, self.given, self.development),
            "features": len(self.trained.weights),
            "iterations": self.last.iteration,
            "kept_iteration": self.kept.iteration,
            "value": finite(self.kept.value),
            "gradient_norm": finite(self.kept.gradient_norm),
            "seconds": self.seconds,
            "stopped": self.stopped,
            "interrupted": self.interrupted,
            "notes": dict(self.trained.notes),
        }


def train(
    path: StrPath,
    sources: Source | Sequence[Source],
    *,
    threads: int | None = None,
    watch: Watch | None = None,
    force: bool = False,
    checkpoint: StrPath | None = None,
    foretold: Callable[[Forecast], None] | None = None,
    cluster: str | None = None,
    **options: Unpack[Options],
) -> Training:
    """Train a model and save it: a tagger, or what else the recipe makes.

    Everything that can be checked is checked before training starts. An interrupt (ctrl-C)
    ends training, and the best weights so far are saved.

    Args:
        path: Where the model is saved, whole or not at all.
        sources: The file or files of the training corpus, each in a format of its own if none is
            named. The model remembers that of the first.
        threads: How many threads to use, all by default; no result depends on it.
        watch: Told of every iteration.
        force: Replace whatever file is there, also one that is read.
        checkpoint: Where the state of training is written now and then. The same command goes on
            from there, and ends with the same bits as one that was never interrupted; once it has
            come to its end, the file is removed.
        foretold: Told what training will take, where it will take long.
        cluster: The address of a Dask scheduler whose workers sum over examples; no result depends
            on how many they are.
        options: The recipe, development file, dictionary and so on; see
            :class:`~weft.commands.request.Request`.

    Raises:
        OptionError: If an option, a setting or its value does not exist, or the file that is there
            is one of those that are read, or is no model.
        FormatError: If a file cannot be read or written.
        KeyboardInterrupt: If an interrupt comes before the first iteration, or after the last.
        EvidenceError: If a sentence has no possible analysis.
        ClusterError: If a cluster cannot be reached, has no workers or is lost.
    """
    request = Request(as_files(sources), **options)
    if cluster is not None and request.stream:
        raise OptionError(
            "--stream goes over a corpus in passes, and a cluster sums over all examples at once: "
            "leave out --stream or --cluster"
        )
    plan = plan_request(request)
    check_output(path, request.files, model=True, force=force)
    kept = None if checkpoint is None else _checkpoint(checkpoint, path, request)
    if cluster is not None:
        check_spread(plan.model, plan.optimiser, plan.criterion)
        check_cluster(cluster)
    given = read_materials(request, plan)
    if foretold is not None and (forecast := forecast_of(given)) is not None:
        foretold(forecast)
    with nullcontext() if cluster is None else connect(cluster) as workers:
        return train_on(path, given, threads=threads, watch=watch, checkpoint=kept, cluster=workers)


_LONG = 5.0  # seconds of a sum over all taggings, from which on there is something to foretell
_LONG_TAGGING = 3600.0  # the same where labels are counted, and only tagging makes such sums


def forecast_of(given: Materials) -> Forecast | None:
    """Return what training, or tagging where labels are counted, will take where that is long."""
    plan, corpus = given.plan, given.corpus
    if plan.criterion is None or isinstance(corpus, Stream):
        return None
    least = _LONG_TAGGING if plan.criterion.denominator is everything else _LONG
    forecast = plan.model.forecast(plan.model.compile(corpus))
    return None if forecast is None or forecast.seconds < least else forecast


def _checkpoint(path: StrPath, model: StrPath, request: Request) -> Checkpoint:
    if os.path.abspath(path) == os.path.abspath(model):
        raise OptionError(f"{os.fspath(path)} is where the model will be: name another checkpoint")
    check_output(path, request.files, model=True)
    for name in map(name_of, request.files):
        if not os.path.exists(name):
            raise OptionError(f"a checkpoint is of files that can be read again, unlike {name}")
    return Checkpoint(path, {**request.as_json(), **contents(request.files)})


def train_on(
    path: StrPath,
    given: Materials,
    *,
    threads: int | None = None,
    watch: Watch | None = None,
    checkpoint: Checkpoint | None = None,
    cluster: Any = None,
) -> Training:
    """Train a model on what was read, and save it; see :func:`train`."""

    def fit(told: Watch) -> Any:
        return fit_recipe(
            given.plan,
            given.corpus,
            raw=given.raw,
            development=given.held_out,
            progress=told,
            threads=threads,
            notes=given.notes,
            start=given.start,
            checkpoint=checkpoint,
            cluster=cluster,
        )

    try:
        trained = fit_and_save(path, fit, watch)
    except MemoryError as error:
        smaller = given.plan.model.smaller
        raise RoomError(
            "there is not enough memory; give smaller files"
            + (f", or {smaller}" if smaller else "")
        ) from error
    training = training_of(trained, path, given, threads=threads)
    if checkpoint is not None and not training.interrupted:
        Path(checkpoint.path).unlink(missing_ok=True)
    return training


def training_of(
    trained: Any, path: StrPath, given: Materials, *, threads: int | None = None
) -> Training:
    """Return how the training of a model went that was saved, judging it again."""
    task = task_of(trained)
    assessed = None if given.held_out is None else task.assess(trained, given.held_out, threads)
    return Training(task, trained, os.fspath(path), given, assessed)
