"""A parse move by move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weft.commands.files.inputs import StrPath, finite
from weft.commands.files.opening import open_as
from weft.models.stack.parser import StackParser
from weft.models.stack.trace import RIVALS, Choice, Step, Trace, trace_parse
from weft.report.moves import moves_page
from weft.reprs import Brief
from weft.structures.tree import Tree, leaves, write_brackets


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tracing(Brief):
    """How a shift-reduce parser comes to the best parse of a sentence.

    Attributes:
        trace: The moves.
    """

    trace: Trace

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        trace = self.trace
        return {
            "words": list(trace.words),
            "given": trace.given.value,
            "steps": [_step_json(step) for step in trace.steps],
            "tree": write_brackets(trace.tree),
            "share": trace.share,
        }

    def page(self) -> str:
        """Return an HTML page of its own that is stepped through."""
        return moves_page(self.trace)


def trace_text(parser: StackParser | StrPath, text: str, count: int | None = None) -> Tracing:
    """Trace the best parse of a sentence that someone typed.

    Args:
        parser: A shift-reduce parser, or its file.
        text: Words, or tags for a parser that reads tags, with spaces between them.
        count: How many rivals of each move to list; 3 by default.

    Raises:
        OptionError: If there are no words, or one that the parser does not know.
        EvidenceError: If the sentence has no parse.
    """
    parser = open_as(StackParser, "shift-reduce parser", parser)
    return Tracing(trace_parse(parser, text.split(), RIVALS if count is None else count))


def _step_json(step: Step) -> dict[str, Any]:
    return {
        "stack": [_node_json(node) for node in step.stack],
        "words": list(step.words),
        "next": step.next,
        **_choice_json(step.made),
        "rivals": [_choice_json(each) for each in step.rivals],
        "rest": step.rest,
        "log_prob": finite(step.log_prob),
    }


def _choice_json(choice: Choice) -> dict[str, Any]:
    return {"move": str(choice.move), "probability": choice.probability}


def _node_json(node: Tree | str) -> dict[str, Any]:
    if isinstance(node, str):
        return {"label": node, "words": [node]}
    return {"label": node.label, "words": list(leaves(node))}
