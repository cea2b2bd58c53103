r"""XLE's notation as a sequence of tokens.

A token is a symbol or an operator. A backquote makes the next character part of a symbol, whatever
it is; ``"…"`` is a comment, over any number of lines. Comments are blanked first, so that every
token keeps its place in the file.

Reference: the pages "Grammatical Notations" of XLE's documentation (Crouch et al. 2011).
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field, replace

from weft.errors import FormatError
from weft.lfg.language import Place

_COMMENTS = re.compile(r'`.|"(?:[^"`]|`.)*("|$)', re.DOTALL)
_SYNONYMS = str.maketrans({"↑": "^", "↓": "!", "∈": "$", "¬": "~", "≠": "~", "∉": "~"})
_WIDE = {"≠": "~=", "∉": "~$"}
_PLAIN = r"(?:-(?!-?>)|[^\s()\[\]{}<>|;:,.^!*+=~$@/\\#&'\"?`\-↑↓∈¬≠∉]|`.)"
_SYMBOL = re.compile(rf"\+?{_PLAIN}(?:{_PLAIN}|')*|\+", re.DOTALL)
_IN_FORM = re.compile(rf"\+?{_PLAIN}+|\+", re.DOTALL)
_END = rf"(?!{_PLAIN})"
_OPERATOR = re.compile(
    rf"-->|->|<-|=[cC]{_END}|[$∈][cC]{_END}|~=[cC]{_END}|~=|~\$|¬=|¬∈|::|<<|>>|[<>][hs]{_END}|\S"
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A file's text; in `bare`, comments are blank."""

    path: str
    text: str
    bare: str = ""
    starts: tuple[int, ...] = field(default=(), repr=False)

    def place(self, offset: int) -> Place:
        """Return the place of a character."""
        line = bisect.bisect_right(self.starts, offset)
        return Place(self.path, line, offset - self.starts[line - 1] + 1)

    def error(self, message: str, offset: int) -> FormatError:
        """Return an error that shows the place of a character."""
        place = self.place(min(offset, len(self.text)))
        start = self.starts[place.line - 1]
        end = self.text.find("\n", start)
        line = self.text[start : end if end >= 0 else len(self.text)]
        return FormatError(message, path=self.path, line=place.line, column=place.column, text=line)


def make_text(path: str, text: str) -> Text:
    r"""Return a text whose comments are blanked.

    >>> make_text("", 'a "b`" c" d').bare
    'a        d'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    starts = (0, *(found.end() for found in re.finditer("\n", text)))
    source = Text(path, text, "", starts)

    def blank(found: re.Match[str]) -> str:
        if found.group()[0] == "`":
            return found.group()
        if not found.group(1):
            raise source.error("the comment is not closed; expected '\"'", found.start())
        return re.sub(r"[^\n]", " ", found.group())

    return replace(source, bare=_COMMENTS.sub(blank, text))


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """A symbol or an operator.

    Attributes:
        text: The symbol without its backquotes, or the operator.
        is_symbol: Which of both it is.
        glued: Whether no white space is before it.
        source: Where it is from.
        offset: Its first character there.
        raw: What is written there, with its backquotes.
    """

    text: str
    is_symbol: bool
    glued: bool
    source: Text
    offset: int
    raw: str = ""

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.source.place(self.offset)


def unescaped(text: str) -> str:
    """Return a text without its backquotes."""
    return re.sub(r"`(.)", r"\1", text, flags=re.DOTALL)


def scan_entry(source: Text, start: int, end: int) -> tuple[list[Token], int]:
    """Return the tokens up to the period that ends an entry, and the offset after it.

    Raises:
        FormatError: If brackets do not match, or there is no such period.
    """
    tokens: list[Token] = []
    opened: list[Token] = []
    in_form, offset, after = False, start, start
    while True:
        while offset < end and source.bare[offset].isspace():
            offset += 1
        if offset >= end:
            break
        token, offset = _token(source, offset, end, in_form, _is_glued(tokens, offset, after))
        after = offset
        if not token.is_symbol:
            if token.text == "." and not opened and not in_form:
                return tokens, offset
            in_form ^= token.text == "'"
            _balance(token, opened)
        tokens.append(token)
    if opened:
        raise source.error(f"'{opened[-1].text}' is not closed", opened[-1].offset)
    raise source.error("expected a period at the end of the entry that begins here", start)


def _is_glued(tokens: list[Token], offset: int, after: int) -> bool:
    return bool(tokens) and offset == after


def _token(source: Text, offset: int, end: int, in_form: bool, glued: bool) -> tuple[Token, int]:
    text = source.bare
    before = text[offset - 1] if glued else " "
    operator = text[offset] == "+" and glued and (before in ")}]'" or _is_plain(before))
    symbol = None if operator else (_IN_FORM if in_form else _SYMBOL).match(text, offset, end)
    if symbol is not None:
        raw = symbol.group()
        return Token(unescaped(raw), True, glued, source, offset, raw), symbol.end()
    found = _OPERATOR.match(text, offset, end)
    if found is None or text[offset] == "`":
        raise source.error("a backquote is the last character", offset)
    name = found.group()
    if in_form and name not in ("->", "-->"):
        name = name[0]
    length = len(name)
    name = _WIDE.get(name, name.translate(_SYNONYMS))
    name = name.replace("C", "c")
    return Token(name, False, glued, source, offset, name), offset + length


def _is_plain(char: str) -> bool:
    return re.fullmatch(_PLAIN, char) is not None


def _balance(token: Token, opened: list[Token]) -> None:
    if token.text in _CLOSING:
        opened.append(token)
    elif token.text in _CLOSING.values():
        if not opened or _CLOSING[opened[-1].text] != token.text:
            wanted = f"; expected '{_CLOSING[opened[-1].text]}'" if opened else ""
            raise token.source.error(f"'{token.text}' closes nothing{wanted}", token.offset)
        opened.pop()
