"""Which binary trees head binarisation makes, decided node by node.

Many binary trees come to the same tree when the nodes that
:func:`~weft.grammars.transforms.binarise.binarise_by_head` made are taken out, and one of them,
the *canonical* one, is what binarising that tree makes:

- a node ``@H-2`` is over H or another ``@H-2``, and a child to the right of it;
- a node ``@H-1`` is over a child to the left, and H, ``@H-2`` or another ``@H-1``;
- a node of the treebank is over one or two children, of which one may be made;
- by the head rules the child H is the head of all these children, under their parent.

The last is known once the parent is. Till then a made node has a *state*: what the head rules of
each parent can still say. So canonical trees are those of a deterministic automaton from below,
which :class:`CanonicalTrees` is, made state by state as they are met.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from weft.arrays import BoolArray, IndexArray
from weft.grammars.heads.rules import HeadRules, HeadSearch
from weft.grammars.transforms.labels import unprotect

_MADE = re.compile(r"@(.*)-([12])", re.DOTALL)
_NEVER = 10**9  # the rank of what no search finds

_RIGHT, _LEFT = 2, 1  # the side of what was joined last, as made labels say it


class _Criterion(NamedTuple):
    """One step of a search: the labels that it finds, None for all, and how."""

    labels: frozenset[str] | None
    leftmost: bool
    last: bool


class _Sight(NamedTuple):
    """What the searches of a parent make of a label.

    Attributes:
        rank: The first step that finds it, wherever it stands.
        leftmost: Whether that step finds the leftmost.
        last: The first step that finds it where it is the last child.
    """

    rank: int
    leftmost: bool
    last: int


class _Right(NamedTuple):
    """What is known for a parent while children are joined to the right of the head.

    Attributes:
        best: Which child would be found so far: 0 for the head, else the number on its right.
        rank: By which step.
        size: How many children there are on the right; at most three are told apart.
        coordinated: Whether the first of them is a conjunction.
        last: The step that would find the last child as such.
    """

    best: int
    rank: int
    size: int
    coordinated: bool
    last: int


class _Left(NamedTuple):
    """The same to its left, when all on the right is there.

    Attributes:
        rank: The step that finds the head, or what is behind a conjunction on its right.
        itself: Whether that is the head.
        size: How many children there are on the left; at most two are told apart.
        coordinated: Whether the nearest of them is a conjunction.
    """

    rank: int
    itself: bool
    size: int
    coordinated: bool


_State = tuple[int, ...]  # by parents with the same searches
_Node = tuple[int, int]  # a label and a state


def _criteria(searches: Sequence[HeadSearch]) -> list[_Criterion]:
    found = []
    for way, labels in searches:
        leftmost = way in ("left", "any-left")
        if not labels:
            found.append(_Criterion(None, leftmost, last=False))
        elif way in ("left", "right"):
            found += [_Criterion(frozenset({label}), leftmost, last=False) for label in labels]
        else:
            found.append(_Criterion(frozenset(labels), leftmost, way == "last"))
    usual = not searches or searches[-1].way in ("left", "any-left")
    return [*found, _Criterion(None, usual, last=False)]


def _sight(criteria: Sequence[_Criterion], label: str) -> _Sight:
    finding = [
        (number, each)
        for number, each in enumerate(criteria)
        if each.labels is None or label in each.labels
    ]
    rank, first = next((pair for pair in finding if not pair[1].last), (_NEVER, criteria[-1]))
    last = next((number for number, each in finding if each.last), _NEVER)
    return _Sight(rank, first.leftmost, last)


def _started(head: _Sight) -> _Right:
    return _Right(0, head.rank, 0, coordinated=False, last=head.last)


def _to_right(state: _Right | _Left | None, child: _Sight, conjunction: bool) -> _Right | None:
    """The state with one more child on the right."""
    if not isinstance(state, _Right):
        return None
    count = min(state.size + 1, 3)
    coordinated = conjunction if count == 1 else state.coordinated
    better = child.rank < state.rank or (child.rank == state.rank and not child.leftmost)
    best = count if better else state.best
    rank = child.rank if better else state.rank
    found = _Right(best, rank, count, coordinated, child.last)
    # What may still be found besides the head is what is behind a conjunction.
    if count < 3 and coordinated:
        return found
    return found if best == 0 or (best == 2 and coordinated) else None


def _turned(state: _Right | _Left | None) -> _Left | None:
    """The state when no more children come on the right; None where the head is another."""
    if not isinstance(state, _Right):
        return state
    last = state.last < state.rank
    best, rank = (state.size, state.last) if last else (state.best, state.rank)
    if best != 0 and not (best == 2 and state.coordinated):
        return None
    return _Left(rank, best == 0, 0, coordinated=False)


def _to_left(state: _Right | _Left | None, child: _Sight, conjunction: bool) -> _Left | None:
    """The state with one more child on the left."""
    left = _turned(state)
    if left is None or child.rank < left.rank:
        return None
    if child.rank == left.rank and child.leftmost:
        return None
    if left.size == 0:
        return left._replace(size=1, coordinated=conjunction and left.itself)
    return None if left.coordinated else left._replace(size=2)


PLAIN = 0
"""The state of a node of the treebank, whatever is below it."""

NEVER = -1
"""What is in no canonical tree."""


class CanonicalTrees:
    """The canonical trees of some labels, from below.

    >>> labels = ["S", "VP", "V", "NP", "@V-2"]
    >>> trees = CanonicalTrees(labels, HeadRules({"VP": (HeadSearch("left", ("V",)),)}))
    >>> made = trees.over(4, (2, PLAIN), (3, PLAIN))
    >>> [trees.over(label, (4, made), (3, PLAIN)) == PLAIN for label in (0, 1)]
    [True, True]
    >>> made = trees.over(4, (3, PLAIN), (2, PLAIN))
    >>> made == NEVER
    True

    Args:
        labels: The labels, as binarisation writes them.
        heads: The head rules by which trees are made binary.
        terminals: Those of them that are leaves, which are written as they are.
        known_as: From the label of a node to that which head rules know.
        rules: Labels with one of their children's, by numbers: nodes stand under no others. None
            where any may; fewer states are told apart with them.
    """

    def __init__(
        self,
        labels: Sequence[str],
        heads: HeadRules,
        terminals: Container[str] = (),
        known_as: Callable[[str], str] = str,
        rules: Iterable[tuple[int, int]] | None = None,
    ) -> None:
        raw = [each if each in terminals else unprotect(each) for each in labels]
        found = [None if each in terminals else _MADE.fullmatch(each) for each in labels]
        self.sides = [0 if each is None else int(each[2]) for each in found]
        plain = {place: name for place, name in enumerate(raw) if found[place] is None}
        numbers = {name: place for place, name in plain.items()}
        self._heads = [-1 if each is None else numbers.get(each[1], -1) for each in found]
        plain = {
            place: name if labels[place] in terminals else known_as(name)
            for place, name in plain.items()
        }
        usual = heads.searches.get("*", ())
        searches = {place: heads.searches.get(name, usual) for place, name in plain.items()}
        every = {each: number for number, each in enumerate(dict.fromkeys(searches.values()))}
        self._parents = {place: every[each] for place, each in searches.items()}
        criteria = [_criteria(each) for each in every]
        looks = {
            place: (tuple([_sight(each, name) for each in criteria]), name in heads.conjunctions)
            for place, name in plain.items()
        }
        kinds = {each: number for number, each in enumerate(dict.fromkeys(looks.values()))}
        self._kinds = {place: kinds[each] for place, each in looks.items()}
        self._own = [
            _of_parent([(sights[number], conjunction) for sights, conjunction in kinds])
            for number in range(len(criteria))
        ]
        self._above: dict[int, set[int]] | None = None if rules is None else {}
        for label, child in rules or ():
            if self.sides[child] and not self.sides[label] and self._above is not None:
                above = self._above.setdefault(self._heads[child], set())
                above.add(self._parents[label])
        self._states: dict[_State, int] = {(): PLAIN}
        self._listed: list[_State] = [()]
        self._steps: dict[tuple[int, int, int], int] = {}
        self._known: dict[tuple[int, _Node, _Node], int] = {}

    def above(self, label: int, child: int) -> int:
        """Return the state of a node over one child; ``NEVER`` if no canonical tree has it.

        Args:
            label: The node's label.
            child: The child's label.
        """
        return NEVER if self.sides[label] or self.sides[child] else PLAIN

    def over(self, label: int, left: _Node, right: _Node) -> int:
        """Return the state of a node over two children; ``NEVER`` if no canonical tree has it.

        Args:
            label: The node's label.
            left: The label and the state of its left child.
            right: Those of the right one.
        """
        key = label, left, right
        if key not in self._known:
            self._known[key] = self._over(label, left, right)
        return self._known[key]

    @property
    def kinds(self) -> tuple[list[int], int]:
        """By label, the first that head rules do not tell apart from it; and any of the treebank's.

        Of made labels, which nodes have states for, it is the label itself.
        """
        first = {number: place for place, number in reversed(self._kinds.items())}
        alike = [
            first[self._kinds[each]] if each in self._kinds else each
            for each in range(len(self.sides))
        ]
        return alike, first[0]

    def _over(self, label: int, left: _Node, right: _Node) -> int:
        side, made = self.sides[label], (self.sides[left[0]], self.sides[right[0]])
        if not side and made == (0, 0):
            return PLAIN
        rightward = side == _RIGHT if side else bool(made[0])
        (head, state), (other, _) = (left, right) if rightward else (right, left)
        # What was joined with something on its left has nothing more on its right.
        if self.sides[other] or (rightward and self.sides[head] == _LEFT):
            return NEVER
        named = self._heads[head] if self.sides[head] else head
        if named < 0 or (side and self._heads[label] != named):
            return NEVER
        if not self.sides[head]:
            state = self._start(head)
        found = self._step(state, self._kinds[other], rightward)
        if side or found == NEVER:
            return found
        parent = self._parents[label]
        return PLAIN if self._own[parent].accepts[self._listed[found][parent]] else NEVER

    def _start(self, head: int) -> int:
        kind, above = self._kinds[head], None if self._above is None else self._above.get(head, ())
        starts = [
            int(each.starts[kind]) if above is None or number in above else 0
            for number, each in enumerate(self._own)
        ]
        return self._number(tuple(starts))

    def _step(self, state: int, kind: int, rightward: bool) -> int:
        key = state, kind, int(rightward)
        if key not in self._steps:
            pairs = zip(self._own, self._listed[state], strict=True)
            after = [(own.right if rightward else own.left)[one, kind] for own, one in pairs]
            found = tuple(map(int, after))
            self._steps[key] = self._number(found) if any(found) else NEVER
        return self._steps[key]

    def _number(self, state: _State) -> int:
        if state not in self._states:
            self._states[state] = len(self._listed)
            self._listed.append(state)
        return self._states[state]


class _OfParent(NamedTuple):
    """The automaton of one parent.

    Attributes:
        starts: [kinds], the state of a head of each kind of label; state 0 is of no head.
        right: [states, kinds], the state with one more child on the right.
        left: [states, kinds], the same on the left.
        accepts: [states], whether it is the head.
    """

    starts: IndexArray
    right: IndexArray
    left: IndexArray
    accepts: BoolArray


def _of_parent(kinds: Sequence[tuple[_Sight, bool]]) -> _OfParent:
    states: dict[_Right | _Left | None, int] = {None: 0}
    listed: list[_Right | _Left | None] = [None]

    def number(state: _Right | _Left | None) -> int:
        if state not in states:
            states[state] = len(listed)
            listed.append(state)
        return states[state]

    # Most labels are in no search of this parent, and so of one kind for it.
    own = {each: place for place, each in enumerate(dict.fromkeys(kinds))}
    places = np.array([own[each] for each in kinds], np.int64)
    starts = [number(_started(sight)) for sight, _ in own]
    right, left = list[list[int]](), list[list[int]]()
    while len(right) < len(listed):
        state = listed[len(right)]
        right.append([number(_to_right(state, *each)) for each in own])
        left.append([number(_to_left(state, *each)) for each in own])
    accepts = np.array([_turned(each) is not None for each in listed])
    after = [np.array(each, np.int32).reshape(-1, len(own)) for each in (right, left)]
    found = _least(np.array(starts, np.int32), after[0], after[1], accepts)
    return _OfParent(
        found.starts[places], found.right[:, places], found.left[:, places], found.accepts
    )


def _least(
    starts: IndexArray, right: IndexArray, left: IndexArray, accepts: BoolArray
) -> _OfParent:
    """Return the automaton with one state for those that accept the same; 0 accepts nothing."""
    classes = accepts.astype(np.int64)
    while True:
        seen = np.column_stack([classes, classes[right], classes[left]])
        _, first, found = np.unique(seen, axis=0, return_index=True, return_inverse=True)
        found = found.reshape(-1)
        if len(first) == classes.max() + 1:
            break
        classes = found
    order = np.argsort(first)  # state 0 stays so
    numbers = np.empty(len(order), np.int32)
    numbers[order] = np.arange(len(order))
    mine = numbers[found]
    kept = first[order]
    return _OfParent(mine[starts], mine[right[kept]], mine[left[kept]], accepts[kept])
