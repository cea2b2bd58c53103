r"""Matrices as LaTeX, with nothing but what every installation has: ``array`` and ``\fbox``.

What is drawn stands in mathematics. Letters beyond ASCII stay as they are, but for Greek ones and
the signs of logic; scripts that LaTeX's own fonts lack need XeLaTeX or LuaLaTeX and a font.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from weft.structures.avm import Avm, Group, Leaf, Link, Matrix

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{character: f"\\{character}" for character in "{}$&#_%"},
    # Two of these would become one character, and brackets would end what a command takes.
    **{character: f"{{{character}}}" for character in "-'`,?!\"[]"},
}
_SIGNS = {
    "λ": "lambda", "∀": "forall", "∃": "exists", "∧": "wedge", "∨": "vee", "¬": "neg",
    "→": "rightarrow", "↔": "leftrightarrow", "∈": "in", "⟨": "langle", "⟩": "rangle",
    "↑": "uparrow", "↓": "downarrow", "≠": "neq", "∅": "emptyset", "φ": "varphi", "ς": "varsigma",
    "−": "mathord{-}",
}  # fmt: skip
_BRACKETS = {"{": r"\{", "}": r"\}", "⟨": r"\langle", "⟩": r"\rangle"}


def avm_latex(value: Avm) -> str:
    r"""Return a value as LaTeX, to be put into mathematics.

    >>> print(avm_latex(Matrix((("NUM", Leaf("sg")), ("AGR", Link("1"))), "NP_1")))
    \left[\begin{array}{@{}l@{\quad}l@{}}
    \multicolumn{2}{@{}l@{}}{\mbox{NP\_1}} \\
    \mbox{NUM} & \mbox{\textit{sg}} \\
    \mbox{AGR} & \fbox{\scriptsize 1}
    \end{array}\right]
    """
    if isinstance(value, Link):
        return _tag(value.tag)
    return (_tag(value.tag) + r"\," if value.tag else "") + _untagged(value)


def latex_document(values: Iterable[tuple[str, Avm]]) -> str:
    """Return a whole document with values, each below what it is called."""
    parts = [
        f"\\noindent {escape_latex(name)}\n\\[\n{avm_latex(each)}\n\\]" for name, each in values
    ]
    lines = [r"\documentclass{article}", r"\begin{document}", *parts, r"\end{document}"]
    return "\n".join(lines) + "\n"


def escape_latex(text: str) -> str:
    r"""Return a text so that LaTeX prints it as it is.

    >>> escape_latex("50% of R&D: <λx.walk(x)>")
    '50\\% of R\\&D: \\textless{}\\ensuremath{\\lambda}x.walk(x)\\textgreater{}'
    """
    return "".join(map(_escaped, text))


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character in _SIGNS:
        return rf"\ensuremath{{\{_SIGNS[character]}}}"
    kind = unicodedata.category(character)[0]
    if character != " " and kind in "CZ":
        return "?" if kind == "C" else r"\ "
    name = unicodedata.name(character, "")
    if name.startswith("GREEK SMALL LETTER ") and name.count(" ") == 3:
        return _greek(name.rsplit(" ", 1)[1].lower())
    return character


def _greek(name: str) -> str:
    known = {"omicron": "mathit{o}"}
    return rf"\ensuremath{{\{known.get(name, name)}}}"


def _tag(tag: str) -> str:
    return rf"\fbox{{\scriptsize {escape_latex(tag)}}}"


def _untagged(value: Leaf | Matrix | Group) -> str:
    if isinstance(value, Leaf):
        return rf"\mbox{{\textit{{{escape_latex(value.text)}}}}}"
    if isinstance(value, Matrix):
        return (
            _array(_rows(value), r"@{}l@{\quad}l@{}", "[]") if _rows(value) else r"\left[\;\right]"
        )
    items = [avm_latex(item) for item in value.items]
    if any(isinstance(item, Matrix | Group) for item in value.items):
        return _array(items, "@{}l@{}", value.brackets)
    left, right = (_BRACKETS.get(each, each) for each in value.brackets)
    between = rf"\mbox{{{escape_latex(value.separator.strip())} }}"
    return rf"\left{left}{between.join(items)}\right{right}"


def _rows(matrix: Matrix) -> list[str]:
    heading = [rf"\multicolumn{{2}}{{@{{}}l@{{}}}}{{\mbox{{{escape_latex(matrix.heading)}}}}}"]
    return [
        *(heading if matrix.heading else []),
        *(rf"\mbox{{{escape_latex(name)}}} & {avm_latex(each)}" for name, each in matrix.features),
    ]


def _array(rows: list[str], columns: str, brackets: str) -> str:
    left, right = (_BRACKETS.get(each, each) for each in brackets)
    body = " \\\\\n".join(rows)
    return f"\\left{left}\\begin{{array}}{{{columns}}}\n{body}\n\\end{{array}}\\right{right}"
