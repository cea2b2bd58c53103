"""The small English corpus that comes with the package."""

from __future__ import annotations

from importlib import resources

from weft.corpora.records import read_examples
from weft.corpora.tagged import Tagged
from weft.errors import OptionError
from weft.structures.evidence import Example

PARTS = ("train", "heldout", "test")
"""The parts of the corpus."""


def bundled(part: str) -> list[Example]:
    """Return a part of the English corpus that comes with the package.

    Args:
        part: ``train``, ``heldout`` or ``test``.

    Raises:
        OptionError: If there is no such part.

    >>> all(example.analysis for example in bundled("heldout"))
    True
    """
    if part not in PARTS:
        raise OptionError(f"there is no part {part!r}; the parts are {', '.join(PARTS)}")
    file = resources.files("weft.corpora").joinpath("english", f"{part}.tagged")
    with resources.as_file(file) as path:
        return read_examples(Tagged(), path)
