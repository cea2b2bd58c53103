r"""Template files of CRF++ and pattern files of Wapiti, as templates of chains.

    # what U and B begin goes with a tag, and with a pair of tags
    U00:%x[-1,0]            the word before: row -1, column 0
    U01:%x[0,0]/%x[0,1]     the word and its part of speech
    B                       pairs of tags alone   # a comment

Wapiti's files may also have ``u`` and ``b``, ``*`` for both, ``%t[0,0,"^\u"]`` and
``%m[0,0,".?.?$"]``, which test and match a regular expression (:mod:`weft.features.patterns`), and
``%X``, ``%T``, ``%M``, whose results are in lower case. Names serve to tell templates apart, and
are not kept.

Reference: T. Kudo, "CRF++: Yet another CRF toolkit"; Wapiti's manual, "Patterns".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from weft.errors import FormatError, OptionError, quote
from weft.features.patterns import encode_expression
from weft.features.templates import Atom, Template, template
from weft.files import Source, name_of, read_lines

_COMMAND = re.compile(
    r"%(?P<kind>[xXtTmM])\[\s*(?P<row>[+-]?\d{1,9})\s*,\s*(?P<column>\d{1,9})\s*"
    r'(?:,\s*"(?P<expression>(?:[^"\\]|\\.)*)"\s*)?\]'
)
_COMMENT = re.compile(rf"{_COMMAND.pattern}|(?P<comment>(?:^|\s)\s*#)")  # in no expression
_FUNCTIONS = {"x": "word", "X": "lower", "t": "test", "T": "test", "m": "match", "M": "lowermatch"}


@dataclass(frozen=True, slots=True)
class TemplateFile:
    """What a file of templates says.

    Attributes:
        templates: Attributes that go with a tag.
        pair_templates: Attributes that go with a tag and the one before it.
    """

    templates: tuple[Template, ...]
    pair_templates: tuple[Template, ...]


def read_template_file(source: Source) -> TemplateFile:
    r"""Read a template file of CRF++, or a pattern file of Wapiti.

    >>> import io
    >>> found = read_template_file(io.BytesIO(b"# words\nU00:%x[-1,0]/%x[0,1]\n\nB\n"))
    >>> [str(each) for each in found.templates], found.pair_templates
    (['word[-1]|column2[0]'], ())

    Raises:
        FormatError: If a line is no template, or two templates share their weights.
    """
    path = name_of(source)
    single: dict[Template, None] = {}
    pairs: dict[Template, None] = {}
    seen: dict[str, Template] = {}
    for number, line in read_lines(source):
        text = _uncommented(line).strip()
        if not text:
            continue
        try:
            made = _template(text)
        except OptionError as error:
            raise FormatError(str(error), path=path, line=number) from None
        skeleton = _COMMAND.sub("%", text)
        if seen.setdefault(skeleton, made) != made:
            raise FormatError(
                f"{quote(text)} has the name of another template, so that both would share their "
                "weights, as a bag of words does, which templates of chains do not; give it a name "
                "of its own",
                path=path,
                line=number,
            )
        if text[0] in "uU*":
            single[made] = None
        if text[0] in "bB*" and made.atoms:  # pairs of tags alone have weights in every chain
            pairs[made] = None
    if not seen:
        raise FormatError("there is no template: expected lines such as U00:%x[0,0]", path=path)
    return TemplateFile(tuple(single) or (template("bias"),), tuple(pairs))


def _uncommented(line: str) -> str:
    """A line without its comment, which begins at a # at the start or after white space."""
    for found in _COMMENT.finditer(line):
        if found["comment"] is not None:
            return line[: found.start()]
    return line


def _template(text: str) -> Template:
    if text[0] not in "uUbB*":
        raise OptionError(
            f"{quote(text)} is no template: expected U, B or, for both, *, as in U00:%x[0,0]"
        )
    if "%" in _COMMAND.sub("", text):
        raise OptionError(
            f'{quote(text)}: expected %x[ROW,COLUMN], %t[ROW,COLUMN,"EXPRESSION"] or %m of the '
            "same; rows from the start (@) or from a column (*) are not known"
        )
    return Template(tuple(_atom(found) for found in _COMMAND.finditer(text)))


def _atom(found: re.Match[str]) -> Atom:
    kind, expression = found["kind"], found["expression"]
    if (expression is None) != (kind in "xX"):
        wanted = "no expression" if kind in "xX" else "an expression in quotes"
        raise OptionError(f"{quote(found[0])}: %{kind} takes {wanted}")
    function = _FUNCTIONS[kind]
    if expression is not None:
        function = f"{function}:{encode_expression(expression)}"
    read = template(str(Atom(function, int(found["row"]), int(found["column"]))))
    [atom] = read.atoms  # which has been checked
    return atom
