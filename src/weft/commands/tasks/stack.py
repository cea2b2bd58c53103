"""Shift-reduce parsers from files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from weft.commands.how import Found
from weft.commands.inspection import inspect_features
from weft.commands.tasks.parsers import TreeTask
from weft.commands.tracing import Tracing, trace_text
from weft.models.stack.feature_spec import MoveFeatures
from weft.models.stack.model import StackModel
from weft.models.stack.spec import MoveTables


class StackTask(TreeTask):
    """Shift-reduce parsers."""

    name = "shift-reduce parser"
    kinds = (MoveTables, MoveFeatures, StackModel)
    takes: ClassVar[Mapping[str, frozenset[str]]] = {
        **TreeTask.takes,
        "inspect": frozenset({"--top", "--kind", "--trace", "--html"}),
    }

    def sizes(self, trained: Any) -> dict[str, int]:
        """The numbers of labels, of their pairs on the stack, and of moves."""
        table = trained.model.table
        return {
            "labels": table.labels - 1,
            "rows": (len(table.offsets) - 1) // table.looks,
            "moves": len(table.moves),
        }

    def inspect(self, trained: Any, count: int, tag: str | None, kind: str) -> Found:  # noqa: ARG002
        """List the strongest features."""
        more = {name: [str(size)] for name, size in self.sizes(trained).items()}
        return inspect_features(trained, count, kind, root=[trained.model.root], **more)

    def trace(self, trained: Any, text: str, count: int | None) -> Tracing:
        """Show the best parse of a sentence move by move."""
        return trace_text(trained, text, count)
