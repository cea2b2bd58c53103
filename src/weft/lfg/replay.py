"""The analysis of one derivation: its statements are made true again, all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft.lfg.analysis import Analysis, CNode
from weft.lfg.language import Category, Entry, Statement
from weft.lfg.reference.describe import Branch, Scope, apply, local_names, open_scope
from weft.lfg.reference.graph import Graph
from weft.lfg.reference.solve import Run, Solution, join
from weft.lfg.right_sides import Step


@dataclass(frozen=True, slots=True)
class Chosen:
    """A daughter or an annotated empty string of a node, with the statements that were chosen."""

    step: Step
    statements: tuple[Statement, ...]


def replay_entry(
    run: Run, entry: Entry, word: CNode, statements: tuple[Statement, ...]
) -> Solution:
    """Return the solution of a word."""
    graph = Graph(run.start.numbers)
    node = graph.new()
    scope = open_scope(graph, local_names(entry.notes), node, node)
    (branch,) = apply(Branch(graph), statements, scope)
    return Solution(CNode(entry.category, (word,), node, word.start, word.end), branch)


def replay_node(
    run: Run, name: str, span: tuple[int, int], chosen: Sequence[Chosen], below: Sequence[Solution]
) -> Solution:
    """Return the solution of a node."""
    graph = Graph(run.start.numbers)
    mother = graph.new()
    scope = open_scope(graph, run.solver.names[name], mother, mother)
    branch = Branch(graph)
    daughters = iter(below)
    trees = []
    for each in chosen:
        here = scope
        if isinstance(each.step, Category):
            daughter = next(daughters)
            trees.append(daughter.tree)
            branch = join(branch, daughter.branch)
            here = Scope(scope.up, daughter.tree.value, scope.names)
        (branch,) = apply(branch, each.statements, here)
    return Solution(CNode(name, tuple(trees), mother, *span), branch)


def look(run: Run, solution: Solution) -> Analysis:
    """Return what is known of a constituent alone, as an analysis that nothing was tested of."""
    return run.build(run.spread(solution.branch.copy(), solution.tree), solution.tree)


def finish(run: Run, solution: Solution, way: tuple[int, int] = (0, 1)) -> Analysis:
    """Return the analysis of a whole sentence.

    Args:
        run: The work on the sentence.
        solution: What was replayed.
        way: Which of how many ways to end is meant.

    Raises:
        RuntimeError: If there are others, which would be an error of the kernel.
    """
    number, count = way
    found = list(run.finish(solution))
    if len(found) != count:
        raise RuntimeError(f"a derivation of the kernel has {len(found)} analyses, not {count}")
    return found[number]
