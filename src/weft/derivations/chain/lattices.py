"""Sums over the tag sequences of all strings of lattices.

A state of a lattice stands for the tags of the last one or two words on the way to it. Arcs that
bear the same word (in the same window, where attributes look further) share its scores, and what
is expected of them is added up before it is turned into expectations of features. Lattices whose
words have few tags are written out link by link, which is fastest; of others memory grows with the
arcs and the tags that each allows, never with their product over neighbouring words.
"""

from __future__ import annotations

import numpy as np

from weft.arrays import FloatArray
from weft.derivations.chain.lattice_layout import Compiled
from weft.derivations.chain.scoring import Scoring
from weft.derivations.chain.topology import Topology
from weft.derivations.derivation_set import OnlySums
from weft.errors import OptionError
from weft.kernels import kernels

LINKS_AN_ARC = 48
"""Lattices with more links per arc are not written out: sums over whole sets are faster there."""


class LatticeTrellis(OnlySums):
    """Members that are chains over lattices.

    Args:
        topology: The tags and tag n-grams.
        scoring: How words (in their windows) are scored; a word is in the place of a token.
        compiled: The lattices, one per member.
        threads: How many threads to use; no result depends on it.
    """

    why = (
        "the words vary here, and single tag sequences are of one sentence: use a "
        "criterion of plain sums"
    )

    def __init__(
        self, topology: Topology, scoring: Scoring, compiled: Compiled, threads: int = 1
    ) -> None:
        if scoring.paired:
            raise OptionError(
                "attributes that go with pairs of tags are not supported where the words vary; "
                "leave out pair_templates"
            )
        self.topology = topology
        self.compiled = compiled
        words = int(compiled.words.max(initial=-1)) + 1
        self._scores = scoring.over(np.array([0, words], np.int64), threads)
        self._threads = threads
        self._sums = kernels.LatticeSums(
            topology.order,
            topology.tags,
            compiled.sets.offsets,
            compiled.sets.tags,
            compiled.state_offsets,
            compiled.rows,
            compiled.groups,
            compiled.nexts,
            compiled.final,
            compiled.arc_offsets,
            compiled.targets,
            compiled.words,
            compiled.allowed,
            compiled.entry_offsets,
            compiled.base_offsets,
            compiled.bases,
            compiled.places,
            compiled.uses,
            compiled.use_places,
            words,
            LINKS_AN_ARC,
        )

    def __len__(self) -> int:
        return len(self.compiled.state_offsets) - 1

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        steps = self._scores.at(theta)
        values = np.empty(len(self))
        emission, _ = steps.tokens(0)
        self._sums.log_partition(steps.transitions, emission, values, self._threads)
        return values

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ], in one sweep."""
        steps = self._scores.at(theta)
        expectations = steps.expectations()
        totals = np.zeros_like(steps.transitions)
        values = np.empty(len(self))
        emission, _ = steps.tokens(0)
        marginals, _ = expectations.marginals(0)
        self._sums.sweep(
            steps.transitions, emission, coefficients, values, marginals, totals, self._threads
        )
        expectations.collect(0)
        return values, expectations.finish(totals)

    def impossible(self, member: int) -> int | None:
        """The first token that no tag sequence of any string gets past; None if there is one.

        Of strings that end in different places, it is the furthest.
        """
        compiled, boundary = self.compiled, self.topology.tags
        first, last = compiled.state_offsets[member : member + 2].tolist()
        may_follow = ~self.topology.forbidden
        # Order 2 forbids pairs of tags only, so that the last tag is all there is to know.
        before = np.zeros((last - first, boundary + 1), np.bool_)
        before[0, boundary] = True
        depths, longest = np.zeros(last - first, np.int64), np.zeros(last - first, np.int64)
        for state in range(last - first):
            after = before[state] @ may_follow
            if compiled.final[first + state] and after[boundary]:
                return None
            for arc in range(*compiled.arc_offsets[first + state : first + state + 2].tolist()):
                target = int(compiled.targets[arc])
                tags = compiled.sets[int(compiled.allowed[arc])]
                longest[target] = max(longest[target], longest[state] + 1)
                if after[tags].any():
                    before[target, tags] |= after[tags]
                    depths[target] = max(depths[target], depths[state] + 1)
        return int(min(depths.max(), longest.max() - 1))
