"""Lists of attributes with patterns, such as OBL-.+."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable


class Names(Container[str]):
    """The attributes that some pattern of a list is for.

    >>> "OBL-TO" in Names(["SUBJ", "OBL-.+"]), "OBL" in Names(["SUBJ", "OBL-.+"])
    (True, False)

    Args:
        patterns: Regular expressions for whole names.
    """

    def __init__(self, patterns: Iterable[str]) -> None:
        self._pattern = re.compile("|".join(f"(?:{each})" for each in patterns) or r"(?!)")
        self._known: dict[str, bool] = {}

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        if name not in self._known:
            self._known[name] = self._pattern.fullmatch(name) is not None
        return self._known[name]
