"""Writing the grammar of a parser: its rules with their weights, in the notation or as JSON."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.commands.files.inputs import StrPath, open_model
from weft.commands.files.outputs import check_output
from weft.commands.tasks import task_of
from weft.errors import OptionError
from weft.grammars.forms.json import to_json, write_json
from weft.grammars.forms.notation import write_grammar
from weft.structures.grammar import Grammar

GRAMMAR = "grammar"
"""What ``--to`` calls it."""


@dataclass(frozen=True, slots=True, eq=False)
class GrammarConversion:
    """The grammar of a parser.

    Attributes:
        grammar: Its rules with their weights.
        path: Where it was written.
    """

    grammar: Grammar
    path: str

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return {
            "file": self.path,
            "to": GRAMMAR,
            "nonterminals": len(self.grammar.nonterminals),
            "terminals": len(self.grammar.terminals),
            "grammar": to_json(self.grammar),
        }


def convert_to_grammar(
    model: StrPath,
    *,
    out: StrPath | None = None,
    force: bool = False,
    max_bytes: int | None = None,
) -> GrammarConversion:
    """Write the grammar of a saved parser, or of a tagger as a PCFG.

    Args:
        model: The model's file.
        out: Where the grammar is written, as JSON if it ends in ``.json``; by default beside the
            parser, with the suffix ``.cfg``. ``-`` is the standard output.
        force: Replace whatever file is there.
        max_bytes: How much memory the model may take.

    Raises:
        OptionError: If the model has no grammar, as features of phrases are of no rule; or the
            file that is there must not be replaced.
        FormatError: If a file cannot be read or written, or a symbol has no notation.
    """
    loaded = open_model(model, max_bytes=max_bytes)
    task = task_of(loaded)
    path = Path(model).with_suffix(".cfg") if out is None else out
    check_output(path, [model], force=force)
    grammar = task.grammar(loaded)
    if grammar is None:
        name = os.fspath(model)
        raise OptionError(f"{name} is a {task.name}, which has no grammar: give a parser")
    write = write_json if os.fspath(path).endswith(".json") else write_grammar
    write(path, grammar)
    return GrammarConversion(grammar, os.fspath(path))
