"""The words that sentences of a lexical-functional grammar are drawn from.

A word is a chain of terminals: one, where it is looked up as it is, or those that the morphology
makes of it. After some terminals of a word only those that go on with one of its chains may come.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from weft.errors import OptionError
from weft.lfg.language import Entry, Lfg
from weft.lfg.networks import Table
from weft.lfg.tokens import TokenArc, analyse

Terminal = tuple[str, bool]
"""What entries are looked up with, and whether that is a word as it is written (morphcode *)."""

Places = frozenset[int]
"""Where one is in a trie of chains; several places, where it is not known how words are split."""

START: Places = frozenset({0})


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """Words as chains of terminals.

    Attributes:
        entries: The entries of each category.
        steps: A trie of chains: of each place the terminals that lead on, 0 being the first place.
        words: The places where a chain ends, with a word that has this chain.
    """

    entries: Mapping[str, tuple[Entry, ...]]
    steps: tuple[Mapping[Terminal, int], ...]
    words: Mapping[int, str]

    def follow(self, places: Places, terminal: Terminal) -> Places:
        """Return where a terminal leads to; nowhere, if it may not stand there."""
        found = {self.steps[place].get(terminal, -1) for place in places} - {-1}
        inside = {place for place in found if self.steps[place]}
        return frozenset(inside | {0}) if found & self.words.keys() else frozenset(inside)

    def spell(self, terminals: list[Terminal]) -> list[str] | None:
        """Return words that have these terminals; None if there are none."""
        waiting: list[tuple[int, int, list[str]]] = [(0, 0, [])]
        while waiting:
            number, place, done = waiting.pop()
            if number == len(terminals):
                if place == 0:
                    return done
                continue
            target = self.steps[place].get(terminals[number], -1)
            if target >= 0:
                waiting.append((number + 1, target, done))
                if target in self.words:
                    waiting.append((number + 1, 0, [*done, self.words[target]]))
        return None


def build_vocabulary(grammar: Lfg, words: Iterable[str] | None = None) -> Vocabulary:
    """Return the vocabulary of a grammar.

    Args:
        grammar: The grammar.
        words: The words; headwords of several words with spaces between them. None for all that
            the lexicon has, and tables of the morphology. Words without entries have those of
            unknown words.

    Raises:
        OptionError: If no words are given and the morphology is a network, which does not list
            any, or if none of them has an entry.
    """
    entries: defaultdict[str, dict[Entry, None]] = defaultdict(dict)
    steps: list[dict[Terminal, int]] = [{}]
    ends: dict[int, str] = {}
    given = _list_words(grammar) if words is None else words
    for word in dict.fromkeys(given):
        for chain in _chains(grammar, word):
            place = 0
            for entry in chain:
                entries[entry.category][entry] = None
                terminal = (entry.word, entry.surface)
                if terminal not in steps[place]:
                    steps[place][terminal] = len(steps)
                    steps.append({})
                place = steps[place][terminal]
            whole = len(chain) == 1 and chain[0].surface  # written small, where it may be
            ends.setdefault(place, chain[0].word if whole else word)
    if not ends:
        raise OptionError("no word has an entry in the grammar's lexicon, so that none is drawn")
    return Vocabulary({name: tuple(found) for name, found in entries.items()}, tuple(steps), ends)


def _list_words(grammar: Lfg) -> Iterator[str]:
    for word, entries in grammar.entries.items():
        if any(entry.surface for entry in entries):
            yield word
    for analyser in grammar.morphology.analysers:
        if not isinstance(analyser, Table):
            raise OptionError(
                "the grammar's morphology is a network, which lists no words: say which words may "
                "be drawn, by a file of sentences that have them (weft unify propose --words)"
            )
        yield from analyser.analyses


def _chains(grammar: Lfg, word: str) -> Iterator[tuple[Entry, ...]]:
    """Entries that make up a word, each way of one terminal or of several."""
    if " " in word:
        yield from ((e,) for e in grammar.entries.get(word, ()) if e.surface)
        return
    lattice = analyse(grammar, [word])
    after: defaultdict[int, list[TokenArc]] = defaultdict(list)
    for arc in lattice.arcs:
        after[arc.start].append(arc)
    waiting: list[tuple[int, tuple[Entry, ...]]] = [(0, ())]
    while waiting:
        state, chain = waiting.pop()
        if state == lattice.last and chain:
            yield chain
            continue
        for arc in after[state]:
            waiting += [(arc.end, (*chain, entry)) for entry in arc.entries]
