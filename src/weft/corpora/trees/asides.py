"""Lines between trees that are no trees: markup, headers and comments.

    <DOC>  </s>  <DOCID> 17 </DOCID>     SGML, of which no line has a bracket
    *x*x*x*x*                            the frame of a header
    /* ... */  /~* ... *~/               comments, over one line or several

These are never trees, and always left out. Other lines that do not begin with a bracket are left
out where that is asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARKUP = re.compile(r"[ \t]*<[!?/]?[A-Za-z][^()]*>[^()]*$|[ \t]*\*x\*")
_COMMENT = re.compile(r"[ \t]*/~?\*")
_COMMENT_END = re.compile(r"\*~?/")
_BRACKETS = ("(", ")")


class Aside(str):
    """A line between trees that is not read."""

    __slots__ = ()


@dataclass(slots=True)
class Asides:
    """Which lines between trees are left out.

    Attributes:
        text: Whether all are that do not begin with a bracket.
        comment: The line where a comment began that did not end yet; else 0.

    >>> asides = Asides()
    >>> lines = ["<DOC>", "/* one", "(S", "*/ ", "(S (VB Run))", "Run"]
    >>> [asides.take(number, line) for number, line in enumerate(lines, 1)]
    [True, True, True, True, False, False]
    """

    text: bool = False
    comment: int = 0

    def take(self, number: int, line: str) -> bool:
        """Say whether a line is left out, given all lines between trees in their order."""
        start = _COMMENT.match(line)
        if self.comment or start:
            ended = _COMMENT_END.search(line, start.end() if start and not self.comment else 0)
            self.comment = 0 if ended else self.comment or number
            return True
        if _MARKUP.match(line):
            return True
        written = line.strip(" \t")
        return self.text and bool(written) and not written.startswith(_BRACKETS)
