"""M. Johnson (2001), "Joint and conditional estimation of tagging and parsing models", section 4.

Table 2 compares shift-reduce parsers over tags, whose moves are P(m | s₁, s₂), *joint*, or
P(m | s₁, s₂, w), *conditional*, with a PCFG of the same binary trees, by labelled precision and
recall, and finds PCFG > joint > conditional, without a test. :func:`shift_reduce_table` makes it of
any treebank, with log-linear moves beside them, for several beams, and tests both findings. The
joint parser is there twice, since the paper's tables lack the shifts that some sentences need: with
relative frequencies, and interpolated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from weft.arrays import FloatArray
from weft.errors import OptionError
from weft.evaluate.brackets import BracketCounts, BracketScores, compare_parses
from weft.evaluate.significance import ROUNDS, PairedTest
from weft.models.options import Normalisation
from weft.models.stack.feature_model import FeatureModel
from weft.models.stack.parser import StackParser
from weft.models.tree_parser import TreeParser
from weft.models.tree_scores import assess_parser, sentence_bits
from weft.optimise.solution import Reason
from weft.recipes import Recipe, find_recipe, fit_recipe, with_settings
from weft.structures.evidence import Evidence, Example

JOINT, CONDITIONAL = "shift-reduce-joint", "shift-reduce-conditional"
INTERPOLATED = "shift-reduce-joint-interpolated"
MAXENT, GLOBAL = "shift-reduce-maxent", "shift-reduce-global"

PAPER: Mapping[str, tuple[float, float]] = {
    "pcfg": (0.700, 0.657),
    JOINT: (0.666, 0.650),
    CONDITIONAL: (0.633, 0.639),
}
"""Table 2, labelled precision and recall: trained on sections 2–21 of the Penn Treebank."""

FINDINGS = (("pcfg", JOINT), (JOINT, CONDITIONAL))
"""What the paper finds: the first of two is better."""

OTHERS = (
    *((INTERPOLATED, JOINT), ("pcfg", INTERPOLATED), (INTERPOLATED, CONDITIONAL)),
    *((MAXENT, CONDITIONAL), (MAXENT, INTERPOLATED), ("pcfg", MAXENT)),
    *((GLOBAL, MAXENT), (GLOBAL, "pcfg")),
)
"""What else is compared, where both are there."""

PLANS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "pcfg": ("pcfg", {"binarise": "johnson"}),
    JOINT: (JOINT, {"unseen": "back-off"}),
    INTERPOLATED: (JOINT, {"unseen": "interpolate"}),
    CONDITIONAL: (CONDITIONAL, {}),
    MAXENT: (MAXENT, {}),
    GLOBAL: (GLOBAL, {}),
}
"""By the name of a row its recipe, and what is changed in it, beside that leaves are tags."""

BEAMS, LEVEL = (1e-6, 1e-9), 0.05


@dataclass(frozen=True, slots=True)
class ShiftReduceRow:
    """A parser, and how well it does.

    Attributes:
        recipe: Its name.
        beam: Its beam; None for a chart, which has none.
        counts: The brackets of the test trees.
        parsed: How many test sentences have a parse.
        bits: What these say per word, ends being words; None without a distribution over sentences.
        training_seconds: How long training took.
        seconds: How long parsing the test part, and counting brackets, took.
        processor_seconds: The same, of all processors together.
    """

    recipe: str
    beam: float | None
    counts: BracketCounts
    parsed: int
    bits: float | None
    training_seconds: float
    seconds: float
    processor_seconds: float

    @property
    def speed(self) -> float:
        """Sentences per second."""
        return self.counts.sentences / self.seconds

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; shares are fractions."""
        counts = self.counts
        return {
            **{key: value for key, value in asdict(self).items() if key != "counts"},
            "sentences_per_second": self.speed,
            "precision": counts.precision,
            "recall": counts.recall,
            "f1": counts.f1,
            "exact_match": counts.exact_match,
            "paper": PAPER.get(self.recipe),
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether one parser is better than another.

    Attributes:
        better: The recipe that is said to be better.
        worse: The other one.
        beam: That of both.
        of_paper: Whether the paper says so.
        test: The F-scores of the other one and of the first.
    """

    better: str
    worse: str
    beam: float
    of_paper: bool
    test: PairedTest

    @property
    def verdict(self) -> str:
        """Whether it holds, by the bootstrap, at the level of 5 %."""
        if self.test.bootstrap_p_value >= LEVEL:
            return "not significant"
        return "holds" if self.test.difference > 0 else "does not hold"

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON."""
        return {**asdict(self), "difference": self.test.difference, "verdict": self.verdict}


@dataclass(frozen=True, slots=True)
class ShiftReduceTable:
    """Parsers on one treebank.

    Attributes:
        sizes: The number of trees of its parts.
        rows: A row per parser and beam.
        findings: What was compared.
    """

    sizes: Mapping[str, int]
    rows: tuple[ShiftReduceRow, ...]
    findings: tuple[Finding, ...]


def shift_reduce_table(
    parts: Mapping[str, Sequence[Example]],
    recipes: Sequence[str] = tuple(PLANS),
    *,
    beams: Sequence[float] = BEAMS,
    iterations: int | None = None,
    rounds: int = ROUNDS,
    seed: int = 0,
    threads: int | None = None,
    watch: Callable[[str], None] | None = None,
    keep: Callable[[ShiftReduceRow], None] | None = None,
) -> ShiftReduceTable:
    """Train parsers on trees over tags, and compare them on others.

    A parser is trained once, and then searches with each beam; one without a beam, or with one of
    its own, is compared with the others for each. A sentence without a parse has no brackets, and
    counts.

    Args:
        parts: The examples to train on, ``train``, and to try parsers on, ``test``.
        recipes: The names of recipes, in the order of the rows.
        beams: The beams of shift-reduce parsers; 0 for none.
        iterations: The largest number of iterations of log-linear parsers; the recipe's by default.
        rounds: How many samples the paired tests draw.
        seed: Of these samples.
        threads: How many threads to use, all by default; no result depends on it.
        watch: Told what is done next.
        keep: Told of every row as soon as it is there.

    Raises:
        OptionError: If a recipe does not exist, is no parser, or a beam makes no sense.
    """
    for beam in beams:
        if not 0 <= beam < 1:
            raise OptionError(f"a beam is a share, 0 or more and less than 1, not {beam}")
    plans = {name: over_tags(name, iterations) for name in recipes}
    rows: list[ShiftReduceRow] = []
    scores: dict[tuple[str, float], BracketScores] = {}
    for name, plan in plans.items():
        made = list(try_parser(name, plan, parts, beams, threads, watch))
        for row, found in made:
            matched = beams if row.beam is None or len(made) == 1 else [row.beam]
            scores |= {(name, each): found for each in matched}
            rows.append(row)
            if keep is not None:
                keep(row)
    findings = [
        Finding(*pair, beam, pair in FINDINGS, _test(scores, pair, beam, rounds, seed))
        for beam in beams
        for pair in (*FINDINGS, *OTHERS)
        if set(pair) <= set(plans)
    ]
    return ShiftReduceTable(_sizes(parts), tuple(rows), tuple(findings))


def try_parser(
    name: str,
    plan: Recipe,
    parts: Mapping[str, Sequence[Example]],
    beams: Sequence[float],
    threads: int | None = None,
    watch: Callable[[str], None] | None = None,
) -> Iterator[tuple[ShiftReduceRow, BracketScores]]:
    """Train a parser, and yield its row, and its scores on test trees, for each beam."""
    tell = watch or (lambda _: None)
    tell(f"training {name}")
    began = time.perf_counter()
    parser = fit_recipe(plan, parts["train"], threads=threads)
    trained = time.perf_counter() - began
    if parser.notes.get("stopped") == Reason.INTERRUPTED:
        # What is half trained has no place in a table.
        raise KeyboardInterrupt
    for width, searching in with_beams(parser, beams):
        tell(f"parsing with {name}" + ("" if width is None else f", beam {width:g}"))
        began, used = time.perf_counter(), time.process_time()
        found = assess_parser(searching, parts["test"], threads=threads)
        took = time.perf_counter() - began, time.process_time() - used
        parsed = len(found.sentences) - len(found.failed)
        bits = _bits(searching, parts["test"], threads)
        row = ShiftReduceRow(name, width, found.overall, parsed, bits, trained, *took)
        yield row, found


def _sizes(parts: Mapping[str, Sequence[Example]]) -> dict[str, int]:
    return {part: len(examples) for part, examples in parts.items()}


def over_tags(name: str, iterations: int | None = None) -> Recipe:
    """Return the recipe of a row, over tags.

    Args:
        name: Its name.
        iterations: The largest number of iterations, where it has any.

    Raises:
        OptionError: If it is not of the table.
    """
    if name not in PLANS:
        raise OptionError(f"the recipe {name} is not of this table, which has {', '.join(PLANS)}")
    recipe, own = PLANS[name]
    changes = {"rare": "0", **own}
    if iterations is not None and name in (MAXENT, GLOBAL):
        changes["iterations"] = str(iterations)
    return with_settings(find_recipe(recipe), changes)


def with_beams(
    parser: TreeParser, beams: Sequence[float]
) -> Iterator[tuple[float | None, TreeParser]]:
    """Return the same parser with each beam, or once if it has none.

    One with free weights keeps its own: its weights were trained against the parses that this beam
    leaves, and say nothing of others.
    """
    if not isinstance(parser, StackParser):
        yield None, parser
        return
    if isinstance(parser.model, FeatureModel) and parser.model.normalisation is Normalisation.NONE:
        yield parser.model.limits.beam, parser
        return
    for beam in beams:
        limits = replace(parser.model.limits, beam=beam)
        yield beam, replace(parser, model=replace(parser.model, limits=limits))


def _bits(parser: TreeParser, corpus: Sequence[Example], threads: int | None) -> float | None:
    """What sentences say per word, where there is a distribution over them."""
    marginal: FloatArray | None = None
    if not isinstance(parser, StackParser):
        marginal = parser.log_sums(corpus, threads).marginal
    elif parser.model.joint:
        sentences = [Evidence(each.tokens) for each in corpus]
        marginal = parser.derivations(sentences, threads).log_partition(parser.weights)
    if marginal is None:
        return None
    bits, words = sentence_bits(parser, corpus, marginal)
    return bits / words if words else None


def _test(
    scores: Mapping[tuple[str, float], BracketScores],
    pair: tuple[str, str],
    beam: float,
    rounds: int,
    seed: int,
) -> PairedTest:
    better, worse = (scores[name, beam] for name in pair)
    return compare_parses(worse, better, rounds=rounds, seed=seed)
