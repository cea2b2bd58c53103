"""Abney's joint estimator beside pseudo-likelihood; see :mod:`weft.papers.johnson_et_al1999`.

The joint likelihood compares right analyses with all analyses of the grammar, which are drawn once
per corpus by a covering grammar. Its weights were counted in all sentences of the corpus: what is
drawn decides how noisy an estimate is, and not what is estimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray
from weft.corpora.bundled import bundled_lfg, bundled_marked
from weft.corpora.parses.drawn import drawn_set
from weft.corpora.parses.marked import marked_sets
from weft.criteria import contrast, joint
from weft.errors import OptionError
from weft.features.functional import Functions
from weft.inference.metropolis import effective_size, walk
from weft.lfg.covering import build_covering
from weft.lfg.parser import load_lfg
from weft.lfg.propose import propose_lfg
from weft.lfg.vocabulary import build_vocabulary
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection
from weft.papers.selection.estimators import TIGHTER
from weft.structures.alternatives import Selected
from weft.structures.parse_set import Packed, ParseSet
from weft.structures.tree import Tree
from weft.train import fit

TRIALS = 2000
"""How often to draw, if nothing is said."""

SMOOTHING = 0.01
"""What is added to the counts of the covering grammar."""

JOINT = "joint"
"""The name of the estimator."""


@dataclass(frozen=True, slots=True)
class Universe:
    """Analyses of all sentences of a grammar, drawn.

    Attributes:
        analyses: The analyses.
        tried: How many trials there were.
        drawn: How many of them came to an analysis.
    """

    analyses: ParseSet
    tried: int
    drawn: int


@dataclass(frozen=True, slots=True)
class JointFigures:
    """What the draws are worth, and log-likelihoods of held-out sentences by them.

    Attributes:
        tried: How many trials there were.
        drawn: How many of them came to an analysis.
        effective: How many independent draws they are worth by the joint model, on average over
            the folds.
        accepted: The share of draws that a Metropolis walk accepts there.
        log_likelihoods: Σ log p(ω) over the test parts, by the weights of each estimator.
    """

    tried: int
    drawn: int
    effective: float
    accepted: float
    log_likelihoods: dict[str, float]


def draw_universe(
    domain: str, trials: int = TRIALS, seed: int = 0, most: int | None = None
) -> Universe:
    """Draw analyses of the bundled grammar, like those of the sentences of a domain.

    Args:
        domain: ``appointments`` or ``manuals``.
        trials: How often to draw.
        seed: Of the draws.
        most: How many of the sentences say how likely rules and words are; None for all.

    Raises:
        OptionError: If there is no such domain.
    """
    parser = load_lfg(bundled_lfg())
    trees: list[tuple[Tree, float]] = []
    for each in marked_sets(parser, bundled_marked(domain)[:most]):
        if not isinstance(each.analyses, Packed) and each.right is not None:
            tree = each.analyses[each.right[0]].tree
            trees += [] if tree is None else [(tree, 1.0)]
    vocabulary = build_vocabulary(parser.grammar)
    cover = build_covering(parser.grammar, vocabulary, trees, SMOOTHING)
    found = propose_lfg(cover, trials, np.random.default_rng(seed))
    drawn = drawn_set(found, Functions.of(parser.grammar))
    return Universe(drawn, trials, len(found.analyses))


class JointEstimator:
    """Estimates by the joint likelihood, and keeps what it finds out of the draws on the way."""

    def __init__(self, universe: Universe) -> None:
        self.universe = universe
        self.selection = Selection((), universe=universe.analyses)
        self._values: list[tuple[str, float]] = []
        self._worth: list[tuple[float, float]] = []

    def __call__(self, corpus: Sequence[Selected]) -> Selector:
        """Return the selector of a corpus, with a tenth of the paper's σ."""
        found: Selector = fit(self.selection, corpus, criterion=joint, penalty=TIGHTER, threads=1)
        scores = self._scores(found)
        walked = walk(scores, np.random.default_rng(0)).accepted
        self._worth.append((effective_size(scores), walked))
        return found

    def _scores(self, selector: Selector) -> FloatArray:
        model = selector.model
        if model.universe is None:
            raise OptionError("the model has no universe")
        return model.analyses([model.universe]).scores(selector.weights, 1)

    def judge(
        self, name: str, selector: Selector, seen: Sequence[Selected], test: Sequence[Selected]
    ) -> None:
        """Add log-likelihoods of held-out sentences by the weights of some estimator."""
        model = self.selection.prepare(list(seen))
        index = selector.model.index
        weights = np.array(
            [selector.weights[index[each]] if each in index else 0.0 for each in model.names]
        )
        self._values.append((name, float(contrast(model, list(test), joint)(weights)[0])))

    def figures(self) -> JointFigures:
        """Return what was found out."""
        totals: dict[str, float] = {}
        for name, value in self._values:
            totals[name] = totals.get(name, 0.0) + value
        effective, accepted = np.mean(self._worth, axis=0).tolist()
        return JointFigures(self.universe.tried, self.universe.drawn, effective, accepted, totals)
