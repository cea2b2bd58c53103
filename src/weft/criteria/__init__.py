"""Criteria: which two sets of derivations an estimator compares, and penalties on weights."""

from weft.criteria.criterion import CRITERIA, Criterion, conditional, joint, marginal
from weft.criteria.objective import Contrast, Objective, check_possible, contrast
from weft.criteria.penalties import Gaussian, no_penalty, read_penalty
from weft.criteria.views import View, complete, everything, input_only

__all__ = [
    "CRITERIA",
    "Contrast",
    "Criterion",
    "Gaussian",
    "Objective",
    "View",
    "check_possible",
    "complete",
    "conditional",
    "contrast",
    "everything",
    "input_only",
    "joint",
    "marginal",
    "no_penalty",
    "read_penalty",
]
