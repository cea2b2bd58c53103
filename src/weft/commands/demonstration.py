"""A tagger trained on the corpus that comes with the package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.commands.evaluation import Evaluation, assess
from weft.commands.inspection import Inspection, inspect
from weft.commands.training import Watch, fit_recipe
from weft.corpora import bundled
from weft.models.tagger import Tagger
from weft.recipes import recipe_named
from weft.structures.evidence import Example


@dataclass(frozen=True, slots=True, eq=False)
class Demonstration:
    """A tagger trained on the corpus that comes with the package.

    Attributes:
        training: The training part.
        tagger: The tagger.
        evaluation: Its scores on the test part.
        inspection: Its strongest features.
        sentences: Some test sentences: the example and the predicted tags.
    """

    training: Sequence[Example]
    tagger: Tagger
    evaluation: Evaluation
    inspection: Inspection
    sentences: tuple[tuple[Example, tuple[str, ...]], ...]


def demo(
    *, count: int = 10, sentences: int = 3, threads: int | None = None, watch: Watch | None = None
) -> Demonstration:
    """Train the recipe ``crf`` on the corpus that comes with the package, and look at it.

    Args:
        count: How many features of either sign to list.
        sentences: How many sentences to show, with mistakes and without.
        threads: How many threads to use, all by default; no result depends on it.
        watch: Told of every iteration.
    """
    corpus, held_out, test = map(bundled, ("train", "heldout", "test"))
    tagger = fit_recipe(recipe_named("crf"), corpus, held_out, threads, watch, {"recipe": "crf"})
    shown = _telling(test, tagger.tag([each.tokens for each in test], threads=threads), sentences)
    evaluation = assess(tagger, test, threads=threads)
    return Demonstration(corpus, tagger, evaluation, inspect(tagger, count=count), shown)


def _telling(
    corpus: Sequence[Example], predicted: Sequence[tuple[str, ...]], count: int
) -> tuple[tuple[Example, tuple[str, ...]], ...]:
    """The first sentences with mistakes and the first without, so many of each."""
    pairs = list(zip(corpus, predicted, strict=True))
    wrong = [pair for pair in pairs if pair[0].analysis != pair[1]]
    right = [pair for pair in pairs if pair[0].analysis == pair[1]]
    return (*wrong[:count], *right[:count])
