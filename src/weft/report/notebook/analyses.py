"""Analyses by grammars, and parses move by move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft.lfg.analyses import Analyses
from weft.lfg.analysis import Analysis
from weft.lfg.pictures import draw_structure, draw_tree
from weft.models.stack.trace import Trace
from weft.report.matrices import avm_svg, linked_svg, tree_of_avms_svg
from weft.report.moves import MOVES, moves_rows, summary
from weft.report.notebook.style import heading, rows_table
from weft.report.trees import escaped, tree_svg
from weft.unification.forest import FeatureForest
from weft.unification.matrix import to_avm, to_avm_tree
from weft.unification.structure import FeatureStructure
from weft.unification.trees import FeatureTree

_MOST_MOVES = 40


def structure_svg(structure: FeatureStructure) -> str:
    """Return a feature structure as a matrix."""
    return avm_svg(to_avm(structure), "a feature structure")


def feature_tree_svg(tree: FeatureTree) -> str:
    """Return a tree with a matrix at each node."""
    return tree_of_avms_svg(to_avm_tree(tree), "a tree of feature structures")


def analysis_svg(analysis: Analysis) -> str:
    """Return a c-structure beside its f-structure, with lines between them."""
    return linked_svg(draw_tree(analysis), draw_structure(analysis), "c- and f-structure")


def first_card(draw: Callable[[Any], str]) -> Callable[[FeatureForest | Analyses], str]:
    """Return what draws the first of several analyses, and says how many there are."""

    def card(analyses: FeatureForest | Analyses) -> str:
        first = draw(analyses[0]) if analyses.count else ""
        rest = '<div class="faint">this is the first, [0]</div>' if analyses.count > 1 else ""
        return heading(repr(analyses)) + first + rest

    return card


def trace_table(trace: Trace) -> str:
    """Return a parse move by move, and its tree."""
    rows = moves_rows(trace)
    more = len(rows) - _MOST_MOVES
    rest = f'<div class="faint">and {more:,} more moves</div>' if more > 0 else ""
    below = rows_table(MOVES, rows[:_MOST_MOVES]) + rest
    said = f'<div class="faint">{escaped(summary(trace))}</div>'
    return heading(" ".join(trace.words)) + tree_svg(trace.tree, "the tree") + below + said
