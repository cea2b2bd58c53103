"""Taggers trained on the corpus that comes with the package."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from weft.commands.evaluation import Evaluation, assess
from weft.commands.inspection import Inspection, inspect
from weft.commands.saving import Watch
from weft.corpora import bundled
from weft.models.tagger import Tagger
from weft.optimise.solution import Reason
from weft.recipes import ONE_WORD, Recipe, find_recipe, fit_recipe, settings_in
from weft.reprs import Brief
from weft.structures.evidence import Example

COMPARED = ("johnson-4", "johnson-5", "johnson-6", "johnson-7", "memm", "mrf", "crf")
"""The recipes that the demonstration compares: one chain, estimated in different ways."""


@dataclass(frozen=True, slots=True, repr=False)
class Compared(Brief):
    """A recipe, and how good its tagger is.

    Attributes:
        recipe: The recipe.
        test: Its scores on the test part.
        training: Its scores on the training part, whose words all models know.
        seconds: How long training took.
    """

    recipe: Recipe
    test: Evaluation
    training: Evaluation
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """Return the figures, ready for JSON."""
        test, training = self.test.as_json(), self.training.as_json()
        return {
            "recipe": self.recipe.name,
            "accuracy": test["accuracy"],
            "training": {name: training[name] for name in training if name.endswith("likelihood")},
            "seconds": self.seconds,
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Demonstration(Brief):
    """Taggers trained on the corpus that comes with the package.

    Attributes:
        training: The training part.
        tagger: The tagger of the recipe ``crf``.
        evaluation: Its scores on the test part.
        inspection: Its strongest features.
        sentences: Some test sentences: the example and the predicted tags.
        compared: Chains that see one word at a time, estimated in different ways.
    """

    training: Sequence[Example]
    tagger: Tagger
    evaluation: Evaluation
    inspection: Inspection
    sentences: tuple[tuple[Example, tuple[str, ...]], ...]
    compared: tuple[Compared, ...]

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return {
            "sentences": len(self.training),
            "tags": list(self.tagger.model.tags),
            "features": len(self.tagger.weights),
            "evaluation": self.evaluation.as_json(),
            "examples": [
                {"words": list(e.tokens.words), "tags": list(tags), "right": list(e.analysis or ())}
                for e, tags in self.sentences
            ],
            "compared": [each.as_json() for each in self.compared],
        }


def demo(
    *,
    count: int = 10,
    sentences: int = 3,
    compare: bool = True,
    threads: int | None = None,
    watch: Watch | None = None,
) -> Demonstration:
    """Train the recipe ``crf`` on the corpus that comes with the package, look at it, and compare.

    Args:
        count: How many features of either sign to list.
        sentences: How many sentences to show, with mistakes and without.
        compare: Whether to estimate a chain in several ways, too.
        threads: How many threads to use, all by default; no result depends on it.
        watch: Told of every iteration.
    """
    corpus, held_out, test = map(bundled, ("train", "heldout", "test"))
    tagger = _whole(
        fit_recipe(
            find_recipe("crf"), corpus, development=held_out, progress=watch, threads=threads
        )
    )
    shown = _telling(test, tagger.tag([each.tokens for each in test], threads=threads), sentences)
    evaluation = assess(tagger, test, threads=threads)
    compared = tuple(_compare(corpus, test, threads, watch)) if compare else ()
    inspection = inspect(tagger, count=count)
    return Demonstration(corpus, tagger, evaluation, inspection, shown, compared)


def _compare(
    corpus: Sequence[Example],
    test: Sequence[Example],
    threads: int | None,
    watch: Watch | None,
) -> Iterator[Compared]:
    """Chains that see one word at a time, as an HMM does."""
    for name in COMPARED:
        recipe = find_recipe(name)
        known = settings_in(recipe).get("templates")
        if known is not None and known.value is None:
            chain: Any = recipe.model
            recipe = replace(recipe, model=replace(chain, templates=ONE_WORD))
        began = time.perf_counter()
        tagger = _whole(fit_recipe(recipe, corpus, progress=watch, threads=threads))
        seconds = time.perf_counter() - began
        scores = [assess(tagger, part, threads=threads) for part in (test, corpus)]
        yield Compared(recipe, scores[0], scores[1], seconds)


def _whole(tagger: Tagger) -> Tagger:
    """Refuse to show what is half trained: an interrupt ends the demonstration."""
    if tagger.notes.get("stopped") == Reason.INTERRUPTED:
        raise KeyboardInterrupt
    return tagger


def _telling(
    corpus: Sequence[Example], predicted: Sequence[tuple[str, ...]], count: int
) -> tuple[tuple[Example, tuple[str, ...]], ...]:
    """The first sentences with mistakes and the first without, this many of each."""
    pairs = list(zip(corpus, predicted, strict=True))
    wrong = [pair for pair in pairs if pair[0].analysis != pair[1]]
    right = [pair for pair in pairs if pair[0].analysis == pair[1]]
    return (*wrong[:count], *right[:count])
