"""Unification grammars as users see them: ``weft.unify``.

Feature grammars are in :mod:`weft.unification`, lexical-functional grammars in :mod:`weft.lfg`.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from weft import unification
from weft.files import Source, name_of
from weft.lfg.parser import Analyses as Analyses
from weft.lfg.parser import LfgParser as LfgParser
from weft.lfg.parser import load_lfg as load_lfg
from weft.lfg.read import read_lfg as read_lfg
from weft.unification import FeatureParser


def __getattr__(name: str) -> Any:
    return getattr(unification, name)


def __dir__() -> list[str]:
    return sorted({*dir(unification), *globals()})


def is_lfg(source: Source) -> bool:
    """Say whether a grammar's name is that of a lexical-functional grammar, ``.lfg``.

    >>> is_lfg("english.lfg"), is_lfg("english.fcfg")
    (True, False)
    """
    return PurePath(name_of(source)).suffix == ".lfg"


def load(source: Source | Any, **options: Any) -> FeatureParser | LfgParser:
    """Return a parser for a grammar: of the kind ``.lfg``, or a feature grammar.

    Args:
        source: A file, a stream, or a feature grammar of NLTK. Of a lexical-functional grammar,
            the file that holds the section CONFIG.
        options: What :func:`weft.unification.load` or :func:`weft.lfg.parser.load_lfg` takes.

    Raises:
        FormatError: If it is no such grammar.
    """
    if not callable(getattr(source, "productions", None)) and is_lfg(source):
        return load_lfg(source, **options)
    return unification.load(source, **options)
