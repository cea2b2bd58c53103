"""How far what is learnt from raw text depends on its start: recipes, restarted.

The criteria have many maxima. Each recipe climbs from its own start and from several random ones,
those that ``--set restarts=…`` takes: here every climb is scored, not only the highest.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from weft.arrays import FloatArray
from weft.corpora.tags.dictionaries_made import dictionary_of
from weft.criteria import everything
from weft.errors import OptionError
from weft.evaluate.tagging import tagging_scores
from weft.features.templates import templates
from weft.models import Chain, Dictionary
from weft.models.answers import Decoder
from weft.models.tagger import Tagger
from weft.optimise.em import EM
from weft.optimise.search import Search
from weft.optimise.variational import VariationalBayes
from weft.papers.contrastive.learning import first_words, read_text
from weft.ranking import by_value
from weft.recipes import Recipe, find_recipe, with_settings
from weft.structures.evidence import Example
from weft.train import fit

RECIPES = ("hmm-em", "hmm-vb", "contrastive-tagger")
"""The recipes that learn from raw text and a dictionary."""


@dataclass(frozen=True, slots=True)
class ClimbScore:
    """One climb.

    Attributes:
        value: What was maximised, where it ended.
        ambiguous: The accuracy on words to which the dictionary gives several tags.
        accuracy: On all words.
        iterations: How many it took.
    """

    value: float
    ambiguous: float
    accuracy: float
    iterations: int


@dataclass(frozen=True, slots=True)
class RestartRow:
    """A recipe, from its own start and from random ones.

    Attributes:
        recipe: Its name.
        plain: The climb from its own start.
        restarts: The climbs from random ones.
    """

    recipe: str
    plain: ClimbScore
    restarts: tuple[ClimbScore, ...]

    @property
    def highest(self) -> ClimbScore:
        """The climb of the highest value: the one that a search with restarts keeps."""
        return by_value((self.plain, *self.restarts), lambda climb: climb.value)[0]

    @property
    def spread(self) -> dict[str, float]:
        """Of the random starts' accuracies on ambiguous words."""
        found = [climb.ambiguous for climb in self.restarts]
        return {
            "mean": statistics.fmean(found),
            "sd": statistics.stdev(found),
            "min": min(found),
            "max": max(found),
        }


@dataclass(frozen=True, slots=True)
class RestartTable:
    """Recipes on one text.

    Attributes:
        corpus: Its name.
        tokens: How many words it has.
        ambiguous_tokens: How many of them have several tags in its dictionary.
        rows: One per recipe.
    """

    corpus: str
    tokens: int
    ambiguous_tokens: int
    rows: tuple[RestartRow, ...]

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON; accuracies are fractions."""
        rows = [
            {**asdict(row), "spread": row.spread, "highest": asdict(row.highest)}
            for row in self.rows
        ]
        return {**asdict(self), "rows": rows}


def restart_table(
    corpus_name: str,
    restarts: int = 10,
    recipes: Sequence[str] = RECIPES,
    *,
    settings: Mapping[str, str] | None = None,
    words: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    watch: Callable[[str], None] | None = None,
) -> RestartTable:
    """Learn from the words of a text and its dictionary by recipes, from many starts.

    They look at words alone, whatever they look at else.

    Args:
        corpus_name: A corpus that :func:`weft.corpora.parts.read_part` knows, all parts together.
        restarts: How many random starts, at least 2.
        recipes: Names of recipes that look at words alone.
        settings: What is changed in all of them.
        words: Take this many words at most, from the beginning.
        seed: Of the random starts.
        threads: How many threads to use, all by default; no result depends on it.
        watch: Told what is trained next.

    Raises:
        OptionError: If there is no such recipe, or there are too few restarts for a spread.

    >>> made = restart_table("english", 2, ["hmm-em"], words=200)
    >>> sorted(made.rows[0].spread)
    ['max', 'mean', 'min', 'sd']
    """
    if restarts < 2:
        raise OptionError(f"a spread is of at least 2 restarts, not {restarts}")
    corpus = first_words(read_text(corpus_name), words)
    dictionary = dictionary_of(corpus)
    rows = []
    for name in recipes:
        plan = with_settings(find_recipe(name), settings or {})
        recipe = _with_dictionary(plan, dictionary)
        climbs = []
        for number, start in enumerate(_starts(recipe, corpus, restarts, seed)):
            if watch:
                watch(f"{name}, start {number} of {restarts}")
            climbs.append(_climb(recipe, corpus, dictionary, start, threads))
        rows.append(RestartRow(name, climbs[0], tuple(climbs[1:])))
    tokens = [word for example in corpus for word in example.tokens.words]
    ambiguous = sum(len(dictionary[word]) > 1 for word in tokens)
    return RestartTable(corpus_name, len(tokens), ambiguous, tuple(rows))


def _with_dictionary(recipe: Recipe, dictionary: Dictionary) -> Recipe:
    if not isinstance(recipe.model, Chain) or recipe.criterion is None:
        raise OptionError(f"the recipe {recipe.name} does not learn from words and a dictionary")
    # Words alone, as in the paper: some recipes could look at spelling, and others cannot.
    chain = replace(recipe.model, dictionary=dictionary, templates=templates("word[0]"))
    return replace(recipe, model=chain)


def _raw(corpus: Sequence[Example]) -> list[Example]:
    return [replace(example, analysis=None) for example in corpus]


def _starts(
    recipe: Recipe, corpus: Sequence[Example], restarts: int, seed: int
) -> Iterator[FloatArray | None]:
    """The recipe's own start, and those of a search with so many restarts."""
    spec, raw = recipe.model, _raw(corpus)
    model = spec.prepare(raw, raw)
    own = spec.start(
        model,
        raw,
        generative=recipe.criterion is not None and recipe.criterion.denominator is everything,
        closed_form=isinstance(recipe.optimiser, EM | VariationalBayes),
    )
    yield None
    rng = np.random.default_rng(seed)
    spread = (recipe.search or Search()).spread
    for _ in range(restarts):
        yield spec.perturb(model, own, spread * rng.standard_normal(len(own)))


def _climb(
    recipe: Recipe,
    corpus: Sequence[Example],
    dictionary: Dictionary,
    start: FloatArray | None,
    threads: int | None,
) -> ClimbScore:
    tagger: Tagger = fit(
        recipe.model,
        _raw(corpus),
        criterion=recipe.criterion,
        penalty=recipe.penalty,
        optimiser=recipe.optimiser,
        start=start,
        threads=threads,
    )
    sentences = [example.tokens for example in corpus]
    tags = tagger.tag(sentences, decoder=Decoder.VITERBI, threads=threads)
    gold = [example.analysis or () for example in corpus]
    words = [each.words for each in sentences]
    scores = tagging_scores(gold, tags, words, dictionary)
    last = tagger.trace[-1]
    return ClimbScore(
        last.value, scores.ambiguous_accuracy or 0.0, scores.accuracy or 0.0, last.iteration
    )
