"""The ledger of a grid: what was asked for, and the trials that are finished, as JSON."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from weft.commands.inputs import StrPath
from weft.commands.trials import Trial
from weft.errors import FormatError, abbreviated
from weft.files import read_lines


def read_ledger(path: StrPath) -> tuple[dict[str, Any], list[Trial]]:
    """Read the ledger of a grid.

    Returns:
        What was asked for, and the trials.

    Raises:
        FormatError: With the line, where it is not what a grid wrote.
    """
    text = "\n".join(line for _, line in read_lines(path))
    try:
        found = json.loads(text, parse_constant=_no_constant)
        arguments, several = _parts(found)
    except json.JSONDecodeError as error:
        raise _broken(path, error.lineno, error.msg) from None
    except (ValueError, RecursionError) as error:
        raise _broken(path, None, str(error)) from None
    trials: dict[int, Trial] = {}
    for place, each in enumerate(several):
        try:
            trial = _trial(each)
            if trial.number in trials:
                raise ValueError(f"trial {trial.number} is there twice")
        except ValueError as error:
            raise _broken(path, _line_of(text, place), str(error)) from None
        trials[trial.number] = trial
    return arguments, list(trials.values())


def _broken(path: StrPath, line: int | None, problem: str) -> FormatError:
    message = f"this is no ledger of a grid ({abbreviated(problem)})"
    advice = "restore the file, remove its folder, or name another with --work"
    return FormatError(f"{message}; {advice}", path=os.fspath(Path(path)), line=line)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of a ledger")


def _parts(found: Any) -> tuple[dict[str, Any], list[Any]]:
    if not isinstance(found, dict):
        raise ValueError("expected an object")
    arguments, trials = found.get("arguments"), found.get("trials")
    if not isinstance(arguments, dict) or not isinstance(trials, list):
        raise ValueError("expected 'arguments', an object, and 'trials', a list")
    return arguments, trials


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 2**63 and math.isfinite(value)


def _may_be_number(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and -math.inf < value < math.inf)


def _is_point(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "number": lambda value: _is_count(value) and value > 0,
    "point": _is_point,
    "score": _may_be_number,
    "value": _may_be_number,
    "iterations": _is_count,
    "seconds": lambda value: _is_number(value) and value >= 0,
    "accuracy": _may_be_number,
    "stopped": lambda value: isinstance(value, str),
}


def _trial(found: Any) -> Trial:
    names = [each.name for each in fields(Trial)]
    if not isinstance(found, dict) or sorted(found) != sorted(names):
        raise ValueError(f"a trial has {', '.join(names)}")
    for name, check in _CHECKS.items():
        if not check(found[name]):
            raise ValueError(f"a trial's {name} cannot be {abbreviated(json.dumps(found[name]))}")
    return Trial(**found)


def _line_of(text: str, place: int) -> int | None:
    """The line of a trial; None where the text is laid out as nobody would."""
    decoder = json.JSONDecoder()
    at = text.find("[", text.rfind('"trials"')) + 1
    for number in range(place + 1):
        while at < len(text) and text[at] in " \t\n,":
            at += 1
        if number == place:
            return text.count("\n", 0, at) + 1
        try:
            _, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
    return None
