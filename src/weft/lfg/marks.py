"""Which analysis of a sentence is meant: brackets and facts that single it out.

Numbers of analyses change whenever a grammar does, so a mark says what the analysis is like. In a
file, a mark is a block of lines, with a blank line after it::

    Insert the cable into the port on the left.
    [S [VP[base] Insert the cable [PP into [NP the port [PP on the left]]]] .]
    OBL(insert, into)

The first line is the sentence, the second has brackets, which may be as few as wanted, and each
further line is a fact of the f-structure. Lines that begin with # are comments.

An analysis fits a mark if its c-structure has a node with the label and the words of each bracket,
with all morphemes of these, and if each fact is true of it: `FUNCTION(word, other)`, both given by
their PREDs, or `FEATURE(word) = value`, each true of some f-structure of the analysis. `~` before a
fact denies it. Elements of a set count one by one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, product
from operator import itemgetter

from weft.errors import FormatError, quote
from weft.files import Source, name_of, read_lines
from weft.lfg.analysis import Analysis, CNode, FValue
from weft.lfg.forest import LfgForest, keep_edges
from weft.structures.derivation import Derivation, derivation_of, preorder

_FACT = re.compile(r"(~?)\s*([^\s(]+)\s*\(\s*([^\s,()]+)\s*(?:,\s*([^\s,()]+)\s*\)|\)\s*=\s*(\S+))")


@dataclass(frozen=True, slots=True)
class Bracket:
    """A label over the words from `start` to before `end`."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fact:
    """What is said of some f-structure, as `list_facts` writes it, or denied."""

    text: str
    holds: bool = True


@dataclass(frozen=True, slots=True)
class Mark:
    """A sentence with what its meant analysis is like.

    Attributes:
        text: The sentence.
        words: Its words, as they stand between the brackets.
        brackets: The brackets, outer ones before what is in them.
        facts: The facts.
        source: The file and the line of the sentence.
    """

    text: str
    words: tuple[str, ...]
    brackets: tuple[Bracket, ...]
    facts: tuple[Fact, ...] = ()
    source: str = ""


def read_marks(source: Source) -> Iterator[Mark]:
    r"""Read marked sentences one by one.

    Raises:
        FormatError: With the line, if brackets, words or facts are wrong.

    >>> import io
    >>> mark, = read_marks(io.BytesIO(b"Kim sleeps.\n[S Kim sleeps] .\nSUBJ(sleep,Kim)\n"))
    >>> mark.words, mark.brackets, mark.facts[0].text
    (('Kim', 'sleeps', '.'), (Bracket(label='S', start=0, end=2),), 'SUBJ(sleep, Kim)')
    """
    path = name_of(source)
    lines = ((number, line.strip()) for number, line in read_lines(source))
    for filled, block in groupby(lines, lambda each: bool(each[1])):
        said = [(number, line) for number, line in block if not line.startswith("#")]
        if filled and said:
            yield _read_mark(said, path)


def _read_mark(lines: list[tuple[int, str]], path: str) -> Mark:
    line, text = lines[0]
    if len(lines) == 1:
        message = "a sentence without brackets; the next line should have them, as in [S … ]"
        raise FormatError(message, path=path, line=line, text=text)
    number, brackets_text = lines[1]
    words, brackets = _read_brackets(brackets_text, path, number)
    if "".join(words) != "".join(text.split()):
        message = f"the words between the brackets are not those of the sentence, {quote(text)}"
        raise FormatError(message, path=path, line=number, text=brackets_text)
    facts = tuple(_read_fact(each, path, at) for at, each in lines[2:])
    return Mark(text, words, brackets, facts, f"{path}:{line}")


def _read_brackets(text: str, path: str, line: int) -> tuple[tuple[str, ...], tuple[Bracket, ...]]:
    words: list[str] = []
    open_: list[int] = []
    found: list[Bracket] = []
    for piece in text.split():
        if piece.startswith("["):
            open_.append(len(found))
            found.append(Bracket(piece[1:], len(words), -1))
            continue
        for word in re.findall(r"\]|[^\]]+", piece):
            if word != "]":
                words.append(word)
                continue
            if not open_:
                message = "a bracket is closed that was not opened"
                raise FormatError(message, path=path, line=line, text=text)
            at = open_.pop()
            found[at] = Bracket(found[at].label, found[at].start, len(words))
    if open_:
        message = f"the bracket [{found[open_[-1]].label} is not closed"
        raise FormatError(message, path=path, line=line, text=text)
    return tuple(words), tuple(found)


def _read_fact(text: str, path: str, line: int) -> Fact:
    found = _FACT.fullmatch(text)
    if found is None:
        message = "expected a fact such as OBL(insert, into) or TENSE(insert) = past"
        raise FormatError(message, path=path, line=line, text=text)
    denied, function, word, other, value = found.groups()
    fact = _relation(function, word, other) if other else _value(function, word, value)
    return Fact(fact, not denied)


def write_mark(mark: Mark) -> str:
    """Return a mark as the lines of a file.

    >>> print(write_mark(Mark("Go.", ("Go", "."), (Bracket("S", 0, 1),), (Fact("SUBJ(go, pro)"),))))
    Go.
    [S Go] .
    SUBJ(go, pro)
    """
    pieces: list[str] = []
    for at, word in enumerate(mark.words):
        pieces += [f"[{each.label}" for each in mark.brackets if each.start == at]
        pieces.append(word + "]" * sum(each.end == at + 1 for each in mark.brackets))
    facts = [("" if each.holds else "~") + each.text for each in mark.facts]
    return "\n".join([mark.text, " ".join(pieces), *facts])


def find_marked(mark: Mark, analyses: Iterable[Analysis]) -> tuple[int, ...]:
    """Return the numbers of the analyses that fit a mark: one, if the mark is good."""
    return tuple(number for number, each in enumerate(analyses) if fits(mark, each))


def find_derivations(mark: Mark, forest: LfgForest) -> list[Derivation]:
    """Return the optimal derivations of a forest that fit a mark.

    Analyses without a node over the words of each bracket are not listed.
    """
    spans = forest.spans
    wanted = _spans(mark, forest.lattice.spans)

    def is_kept(head: int, tails: tuple[int, ...]) -> bool:
        here = spans[head][:2]
        within = [spans[tail] for tail in tails]
        return all(
            any(
                here == (start, end)
                or any(first <= start and end <= last for first, last, _ in within)
                or end <= here[0]
                or here[1] <= start
                or (start <= here[0] and here[1] <= end)
                for start, end in possible
            )
            for possible in wanted
        )

    few, kept = keep_edges(forest, is_kept)
    possible = map(few.derivation, range(few.optimal))
    return [
        derivation_of(forest.hypergraph, [kept[edge] for edge in preorder(each)])
        for each in possible
        if fits(mark, few.show(each))
    ]


def fits(mark: Mark, analysis: Analysis) -> bool:
    """Whether an analysis is one that a mark means."""
    nodes = {(node.label, node.start, node.end) for node in list_nodes(analysis.tree)}
    spans = _spans(mark, analysis.words)
    for bracket, possible in zip(mark.brackets, spans, strict=True):
        if not any((bracket.label, *span) in nodes for span in possible):
            return False
    facts = list_facts(analysis) if mark.facts else frozenset()
    return all((each.text in facts) == each.holds for each in mark.facts)


def _spans(mark: Mark, words: Sequence[tuple[str, int, int]]) -> list[list[tuple[int, int]]]:
    """Where each bracket may begin and end, as nodes count; without such words, as it counts."""
    texts = [word.casefold() for word in mark.words]
    whole = "".join(texts)
    reached: defaultdict[int, set[int]] = defaultdict(set, {0: {0}})
    for word, start, end in sorted(words, key=itemgetter(1)):
        text = "".join(word.split()).casefold()
        reached[end] |= {at + len(text) for at in reached[start] if whole.startswith(text, at)}
    lengths = accumulate(map(len, texts), initial=0)
    states = [[state for state, ats in reached.items() if at in ats] for at in lengths]
    if not states[-1]:
        states = [[number] for number in range(len(states))]
    return [list(product(states[each.start], states[each.end])) for each in mark.brackets]


def list_nodes(tree: CNode) -> Iterator[CNode]:
    """Yield the nodes of a c-structure, words left out, mothers before daughters."""
    if tree.children:
        yield tree
    for child in tree.children:
        yield from list_nodes(child)


def list_facts(analysis: Analysis) -> frozenset[str]:
    """Return what an f-structure says, as facts of marks.

    >>> values = (FValue(features=(("PRED", 1), ("TENSE", 2))), FValue("go"), FValue("past"))
    >>> list_facts(Analysis(CNode("S"), values))
    frozenset({'TENSE(go) = past'})
    """
    return frozenset(_facts(analysis.values))


def _facts(values: Sequence[FValue]) -> Iterator[str]:
    for number, whole in enumerate(values):
        if whole.elements is not None:
            continue
        for function, at in whole.features:
            for word in _names(values, number):
                if function != "PRED" and values[at].atom is not None:
                    yield _value(function, word, str(values[at].atom))
                elif function != "PRED":
                    yield from (_relation(function, word, each) for each in _names(values, at))


def _names(values: Sequence[FValue], number: int) -> Iterable[str]:
    """What an f-structure is called: its PRED, else its FORM; a set, what its elements are."""
    value = values[number]
    if value.elements is not None:
        return [name for each in value.elements for name in _names(values, each)]
    features = dict(value.features)
    at = features.get("PRED", features.get("FORM"))
    return [] if at is None else [str(values[at].atom)]


def _relation(function: str, word: str, other: str) -> str:
    return f"{function}({word}, {other})"


def _value(function: str, word: str, value: str) -> str:
    return f"{function}({word}) = {value}"
