"""Test suites of lexical-functional grammars: our own, and XLE's test files.

Ours have a line such as ``2: the dog barks`` or ``1+3: …`` for each sentence. XLE's have sentences
that blank lines separate; XLE adds numbers such as ``(2+1 0.02 57)`` to them: analyses, seconds,
subtrees; a star before it, ``*1``, is for ungrammatical ones; ``(-1 5.0 78)`` is a run that was
given up. There a sentence with this or without a number is to have an analysis. In both, ``NP: la
dame`` asks for analyses as an NP, a category of the grammar that has rules. Lines that begin with
``#``, and in XLE's files paragraphs in double quotes, are comments.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from weft.errors import FormatError
from weft.lfg.parser import Analyses
from weft.reprs import Brief

_OURS = re.compile(r"\s*(\*?\d{1,9})(?:\+(\d{1,9}))?\s*:(.*)", re.DOTALL)
_FAILED = re.compile(r"(.*?)\s*\(-\d{1,9}(?:\s+[\d.eE+-]+)+\)", re.DOTALL)
_THEIRS = re.compile(
    r"(.*?)\s*\((\*?\d{1,9})(?:\+(\d{1,9}))?(?:!(?:\s+[\d.eE+-]+)*|(?:\s+[\d.eE+-]+)+)\)", re.DOTALL
)


@dataclass(frozen=True, slots=True, repr=False)
class Expectation(Brief):
    """A sentence of a test suite.

    Attributes:
        line: Where it begins, from 1.
        text: The sentence.
        optimal: How many optimal analyses it should have; None for some.
        others: How many others; None for any number.
        is_starred: Whether the optimal ones should be ungrammatical.
    """

    line: int
    text: str
    optimal: int | None
    others: int | None = None
    is_starred: bool = False

    @property
    def shown(self) -> str:
        """What is expected, for people."""
        if self.optimal is None:
            return "some"
        optimal = f"{'*' if self.is_starred else ''}{self.optimal}"
        return optimal if self.others is None else f"{optimal}+{self.others}"

    def start(self, categories: Container[str]) -> tuple[str | None, str]:
        """Return the category before a colon, if it is one of some, and the rest of the text.

        >>> [Expectation(1, text, 1).start({"NP"}) for text in ("NP: la dame", "Oh: no")]
        [('NP', 'la dame'), (None, 'Oh: no')]
        """
        name, colon, rest = self.text.partition(":")
        if colon and name.rstrip() in categories:
            return name.rstrip(), rest.strip()
        return None, self.text

    def is_met(self, found: Analyses) -> bool:
        """Say whether a sentence has as many analyses as it should."""
        if self.optimal is None:
            return found.optimal > 0
        others = found.count - found.optimal
        numbers = found.optimal == self.optimal and self.others in (None, others)
        return numbers and found.is_starred == self.is_starred


def read_expectations(lines: Iterable[tuple[int, str]], path: str) -> list[Expectation]:
    """Read a test suite of either kind; what its first sentence is like decides.

    >>> read_expectations(enumerate(["# one", "2: it rains"], 1), "suite")[0].optimal
    2
    >>> read_expectations(enumerate(["It", "rains. (1+2 0.01 42)", "", "No."], 1), "suite")[0]
    Expectation(line=1, text='It rains.', optimal=1, others=2)

    Raises:
        FormatError: If a line has no number, or there are no sentences.
    """
    kept = [(n, "" if line.lstrip().startswith("#") else line) for n, line in lines]
    first = next((line for _, line in kept if line.strip()), "")
    ours = _OURS.fullmatch(first) is not None
    found = list(_read_ours(kept, path) if ours else map(_read_theirs, _paragraphs(kept)))
    if not found:
        message = "there is no sentence here; expected lines such as '2: the dog barks'"
        raise FormatError(message, path=path)
    return found


def _read_ours(lines: Iterable[tuple[int, str]], path: str) -> Iterator[Expectation]:
    for number, line in lines:
        if not line.strip():
            continue
        match = _OURS.fullmatch(line)
        if match is None:
            message = "expected a number of analyses and a sentence, such as '2: the dog barks'"
            raise FormatError(message, path=path, line=number, column=1, text=line)
        others = None if match[2] is None else int(match[2])
        yield _expected(number, match[3].strip(), match[1], others)


def _paragraphs(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    start, parts = 0, list[str]()
    for number, line in [*lines, (0, "")]:
        if line.strip():
            start = start if parts else number
            parts.append(line.strip())
        elif parts:
            text = " ".join(parts)
            if not (text[0] == text[-1] == '"' and len(text) > 1):
                yield start, text
            parts = []


def _read_theirs(paragraph: tuple[int, str]) -> Expectation:
    line, text = paragraph
    match = _THEIRS.fullmatch(text)
    if match is None:
        failed = _FAILED.fullmatch(text)
        return Expectation(line, text if failed is None else failed[1], None)
    others = None if match[3] is None else int(match[3])
    return _expected(line, match[1], match[2], others)


def _expected(line: int, text: str, optimal: str, others: int | None) -> Expectation:
    starred = optimal.startswith("*")
    return Expectation(line, text, int(optimal.lstrip("*")), others, starred)
