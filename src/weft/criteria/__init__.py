"""Criteria: which two sets of derivations an estimator compares, and penalties on weights."""

from weft.criteria.criterion import Criterion, conditional
from weft.criteria.objective import Contrast, Objective, check_possible, contrast
from weft.criteria.penalties import Gaussian, no_penalty, read_penalty
from weft.criteria.views import View, complete, input_only

__all__ = [
    "Contrast",
    "Criterion",
    "Gaussian",
    "Objective",
    "View",
    "check_possible",
    "complete",
    "conditional",
    "contrast",
    "input_only",
    "no_penalty",
    "read_penalty",
]
