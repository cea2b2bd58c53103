"""Criteria: which two sets of derivations an estimator compares, and penalties on weights."""

from weft.criteria.criterion import (
    CRITERIA,
    Criterion,
    boosting,
    conditional,
    contrastive,
    criterion_named,
    expected_accuracy,
    joint,
    marginal,
    supervised_contrastive,
)
from weft.criteria.expectation import ExpectedCounts, expected_counts
from weft.criteria.links import Link, boosting_loss, exponential, identity
from weft.criteria.neighbours import NEIGHBOURHOOD_NAMES, Varying, neighbours
from weft.criteria.objective import Contrast, Objective, check_possible, contrast
from weft.criteria.penalties import Dirichlet, Gaussian, Penalty, no_penalty, read_penalty
from weft.criteria.views import Look, View, complete, everything, input_only

__all__ = [
    "CRITERIA",
    "NEIGHBOURHOOD_NAMES",
    "Contrast",
    "Criterion",
    "Dirichlet",
    "ExpectedCounts",
    "Gaussian",
    "Link",
    "Look",
    "Objective",
    "Penalty",
    "Varying",
    "View",
    "boosting",
    "boosting_loss",
    "check_possible",
    "complete",
    "conditional",
    "contrast",
    "contrastive",
    "criterion_named",
    "everything",
    "expected_accuracy",
    "expected_counts",
    "exponential",
    "identity",
    "input_only",
    "joint",
    "marginal",
    "neighbours",
    "no_penalty",
    "read_penalty",
    "supervised_contrastive",
]
