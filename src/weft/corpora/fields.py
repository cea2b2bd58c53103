"""The fields of a line: separated by tabs if it has any, otherwise by runs of spaces."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from weft.errors import OptionError, quote


def split_fields(line: str) -> list[str]:
    r"""Return the fields of a line.

    >>> split_fields("time  NN "), split_fields("New York\tNNP")
    (['time', 'NN'], ['New York', 'NNP'])
    """
    if "\t" in line:
        return line.split("\t")
    fields = line.split(" ")
    return [field for field in fields if field] if "" in fields else fields


def split_columns(lines: Sequence[str], width: int) -> tuple[tuple[str, ...], ...] | None:
    """Return the fields of several lines, column by column; None where one has not this many.

    >>> split_columns(["time NN", "flies  VBZ"], 2)
    (('time', 'flies'), ('NN', 'VBZ'))
    """
    fields = _even_fields(lines, width)
    if fields is not None:
        return tuple(tuple(fields[column::width]) for column in range(width))
    rows = [split_fields(line) for line in lines]
    return None if set(map(len, rows)) != {width} else tuple(zip(*rows, strict=True))


def _even_fields(lines: Sequence[str], width: int) -> list[str] | None:
    """The fields of lines that single spaces separate, one line after the other.

    Nearly all files are like that, and this is a way without a list a line.
    """
    joined = " ".join(lines)
    fields = joined.split(" ")
    if "" in fields or "\t" in joined:
        return None
    return fields if set(map(str.count, lines, repeat(" "))) == {width - 1} else None


def replace_field(line: str, text: str, index: int) -> str:
    """Return the line with one field changed, or added if it has exactly ``index`` fields.

    >>> replace_field("time  NN  B-NP", "VB", 1), replace_field("time NN", "B-NP", 2)
    ('time  VB  B-NP', 'time NN B-NP')
    """
    separator, pieces, places = _pieces(line)
    if index == len(places):
        # Trailing spaces separate nothing, whereas a trailing tab ends an empty field.
        return separator.join([line if separator == "\t" else line.rstrip(" "), text])
    pieces[places[index]] = text
    return separator.join(pieces)


def replace_fields(lines: Sequence[str], texts: Sequence[str], index: int) -> str:
    r"""Return several lines, each with one field changed or added, and its end.

    >>> replace_fields(["time NN", "flies  NN"], ["NN", "VBZ"], 1)
    'time NN\nflies  VBZ\n'
    """
    width = lines[0].count(" ") + 1
    fields = _even_fields(lines, width) if width in (index, index + 1) else None
    if fields is None:
        replaced = [replace_field(*pair, index) for pair in zip(lines, texts, strict=True)]
        return "\n".join([*replaced, ""])
    if width == index:
        return "".join([f"{line} {text}\n" for line, text in zip(lines, texts, strict=True)])
    # The last field of a line takes its end along, so that one join makes all lines.
    fields[index::width] = [f"{text}\n" for text in texts]
    return " ".join(fields).replace("\n ", "\n")


def column_of(line: str, index: int) -> int:
    """Return the number, from 1, of the character at which a field starts.

    >>> column_of("time  NN", 1)
    7
    """
    separator, pieces, places = _pieces(line)
    return len(separator.join([*pieces[: places[index]], ""])) + 1


def _pieces(line: str) -> tuple[str, list[str], Sequence[int]]:
    """Split so that joining gives the line back, and say which pieces are the fields."""
    separator = "\t" if "\t" in line else " "
    pieces = line.split(separator)
    if separator == "\t" or "" not in pieces:
        return separator, pieces, range(len(pieces))
    return separator, pieces, [index for index, piece in enumerate(pieces) if piece]


def column_number(column: int | str, names: Sequence[str] = ()) -> int:
    """Return the number, from 1, of a column given by number or name.

    Raises:
        OptionError: If there is no such column.

    >>> column_number("upos", ["id", "form", "lemma", "upos"]), column_number(-1)
    (4, -1)
    """
    if isinstance(column, str) and column.lower() in names:
        return names.index(column.lower()) + 1
    try:
        number = int(column)
    except ValueError:
        number = 0
    if number == 0 or (names and not 1 <= number <= len(names)):
        choices = f"1 to {len(names)} or {', '.join(names)}" if names else "1, 2, … or -1, -2, …"
        raise OptionError(f"there is no column {quote(column)}; columns are {choices}")
    return number
