"""What a grammar's lexicon says of a sentence: a lattice of words and morphemes with entries.

A word is looked up as it is, with entries of the morphcode ``*``; what the morphology makes of it,
stem and tags, with those of ``XLE``. Headwords of several words go over all of them; so does one
with punctuation, such as ``Mr.``, over its parts. Those of ``-unknown`` are taken for words without
an entry that fits, and for stems without any entry; those of ``-token`` for every word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.lfg.language import Entry, Lfg
from weft.lfg.lexicon import TOKEN, UNKNOWN, not_read
from weft.lfg.splitting import Word, as_words, split_by, split_text
from weft.lfg.stems import with_stem


@dataclass(frozen=True, slots=True)
class TokenArc:
    """A word, several words or a morpheme, with its entries; without any, it is not known."""

    start: int
    end: int
    text: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class TokenLattice:
    """Words and morphemes between states.

    Attributes:
        arcs: Every arc leads to a state with a greater number; 0 is the first state.
        last: The last state.
        words: The words of the text, as it was split; of a network that splits text in several
            ways, those of all ways.
        unknown: The words that nothing is said of, but by -token; the whole text, if the grammar's
            network does not split it.
        bounds: The states that each of `words` begins and ends at.
    """

    arcs: tuple[TokenArc, ...]
    last: int
    words: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    bounds: tuple[tuple[int, int], ...] = ()

    @property
    def spans(self) -> tuple[tuple[str, int, int], ...]:
        """The words, each with the states that it begins and ends at."""
        bounds = zip(self.words, self.bounds, strict=True)
        return tuple((word, start, end) for word, (start, end) in bounds)


def analyse(grammar: Lfg, text: str | Sequence[str]) -> TokenLattice:
    """Look up a sentence.

    Args:
        grammar: The grammar.
        text: The sentence, or its words where they are split already.

    Raises:
        LimitError: If the grammar's networks find no end.

    >>> import io
    >>> from weft.lfg import read_lfg
    >>> text = '''D E CONFIG (1.0) ROOTCAT S. LEXENTRIES (D E).
    ... ----
    ... D E LEXICON (1.0)
    ... new` york N *.  the D *.  `. STOP *.
    ... ----'''
    >>> found = analyse(read_lfg(io.BytesIO(text.encode())), "The new york.")
    >>> [(arc.start, arc.end, arc.text) for arc in found.arcs]
    [(0, 1, 'the'), (1, 3, 'new york'), (3, 4, '.')]
    """
    splitter = grammar.morphology.splitter
    if not isinstance(text, str):
        words, last = as_words(text)
    elif splitter is None:
        words, last = split_text(text)
    else:
        words, last = split_by(splitter, text)
        if not words and text.strip():
            return TokenLattice((), 0, (), (text.strip(),))
    found = [_looked_up(grammar, word) for word in words]
    several = list(_several(grammar, words))
    covered = {place for arc in several for place in range(arc.start, arc.end)}
    unknown = [
        each.word.text for each in found if not each.known and each.word.start not in covered
    ]
    arcs, places = _numbered(found, several, last)
    texts = tuple(word.text for word in words)
    bounds = tuple((places[word.start], places[word.end]) for word in words)
    return TokenLattice(arcs, places[last], texts, tuple(unknown), bounds)


def list_left_out(grammar: Lfg, word: str) -> list[str]:
    """List the entries for an unknown word or its morphemes that cannot be read, with places."""
    forms = {word, word[:1].lower() + word[1:]}
    forms |= {
        part for each in forms for parts in grammar.morphology.analyses(each) for part in parts
    }
    begun = tuple(f"{not_read(form)}:" for form in forms)
    warnings = (each for each in grammar.warnings if each[0].startswith(begun))
    return [f"{place.path}:{place.line}: {text}" for text, place in warnings]


@dataclass(frozen=True, slots=True)
class _Found:
    """A word with its entries, by how it is written, and with its analyses."""

    word: Word
    entries: dict[str, tuple[Entry, ...]]
    chains: dict[tuple[str, ...], tuple[tuple[Entry, ...], ...]]
    known: bool


def _looked_up(grammar: Lfg, word: Word) -> _Found:
    writings = (word.text, *word.variants)
    entries = {each: _entries(grammar, each, surface=True) for each in writings}
    chains: dict[tuple[str, ...], tuple[tuple[Entry, ...], ...]] = {}
    for each in writings:
        for chain in grammar.morphology.analyses(each):
            morphemes = tuple(_morpheme(grammar, morpheme) for morpheme in chain)
            if all(morphemes):
                chains[chain] = morphemes
    if not chains and not any(entries.values()):
        entries[word.text] = _special(grammar, UNKNOWN, word.text, surface=True)
    known = bool(chains) or any(entries.values())
    entries[word.text] += _special(grammar, TOKEN, word.text, surface=True)
    return _Found(word, {each: some for each, some in entries.items() if some}, chains, known)


def _entries(grammar: Lfg, text: str, surface: bool) -> tuple[Entry, ...]:
    return tuple(entry for entry in grammar.entries.get(text, ()) if entry.surface == surface)


def _morpheme(grammar: Lfg, text: str) -> tuple[Entry, ...]:
    found = _entries(grammar, text, surface=False)
    is_tag = len(text) > 1 and text[0] == "+"
    if is_tag or text in grammar.entries:  # an entry with ETC has those of -unknown already
        return found
    return _special(grammar, UNKNOWN, text, surface=False)


def _special(grammar: Lfg, kind: str, text: str, surface: bool) -> tuple[Entry, ...]:
    found = (entry for entry in grammar.unknown if entry.word == kind)
    return tuple(with_stem(entry, text) for entry in found if entry.surface == surface)


def _several(grammar: Lfg, words: Sequence[Word]) -> Iterator[TokenArc]:
    """Headwords that go over several words."""
    longest = max(map(len, grammar.entries), default=0)
    after: defaultdict[int, list[Word]] = defaultdict(list)
    for word in words:
        after[word.start].append(word)
    waiting = [(word.start, word.end, each) for word in words for each in _writings(word)]
    seen: set[tuple[int, int, str]] = set()
    while waiting:
        start, end, text = waiting.pop()
        for word in after[end]:
            between = "" if word.glued else " "
            item = (start, word.end, f"{text}{between}{word.text}")
            if len(item[2]) <= longest and item not in seen:
                seen.add(item)
                waiting.append(item)
                entries = _entries(grammar, item[2], surface=True)
                if entries:
                    yield TokenArc(*item, entries)


def _writings(word: Word) -> tuple[str, ...]:
    return (word.text, *word.variants)


def _numbered(
    found: Sequence[_Found], several: Sequence[TokenArc], last: int
) -> tuple[tuple[TokenArc, ...], dict[int, int]]:
    """Put states between morphemes, right before the word's end; return the words' states, too."""
    inner: defaultdict[int, dict[tuple[int, tuple[str, ...]], int]] = defaultdict(dict)
    for each in found:
        states = inner[each.word.end]
        for chain in each.chains:
            for length in range(1, len(chain)):
                states.setdefault((each.word.start, chain[:length]), len(states))
    places: dict[int, int] = {}
    count = 0
    for state in range(last + 1):
        count += len(inner[state])
        places[state] = count
        count += 1
    arcs: dict[tuple[int, int, str], TokenArc] = {}
    for each in found:
        start, end = places[each.word.start], places[each.word.end]
        states = inner[each.word.end]
        before = end - len(states)
        for text, entries in each.entries.items():
            arcs[start, end, text] = TokenArc(start, end, text, entries)
        for chain, parts in each.chains.items():
            nodes = [
                start,
                *(before + states[each.word.start, chain[:n]] for n in range(1, len(chain))),
                end,
            ]
            for number, entries in enumerate(parts):
                key = (nodes[number], nodes[number + 1], chain[number])
                known = arcs.get(key)
                both = entries if known is None else _both(known.entries, entries)
                arcs[key] = TokenArc(*key, both)
    for arc in several:
        key = (places[arc.start], places[arc.end], arc.text)
        arcs[key] = TokenArc(*key, arc.entries)
    ordered = sorted(arcs.values(), key=lambda arc: (arc.start, arc.end, arc.text))
    return tuple(ordered), places


def _both(one: tuple[Entry, ...], other: tuple[Entry, ...]) -> tuple[Entry, ...]:
    return (*one, *(entry for entry in other if entry not in one))
