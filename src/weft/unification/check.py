"""What is likely a mistake in a feature grammar, found without a sentence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from weft.errors import NotDefined
from weft.unification.carried import carried_features
from weft.unification.grammar import FeatureGrammar, FeatureRule, LeftOut, category_of
from weft.unification.outline import (
    Outline,
    Side,
    closure,
    derivable,
    outline,
    reachable,
    sides_of,
)
from weft.unification.structure import (
    TYPE,
    Atom,
    CycleError,
    FeatureStructure,
    Listed,
    Struct,
    Variable,
    part,
    values_of,
)
from weft.unification.unify import unify

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unmet:
    """A side that asks for features that no rule for its category has: by their paths."""

    side: Side
    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class GrammarFindings:
    """What was found.

    Attributes:
        undefined: Right sides whose category no rule is for.
        unfillable: Right sides whose category there is, but with which no left side unifies.
        unmet: Right sides that ask for features that no left side has.
        unreachable: Categories with rules, of which no sentence is made; the first rule of each.
        endless: Categories whose rules never come to words; the first rule of each.
        cycles: Right sides that may be what they are part of, over the same words.
        recursive: Right sides that may begin with what they are part of, after nothing but empty
            categories.
        carried: Features that no rule tests; not a mistake.
        left_out: What of the file is not obeyed.
    """

    undefined: tuple[Side, ...]
    unfillable: tuple[Side, ...]
    unmet: tuple[Unmet, ...]
    unreachable: Mapping[str, FeatureRule]
    endless: Mapping[str, FeatureRule]
    cycles: tuple[Side, ...]
    recursive: tuple[Side, ...]
    carried: tuple[str, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def problems(self) -> int:
        """How many mistakes there may be; cycles are none until features let them happen."""
        sides = len(self.undefined) + len(self.unfillable) + len(self.unmet)
        return sides + len(self.unreachable) + len(self.endless)


def check_features(grammar: FeatureGrammar) -> GrammarFindings:
    r"""Look for mistakes in a grammar.

    >>> import io
    >>> from weft.unification import read_fcfg
    >>> rules = b"S -> NP[+WH] VQ\nNP[-WH] -> 'Kim'\nVP -> 'sleeps'\nS -> NP[NR=sg]"
    >>> found = check_features(read_fcfg(io.BytesIO(rules)))
    >>> [str(side) for side in found.undefined], [str(side) for side in found.unfillable]
    (['<stream>:1: VQ[]'], ['<stream>:1: NP[+WH]'])
    >>> list(found.unreachable), [each.paths for each in found.unmet]
    (['VP'], [(('NR',),)])
    """
    outlined = outline(grammar)
    lefts: defaultdict[str, list[FeatureStructure]] = defaultdict(list)
    first: dict[str, FeatureRule] = {}
    for rule in grammar.rules:
        for name in outlined.lefts(rule):
            lefts[name].append(part(rule.structure, rule.sides[0]))
            if category_of(rule.structure, rule.sides[0]) is not None:
                first.setdefault(name, rule)
    sides = _once(outlined.sides())
    undefined = tuple(side for side in sides if outlined.rights(side).isdisjoint(lefts))
    unfillable = tuple(side for side in sides if _is_unfillable(grammar, outlined, side, lefts))
    asking = [side for side in sides if side not in {*undefined, *unfillable}]
    cycles, recursive = _recursions(outlined)
    reached, ending = reachable(outlined), derivable(outlined)
    missing = {name for side in undefined for name in outlined.rights(side)}
    endless = set(first) - ending if not missing else set()
    return GrammarFindings(
        undefined,
        unfillable,
        tuple(_unmet(grammar, outlined, asking)),
        {name: first[name] for name in sorted(set(first) - reached)},
        {name: first[name] for name in sorted(endless)},
        _once(cycles),
        _once(recursive),
        tuple(sorted(carried_features(grammar))),
        grammar.left_out,
    )


def _once(sides: Iterable[Side]) -> tuple[Side, ...]:
    """Sides without those of other alternatives of a rule that are the same."""
    return tuple({str(side) if side.rule.line else side: side for side in sides}.values())


def _is_unfillable(
    grammar: FeatureGrammar,
    outlined: Outline,
    side: Side,
    lefts: Mapping[str, list[FeatureStructure]],
) -> bool:
    wanted = part(side.rule.structure, side.rule.sides[side.number + 1])
    known = [left for name in outlined.rights(side) for left in lefts.get(name, [])]
    return bool(known) and not any(_unifies(grammar, wanted, left) for left in known)


def _unifies(grammar: FeatureGrammar, one: FeatureStructure, other: FeatureStructure) -> bool:
    first, second = _atoms(one), _atoms(other)
    if any(second.get(name, atom) != atom for name, atom in first.items()):
        return False
    try:
        return unify(one, other, grammar.defaults) is not None
    except CycleError:
        return False
    except NotDefined:
        return True


def _atoms(structure: FeatureStructure) -> dict[str, Atom]:
    root = structure.nodes[0]
    pairs = root.features if isinstance(root, Struct) else ()
    found = ((name, structure.nodes[value]) for name, value in pairs)
    return {name: node for name, node in found if isinstance(node, Atom)}


def _unmet(grammar: FeatureGrammar, outlined: Outline, sides: Iterable[Side]) -> Iterator[Unmet]:
    """Features that are asked for in vain, the shortest paths to them."""
    giving: defaultdict[str, list[FeatureRule]] = defaultdict(list)
    for rule in grammar.rules:
        for name in outlined.lefts(rule):
            giving[name].append(rule)

    @cache
    def is_given(name: str, path: Path) -> bool:
        return any(_gives(rule, path) for rule in giving[name])

    hidden = {TYPE, *grammar.defaults}
    for side in sides:
        kind = category_of(side.rule.structure, side.rule.sides[side.number + 1])
        paths = () if kind is None else tuple(_asked(side, hidden, kind, is_given))
        if paths:
            yield Unmet(side, paths)


def _asked(
    side: Side,
    hidden: set[str],
    name: str,
    is_given: Callable[[str, Path], bool],
) -> Iterator[Path]:
    """The paths of a side that nobody gives."""
    nodes = side.rule.structure.nodes
    waiting: list[tuple[int, Path]] = [(side.rule.sides[side.number + 1], ())]
    seen: set[int] = set()
    while waiting:
        place, path = waiting.pop()
        node = nodes[place]
        if place in seen or not isinstance(node, Struct):
            continue
        seen.add(place)
        for feature, value in node.features:
            if feature in hidden:
                continue
            if is_given(name, (*path, feature)):
                waiting.append((value, (*path, feature)))
            else:
                yield (*path, feature)


def _gives(rule: FeatureRule, path: Path) -> bool:
    """Whether the left side of a rule has a feature, or may have: what is there may be anything."""
    structure = rule.structure
    place = rule.sides[0]
    if _is_value(structure, place):
        return True
    for depth, name in enumerate(path):
        node = structure.nodes[place]
        # What is also elsewhere in the rule has what it has there, too.
        if isinstance(node, Variable) or (depth and _mentions(structure, place) > 1):
            return True
        below = dict(node.features) if isinstance(node, Struct) else {}
        if name not in below:
            return False
        place = below[name]
    return True


def _is_value(structure: FeatureStructure, place: int) -> bool:
    """Whether a side is the value of a feature."""
    return _mentions(structure, place, sides=False) > 0


def _mentions(structure: FeatureStructure, place: int, sides: bool = True) -> int:
    return sum(
        values_of(node).count(place)
        for number, node in enumerate(structure.nodes)
        if sides or not (number == 0 and isinstance(node, Listed))
    )


def _recursions(outlined: Outline) -> tuple[tuple[Side, ...], tuple[Side, ...]]:
    """Sides over the same words as what they are part of, and sides that begin it after nothing."""
    empty = derivable(outlined, empty=True)
    alone: dict[Side, bool] = {}
    for rule in outlined.rules:
        nullable = [
            word is None and not empty.isdisjoint(outlined.rights(Side(rule, number)))
            for number, word in enumerate(rule.words)
        ]
        for side in sides_of(rule):
            before, after = nullable[: side.number], nullable[side.number + 1 :]
            if all(before + after):
                alone[side] = True
            elif before and all(before):
                alone[side] = False
    same = {side for side, whole in alone.items() if whole}
    hidden = {side for side, whole in alone.items() if not whole}
    leading = {side for side in outlined.sides() if side.number == 0 and side.rule.words}
    cycles = _looping(outlined, same, same)
    recursive = _looping(outlined, hidden, hidden | same | leading)
    return cycles, recursive


def _looping(outlined: Outline, wanted: set[Side], steps: set[Side]) -> tuple[Side, ...]:
    """The wanted sides from which some steps lead back to what they are part of."""
    below: defaultdict[str, set[str]] = defaultdict(set)
    for side in steps:
        for left, right in outlined.pairs(side):
            below[left].add(right)

    @cache
    def reached(name: str) -> frozenset[str]:
        return frozenset(closure([name], below))

    return tuple(
        side
        for side in outlined.sides()
        if side in wanted and any(left in reached(right) for left, right in outlined.pairs(side))
    )
