"""The small English corpus that comes with the package."""

from __future__ import annotations

import io
from importlib import resources
from pathlib import Path

from weft.corpora.catalogue import BUNDLED
from weft.corpora.records import read_examples
from weft.corpora.tagged import Tagged
from weft.errors import OptionError
from weft.structures.evidence import Example

PARTS = ("train", "heldout", "test")
"""The parts of the corpus."""


def bundled_folder() -> Path:
    """Return the folder with the files of the corpus, a file a part.

    >>> sorted(path.name for path in bundled_folder().glob("*.tagged"))
    ['heldout.tagged', 'test.tagged', 'train.tagged']
    """
    return Path(str(resources.files("weft.corpora").joinpath(BUNDLED.name)))


def bundled(part: str) -> list[Example]:
    """Return a part of the English corpus that comes with the package.

    Args:
        part: ``train``, ``heldout`` or ``test``.

    Raises:
        OptionError: If there is no such part.

    >>> bundled("heldout")[0].tokens.source
    'english/heldout.tagged:1'
    """
    if part not in PARTS:
        raise OptionError(f"there is no part {part!r}; the parts are {', '.join(PARTS)}")
    path = bundled_folder() / f"{part}.tagged"
    stream = io.BytesIO(path.read_bytes())
    # Sentences say where they come from, and where the package lies is no part of that.
    stream.name = f"{BUNDLED.name}/{path.name}"
    return read_examples(Tagged(), stream)
