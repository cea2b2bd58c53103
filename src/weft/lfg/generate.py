"""Sentences that a lexical-functional grammar allows.

Strings of words are made by the c-structure rules, and those that have an analysis are kept; or
analyses are drawn (:mod:`weft.lfg.propose`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

import numpy as np

from weft.lfg.covering import build_covering
from weft.lfg.language import Category
from weft.lfg.parser import Analyses, LfgParser
from weft.lfg.propose import LfgDraw, LfgDrawer
from weft.lfg.right_sides import Machine, build_machine
from weft.lfg.vocabulary import build_vocabulary
from weft.unification.generate import check_depth


def generate_lfg(parser: LfgParser, depth: int, tries: int = 10_000) -> Iterator[Analyses]:
    """Yield the analyses of sentences, each sentence once, in the order of the rules.

    Args:
        parser: The grammar. Only words of its lexicon are used, and no morphology.
        depth: How many categories may lie above a word.
        tries: How many strings are tried.

    Raises:
        OptionError: If the depth is not positive, or too large.
    """
    check_depth(depth)
    seen: set[tuple[str, ...]] = set()
    for words in islice(_Strings(parser).of(parser.grammar.root, depth), tries):
        if words and words not in seen:
            seen.add(words)
            found = parser.parse(words)
            if found:
                yield found


class _Strings:
    def __init__(self, parser: LfgParser) -> None:
        self.machines = {n: build_machine(side) for n, side in parser.grammar.rules.items()}
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
        for word in words:
            yield (word,)
        if category in self.machines:
            machine = self.machines[category]
            # Repetitions are made, but not for ever.
            yield from self._walk(machine, 0, depth, len(machine.arcs) + 1)

    def _walk(
        self, machine: Machine, state: int, depth: int, left: int
    ) -> Iterator[tuple[str, ...]]:
        if state in machine.final:
            yield ()
        if left:
            for step, target in machine.arcs[state]:
                first = self.of(step.name, depth - 1) if isinstance(step, Category) else [()]
                for words in first:
                    for more in self._walk(machine, target, depth, left - 1):
                        yield (*words, *more)


def generate_random_lfg(
    parser: LfgParser, depth: int, rng: np.random.Generator, tries: int = 10_000
) -> Iterator[LfgDraw]:
    """Yield analyses that are drawn one by one, all steps of the covering grammar being as likely.

    Args:
        parser: The grammar, with all words of its lexicon.
        depth: How many categories may lie above a word.
        rng: Draws.
        tries: How many trials there are.

    Raises:
        OptionError: If no tree is as low as the depth.
    """
    vocabulary = build_vocabulary(parser.grammar)
    drawer = LfgDrawer(build_covering(parser.grammar, vocabulary), rng, depth)
    found = (drawer.draw() for _ in range(tries))
    return (each for each in found if each is not None)
