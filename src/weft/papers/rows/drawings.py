"""Pictures of what the papers' models choose among: analyses of an LFG, and parses move by move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft.corpora.bundled import bundled_lfg, bundled_marked
from weft.lfg.marks import find_marked
from weft.lfg.parser import load_lfg
from weft.lfg.pictures import draw_structure, draw_tree
from weft.models.stack.parser import StackParser
from weft.models.stack.trace import trace_parse
from weft.papers.results import Picture, ResultTable, make_table
from weft.report.matrices import linked_svg
from weft.report.trees import tree_svg

AMBIGUOUS = "Should I reserve a room for the meeting?"
"""A sentence of the bundled corpora with two analyses: whose is the prepositional phrase?"""


def draw_analyses(domain: str = "appointments", text: str = AMBIGUOUS) -> tuple[Picture, ...]:
    """Draw the analyses of a sentence by our LFG of English, c-structure beside f-structure."""
    [mark] = [each for each in bundled_marked(domain) if each.text == text]
    analyses = load_lfg(bundled_lfg()).parse(text)
    optimal = analyses[: analyses.optimal]
    right = find_marked(mark, optimal)
    pictures = []
    for number, each in enumerate(optimal):
        meant = "the one that is meant" if number in right else "another one"
        title = f"An analysis of “{text}”, {meant}"
        pictures.append(Picture(title, linked_svg(draw_tree(each), draw_structure(each), title)))
    return tuple(pictures)


def show_parse(parser: StackParser, words: Sequence[str], gold: object) -> dict[str, Any]:
    """Return a picture of a parser's best parse, whether it is right, and its moves."""
    trace = trace_parse(parser, words)
    right = trace.tree == gold
    moves = [
        [
            " ".join(each if isinstance(each, str) else each.label for each in step.stack),
            step.words[0] if step.words else None,
            str(step.made.move),
            step.made.probability,
            ", ".join(f"{each.move} {each.probability:.2f}" for each in step.rivals),
        ]
        for step in trace.steps
    ]
    svg = tree_svg(trace.tree, f"A parse of {' '.join(words)}")
    return {"words": list(words), "right": right, "svg": svg, "moves": moves}


def picture_of_parse(name: str, shown: dict[str, Any]) -> Picture:
    """Return the picture of a parse that :func:`show_parse` made."""
    verdict = "right" if shown["right"] else "wrong"
    return Picture(f"{' '.join(shown['words'])}, by {name}: {verdict}", shown["svg"])


def table_of_moves(name: str, shown: dict[str, Any]) -> ResultTable:
    """Return the moves of a parse that :func:`show_parse` made."""
    columns = {"stack": "", "next": "", "move": "", "probability": ".3f", "other moves": ""}
    return make_table(f"{' '.join(shown['words'])}, by {name}: its moves", columns, shown["moves"])
