"""Sentences that a lexical-functional grammar allows.

Strings of words are made by the c-structure rules, and those that have an analysis are kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

import numpy as np

from weft.lfg.language import Category
from weft.lfg.parser import Analyses, LfgParser
from weft.lfg.right_sides import Machine, build_machine


def generate_lfg(
    parser: LfgParser, depth: int, rng: np.random.Generator | None = None, tries: int = 10_000
) -> Iterator[Analyses]:
    """Yield the analyses of sentences, each sentence once.

    Args:
        parser: The grammar. Only words of its lexicon are used, and no morphology.
        depth: How many categories may lie above a word.
        rng: Draws the order of rules and words; None for the grammar's own.
        tries: How many strings are tried.
    """
    seen: set[tuple[str, ...]] = set()
    strings = _Strings(parser, rng)
    if rng is None:
        made = strings.of(parser.grammar.root, depth)
    else:
        made = (
            words
            for _ in range(tries)
            for words in islice(strings.of(parser.grammar.root, depth), 1)
        )
    for words in islice(made, tries):
        if words and words not in seen:
            seen.add(words)
            found = parser.parse(words)
            if found:
                yield found


class _Strings:
    def __init__(self, parser: LfgParser, rng: np.random.Generator | None) -> None:
        self.machines = {n: build_machine(side) for n, side in parser.grammar.rules.items()}
        self.rng = rng
        self.words: dict[str, list[str]] = defaultdict(list)
        for word, entries in parser.grammar.entries.items():
            for entry in entries:
                if entry.surface and word not in self.words[entry.category]:
                    self.words[entry.category].append(word)

    def of(self, category: str, depth: int) -> Iterator[tuple[str, ...]]:
        """Yield the strings of a category."""
        if depth < 1:
            return
        words = self.words.get(category, [])
        for number in self._order(len(words)):
            yield (words[number],)
        if category in self.machines:
            machine = self.machines[category]
            # Repetitions are made, but not for ever.
            yield from self._walk(machine, 0, depth, len(machine.arcs) + 1)

    def _walk(
        self, machine: Machine, state: int, depth: int, left: int
    ) -> Iterator[tuple[str, ...]]:
        ends = state in machine.final
        early = ends and (self.rng is None or self.rng.random() < 0.5)
        if early:
            yield ()
        if left:
            for number in self._order(len(machine.arcs[state])):
                step, target = machine.arcs[state][number]
                first = self.of(step.name, depth - 1) if isinstance(step, Category) else [()]
                for words in first:
                    for more in self._walk(machine, target, depth, left - 1):
                        yield (*words, *more)
        if ends and not early:
            yield ()

    def _order(self, count: int) -> list[int]:
        return list(range(count)) if self.rng is None else self.rng.permutation(count).tolist()
