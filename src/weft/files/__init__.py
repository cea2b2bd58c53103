"""Files read as text, compressed or not, and written whole or not at all."""

from weft.files.reading import (
    LONGEST_LINE,
    ZIP,
    EncodedFile,
    Source,
    check_read_again,
    encoded,
    encoding_of,
    is_read_once,
    name_of,
    read_bytes,
    read_lines,
    read_runs,
    read_runs_with_ends,
)
from weft.files.writing import remove_leftovers, replacing, write_text

__all__ = [
    "LONGEST_LINE",
    "ZIP",
    "EncodedFile",
    "Source",
    "check_read_again",
    "encoded",
    "encoding_of",
    "is_read_once",
    "name_of",
    "read_bytes",
    "read_lines",
    "read_runs",
    "read_runs_with_ends",
    "remove_leftovers",
    "replacing",
    "write_text",
]
