"""Fuzzing guided by coverage, where Atheris is installed: ``python -m fuzzing.guided TARGET``.

Atheris chooses inputs by which code they reach; what is tried with them is the same. Its options
follow the target's name, such as ``-max_total_time=60``.
"""

from __future__ import annotations

import sys


def main(name: str, options: list[str]) -> None:
    """Fuzz a target; a fault ends the process with an exception, and its input is kept."""
    import atheris

    with atheris.instrument_imports(include=["weft"]):
        from fuzzing.runs import tried
        from fuzzing.targets import TARGETS
    [target] = [each for each in TARGETS if each.name == name]
    target.seeds()

    def one(data: bytes) -> None:
        outcome, problem = tried(target, data)
        if outcome == "fault":
            raise AssertionError(problem)

    atheris.Setup([sys.argv[0], *options], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
