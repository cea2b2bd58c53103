"""Criteria: which two sets of derivations an estimator compares, and penalties on weights."""

from weft.criteria.criterion import CRITERIA, Criterion, conditional, joint, marginal
from weft.criteria.expectation import ExpectedCounts, expected_counts
from weft.criteria.objective import Contrast, Objective, check_possible, contrast
from weft.criteria.penalties import Dirichlet, Gaussian, Penalty, no_penalty, read_penalty
from weft.criteria.views import View, complete, everything, input_only

__all__ = [
    "CRITERIA",
    "Contrast",
    "Criterion",
    "Dirichlet",
    "ExpectedCounts",
    "Gaussian",
    "Objective",
    "Penalty",
    "View",
    "check_possible",
    "complete",
    "conditional",
    "contrast",
    "everything",
    "expected_counts",
    "input_only",
    "joint",
    "marginal",
    "no_penalty",
    "read_penalty",
]
