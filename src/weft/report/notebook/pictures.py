"""Which picture shows a record."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from weft.automata.drawing import to_svg
from weft.errors import WeftError
from weft.lfg.analyses import Analyses
from weft.lfg.analysis import Analysis
from weft.models.answers import Answering
from weft.models.posteriors import TagPosteriors
from weft.models.progress import TrainingTrace
from weft.models.stack.trace import Trace
from weft.report.notebook.analyses import (
    analysis_svg,
    feature_tree_svg,
    first_card,
    structure_svg,
    trace_table,
)
from weft.report.notebook.cards import model_card, trace_card
from weft.report.notebook.forests import hypergraph_svg, parse_set_card
from weft.report.notebook.sentences import posteriors_card, tagged_card
from weft.report.notebook.style import framed
from weft.report.trees import escaped, tree_svg
from weft.structures.evidence import Example
from weft.structures.hypergraph import Hypergraph
from weft.structures.lattice import Lattice
from weft.structures.parse_set import ParseSet
from weft.structures.tree import Tree
from weft.unification.forest import FeatureForest
from weft.unification.structure import FeatureStructure
from weft.unification.trees import FeatureTree

_PICTURES: tuple[tuple[type, Callable[[Any], str]], ...] = (
    (Tree, lambda tree: tree_svg(tree, "a tree")),
    (Lattice, lambda strings: to_svg(strings, title="a lattice")),
    (Hypergraph, hypergraph_svg),
    (ParseSet, parse_set_card),
    (Example, tagged_card),
    (TagPosteriors, posteriors_card),
    (TrainingTrace, trace_card),
    (Trace, trace_table),
    (FeatureStructure, structure_svg),
    (FeatureTree, feature_tree_svg),
    (FeatureForest, first_card(feature_tree_svg)),
    (Analysis, analysis_svg),
    (Analyses, first_card(analysis_svg)),
    (Answering, model_card),
)
"""How records are drawn, by their classes."""


_OWN_STYLE = re.compile("<style>.*?</style>", re.DOTALL)


def picture_of(thing: object) -> str:
    """Return a record as HTML for a notebook; what is too large to be drawn, as its repr.

    >>> "<svg" in picture_of(Tree("NP", ("dogs",)))
    True
    """
    draw = next(draw for kind, draw in _PICTURES if isinstance(thing, kind))
    try:
        # What a file says of dark screens would hold for all of the notebook.
        return framed(_OWN_STYLE.sub("", draw(thing)))
    except WeftError as error:
        why = str(error)
    except RecursionError:
        why = "it is too deep to be drawn; draw a part of it, or print it as text"
    return framed(f"<code>{escaped(repr(thing))}</code><div>{escaped(why)}</div>")
