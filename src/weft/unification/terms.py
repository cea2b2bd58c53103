"""Symbols of terms: what is computed from the values of features, or is kept as it is.

=========  ================  ======================================================================
kind       written           meaning
=========  ================  ======================================================================
logic      ``<?f(?x)>``      a λ-expression with gaps (:mod:`weft.unification.logic`)
text       ``<…>``           what is no such expression, as text with gaps
tuple      ``(a, ?x)``       so many values in this order
concat     ``(?a+?b)``       tuples one after the other; what is none counts as one of one value
set        ``{a, ?x}``       values in any order
union      ``{?a+?b}``       sets taken together
=========  ================  ======================================================================

Gaps are written ``?0``, ``?1``, … in the text of a symbol; the arguments fill them in this order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

JOINED = {"tuple": "concat", "set": "union"}
"""What tuples and sets are called that are computed from others."""

GAP = re.compile(r"\?(\d+)")


@dataclass(frozen=True, slots=True, order=True)
class Symbol:
    """The symbol of a term.

    Attributes:
        kind: One of the kinds above.
        text: The expression with numbered gaps, for kinds that have one.
        computed: Whether terms with different arguments may have one value.
    """

    kind: str
    text: str = ""
    computed: bool = False

    def __str__(self) -> str:
        return f"<{self.text}>" if self.text else self.kind
