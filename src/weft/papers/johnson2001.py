"""M. Johnson (2001), "Joint and conditional estimation of tagging and parsing models", ACL.

Section 3 compares bitag models that differ in little but what they condition on,

    (4)  ∏ P(tⱼ | tⱼ₋₁) P(wⱼ | tⱼ)            (5)  ∏ P₀(tⱼ | wⱼ, tⱼ₋₁)
    (6)  ∏ P(wⱼ | tⱼ) P₁(tⱼ | wⱼ₋₁, tⱼ₋₁)     (7)  ∏ P₀(tⱼ | wⱼ, tⱼ₋₁) P(wⱼ | tⱼ₋₁)

by their accuracy, without a test of significance. :func:`tagging_table` makes such a table of any
recipes on any corpus that has parts, with paired tests between neighbouring rows:

    python -m weft.papers.johnson2001 --corpus wsj-sample
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import pairwise
from typing import Annotated, Any

import typer
from rich.table import Table

from weft.corpora.parts import DIVIDED, PARTS, read_part
from weft.errors import OptionError
from weft.evaluate.significance import ROUNDS, McNemar, PairedTest, compare_taggings
from weft.evaluate.tagging import TaggingScores, tagging_scores
from weft.models.tagger import Decoder
from weft.optimise.solution import Reason
from weft.papers.program import Run, program, start
from weft.recipes import RECIPES, Recipe, find_recipe, fit_recipe, with_settings
from weft.report.tables import percent, table
from weft.structures.evidence import Example

PAPER: Mapping[str, float] = {
    "johnson-4": 0.955,
    "johnson-5": 0.944,
    "johnson-6": 0.962,
    "johnson-7": 0.953,
}
"""The accuracies of section 3, of models trained on sections 2–21 of the Penn Treebank."""

QUICK = 100
"""Sentences of a part that are enough to see that it works."""


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

    def as_json(self) -> dict[str, Any]:
        """Return every figure but the confusions, ready for JSON; accuracies are fractions."""
        names = [each.name for each in fields(self.scores) if each.name != "confusions"]
        return {
            "recipe": self.recipe,
            "decoder": str(self.decoder),
            **{name: getattr(self.scores, name) for name in names},
            "training_seconds": self.training_seconds,
            "tagging_seconds": self.tagging_seconds,
            "stopped": self.stopped,
            "paper_accuracy": PAPER.get(self.recipe),
        }


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

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON."""
        sentences = {**asdict(self.sentences), "difference": self.sentences.difference}
        return {**asdict(self), "sentences": sentences}


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

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return {
            "corpus": self.corpus,
            "sizes": {
                part: {"sentences": sentences, "tokens": tokens}
                for part, (sentences, tokens) in self.sizes.items()
            },
            "settings": dict(self.settings),
            "seed": self.seed,
            "rows": [row.as_json() for row in self.rows],
            "tests": [each.as_json() for each in self.tests],
        }


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


def tables(made: TaggingTable) -> list[Table]:
    """Return the table, and that of its paired tests, for the terminal.

    >>> made = tagging_table("english", ["crf"], settings={"iterations": "2"})
    >>> [each.title for each in tables(made)]
    ['Accuracy on the test part of english']
    """
    rows = [
        (
            row.recipe,
            percent(row.scores.accuracy),
            percent(row.scores.known_accuracy),
            percent(row.scores.unknown_accuracy),
            f"{row.training_seconds:.1f}",
            percent(PAPER.get(row.recipe)),
        )
        for row in made.rows
    ]
    headers = ["recipe", "all words", "known", "unknown", "seconds", "paper, on the WSJ"]
    shown = [table(f"Accuracy on the test part of {made.corpus}", headers, rows)]
    if made.tests:
        shown.append(_tests_table(made.tests))
    return shown


def _tests_table(tests: Sequence[PairedTests]) -> Table:
    headers = ["", "gain", "interval", "p, swaps", "p, bootstrap", "p, McNemar"]
    rows = [
        (
            f"{each.first} → {each.second}",
            f"{100 * each.sentences.difference:+.2f}",
            f"{100 * each.sentences.low:+.2f} to {100 * each.sentences.high:+.2f}",
            _probability(each.sentences.p_value),
            _probability(each.sentences.bootstrap_p_value),
            _probability(each.tokens.p_value),
        )
        for each in tests
    ]
    level = f"{100 * tests[0].sentences.level:g} %"
    return table(f"Neighbouring rows: points of accuracy, with {level} intervals", headers, rows)


def _probability(p_value: float) -> str:
    return f"{p_value:.4f}" if p_value >= 0.0001 else "< 0.0001"


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


@program(known=DIVIDED, default=["wsj-sample"])
def main(
    run: Run,
    recipe: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A recipe; repeat it for several; all by default."),
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting of them all.")
    ] = None,
    rounds: Annotated[
        int, typer.Option(metavar="N", min=1, help="Samples of the paired tests.")
    ] = ROUNDS,
) -> None:
    """Compare recipes on a corpus, as section 3 of Johnson (2001) compares tagging models."""
    for name in run.corpora:
        made = tagging_table(
            name,
            recipe,
            settings=_settings(set_ or ()),
            sentences=QUICK if run.quick else None,
            rounds=rounds,
            seed=run.seed,
            threads=run.threads,
            watch=lambda name: run.tell(f"training {name}"),
        )
        run.show(made.as_json(), tables(made))


def _settings(texts: Sequence[str]) -> dict[str, str]:
    for text in texts:
        if "=" not in text:
            raise OptionError(f"--set {text}: expected KEY=VALUE, such as iterations=100")
    return dict(text.split("=", 1) for text in texts)


if __name__ == "__main__":
    start(main)
