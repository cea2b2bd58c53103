"""The command line: it parses, prints and shows progress, and :mod:`weft.commands` works."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit: 0 if all is well, 1 after an error, 2 for a wrong usage."""
    from weft.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character is no reason to fail.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app(prog_name="weft")
