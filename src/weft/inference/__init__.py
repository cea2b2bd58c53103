"""How sums over the derivations of a hypergraph are computed.

With w the log-weights of the edges, and a derivation's score the sum of its edges' weights:

======================  ==================================================================
:func:`inside_outside`  log Z = log Σ exp score, and how often each edge is used on average
:func:`viterbi`         the best derivation
:func:`kbest`           the k best derivations, in order
:func:`sample`          derivations drawn with probability exp(score − log Z)
:func:`tangent`         how log Z and the marginals change as the weights move
======================  ==================================================================

Weights are finite or −inf, which makes an edge impossible; nothing returned is ever NaN.
"""

from weft.inference.inside_outside import inside_outside
from weft.inference.kbest import kbest
from weft.inference.sampling import sample
from weft.inference.tangent import tangent
from weft.inference.viterbi import viterbi

__all__ = ["inside_outside", "kbest", "sample", "tangent", "viterbi"]
