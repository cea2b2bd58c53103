"""Likelihoods that lead to where another criterion can be climbed."""

from __future__ import annotations

from dataclasses import replace

from weft.criteria.criterion import Criterion, Total, Unit, conditional, joint, marginal
from weft.criteria.links import identity
from weft.criteria.views import everything


def guide_of(criterion: Criterion) -> Criterion | None:
    """Return the likelihood of the same two views; None where a criterion needs no guide.

    Far from its maximum a link other than the identity is flat, or infinitely steep; a best
    derivation changes abruptly, at zero weights in every direction; and a choice has no slope. The
    log of a ratio of sums has none of this, and leads to weights from where they can be climbed.

    >>> from weft.criteria import find_criterion
    >>> guide_of(find_criterion("margin")).name
    'conditional'
    >>> guide_of(find_criterion("softmax-margin")) is None
    True
    """
    sums = (Total.SUM, Total.SUM)
    plain = criterion.link is identity and criterion.totals == sums
    if plain and criterion.unit is not Unit.CHOICE:
        return None
    views = criterion.numerator, criterion.denominator
    for each in (conditional, joint, marginal):
        if (each.numerator, each.denominator) == views:
            return each
    name = f"{views[0].name} given {views[1].name}"
    return replace(criterion, name=name, link=identity, totals=sums, cost=0.0, unit=Unit.EXAMPLE)


def is_hinge(criterion: Criterion) -> bool:
    """Whether a criterion compares best derivations, and nothing is made of the difference.

    >>> from weft.criteria import find_criterion
    >>> [is_hinge(find_criterion(name)) for name in ("margin", "perceptron", "rival")]
    [True, True, False]
    """
    return criterion.totals == (Total.BEST, Total.BEST) and criterion.link is identity


def has_closed_form(criterion: Criterion) -> bool:
    """Whether EM maximises a criterion: the likelihood of what was observed, among everything.

    >>> from weft.criteria import find_criterion
    >>> [has_closed_form(find_criterion(name)) for name in ("joint", "marginal", "conditional")]
    [True, True, False]
    """
    return criterion.denominator is everything and criterion.link is identity


def has_kinks(criterion: Criterion) -> bool:
    """Whether a criterion compares with a best derivation, which changes abruptly.

    >>> from weft.criteria import find_criterion
    >>> [has_kinks(find_criterion(name)) for name in ("rival", "softmax-margin")]
    [True, False]
    """
    return criterion.totals != (Total.SUM, Total.SUM) and criterion.link is identity
