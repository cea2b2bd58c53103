"""What a family says of itself to commands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar

from weft.arrays import IntArray
from weft.commands.files.inputs import Layout
from weft.commands.request import Request
from weft.commands.selecting import Chosen
from weft.evaluate.significance import Statistic
from weft.files import Source, name_of
from weft.recipes import Recipe
from weft.train.crossvalidation import Columns, Fold


@dataclass(frozen=True, slots=True, eq=False)
class Materials:
    """What a request comes to.

    Attributes:
        plan: The recipe, with its dictionary or grammar.
        corpus: The training corpus.
        held_out: The development corpus; None where there is none.
        notes: What the model keeps about its making.
        raw: The raw text beside the training corpus.
        messages: What is to be told of the files.
        broken: What was wrong with records that were left out.
        start: A model whose weights estimation starts from.
    """

    plan: Recipe
    corpus: Sequence[Any]
    held_out: Sequence[Any] | None
    notes: Mapping[str, str]
    raw: Sequence[Any] = ()
    messages: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    start: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A sentence of a file that a model is asked to explain.

    Attributes:
        id: What it is asked for by: its name, or its number from 1.
        source: Where it is from, as predictions name it.
        text: What people read.
        given: What answers are to.
        example: The same with what is right, if the file says so.
        shown: Shows an answer to people; None where it has no form that they read.
        as_json: Shows an answer to programs, as predictions do.
    """

    id: str
    source: str
    text: str
    given: Any
    example: Any
    shown: Callable[[Any], str | None]
    as_json: Callable[[Any], Any]


class Task(ABC):
    """From files to a model of a family, and from the model to what is said of it."""

    name: ClassVar[str]
    """What messages call the model."""

    kinds: ClassVar[tuple[type, ...]]
    """The classes of the family's specifications, and of its models with their weights."""

    takes: ClassVar[frozenset[str]] = frozenset()
    """Which of a request's options are for this family; see :data:`OWN`."""

    def plan(self, request: Request, plan: Recipe) -> Recipe:  # noqa: ARG002
        """Return a recipe as the family changes it by what is asked for.

        Raises:
            OptionError: If what is asked for does not go with it.
        """
        return plan

    @abstractmethod
    def read(self, request: Request, plan: Recipe) -> Materials:
        """Read all files of a request.

        Raises:
            OptionError: If an option or its value does not exist.
            FormatError: If a file cannot be read.
        """

    @abstractmethod
    def assess(self, trained: Any, corpus: Sequence[Any], threads: int | None = None) -> Any:
        """Return how good a model is on a corpus."""

    @abstractmethod
    def score(self, assessed: Any) -> float | None:
        """Return the one number of an assessment by which models are compared, a share."""

    @abstractmethod
    def training_json(self, trained: Any, given: Materials, assessed: Any) -> dict[str, Any]:
        """Return what of training only this family has, ready for JSON.

        Args:
            trained: The model with its weights.
            given: What it was trained on.
            assessed: How good it is on the development corpus; None where there is none.
        """

    main: ClassVar[str]
    """The figure by which models are compared."""

    columns: ClassVar[Mapping[str, tuple[str, str]]]
    """The figures that tables have, each with its heading and how it is written."""

    def dealt(self, corpus: Sequence[Any]) -> list[Any]:
        """Return the examples that cross-validation deals to folds."""
        return list(corpus)

    @abstractmethod
    def judge(self, trained: Any, seen: Sequence[Any], test: Sequence[Any], plan: Recipe) -> Fold:
        """Return what is counted of each sentence of a fold, beside a baseline.

        Args:
            trained: The model.
            seen: What it was estimated from.
            test: The fold.
            plan: How it was estimated.
        """

    @abstractmethod
    def figures(self, columns: Columns) -> dict[str, Any]:
        """Return the figures that counts come to, ready for JSON."""

    @abstractmethod
    def counts(self, columns: Columns) -> tuple[IntArray, Statistic]:
        """Return whole numbers [sentences, ...] that two models are compared by, and how."""

    @abstractmethod
    def questions(
        self, trained: Any, source: Source, layout: Layout, chosen: Chosen
    ) -> Iterator[Question]:
        """Yield the sentences of a file, as a model is asked about them.

        Raises:
            FormatError: If the file cannot be read.
        """

    def is_labelled(self, example: Any) -> bool:
        """Whether an example says what is right."""
        return example.analysis is not None


OWN: Mapping[str, str] = {
    "dictionary": "dictionary",
    "dictionary_from": "dictionary",
    "spelling": "spelling",
    "terminals": "--terminals, which is for parsers",
    "clean": "--clean, which is for parsers",
    "grammar": "--grammar, which is for parsers",
    "only": "--only, which is for parse sets",
    "skip_broken": "--skip-broken, which is for parse sets",
    "tag_map": "--tag-map, which is for taggers",
}
"""The options of a request that are not for every family, as messages call them."""


def notes_of_files(request: Request, corpus: Sequence[Any]) -> dict[str, str]:
    """Return what a model of any family keeps about the files that it comes from."""
    held_out = request.development
    return {
        "settings": ", ".join(f"{key}={value}" for key, value in request.settings.items()),
        "files": ", ".join(Path(name_of(source)).name for source in request.sources),
        "development": "" if held_out is None else Path(name_of(held_out)).name,
        "sentences": str(len(corpus)),
        "tokens": str(sum(len(example.tokens) for example in corpus)),
        "weft": version("weft"),
    }
