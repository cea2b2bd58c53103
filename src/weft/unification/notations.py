"""Which notation a grammar is read in: that of its file's name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import PurePath

from weft.errors import FormatError, OptionError, no_such
from weft.files import Source, name_of
from weft.unification.fcfg import read_fcfg
from weft.unification.grammar import FeatureGrammar
from weft.unification.patr import read_patr

NOTATIONS: Mapping[str, Callable[..., FeatureGrammar]] = {"fcfg": read_fcfg, "patr": read_patr}
"""The readers of notations by their names."""

_ENDINGS = {".patr": "patr", ".grm": "patr"}
_PATR = re.compile(r"\s*([;|]|(rule|let|word|parameter)\b)", re.IGNORECASE)


def read_feature_grammar(
    source: Source, *, encoding: str = "utf-8", notation: str | None = None
) -> FeatureGrammar:
    r"""Read a grammar in the notation of its file's name: PATR-II for .patr and .grm, else NLTK's.

    Args:
        source: A path, ``-`` for the standard input, or a binary stream; gzipped or not.
        encoding: How the file's characters are written.
        notation: ``"fcfg"`` or ``"patr"``, whatever the name.

    Raises:
        FormatError: With line and column, if the file is no grammar.
        OptionError: If there is no such encoding or notation.

    >>> import io
    >>> rules = io.BytesIO(b"Rule S -> NP VP: <S head> = <VP head>.")
    >>> print(read_feature_grammar(rules, notation="patr").rules[0])
    S[head=?a] -> NP[] VP[head=?a]
    """
    if notation is None:
        path = PurePath(name_of(source))
        path = path.with_suffix("") if path.suffix == ".gz" else path
        notation = _ENDINGS.get(path.suffix.lower(), "fcfg")
    if notation not in NOTATIONS:
        raise OptionError(no_such("notation", notation, NOTATIONS))
    try:
        return NOTATIONS[notation](source, encoding=encoding)
    except FormatError as error:
        if notation == "patr" or not _PATR.match(error.text or ""):
            raise
        hint = "names of files with grammars in PATR-II end in .patr or .grm"
        raise FormatError(
            f"{error.message}; {hint}",
            path=error.path,
            line=error.line,
            column=error.column,
            text=error.text,
        ) from None
