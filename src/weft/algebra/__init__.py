"""What a sum over derivations means: semirings and their laws.

A derivation's weight is the product ⊗ of its edges' weights; a set of derivations weighs the
sum ⊕ of theirs. Which two operations these are decides what the sum says:

=====================  =====================================================
:data:`LOG`            the log of the total weight
:data:`MAX`            the score of the best derivation
:data:`COUNTING`       how many derivations there are, exactly
:class:`KBest`         the k best derivations with their scores
:class:`Expectation`   the log of the total weight and the mean of a feature
:data:`SAMPLING`       the log of the total weight and a way to draw
=====================  =====================================================

Reference: Goodman (1999), "Semiring Parsing", Computational Linguistics 25(4), section 2.
"""

from weft.algebra.expectation import Expectation, Moment
from weft.algebra.kbest import Best, KBest
from weft.algebra.laws import LawError, check_semiring
from weft.algebra.sampling import SAMPLING, Lottery, Sampling, draw
from weft.algebra.scalars import COUNTING, LOG, MAX, Counting, Log, Max
from weft.algebra.semiring import Semiring, close_numbers

__all__ = [
    "COUNTING",
    "LOG",
    "MAX",
    "SAMPLING",
    "Best",
    "Counting",
    "Expectation",
    "KBest",
    "LawError",
    "Log",
    "Lottery",
    "Max",
    "Moment",
    "Sampling",
    "Semiring",
    "check_semiring",
    "close_numbers",
    "draw",
]
