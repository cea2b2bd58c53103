"""What statements do to a graph: defining ones change it, others are kept for the end.

A description is a set of statements with choices. Every way to choose gives a branch; two ways
that choose the same statements are one branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count, product
from typing import TypeAlias

from weft.lfg.language import (
    At,
    Contains,
    Description,
    Designator,
    Either,
    Equal,
    Form,
    From,
    Local,
    Mark,
    Meta,
    Path,
    Place,
    Statement,
    Steps,
    Symbol,
    Values,
)
from weft.lfg.paths import Plain, list_plain
from weft.lfg.reference.graph import Atom, Clash, Content, Graph, SemanticForm, closed
from weft.lfg.reference.reading import Beside, Group
from weft.unification.limits import check_time, take_memory, take_step


@dataclass(frozen=True, slots=True)
class Scope:
    """The nodes that a statement is about: of ^, !, the local names, and <- and -> of a path."""

    up: int
    down: int
    names: Mapping[str, int]
    before: Group = ()
    after: Group = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """A designator whose way is chosen.

    Attributes:
        node: A node.
        steps: Plain steps from it.
        beside: What is to be tested of the way to the node.
        way: The way to the node, so that two ways to one node are two choices.
    """

    node: int
    steps: Plain = ()
    beside: tuple[Beside | tuple[int, Plain], ...] = ()
    way: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """A statement that waits for the end, or a step whose off-path statements do."""

    statement: Statement | tuple[int, Plain] | Beside
    scope: Scope


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt ended.

    Attributes:
        message: What is wrong.
        statement: The statement that could not be true; None for completeness and coherence.
        start: Where the words that were attempted begin.
        end: Where they end.
        late: Whether the whole sentence had been put together.
    """

    message: str
    statement: Statement | None
    start: int
    end: int
    late: bool


@dataclass(slots=True)
class Failures:
    """Attempts that ended, and the words that are being attempted."""

    span: tuple[int, int] = (0, 0)
    late: bool = False
    found: dict[Failure, int] = field(default_factory=dict)

    def add(self, message: str, statement: Statement | None = None) -> None:
        """Note that an attempt ended."""
        failure = Failure(message, statement, *self.span, self.late)
        self.found[failure] = self.found.get(failure, 0) + 1


Waiting: TypeAlias = tuple[Equal | Contains, Scope]


@dataclass(slots=True)
class Branch:
    """A graph with what waits for the end.

    Attributes:
        graph: What the defining statements have made.
        tests: Statements to be tested.
        waiting: Defining statements whose paths are to be chosen.
        marks: Marks of optimality.
        chosen: The statements of the description that is being read.
    """

    graph: Graph
    tests: tuple[Said, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    marks: tuple[str, ...] = ()
    chosen: frozenset[Statement] = frozenset()
    failures: Failures | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """About how many bytes a copy takes."""
        listed = len(self.tests) + len(self.waiting) + len(self.chosen)
        return 500 + 80 * len(self.graph.parents) + 40 * listed

    def copy(self) -> Branch:
        """Return a branch that can be changed without this one."""
        return Branch(
            self.graph.copy(), self.tests, self.waiting, self.marks, self.chosen, self.failures
        )


def apply(branch: Branch, description: Description, scope: Scope) -> list[Branch]:
    """Return the branches that a description makes of one, which is not changed."""
    found: dict[frozenset[Statement], Branch] = {}
    start, taken = branch.copy(), 0
    start.chosen = frozenset()
    for each in _branches(start, list(description), scope):
        if each.chosen not in found:
            found[each.chosen] = each
            take_memory(each.size)
            taken += each.size
    take_memory(-taken)  # whoever keeps them takes it again
    return list(found.values())


def _branches(branch: Branch, description: list[Statement], scope: Scope) -> Iterator[Branch]:
    take_step()
    choices: list[Either] = []
    for given in description:
        statement = settle(given)
        if isinstance(statement, Either):
            choices.append(statement)
        elif statement not in branch.chosen:
            branch.chosen |= {statement}
            try:
                _state(branch, statement, scope)
            except Clash as clash:
                if branch.failures is not None:
                    branch.failures.add(str(clash), statement)
                return
    if not choices:
        yield branch
        return
    first, *rest = choices
    for option in first.options:
        yield from _branches(branch.copy(), [*option, *rest], scope)


def _state(branch: Branch, statement: Statement, scope: Scope) -> None:
    if isinstance(statement, Equal | Contains) and _options(statement) is None:
        branch.waiting = (*branch.waiting, (statement, scope))
    else:
        _state_plain(branch, statement, scope)


def _state_plain(branch: Branch, statement: Statement, scope: Scope) -> None:
    match statement:
        case Mark(name):
            branch.marks = (*branch.marks, name)
        case Equal() | Contains():
            define(branch, type(statement), sides_of(statement), scope)
        case _:
            branch.tests = (*branch.tests, Said(statement, scope))


@dataclass(frozen=True, slots=True)
class Settled:
    """A branch of a description that no choice is left in.

    Attributes:
        statements: Defining statements with plain paths, tests and marks.
        waiting: Defining statements whose paths only a whole sentence decides.
    """

    statements: tuple[Statement, ...]
    waiting: tuple[Equal | Contains, ...]


def settle_branches(description: Description) -> tuple[Settled, ...]:
    """Return the branches of a description, those of the same statements once.

    What :func:`restate` makes of each is together what :func:`apply` makes of the description.
    """
    found: dict[frozenset[Statement], Settled] = {}
    agenda: list[tuple[dict[Statement, None], list[Statement]]] = [({}, list(description))]
    while agenda:
        check_time()
        chosen, left = agenda.pop(0)
        choices: list[Either] = []
        for given in left:
            statement = settle(given)
            if isinstance(statement, Either):
                choices.append(statement)
            else:
                chosen[statement] = None
        if choices:
            first, *rest = choices
            agenda += [(chosen.copy(), [*option, *rest]) for option in first.options]
            continue
        late = [s for s in chosen if isinstance(s, Equal | Contains) and _options(s) is None]
        plain = tuple(each for each in chosen if each not in late)
        found.setdefault(frozenset(chosen), Settled(plain, tuple(late)))
    return tuple(found.values())


def restate(branch: Branch, settled: Settled, scope: Scope) -> Branch | None:
    """Return what a settled branch of a description makes of a branch; None if they clash."""
    made = branch.copy()
    try:
        for statement in settled.statements:
            _state_plain(made, statement, scope)
    except Clash:
        return None
    made.waiting = (*made.waiting, *((each, scope) for each in settled.waiting))
    return made


def sides_of(statement: Equal | Contains) -> tuple[Designator, Designator]:
    """Return the two sides of a defining statement."""
    if isinstance(statement, Equal):
        return statement.left, statement.right
    return statement.element, statement.whole


def define(
    branch: Branch,
    kind: type[Equal | Contains],
    sides: tuple[Designator | Spot, Designator | Spot],
    scope: Scope,
) -> None:
    """Make an equation or a membership true.

    Raises:
        Clash: If it cannot be.
    """
    one, two = (_place(branch, side, scope) for side in sides)
    if kind is Equal or isinstance(sides[1], Values):
        branch.graph.unify(one, two)
    else:
        branch.graph.put(one, two)


def _place(branch: Branch, designator: Designator | Spot, scope: Scope) -> int:
    """Return the node of a designator, which is made if it is not there."""
    graph = branch.graph
    match designator:
        case Meta(name):
            return scope.up if name == "^" else scope.down
        case Local(name):
            return scope.names[name]
        case Symbol(text, instantiated):
            number = next(graph.numbers) if instantiated else None
            return graph.new(Content(Atom(text, number)))
        case Values(symbols):
            return graph.new(Content(closed(symbols)))
        case Form(name, thematic, other):
            paths = tuple(tuple(map(_argument, each)) for each in (thematic, other))
            base = _base_of((*thematic, *other), branch, scope)
            form = SemanticForm(name, next(graph.numbers), base, *paths)
            return graph.new(Content(form))
        case At(base, Steps(parts)):
            return _steps(branch, _place(branch, base, scope), parts, scope)  # type: ignore[arg-type]
        case Spot(node, steps, beside):
            branch.tests = (*branch.tests, *(Said(each, scope) for each in beside))
            return _steps(branch, node, steps, scope)
    raise AssertionError(designator)


def _steps(branch: Branch, node: int, steps: Plain, scope: Scope) -> int:
    if any(step.off_path for step in steps):
        branch.tests = (*branch.tests, Said((node, steps), scope))
    for step in steps:
        node = branch.graph.step(node, step.name)
    return node


def _base_of(arguments: tuple[Designator | None, ...], branch: Branch, scope: Scope) -> int:
    """Return the f-structure of a semantic form: ^, or what its first argument begins with."""
    for each in arguments:
        if isinstance(each, At) and isinstance(each.base, Meta | Local):
            return _place(branch, each.base, scope)
    return scope.up


def _argument(designator: Designator | None) -> Path | None:
    return designator.path if isinstance(designator, At) else None


def settle(statement: Statement) -> Statement:
    """Return a defining statement as a choice among plain paths, where it has several."""
    if not isinstance(statement, (Equal, Contains)):
        return statement
    options = _options(statement)
    if options is None:
        return statement
    return options[0] if len(options) == 1 else Either(tuple((each,) for each in options))


def _options(statement: Equal | Contains) -> list[Equal | Contains] | None:
    left, right = map(_plain, sides_of(statement))
    if left is None or right is None:
        return None
    return [type(statement)(one, two, statement.place) for one, two in product(left, right)]


def _plain(designator: Designator) -> list[Designator] | None:
    match designator:
        case From():
            return None
        case At(base, path):
            bases, paths = _plain(base), list_plain(path)
            if bases is None or paths is None:
                return None
            return [At(each, Steps(plain)) for each, plain in product(bases, paths)]
        case _:
            return [designator]


def local_names(description: Description) -> set[str]:
    """Return the local names in a description."""
    found: set[str] = set()
    agenda: list[object] = [description]
    while agenda:
        here = agenda.pop()
        if isinstance(here, Local):
            found.add(here.name)
        elif isinstance(here, tuple):
            agenda += here
        elif hasattr(here, "__dataclass_fields__") and not isinstance(here, Place):
            agenda += [getattr(here, name) for name in here.__dataclass_fields__]
    return found


def open_scope(graph: Graph, names: set[str], up: int, down: int) -> Scope:
    """Make nodes for local names."""
    return Scope(up, down, {name: graph.new() for name in sorted(names)})


def start_graph() -> Graph:
    """Return an empty graph whose numbers begin at 0."""
    return Graph(count())
