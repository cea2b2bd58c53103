"""Tables as data frames, of pandas or polars, whichever is installed."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from weft.errors import OptionError, WeftError, no_such

LIBRARIES = ("pandas", "polars")
"""The libraries that frames may be of, the first that is installed by default."""


def make_frame(columns: Mapping[str, Sequence[Any]], library: str | None = None) -> Any:
    """Return a data frame.

    Args:
        columns: Its columns by name, of the same length.
        library: ``pandas`` or ``polars``; None for the one that is installed.

    Raises:
        OptionError: If there is no such library.
        WeftError: If it is not installed.
    """
    if library is not None and library not in LIBRARIES:
        raise OptionError(no_such("library of data frames", library, LIBRARIES))
    able = [name for name in ([library] if library else LIBRARIES) if find_spec(name)]
    if not able:
        wanted = library or "pandas or polars"
        raise WeftError(
            f"a data frame needs {wanted}, which is not installed; run: "
            f"pip install {library or 'pandas'}"
        )
    return import_module(able[0]).DataFrame(dict(columns))


class Tabular:
    """A record that is a table: :meth:`columns` has it without any library."""

    __slots__ = ()

    @abstractmethod
    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the table by name."""

    def to_frame(self, library: str | None = None) -> Any:
        """Return the table as a data frame.

        Args:
            library: ``pandas`` or ``polars``; None for the one that is installed.

        Raises:
            WeftError: If it is not installed.
        """
        return make_frame(self.columns(), library)
