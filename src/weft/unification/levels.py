"""Everything that a feature grammar can make up to a depth, packed, for sentences that it allows.

Words are left out of the rules, and all constituents are found that the rules then make, those of
depth 1 first. Equal ones are one, so that this is a packed forest in which every choice can be
completed: nothing is unified, and nothing fails, when trees are taken from it.

Where no rule on the way from the start category asks for it, nothing is made: a rule that lies at
least k steps below the start (as far as its atomic features say) makes no tree that is deeper than
the depth of the whole less k.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import IndexArray
from weft.errors import NotDefined
from weft.interrupts import interruptible
from weft.kernels import kernels
from weft.unification.compile import CompiledGrammar, compile_grammar
from weft.unification.grammar import FeatureGrammar, FeatureRule
from weft.unification.structure import Atom, FeatureStructure, Listed, Struct, canonical

_UNDECIDED = 5
_NEVER = 1 << 20

Signature = frozenset[tuple[str, Atom]]
"""The atomic features of a category."""

Way = tuple[int, int, int]
"""A rule, and the beginning and the constituent that it is applied to; -1 where there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Wordless:
    """A grammar without its words.

    Attributes:
        compiled: The grammar, whose rules have the numbers of those with words.
        steps: How many steps each rule lies below the start category, at least. [rules]
        entries: The rules without categories on their right sides, those that are alike together.
    """

    compiled: CompiledGrammar
    steps: IndexArray
    entries: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """Constituents and beginnings of constituents, packed.

    Attributes:
        count: How many of them are constituents; these come first.
        levels: The least depth of the trees of each; of a beginning, of its deepest part.
        roots: The constituents that are sentences.
        offsets: Where the ways to each begin.
        ways: Rules, and what they are applied to, in the order of rules. [ways, 3]
        depths: The least depth of what each way is made of. [ways]
        complete: Whether everything was found.
    """

    count: int
    levels: IndexArray
    roots: tuple[int, ...]
    offsets: Any
    ways: IndexArray
    depths: IndexArray
    complete: bool

    def ways_to(self, number: int, depth: int) -> list[Way]:
        """Return the ways to a constituent or beginning over parts that are at most so deep."""
        first, last = self.offsets[number], self.offsets[number + 1]
        kept = self.ways[first:last][self.depths[first:last] <= depth]
        return list(map(tuple, kept.tolist()))

    def least_depth(self, way: Way) -> int:
        """Return the least depth of what a way is made of."""
        _, before, child = way
        deepest = 0 if child < 0 else int(self.levels[child])
        return deepest if before < 0 else max(deepest, int(self.levels[self.count + before]))


def leave_words_out(grammar: FeatureGrammar) -> Wordless:
    """Prepare a grammar for :func:`find_level`."""
    rules = tuple(map(_wordless, grammar.rules))
    alike: defaultdict[FeatureStructure, list[int]] = defaultdict(list)
    for number, rule in enumerate(rules):
        if len(rule.sides) == 1:
            alike[rule.structure].append(number)
    compiled = compile_grammar(FeatureGrammar(grammar.start, rules, grammar.defaults))
    steps = _steps_below(grammar.start, rules)
    return Wordless(compiled, steps, tuple(map(tuple, alike.values())))


def _wordless(rule: FeatureRule) -> FeatureRule:
    left, *right = rule.sides
    kept = (side for side, word in zip(right, rule.words, strict=True) if word is None)
    return FeatureRule(canonical((Listed((left, *kept)), *rule.structure.nodes[1:])))


def _steps_below(start: FeatureStructure, rules: Sequence[FeatureRule]) -> IndexArray:
    lefts: defaultdict[Signature, list[int]] = defaultdict(list)
    for number, rule in enumerate(rules):
        lefts[_signature(rule.structure, rule.sides[0])].append(number)
    steps = np.full(len(rules), _NEVER, np.int32)
    asked, waiting, step = set[Signature](), {_signature(start, 0)}, 0
    while waiting:
        asked |= waiting
        reached = [left for left in lefts if any(_may_meet(left, side) for side in waiting)]
        numbers = [number for left in reached for number in lefts.pop(left)]
        steps[numbers] = step
        sides = {
            _signature(rules[n].structure, side) for n in numbers for side in rules[n].sides[1:]
        }
        waiting, step = sides - asked, step + 1
    return steps


def _signature(structure: FeatureStructure, place: int) -> Signature:
    node = structure.nodes[place]
    features = node.features if isinstance(node, Struct) else ()
    atoms = ((name, structure.nodes[value]) for name, value in features)
    return frozenset((name, atom) for name, atom in atoms if isinstance(atom, Atom))


def _may_meet(left: Signature, side: Signature) -> bool:
    """Whether no feature has two values."""
    both = left | side
    return len({name for name, _ in both}) == len(both)


def find_level(
    wordless: Wordless,
    depth: int,
    most_attempts: int,
    entries: Iterable[int] | None = None,
    megabytes: float = 1000.0,
) -> Level:
    """Find all that can be part of a sentence whose tree is at most so deep.

    Args:
        wordless: The grammar.
        depth: How many categories may lie above a word.
        most_attempts: How many unifications may be tried.
        entries: The rules without categories that are taken; all of them by default.
        megabytes: How much memory structures may take.

    Raises:
        NotDefined: If terms are compared that would have to be computed first.
    """
    highest = np.append(np.maximum(depth - wordless.steps, 0), 0).astype(np.int32)
    if entries is not None:
        every = np.array([n for group in wordless.entries for n in group], np.int64)
        dropped = np.setdiff1d(every, np.fromiter(entries, np.int64))
        highest[dropped] = 0
    find: Any = kernels.unify_levels
    most_words = int(megabytes * 250_000)
    facts, levels, roots, flat = interruptible(
        find, *wordless.compiled.arrays, highest, most_attempts, most_attempts, most_words
    )
    if facts[0] == _UNDECIDED:
        raise NotDefined(
            "a rule compares a term that is computed from others, such as <?f(?x)> or (?a+?b), "
            "with another value; compare an atomic feature instead"
        )
    return _level(levels, roots, flat.reshape(-1, 4), complete=not facts[0])


def _level(levels: IndexArray, roots: IndexArray, ways: IndexArray, complete: bool) -> Level:
    ways = ways[np.lexsort(ways.T[::-1])]
    made, _, before, child = ways.T
    padded = np.append(levels, 0).astype(np.int32)  # the last one is for -1
    deepest = np.maximum(padded[np.where(before < 0, -1, before + len(roots))], padded[child])
    offsets = np.searchsorted(made, np.arange(len(levels) + 1))
    found = tuple(np.flatnonzero(roots).tolist())
    return Level(len(roots), levels, found, offsets, ways[:, 1:], deepest, complete)
