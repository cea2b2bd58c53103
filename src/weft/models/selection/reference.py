"""Selectors as reference distributions: another selector's scores, of nodes and of trees."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from weft.features.compile import GIVEN
from weft.features.properties import Node, add_names, features
from weft.features.reference import UNKNOWN, Reference, Scored, add_references
from weft.structures.alternatives import FeatureName
from weft.structures.tree import Tree

if TYPE_CHECKING:
    from weft.models.selection.selector import Selector

_WHOLE = "the reference has the property '{}', which looks at whole trees"


def selector_reference(selector: Selector) -> Reference:
    """Return a selector as a reference distribution over analyses."""
    properties = selector.model.selection.properties
    local = [each for each in properties if each.of_node is not None]
    whole = [each for each in properties if each.of_node is None]
    weights = dict(zip(selector.model.names, selector.weights.tolist(), strict=True))

    def total(found: Mapping[FeatureName, float]) -> Scored:
        return Scored(sum(weights.get(name, 0.0) * value for name, value in found.items()))

    def of_node(node: Node) -> Scored:
        found: dict[FeatureName, float] = defaultdict(float)
        for each in local:
            add_names(found, each, node)
        return total(found)

    def of_trees(trees: Sequence[Tree]) -> list[Scored]:
        return [total(features(tree, whole)) for tree in trees]

    own = Reference(
        of_node if local else None,
        of_trees if whole else None,
        lambda given: total({(GIVEN, name): value for name, value in given.items()}).score,
        max((each.above for each in local), default=0),
        _WHOLE.format(whole[0].name) if whole else "",
    )
    inner = selector.model.selection.reference
    if inner is None:
        return own
    unknown = weights.get(UNKNOWN, 0.0)
    return add_references(own, _weighed(inner.as_reference(), unknown))


def _weighed(reference: Reference, unknown: float) -> Reference:
    """The same, where a selector has given a weight to what is unknown."""

    def weigh(each: Scored) -> Scored:
        return Scored(each.score + unknown * each.unknown, each.unknown)

    node, trees = reference.of_node, reference.of_trees
    return Reference(
        None if node is None else lambda each: weigh(node(each)),
        None if trees is None else lambda several: [weigh(each) for each in trees(several)],
        reference.of_given,
        reference.above,
        reference.why_listed,
    )
