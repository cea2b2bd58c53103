"""What is said of files that cannot be read or written."""

from __future__ import annotations

import errno

from weft.errors import FormatError, MissingFileError

ABSENT = FileNotFoundError, NotADirectoryError
"""What systems raise where there is no such file."""

_ADVICE = {
    errno.ENOSPC: "make room, or write elsewhere",
    errno.EDQUOT: "make room, or write elsewhere",
    errno.EFBIG: "raise the limit, or write elsewhere",
    errno.EBADF: "it is closed",
}


def explain_fault(path: str, verb: str, error: OSError | ValueError) -> FormatError:
    """Return what is said of a file that cannot be read or written, and what to do."""
    reason = (getattr(error, "strerror", None) or str(error)).lower()
    advice = _ADVICE.get(getattr(error, "errno", None) or 0, "check the name and permissions")
    kind = MissingFileError if isinstance(error, ABSENT) else FormatError
    return kind(f"cannot be {verb}: {reason}; {advice}", path=path)
