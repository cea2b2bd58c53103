"""The command line: it parses, prints and shows progress, and :mod:`weft.commands` works."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line and exit: 0 if all is well, 1 after an error, 2 for a wrong usage."""
    # Dot products on BLAS's threads cost more than they save, all the more where ours are at
    # work, and make the last digits depend on the machine; only before numpy is imported.
    for variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    from weft.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character is no reason to fail.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app(prog_name="weft")
