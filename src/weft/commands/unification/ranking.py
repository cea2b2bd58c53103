"""The best analyses of a sentence by a selector, without listing the others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from weft.commands.unification.sentences import LineForest
from weft.features.compile import expand_packed
from weft.models.selection.selector import Selector
from weft.structures.derivation import derivation_of
from weft.structures.parse_set import Packed
from weft.unification import pack
from weft.unification.forest import packed_numbers
from weft.unification.trees import FeatureTree


def best_trees(
    answer: LineForest, count: int, selector: Selector | None = None
) -> list[tuple[FeatureTree, float | None]]:
    """Return the best analyses of a sentence with their probabilities, best first.

    Without a selector they are the first ones, and have no probabilities.

    Args:
        answer: All analyses.
        count: How many are wanted.
        selector: Says which are better.

    Raises:
        OptionError: If the selector looks at whole trees.
        LimitError: If what it looks at makes the forest too large.
    """
    forest = answer.forest
    if not forest:
        return []
    if selector is None:
        return [(tree, None) for tree in islice(forest, count)]
    where = f"the forest of '{' '.join(forest.words)}'"
    numbers = packed_numbers(forest)
    ranked = []
    for packed, probability in best_edges(pack(forest), where, count, selector):
        edges = [numbers[edge] for edge in packed if numbers[edge] >= 0]
        tree = forest.show(derivation_of(forest.hypergraph, edges))
        ranked.append((tree, probability))
    return ranked


def best_edges(
    packed: Packed, where: str, count: int, selector: Selector
) -> Iterator[tuple[list[int], float | None]]:
    """Yield the edges of the best analyses of a packed forest in pre-order, with probabilities.

    Raises:
        OptionError: If the selector looks at whole trees.
        LimitError: If what it looks at makes the forest too large.
    """
    selection = selector.model.selection
    reference = None if selection.reference is None else selection.reference.as_reference()
    tokens, origins = expand_packed(packed, selection.properties, where, reference)
    [answers] = selector.kbest([tokens], count)
    for each in answers:
        assert isinstance(each.answer, tuple)  # noqa: S101
        yield [origins[row] for row in each.answer if origins[row] >= 0], each.probability
