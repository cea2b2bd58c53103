"""All analyses of a sentence, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from weft.lfg.analysis import Analysis, CNode
from weft.lfg.language import At, Attribute, Category, Designator, Entry, From, Lfg, Statement
from weft.lfg.names import Names
from weft.lfg.reference.chart import Chart
from weft.lfg.reference.choose import list_ways
from weft.lfg.reference.describe import (
    Branch,
    Failures,
    Said,
    Scope,
    Waiting,
    apply,
    define,
    local_names,
    open_scope,
    sides_of,
    start_graph,
)
from weft.lfg.reference.distribute import distribute
from weft.lfg.reference.doomed import is_doomed
from weft.lfg.reference.governing import Government, find_incoherent, find_incomplete
from weft.lfg.reference.graph import Clash, Graph
from weft.lfg.reference.reading import Beside, View
from weft.lfg.reference.result import build_analysis
from weft.lfg.reference.tests import Tester
from weft.lfg.right_sides import Machine, Step, build_machine
from weft.lfg.tokens import TokenLattice
from weft.unification.limits import check_time, take_memory, take_step


@dataclass(frozen=True, slots=True)
class Solution:
    """A constituent with a graph; the values of its tree's nodes are nodes of the graph."""

    tree: CNode
    branch: Branch


@dataclass(frozen=True, slots=True)
class _Partial:
    """A right side up to some state."""

    state: int
    at: int
    children: tuple[CNode, ...]
    branch: Branch
    seen: frozenset[int]


@dataclass(slots=True)
class Solver:
    """A grammar made ready for sentences."""

    grammar: Lfg
    machines: Mapping[str, Machine] = field(init=False)
    government: Government = field(init=False)
    owned: Names = field(init=False)
    names: dict[str, set[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.machines = {name: build_machine(side) for name, side in self.grammar.rules.items()}
        self.government = Government(self.grammar)
        self.owned = Names(self.grammar.nondistributive)
        self.names = {
            name: set().union(*(local_names(step.notes) for row in m.arcs for step, _ in row))
            for name, m in self.machines.items()
        }

    def solve(self, lattice: TokenLattice, root: str | None = None) -> list[Analysis]:
        """Return the analyses of a sentence, those with NOGOOD marks and worse ones too."""
        return list(self.each(lattice, root))

    def each(self, lattice: TokenLattice, root: str | None = None) -> Iterator[Analysis]:
        """Yield the analyses of a sentence.

        Raises:
            Spent: If it takes more than the open allowance.
        """
        run = Run(self, lattice)
        return (analysis for each in run.whole(root) for analysis in run.finish(each))


class Run:
    """The work on one sentence; with `failures`, attempts that end are noted there."""

    def __init__(
        self, solver: Solver, lattice: TokenLattice, failures: Failures | None = None
    ) -> None:
        self.solver = solver
        self.lattice = lattice
        self.start: Graph = start_graph()
        self.failures = failures
        self._known: dict[tuple[str, int, int, frozenset[str]], list[Solution]] = {}

    @cached_property
    def chart(self) -> Chart:
        """The categories over the spans of the sentence."""
        return Chart(self.solver.machines, self.lattice)

    def whole(self, root: str | None = None) -> list[Solution]:
        """Return the solutions of the whole sentence, before the end's tests."""
        name = root or self.solver.grammar.root
        return self.solutions(name, 0, self.lattice.last, frozenset())

    def solutions(self, name: str, start: int, end: int, above: frozenset[str]) -> list[Solution]:
        """Return the solutions of a category over a span, under others over the same span."""
        if end not in self.chart.ends.get((name, start), ()) or name in above:
            return []
        if start == end:
            # Nothing has no words of its own: each use of it needs nodes of its own.
            return list(self._solve(name, start, end, above))
        key = (name, start, end, above)
        if key not in self._known:
            self._known[key] = []
            for solution in self._solve(name, start, end, above):
                take_memory(solution.branch.size)
                self._known[key].append(solution)
        return self._known[key]

    def _solve(self, name: str, start: int, end: int, above: frozenset[str]) -> Iterator[Solution]:
        for token in self.chart.tokens.get((name, start, end), ()):
            for entry in token.entries:
                if entry.category == name:
                    yield from self._look_up(entry, CNode(token.text, (), -1, start, end))
        if name in self.solver.machines:
            yield from self._expand(name, start, end, above | {name})

    def _look_up(self, entry: Entry, word: CNode) -> Iterator[Solution]:
        graph = Graph(self.start.numbers)
        node = graph.new()
        scope = open_scope(graph, local_names(entry.notes), node, node)
        branch = Branch(graph, failures=self.failures)
        self._attempt(word.start, word.end)
        for each in apply(branch, entry.notes, scope):
            if self._may_live(each):
                tree = CNode(entry.category, (word,), node, word.start, word.end)
                yield Solution(tree, each)

    def _expand(self, name: str, start: int, end: int, above: frozenset[str]) -> Iterator[Solution]:
        solver = self.solver
        machine = solver.machines[name]
        graph = Graph(self.start.numbers)
        mother = graph.new()
        scope = open_scope(graph, solver.names[name], mother, mother)
        first = Branch(graph, failures=self.failures)
        agenda = [_Partial(0, start, (), first, frozenset({0}))]
        take_memory(first.size)
        while agenda:
            check_time()
            part = agenda.pop()
            take_memory(-part.branch.size)
            if part.at == end and part.state in machine.final:
                yield Solution(CNode(name, part.children, mother, start, end), part.branch)
            for step, target in machine.arcs[part.state]:
                for each in self._advance(part, step, target, (name, start, end, above), scope):
                    take_memory(each.branch.size)
                    agenda.append(each)

    def _advance(
        self,
        part: _Partial,
        step: Step,
        target: int,
        goal: tuple[str, int, int, frozenset[str]],
        scope: Scope,
    ) -> Iterator[_Partial]:
        name, start, end, above = goal
        if not isinstance(step, Category):
            if target not in part.seen and self.chart.finishes(name, target, part.at, end):
                self._attempt(start, part.at)
                for branch in apply(part.branch, step.notes, scope):
                    yield _Partial(target, part.at, part.children, branch, part.seen | {target})
            return
        for to in sorted(self.chart.ends.get((step.name, part.at), ())):
            if to > end or not self.chart.finishes(name, target, to, end):
                continue
            if to == part.at and target in part.seen:
                continue
            inside = above if (part.at, to) == (start, end) else frozenset()
            seen = part.seen | {target} if to == part.at else frozenset({target})
            for child in self.solutions(step.name, part.at, to, inside):
                joined = join(part.branch, child.branch)
                below = Scope(scope.up, child.tree.value, scope.names)
                self._attempt(start, to)
                for branch in apply(joined, step.notes, below):
                    if self._may_live(branch):
                        yield _Partial(target, to, (*part.children, child.tree), branch, seen)

    def _may_live(self, branch: Branch) -> bool:
        for said in branch.tests:
            if is_doomed(branch.graph, said):
                self._fail("is not true", _statement_of(said))
                return False
        for message in find_incoherent(branch.graph, self.solver.government, late=False):
            self._fail(message)
            return False
        return True

    # ------------------------------------------------------------------------- the end

    def finish(self, solution: Solution) -> Iterator[Analysis]:
        """Yield the analyses of a whole sentence that a solution makes."""
        self._attempt(solution.tree.start, solution.tree.end, late=True)
        inside_out = sorted(solution.branch.waiting, key=_is_inside_out)
        branch = solution.branch.copy()
        branch.waiting = ()
        for done in self._choose(branch, inside_out, solution.tree):
            if self._is_well_formed(done, solution.tree):
                yield self.build(done, solution.tree)

    def spread(self, branch: Branch, tree: CNode) -> Branch:
        """Give the elements of sets what the sets have; the branch is changed.

        Raises:
            Clash: If they cannot have it.
        """
        distribute(branch.graph, self.solver.owned, _roots(tree))
        return branch

    def build(self, branch: Branch, tree: CNode) -> Analysis:
        """Return what a branch says as an analysis."""
        view = View(branch.graph, self.solver.owned)
        return build_analysis(view, tree, branch.marks, self.lattice)

    def _choose(self, branch: Branch, waiting: list[Waiting], tree: CNode) -> Iterator[Branch]:
        try:
            self.spread(branch, tree)
        except Clash as clash:
            self._fail(str(clash))
            return
        take_step()
        if not waiting:
            yield branch
            return
        (statement, scope), *rest = waiting
        view = View(branch.graph, self.solver.owned)
        ways = list_ways(view, self.solver.government, statement, scope)
        if not ways:
            self._fail("no path leads anywhere", statement)
        for way in ways:
            next_branch = branch.copy()
            try:
                define(next_branch, type(statement), way, scope)
            except Clash as clash:
                self._fail(str(clash), statement)
                continue
            yield from self._choose(next_branch, rest, tree)

    def _is_well_formed(self, branch: Branch, tree: CNode) -> bool:
        graph = branch.graph
        view = View(graph, self.solver.owned)
        tester = Tester(view, lambda: _categories(graph, tree))
        for said in branch.tests:
            if not tester.passes(said):
                self._fail("is not true", _statement_of(said))
                return False
        government = self.solver.government
        for message in find_incoherent(graph, government, late=True):
            self._fail(message)
            return False
        for message in find_incomplete(view, government):
            self._fail(message)
            return False
        return True

    def _attempt(self, start: int, end: int, *, late: bool = False) -> None:
        if self.failures is not None:
            self.failures.span, self.failures.late = (start, end), late

    def _fail(self, message: str, statement: Statement | None = None) -> None:
        if self.failures is not None:
            self.failures.add(message, statement)


def _statement_of(said: Said) -> Statement | None:
    """The statement of a test; the first off-path one of a step."""
    match said.statement:
        case Beside(description) | (_, (Attribute(off_path=description), *_)):
            return description[0] if description else None
        case tuple():
            return None
    return said.statement


def _is_inside_out(waiting: Waiting) -> bool:
    return any(map(_looks_up, sides_of(waiting[0])))


def _looks_up(designator: Designator) -> bool:
    return isinstance(designator, From) or (
        isinstance(designator, At) and _looks_up(designator.base)
    )


def join(one: Branch, two: Branch) -> Branch:
    """Return what two constituents are together, before anything is said of both."""
    graph = one.graph.copy()
    graph.add(two.graph)
    return Branch(
        graph,
        one.tests + two.tests,
        one.waiting + two.waiting,
        one.marks + two.marks,
        failures=one.failures,
    )


def _nodes(tree: CNode) -> Iterator[CNode]:
    yield tree
    for child in tree.children:
        yield from _nodes(child)


def _roots(tree: CNode) -> list[int]:
    return [node.value for node in _nodes(tree) if node.value >= 0]


def _categories(graph: Graph, tree: CNode) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for node in _nodes(tree):
        if node.value >= 0:
            found.setdefault(graph.find(node.value), set()).add(node.label)
    return found
