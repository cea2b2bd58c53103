"""Criteria: which two sets of derivations an estimator compares, and penalties on weights."""

from weft.criteria.choices import RightChoices
from weft.criteria.contrasts import Contrast, check_possible, contrast
from weft.criteria.criterion import (
    CRITERIA,
    Criterion,
    Total,
    Unit,
    accuracy,
    boosting,
    conditional,
    contrastive,
    expected_accuracy,
    find_criterion,
    joint,
    local_accuracy,
    local_likelihood,
    margin,
    marginal,
    perceptron,
    rival,
    softmax_margin,
    supervised_contrastive,
)
from weft.criteria.expectation import ExpectedCounts, expected_counts
from weft.criteria.links import Link, boosting_loss, exponential, identity
from weft.criteria.neighbours import NEIGHBOURHOOD_NAMES, Varying, neighbours
from weft.criteria.objective import CorpusTerm, Objective, weighted_sum
from weft.criteria.penalties import Dirichlet, Gaussian, Penalty, no_penalty, read_penalty
from weft.criteria.tokens import TokenContrast
from weft.criteria.views import Look, View, complete, everything, input_only

__all__ = [
    "CRITERIA",
    "NEIGHBOURHOOD_NAMES",
    "Contrast",
    "CorpusTerm",
    "Criterion",
    "Dirichlet",
    "ExpectedCounts",
    "Gaussian",
    "Link",
    "Look",
    "Objective",
    "Penalty",
    "RightChoices",
    "TokenContrast",
    "Total",
    "Unit",
    "Varying",
    "View",
    "accuracy",
    "boosting",
    "boosting_loss",
    "check_possible",
    "complete",
    "conditional",
    "contrast",
    "contrastive",
    "everything",
    "expected_accuracy",
    "expected_counts",
    "exponential",
    "find_criterion",
    "identity",
    "input_only",
    "joint",
    "local_accuracy",
    "local_likelihood",
    "margin",
    "marginal",
    "neighbours",
    "no_penalty",
    "perceptron",
    "read_penalty",
    "rival",
    "softmax_margin",
    "supervised_contrastive",
    "weighted_sum",
]
