"""What is likely a mistake in a feature grammar, found without a sentence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from weft.unification.carried import carried_features
from weft.unification.grammar import FeatureGrammar, FeatureRule, LeftOut, category_of
from weft.unification.structure import Atom, CycleError, FeatureStructure, Struct, part
from weft.unification.unify import unify


@dataclass(frozen=True, slots=True)
class Side:
    """A category on the right side of a rule, from 0."""

    rule: FeatureRule
    number: int

    def __str__(self) -> str:
        place = f"{self.rule.path}:{self.rule.line}: " if self.rule.line else ""
        return f"{place}{part(self.rule.structure, self.rule.sides[self.number + 1])}"


@dataclass(frozen=True, slots=True)
class GrammarFindings:
    """What was found.

    Attributes:
        undefined: Right sides whose category no rule is for.
        unfillable: Right sides whose category there is, but with which no left side unifies.
        unreachable: Categories with rules, of which no sentence is made.
        cycles: Categories that may be part of themselves over the same words.
        carried: Features that no rule tests; not a mistake.
        left_out: What of the file is not obeyed.
    """

    undefined: tuple[Side, ...]
    unfillable: tuple[Side, ...]
    unreachable: tuple[str, ...]
    cycles: tuple[str, ...]
    carried: tuple[str, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def problems(self) -> int:
        """How many mistakes there may be; cycles are none until features let them happen."""
        return len(self.undefined) + len(self.unfillable) + len(self.unreachable)


def check_features(grammar: FeatureGrammar) -> GrammarFindings:
    r"""Look for mistakes in a grammar.

    >>> import io
    >>> from weft.unification import read_fcfg
    >>> rules = b"S -> NP[+WH] VQ\nNP[-WH] -> 'Kim'\nVP -> 'sleeps'"
    >>> found = check_features(read_fcfg(io.BytesIO(rules)))
    >>> [str(side) for side in found.undefined], [str(side) for side in found.unfillable]
    (['<stream>:1: VQ[]'], ['<stream>:1: NP[+WH]'])
    >>> found.unreachable
    ('VP',)
    """
    lefts: defaultdict[str, list[FeatureStructure]] = defaultdict(list)
    below: defaultdict[str, set[str]] = defaultdict(set)
    for rule in grammar.rules:
        kind = _kind(rule, 0)
        lefts[kind].append(part(rule.structure, rule.sides[0]))
        below[kind].update(_kind(rule, number + 1) for number in _categories(rule))
    sides = [Side(rule, number) for rule in grammar.rules for number in _categories(rule)]
    reached = _closure([category_of(grammar.start, 0) or ""], below)
    loops = _same_words(grammar, _nullable(grammar))
    return GrammarFindings(
        tuple(side for side in sides if _kind(side.rule, side.number + 1) not in lefts),
        tuple(side for side in sides if _is_unfillable(grammar, side, lefts)),
        tuple(sorted(set(lefts) - reached)),
        tuple(sorted(kind for kind in loops if kind in _closure(loops[kind], loops))),
        tuple(sorted(carried_features(grammar))),
        grammar.left_out,
    )


def _kind(rule: FeatureRule, number: int) -> str:
    return category_of(rule.structure, rule.sides[number]) or ""


def _categories(rule: FeatureRule) -> Iterator[int]:
    return (number for number, word in enumerate(rule.words) if word is None)


def _closure(start: Iterable[str], below: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        kind = waiting.pop()
        if kind not in reached:
            reached.add(kind)
            waiting.extend(below.get(kind, ()))
    return reached


def _is_unfillable(
    grammar: FeatureGrammar, side: Side, lefts: Mapping[str, list[FeatureStructure]]
) -> bool:
    wanted = part(side.rule.structure, side.rule.sides[side.number + 1])
    known = lefts.get(_kind(side.rule, side.number + 1), [])
    return bool(known) and not any(_unifies(grammar, wanted, left) for left in known)


def _unifies(grammar: FeatureGrammar, one: FeatureStructure, other: FeatureStructure) -> bool:
    first, second = _atoms(one), _atoms(other)
    if any(second.get(name, atom) != atom for name, atom in first.items()):
        return False
    try:
        return unify(one, other, grammar.defaults) is not None
    except CycleError:
        return False


def _atoms(structure: FeatureStructure) -> dict[str, Atom]:
    root = structure.nodes[0]
    pairs = root.features if isinstance(root, Struct) else ()
    found = ((name, structure.nodes[value]) for name, value in pairs)
    return {name: node for name, node in found if isinstance(node, Atom)}


def _nullable(grammar: FeatureGrammar) -> set[str]:
    """Categories that may stand for no words, as far as their names say."""
    found: set[str] = set()
    while True:
        more = {
            _kind(rule, 0)
            for rule in grammar.rules
            if not any(rule.words)
            and all(_kind(rule, number + 1) in found for number in _categories(rule))
        }
        if more <= found:
            return found
        found |= more


def _same_words(grammar: FeatureGrammar, nullable: set[str]) -> dict[str, set[str]]:
    """Categories that may be the only part of a category that stands for words."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for rule in grammar.rules:
        if any(rule.words):
            continue
        kinds = [_kind(rule, number + 1) for number in _categories(rule)]
        for place, kind in enumerate(kinds):
            if all(other in nullable for other in kinds[:place] + kinds[place + 1 :]):
                found[_kind(rule, 0)].add(kind)
    return found
