"""What does not count when brackets are compared, in the files of EVALB's parameters.

A file has a line a parameter, its name and its value, and comments that begin with ``#``:

    DELETE_LABEL X              brackets and words labelled X do not count
    DELETE_LABEL_FOR_LENGTH X   words labelled X do not count for a sentence's length
    EQ_LABEL X Y                the labels X and Y are taken for the same
    EQ_WORD x y                 the words x and y are taken for the same
    CUTOFF_LEN 40               scores of sentences up to this length are given, too
    LABELED 1                   whether labels count
    CUT_LABELS 1                whether labels end before their first ``-`` or ``=``

``CUT_LABELS`` is not one of EVALB's: that program always cuts labels, and so do files without the
line. ``DEBUG`` and ``MAX_ERROR``, which concern how EVALB runs, are read over. ``QUOTE_LABEL``,
by which its later versions put words back that only one tree deletes, is refused.

``collins`` and ``plain`` come with the package. The first is what results on the Penn Treebank are
given by; the second, for other treebanks, counts all but the root, and leaves labels whole.

Reference: S. Sekine and M. Collins (1997), EVALB, https://nlp.cs.nyu.edu/evalb.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources

from weft.errors import FormatError, OptionError, no_such, quote
from weft.files import Source, name_of, read_lines

PARAMETER_SETS = ("collins", "plain")
"""The parameters that come with the package."""

_IGNORED = ("DEBUG", "MAX_ERROR")
_PAIRS = ("EQ_LABEL", "EQ_WORD")
_SETS = ("DELETE_LABEL", "DELETE_LABEL_FOR_LENGTH")
_NUMBERS = ("CUTOFF_LEN", "LABELED", "CUT_LABELS")


@dataclass(frozen=True, slots=True)
class BracketParameters:
    """What counts when brackets are compared.

    Attributes:
        deleted: The labels of brackets and of words that do not count.
        deleted_for_length: The labels of words that do not count for a sentence's length.
        equal_labels: Pairs of labels that are taken for the same; what is the same as the same
            is the same.
        equal_words: Likewise pairs of words.
        cutoff: Up to which length sentences are short.
        labelled: Whether labels count.
        cut: Whether labels end before their first ``-`` or ``=``, as in the Penn Treebank, where
            functions and indices follow.
    """

    deleted: frozenset[str] = frozenset()
    deleted_for_length: frozenset[str] = frozenset()
    equal_labels: tuple[tuple[str, str], ...] = ()
    equal_words: tuple[tuple[str, str], ...] = ()
    cutoff: int = 40
    labelled: bool = True
    cut: bool = True


def find_bracket_parameters(name: str) -> BracketParameters:
    """Return parameters that come with the package.

    >>> find_bracket_parameters("collins").equal_labels
    (('ADVP', 'PRT'),)

    Raises:
        OptionError: If there are none of that name.
    """
    if name not in PARAMETER_SETS:
        message = no_such("parameter set", name, PARAMETER_SETS)
        raise OptionError(f"{message}, or give a file like those of EVALB")
    folder = resources.files("weft.evaluate").joinpath("parameters")
    return read_bracket_parameters(io.BytesIO(folder.joinpath(f"{name}.prm").read_bytes()))


def read_bracket_parameters(source: Source) -> BracketParameters:
    r"""Read a file of parameters, which may be one of EVALB's.

    Args:
        source: A path, ``-`` for the standard input, or a binary stream.

    Raises:
        FormatError: At a line that is no parameter.

    >>> read_bracket_parameters(io.BytesIO(b"# ours\nDELETE_LABEL TOP\nLABELED 0\n")).labelled
    False
    """
    found: dict[str, list[str]] = {name: [] for name in (*_SETS, *_PAIRS, *_NUMBERS)}
    for number, line in read_lines(source):
        fields = line.split()
        if not fields or fields[0].startswith("#") or fields[0] in _IGNORED:
            continue
        if problem := _problem(fields):
            raise FormatError(problem, path=name_of(source), line=number, text=line[:300])
        found[fields[0]].extend(fields[1:])
    return BracketParameters(
        frozenset(found["DELETE_LABEL"]),
        frozenset(found["DELETE_LABEL_FOR_LENGTH"]),
        _pairs(found["EQ_LABEL"]),
        _pairs(found["EQ_WORD"]),
        int(found["CUTOFF_LEN"][-1]) if found["CUTOFF_LEN"] else 40,
        _flag(found["LABELED"]),
        _flag(found["CUT_LABELS"]),
    )


def same_as(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return for each name of the pairs the one that stands for all that are the same.

    >>> same_as([("a", "b"), ("c", "d"), ("d", "b")])
    {'a': 'a', 'b': 'a', 'c': 'a', 'd': 'a'}
    """
    stands: dict[str, str] = {}
    for one, other in pairs:
        first, second = _stand(stands, one), _stand(stands, other)
        stands[max(first, second)] = min(first, second)
    return {name: _stand(stands, name) for name in stands}


def _stand(stands: dict[str, str], name: str) -> str:
    """Who stands for a name in the end; on the way there, ways get shorter."""
    while (stand := stands.setdefault(name, name)) != name:
        stands[name] = stands[stand]
        name = stand
    return name


def _flag(values: list[str]) -> bool:
    return not values or values[-1] != "0"


def _pairs(names: list[str]) -> tuple[tuple[str, str], ...]:
    return tuple(zip(names[::2], names[1::2], strict=True))


def _problem(fields: list[str]) -> str | None:
    """What is wrong with a line, if anything."""
    wanted: Mapping[str, int] = dict.fromkeys(_PAIRS, 2) | dict.fromkeys((*_SETS, *_NUMBERS), 1)
    name, values = fields[0], fields[1:]
    if name not in wanted:
        return no_such("parameter", name, wanted)
    if len(values) != wanted[name]:
        what = "two names" if wanted[name] == 2 else "one value"
        return f"expected {what} after {name} but found {len(values)}"
    if name in _NUMBERS and not re.fullmatch("[0-9]{1,9}", values[0]):
        return f"expected a whole number after {name} but found {quote(values[0][:40])}"
    return None
