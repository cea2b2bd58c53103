"""From coarse to fine: a chart with few labels says what one with many may leave out.

Every fine label has a coarse one. A fine nonterminal may span only where its coarse label has at
least a given posterior probability; all else is pruned, and so the fine sums are over fewer trees.

Reference: Charniak et al. (2006), "Multilevel coarse-to-fine PCFG parsing", NAACL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from weft.arrays import FloatArray
from weft.derivations.chart.chart import Chart
from weft.derivations.chart.limits import Flags


def coarse_to_fine(
    coarse: Chart,
    theta: FloatArray,
    labels: Sequence[str],
    projection: Callable[[str], str],
    threshold: float = 1e-4,
) -> Flags:
    """Return what fine nonterminals may span, as a :class:`Chart` takes it.

    >>> from weft.structures.evidence import Evidence, sentence
    >>> from weft.structures.grammar import Rule, Terminal, grammar
    >>> one = grammar([Rule("S", ("S", "S")), Rule("S", (Terminal("a"),))])
    >>> two = grammar([Rule("S^", ("S", "S")), Rule("S", ("S^",)), Rule("S", (Terminal("a"),))])
    >>> several = [Evidence(sentence(["a", "a"]))]
    >>> allowed = coarse_to_fine(
    ...     Chart(one, several), one.weights, two.nonterminals, lambda label: label.strip("^")
    ... )
    >>> bool(allowed.all())
    True
    >>> Chart(two, several, allowed=allowed).log_partition(two.weights)
    array([0.])

    Args:
        coarse: The coarse charts, of the same sentences.
        theta: The log-weights of their rules.
        labels: The fine nonterminals; a projection that the coarse grammar does not have allows
            nothing.
        projection: From a fine label to a coarse one.
        threshold: The least posterior probability that is kept.

    Returns:
        [spans, fine nonterminals].

    Raises:
        DivergenceError: If a coarse sum diverges.
    """
    _, parts = coarse.span_posteriors(theta)
    numbers = {label: number for number, label in enumerate(coarse.grammar.nonterminals)}
    columns = [numbers.get(projection(label), -1) for label in labels]
    kept = np.concatenate(parts) >= threshold
    padded = np.concatenate([kept, np.zeros((len(kept), 1), bool)], axis=1)
    return np.ascontiguousarray(padded[:, columns], np.uint8)
