"""M. Johnson (2001), "Joint and conditional estimation of tagging and parsing models", ACL.

Section 3 compares bitag models that differ in little but what they condition on,

    (4)  ∏ P(tⱼ | tⱼ₋₁) P(wⱼ | tⱼ)            (5)  ∏ P₀(tⱼ | wⱼ, tⱼ₋₁)
    (6)  ∏ P(wⱼ | tⱼ) P₁(tⱼ | wⱼ₋₁, tⱼ₋₁)     (7)  ∏ P₀(tⱼ | wⱼ, tⱼ₋₁) P(wⱼ | tⱼ₋₁)

by their accuracy, without a test of significance. :func:`tagging_table` makes such a table of any
recipes on any corpus that has parts, with paired tests between neighbouring rows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from weft.corpora.parts import PARTS, read_part
from weft.evaluate.significance import ROUNDS, McNemar, PairedTest, compare_taggings
from weft.evaluate.tagging import TaggingScores, tagging_scores
from weft.models.tagger import Decoder
from weft.optimise.solution import Reason
from weft.recipes import RECIPES, Recipe, find_recipe, fit_recipe, with_settings
from weft.structures.evidence import Example

PAPER: Mapping[str, float] = {
    "johnson-4": 0.955,
    "johnson-5": 0.944,
    "johnson-6": 0.962,
    "johnson-7": 0.953,
}
"""The accuracies of section 3, of models trained on sections 2–21 of the Penn Treebank."""


@dataclass(frozen=True, slots=True)
class TaggingRow:
    """A recipe and how well it does.

    Attributes:
        recipe: Its name.
        decoder: How tags were chosen.
        scores: On the test part.
        training_seconds: How long training took.
        tagging_seconds: How long tagging the test part took.
        stopped: Why training ended.
    """

    recipe: str
    decoder: Decoder
    scores: TaggingScores
    training_seconds: float
    tagging_seconds: float
    stopped: str


@dataclass(frozen=True, slots=True)
class PairedTests:
    """Two neighbouring rows, compared.

    Attributes:
        first: The upper recipe.
        second: The lower one.
        sentences: Their accuracies over sentences.
        tokens: Their mistakes over tokens.
    """

    first: str
    second: str
    sentences: PairedTest
    tokens: McNemar


@dataclass(frozen=True, slots=True)
class TaggingTable:
    """Recipes on one corpus.

    Attributes:
        corpus: Its name.
        sizes: The numbers of sentences and tokens of its parts.
        settings: What was changed in every recipe.
        seed: Of the paired tests.
        rows: A row a recipe.
        tests: Each row with the one below it.
    """

    corpus: str
    sizes: Mapping[str, tuple[int, int]]
    settings: Mapping[str, str]
    seed: int
    rows: tuple[TaggingRow, ...]
    tests: tuple[PairedTests, ...]


def tagging_table(
    corpus_name: str,
    recipes: Sequence[str] | None = None,
    *,
    settings: Mapping[str, str] | None = None,
    sentences: int | None = None,
    rounds: int = ROUNDS,
    seed: int = 0,
    threads: int | None = None,
    watch: Callable[[str], None] | None = None,
) -> TaggingTable:
    """Train recipes on a corpus and compare them on its test part.

    Every recipe is trained on the part ``train``, with the part ``dev`` as its development
    corpus, and decoded as it says. Names and settings are all checked before the first is. An
    interrupt (ctrl-C) ends it all, and not the training of one recipe.

    Args:
        corpus_name: A corpus that :func:`weft.corpora.parts.read_part` knows.
        recipes: Their names, in the order of the rows; all there are by default.
        settings: Settings to change in every one of them, as text.
        sentences: Take this many of each part at most, from the beginning.
        rounds: How many samples the paired tests draw.
        seed: Of these samples; the same seed gives the same figures.
        threads: How many threads to use, all by default; no result depends on it.
        watch: Told the name of each recipe before it is trained.

    Raises:
        OptionError: If a recipe, a setting, its value or the corpus does not exist.
        FormatError: If a file of the corpus cannot be read.
        WeftError: If the corpus is not there.

    >>> made = tagging_table("english", ["crf"], settings={"iterations": "2"})
    >>> made.sizes["test"], made.rows[0].recipe, made.rows[0].scores.tokens
    ((139, 1934), 'crf', 1934)
    """
    changes = dict(settings or {})
    names = list(RECIPES) if recipes is None else list(recipes)
    plans = [with_settings(find_recipe(name), changes) for name in names]
    parts = {part: read_part(corpus_name, part)[:sentences] for part in PARTS}
    rows, taggings = [], []
    for plan in plans:
        if watch:
            watch(plan.name)
        row, tags = train_row(plan, parts, threads)
        rows.append(row)
        taggings.append(tags)
    gold = [example.analysis or () for example in parts["test"]]
    tests = [
        PairedTests(*pair, *compare_taggings(gold, *tags, rounds=rounds, seed=seed))
        for pair, tags in zip(pairwise(names), pairwise(taggings), strict=True)
    ]
    sizes = {name: (len(examples), _tokens(examples)) for name, examples in parts.items()}
    return TaggingTable(corpus_name, sizes, changes, seed, tuple(rows), tuple(tests))


def train_row(
    plan: Recipe, parts: Mapping[str, Sequence[Example]], threads: int | None
) -> tuple[TaggingRow, list[tuple[str, ...]]]:
    """Train a recipe, and return its row with its tags of the test part."""
    began = time.perf_counter()
    tagger = fit_recipe(plan, parts["train"], development=parts["dev"], threads=threads)
    stopped = tagger.notes.get("stopped", "")
    if stopped == Reason.INTERRUPTED:
        # What is half trained has no place in a table.
        raise KeyboardInterrupt
    trained = time.perf_counter()
    sentences = [example.tokens for example in parts["test"]]
    tags = tagger.tag(sentences, threads=threads)
    tagged = time.perf_counter()
    gold = [example.analysis or () for example in parts["test"]]
    words = [sentence.words for sentence in sentences]
    scores = tagging_scores(gold, tags, words, tagger.lexicon)
    seconds = (trained - began, tagged - trained)
    return TaggingRow(plan.name, tagger.decoder, scores, *seconds, stopped), tags


def _tokens(examples: Sequence[Example]) -> int:
    return sum(len(example.tokens) for example in examples)
