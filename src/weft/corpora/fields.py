"""The fields of a line: separated by tabs if it has any, otherwise by runs of spaces."""

from __future__ import annotations

from collections.abc import Sequence

from weft.errors import OptionError


def split_fields(line: str) -> list[str]:
    r"""Return the fields of a line.

    >>> split_fields("time  NN "), split_fields("New York\tNNP")
    (['time', 'NN'], ['New York', 'NNP'])
    """
    if "\t" in line:
        return line.split("\t")
    fields = line.split(" ")
    return [field for field in fields if field] if "" in fields else fields


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


def replace_fields(lines: Sequence[str], texts: Sequence[str], index: int) -> list[str]:
    """Return several lines, each with one field changed or added; see :func:`replace_field`.

    >>> replace_fields(["time NN", "flies  NN"], ["NN", "VBZ"], 1)
    ['time NN', 'flies  VBZ']
    """
    joined = "\n".join(["", *lines, ""])
    uneven = any(each in joined for each in ("\t", "  ", " \n", "\n "))
    spaces = lines[0].count(" ")
    # Single spaces and the last field: nearly all files, and worth a loop without calls.
    if uneven or not index or spaces not in (index, index - 1):
        return [replace_field(*pair, index) for pair in zip(lines, texts, strict=True)]
    heads = [line.rpartition(" ")[0] for line in lines] if spaces == index else lines
    return [f"{head} {text}" for head, text in zip(heads, texts, strict=True)]


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
        raise OptionError(f"there is no column {column!r}; columns are {choices}")
    return number
