"""Where corpora lie that are not part of the package."""

from __future__ import annotations

import os
from pathlib import Path

from weft.errors import WeftError

VARIABLE = "WEFT_DATA"
"""The environment variable that names the folder of corpora."""


def corpus_path(*parts: str) -> Path:
    """Return a path below the folder of corpora, such as ``ewt/en_ewt-ud-dev.conllu``.

    Raises:
        WeftError: If ``WEFT_DATA`` is not set or names no folder.

    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, WEFT_DATA="/"):
    ...     corpus_path("ewt", "en_ewt-ud-dev.conllu").name
    'en_ewt-ud-dev.conllu'
    """
    folder = os.environ.get(VARIABLE)
    if not folder:
        raise WeftError(f"set the environment variable {VARIABLE} to the folder of corpora")
    if not Path(folder).is_dir():
        message = f"the environment variable {VARIABLE} names {folder!r}, which is not a folder"
        raise WeftError(f"{message}; set it to the folder of corpora")
    return Path(folder, *parts)


def corpus_folder(name: str) -> Path:
    """Return the folder of a corpus.

    Raises:
        WeftError: If ``WEFT_DATA`` names no folder, or one without the corpus.

    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, WEFT_DATA="/"):
    ...     corpus_folder("no corpus")
    Traceback (most recent call last):
    weft.errors.WeftError: there is no folder '/no corpus'; `weft data list` says where to get it
    """
    folder = corpus_path(name)
    if not folder.is_dir():
        message = f"there is no folder {str(folder)!r}"
        raise WeftError(f"{message}; `weft data list` says where to get it")
    return folder


def found_corpus(*parts: str) -> Path | None:
    """Return a folder below the folder of corpora, or None if either is not there.

    >>> from unittest.mock import patch
    >>> with patch.dict(os.environ, WEFT_DATA="/"):
    ...     found_corpus("there is", "no such corpus")
    """
    try:
        path = corpus_path(*parts)
    except WeftError:
        return None
    # os.path: what may not be looked at counts as absent.
    return path if os.path.isdir(path) else None
