"""Sets of derivations: from θ to log-partitions and expectations.

:class:`Forest` holds explicit hypergraphs and is the specification; :class:`Trellis` sums over
the tag sequences of chains without storing an arc, :class:`Chart` over the trees of a grammar.
All are :class:`DerivationSet`.
"""

from weft.derivations.chain.trellis import Trellis
from weft.derivations.chart.chart import Chart
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.forest import Forest

__all__ = ["Chart", "DerivationSet", "Forest", "Trellis"]
