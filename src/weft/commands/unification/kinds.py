"""Kinds of unification grammars: what each verb of ``weft unify`` does with one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from weft.commands.lfg import checks as lfg_checks
from weft.commands.lfg import sentences as lfg
from weft.commands.lfg.exporting import export_lfg_parse_sets
from weft.commands.unification import checks, sentences
from weft.commands.unification.pictures import Pictures
from weft.commands.unification.ranking import best_trees
from weft.files import Source
from weft.reprs import Brief
from weft.unify import is_lfg


@dataclass(frozen=True, slots=True, repr=False)
class Kind(Brief):
    """A kind of grammar.

    Attributes:
        name: What its grammars are called.
        refused: Options of other kinds.
        parse_lines: Finds the analyses of the lines of a file.
        rank: Returns the best analyses of a line with their probabilities.
        show: Returns an analysis as text.
        draw: Draws analyses of a line.
        export: Writes parse sets.
        check: Looks for mistakes.
        findings_lines: Yields these for people.
        findings_json: Returns them for programs.
        explain: Says why a sentence has no analysis.
        reasons_lines: Yields that for people.
        reasons_json: Returns it for programs.
        run_suite: Compares numbers of analyses.
        generate: Yields sentences with their trees.
    """

    name: str
    refused: frozenset[str]
    parse_lines: Callable[..., Iterator[Any]]
    rank: Callable[..., list[tuple[Any, float | None]]]
    show: Callable[..., str]
    draw: Callable[..., None]
    export: Callable[..., sentences.Exported]
    check: Callable[..., Any]
    findings_lines: Callable[..., Iterable[str]]
    findings_json: Callable[..., Any]
    explain: Callable[..., Any]
    reasons_lines: Callable[..., Iterable[str]]
    reasons_json: Callable[..., Any]
    run_suite: Callable[..., Any]
    generate: Callable[..., Iterator[tuple[tuple[str, ...], str]]]


FEATURES = Kind(
    "feature grammars",
    frozenset({"marks", "list"}),
    sentences.parse_lines,
    best_trees,
    sentences.show_tree,
    Pictures.add,
    sentences.export_parse_sets,
    checks.check_feature_grammar,
    checks.findings_lines,
    checks.findings_json,
    checks.explain_sentence,
    checks.reasons_lines,
    checks.reasons_json,
    sentences.run_suite,
    sentences.generate_sentences,
)
LFG = Kind(
    "grammars .lfg",
    frozenset({"resolved", "encoding"}),
    lfg.parse_lfg_lines,
    lfg.rank_analyses,
    lfg.show_lfg_analysis,
    lfg.draw_lfg_analyses,
    export_lfg_parse_sets,
    lfg_checks.check_lfg_grammar,
    lfg_checks.lfg_findings_lines,
    lfg_checks.lfg_findings_json,
    lfg_checks.explain_lfg_sentence,
    lfg_checks.lfg_reasons_lines,
    lfg_checks.lfg_reasons_json,
    lfg.run_lfg_suite,
    lfg.generate_lfg_sentences,
)


def find_kind(grammar: Source) -> Kind:
    """Return the kind of a grammar, by its file's name."""
    return LFG if is_lfg(grammar) else FEATURES


def refusal(kind: Kind, **given: object) -> tuple[str, str] | None:
    """Return an option that says nothing of a kind of grammar, and why; None if there is none."""
    for name, value in given.items():
        if value and name in kind.refused:
            other = FEATURES if kind is LFG else LFG
            return f"--{name}", f"it is for {other.name}, not for {kind.name}"
    return None
