"""Texts in the notation of PATR-II as tokens that know where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from weft.errors import FormatError
from weft.unification.limits import check_time

KEYWORDS = ("rule", "word", "let", "define", "parameter", "lexicon", "include", "constraint", "end")
"""What begins a statement where it is the first thing of a line, in small or capital letters."""

TEXT, QUOTED, NAME, END = "text", "quoted", "name", "end"
"""Kinds of tokens; a token of any other kind is the symbol itself."""

_PIECE = re.compile(
    r"""(?P<skip>\s+|[;|].*)
      | "(?P<quoted>[^"]*)"
      | (?P<symbol>-+>|→|=>|<->|<=|==|[<>=(){}\[\]/:~&])
      | (?P<text>(?:(?!-+>)[^\s<>=(){}\[\]/:;|"~&→])+)""",
    re.VERBOSE,
)
_RULE = re.compile(r"(\s*)(rule)(\s*)\{([^}]*)\}", re.IGNORECASE)
_ENDS = re.compile(r"\s|$|[;|]")


@dataclass(frozen=True, slots=True, eq=False)
class TextFile:
    """A file that was read.

    Attributes:
        path: Its name.
        lines: Its lines, without their ends.
    """

    path: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """A token.

    Attributes:
        kind: What it is: a text, one in quotation marks, a rule's name, the end, or a symbol.
        text: What stands there, without quotation marks.
        file: Where it stands.
        line: The number of its line, from 1.
        column: Its place there, from 1.
        first: Whether it is the first thing of its line.
    """

    kind: str
    text: str
    file: TextFile = field(repr=False)
    line: int
    column: int
    first: bool = False

    @property
    def keyword(self) -> str:
        """The statement that it begins, or nothing."""
        small = self.text.lower().removeprefix("\\")
        return small if self.kind == TEXT and self.first and small in KEYWORDS else ""

    def error(self, message: str) -> FormatError:
        """Return an error that shows the token."""
        shown = self.file.lines[self.line - 1] if self.line <= len(self.file.lines) else ""
        return FormatError(
            message, path=self.file.path, line=self.line, column=self.column, text=shown
        )


def tokens_of(file: TextFile) -> list[Token]:
    """Return all tokens of a file.

    Raises:
        FormatError: If a quotation mark has no partner.

    >>> [token.text for token in tokens_of(TextFile("", ("Rule S->NP VP: <S a>=b. | all",)))]
    ['Rule', 'S', '->', 'NP', 'VP', ':', '<', 'S', 'a', '>', '=', 'b', '.', '']
    """
    found = [
        token for line in range(1, len(file.lines) + 1) for token in tokens_of_line(file, line)
    ]
    last = len(file.lines)
    column = len(file.lines[-1]) + 1 if file.lines else 1
    return [*found, Token(END, "", file, max(last, 1), column, first=True)]


def tokens_of_line(file: TextFile, line: int, start: int = 0) -> Iterator[Token]:
    """Yield the tokens of a line from a place on."""
    check_time()
    text = file.lines[line - 1]
    first = True
    named = _RULE.match(text, start)
    if named is not None:
        yield Token(TEXT, named.group(2), file, line, named.start(2) + 1, first=True)
        yield Token(NAME, named.group(4).strip(), file, line, named.start(4) + 1)
        start, first = named.end(), False
    while start < len(text):
        piece = _PIECE.match(text, start)
        if piece is None:
            unknown = Token(TEXT, text[start], file, line, start + 1)
            raise unknown.error("this quotation mark has no partner")
        for kind, shown, place in _parts(piece, text):
            yield Token(kind, shown, file, line, place + 1, first)
            first = False
        start = piece.end()


def _parts(piece: re.Match[str], text: str) -> Iterator[tuple[str, str, int]]:
    """What is matched; a full stop or comma at the end of a text is a token of its own."""
    if piece["skip"] is not None:
        return
    if piece["quoted"] is not None:
        yield QUOTED, piece["quoted"], piece.start()
    elif piece["symbol"] is not None:
        yield piece["symbol"], piece["symbol"], piece.start()
    else:
        shown, end = piece["text"], piece.end()
        stop = shown[-1] if shown[-1] in ".," and _ENDS.match(text, end) else ""
        if stop == "," and shown == ",":
            stop = ""
        if shown != stop:
            yield TEXT, shown.removesuffix(stop) if stop else shown, piece.start()
        if stop:
            yield stop, stop, end - 1
