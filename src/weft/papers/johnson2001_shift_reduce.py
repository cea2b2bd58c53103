"""M. Johnson (2001), "Joint and conditional estimation of tagging and parsing models", section 4.

Table 2 compares shift-reduce parsers over tags, whose moves are P(m | s₁, s₂), *joint*, or
P(m | s₁, s₂, w), *conditional*, with a PCFG of the same binary trees, by labelled precision and
recall, and finds PCFG > joint > conditional, without a test. :mod:`weft.papers.rows.johnson2001`
makes it of treebanks, with log-linear moves beside them, for two beams, and tests both findings.
The joint parser is there three times, since the paper's tables lack the shifts that some sentences
need: as in the paper, with the relative frequencies of pairs that were seen; backed off at others;
and interpolated. All have ``canonical=no``: the paper's parsers do not ask whether their
binary trees are those that binarisation makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from weft.arrays import FloatArray
from weft.errors import OptionError
from weft.evaluate.brackets import BracketScores
from weft.models.answers import Decoder
from weft.models.options import Normalisation
from weft.models.stack.feature_model import FeatureModel
from weft.models.stack.parser import StackParser
from weft.models.tree_parser import TreeParser
from weft.models.tree_scores import assess_parser, sentence_bits
from weft.recipes import Recipe, find_recipe, fit_recipe, with_settings
from weft.structures.evidence import Evidence, Example

JOINT, CONDITIONAL = "shift-reduce-joint", "shift-reduce-conditional"
BACKED_OFF = "shift-reduce-joint-back-off"
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
    *((JOINT, BACKED_OFF), (INTERPOLATED, JOINT)),
    *(("pcfg", INTERPOLATED), (INTERPOLATED, CONDITIONAL)),
    *((MAXENT, CONDITIONAL), (MAXENT, INTERPOLATED), ("pcfg", MAXENT)),
    *((GLOBAL, MAXENT), (GLOBAL, "pcfg")),
)
"""What else is compared, where both are there."""

PLANS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "pcfg": ("pcfg", {"binarise": "johnson"}),
    JOINT: (JOINT, {"unseen": "lose"}),
    BACKED_OFF: (JOINT, {"unseen": "back-off"}),
    INTERPOLATED: (JOINT, {"unseen": "interpolate"}),
    CONDITIONAL: (CONDITIONAL, {}),
    MAXENT: (MAXENT, {}),
    GLOBAL: (GLOBAL, {}),
}
"""By the name of a row its recipe, and what is changed in it, beside that leaves are tags."""

BEAMS = (1e-6, 1e-9)
"""The paper's."""


@dataclass(frozen=True, slots=True, eq=False)
class ShiftReduceRow:
    """A parser, and how well it does.

    Attributes:
        recipe: Its name.
        beam: Its beam; None for a chart, which has none.
        scores: The brackets of the test trees.
        bits: What sentences say per word, ends being words; None without a distribution over them.
    """

    recipe: str
    beam: float | None
    scores: BracketScores
    bits: float | None

    @property
    def parsed(self) -> int:
        """How many test sentences have a parse."""
        return len(self.scores.sentences) - len(self.scores.failed)


def try_parser(
    name: str,
    parts: Mapping[str, Sequence[Example]],
    beams: Sequence[float] = BEAMS,
    *,
    iterations: int | None = None,
    threads: int | None = None,
) -> Iterator[ShiftReduceRow]:
    """Train a parser on trees over tags, and yield how well it does on others, for each beam.

    One without a beam, or with one of its own, has one row. A sentence without a parse has no
    brackets, and counts.

    Args:
        name: Its name, of :data:`PLANS`.
        parts: The examples to train on, ``train``, and to try it on, ``test``.
        beams: The beams that it searches with, one after the other; 0 for none.
        iterations: The largest number of iterations of log-linear parsers; the recipe's by default.
        threads: How many threads to use, all by default; no result depends on it.

    Raises:
        OptionError: If it is not of the table, or a beam makes no sense.
    """
    for beam in beams:
        if not 0 <= beam < 1:
            raise OptionError(f"a beam is a share, 0 or more and less than 1, not {beam}")
    parser = fit_recipe(over_tags(name, iterations), parts["train"], threads=threads)
    for width, searching in with_beams(parser, beams):
        scores = assess_parser(searching, parts["test"], threads=threads, decoder=Decoder.VITERBI)
        yield ShiftReduceRow(name, width, scores, _bits(searching, parts["test"], threads))


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
    changes = {"rare": "0", "canonical": "no", **own}  # the paper's parsers take every binary tree
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
