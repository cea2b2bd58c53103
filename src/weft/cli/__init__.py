"""The command line: it parses, prints and shows progress, and :mod:`weft.commands` works."""

from __future__ import annotations

import atexit
import sys


def main() -> None:
    """Run the command line and exit: 0 if all is well, 1 after an error, 2 for a wrong usage.

    After a signal the code is 128 and its number: 130 for ctrl-C, 143 for SIGTERM, 129 for SIGHUP.
    """
    from weft import interrupts
    from weft.cli import algebra, failures, streams

    # Last of all, when no thread is waited for: what is done is done, and Python takes a moment.
    atexit.register(interrupts.ignore_all)
    algebra.prepare()
    streams.prepare()
    try:
        from weft.cli.app import app

        app(prog_name="weft", obj=interrupts.ENDING)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:  # help that cannot be printed; commands see to their own errors
        streams.abandon_output()
        sys.stderr.write(f"weft: error: {failures.message(error)}\n")
        sys.exit(1)
