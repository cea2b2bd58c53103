"""Grammars as JSON, for programs and for symbols that the notation cannot write.

    {"start": "S",
     "rules": [{"head": "S", "body": ["NP", {"terminal": "flies"}], "log_weight": -0.5}, …]}

A string is a nonterminal, an object with ``terminal`` a terminal. A rule has a ``log_weight`` (null
for a rule that is impossible), or a ``weight``, or neither, which is a weight of 1. Log-weights are
read back to the last bit.
"""

from __future__ import annotations

import json
import math
import os
from typing import Any

from weft.errors import FormatError
from weft.files import Source, name_of, read_lines, write_text
from weft.grammars.forms.notation import MOST_RULES
from weft.structures.grammar import Grammar, Rule, Symbol, Terminal, grammar

_LARGEST = 1e10  # of log-weights: beyond what the notation can write, and sums have no digits left


def to_json(grammar: Grammar) -> dict[str, Any]:
    """Return a grammar as an object of lists, strings and numbers.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> to_json(parse_grammar("S -> S 'a'"))["rules"]
    [{'head': 'S', 'body': ['S', {'terminal': 'a'}], 'log_weight': 0.0}]
    """
    return {
        "start": grammar.nonterminals[grammar.start],
        "rules": [
            {
                "head": rule.head,
                "body": [
                    {"terminal": each.text} if isinstance(each, Terminal) else each
                    for each in rule.body
                ],
                "log_weight": None if rule.weight == -math.inf else rule.weight,
            }
            for rule in grammar.rules()
        ],
    }


def from_json(value: object, path: str | None = None) -> Grammar:
    """Return the grammar that an object describes.

    >>> from_json({"rules": [{"head": "S", "body": [{"terminal": "a"}], "weight": 0.5}]}).rules()
    (Rule(head='S', body=(Terminal(text='a'),), weight=-0.6931471805599453),)

    Args:
        value: What :func:`to_json` returns.
        path: The name of the file, for messages.

    Raises:
        FormatError: If it describes none; the message names the rule.
    """
    if not isinstance(value, dict) or not isinstance(value.get("rules"), list):
        raise FormatError('expected an object with a list of "rules"', path=path)
    start = value.get("start")
    if start is not None and not isinstance(start, str):
        raise FormatError('"start" must be the name of a nonterminal', path=path)
    rules = [_rule(number, each, path) for number, each in enumerate(value["rules"])]
    try:
        return grammar(rules, start)
    except ValueError as error:
        raise FormatError(str(error), path=path) from None


def read_json(source: Source) -> Grammar:
    """Read a grammar from a JSON file.

    Args:
        source: A path, ``-`` for the standard input, or a binary stream.

    Raises:
        FormatError: If it is not JSON, or does not describe a grammar.
    """
    path = name_of(source)
    text = "\n".join(line for _, line in read_lines(source))
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        message = f"not JSON: {error.msg.lower()}"
        raise FormatError(message, path=path, line=error.lineno, column=error.colno) from None
    except ValueError as error:  # a number of more digits than Python reads
        raise FormatError(f"not JSON: {error}", path=path) from None
    except RecursionError:
        raise FormatError("brackets are nested too deeply for a grammar", path=path) from None
    return from_json(value, path)


def write_json(
    path: str | os.PathLike[str], grammar: Grammar, about: dict[str, Any] | None = None
) -> None:
    """Write a grammar to a JSON file; ``-`` is the standard output.

    Args:
        path: The file.
        grammar: The grammar.
        about: Further members of the object, which reading leaves aside.

    Raises:
        FormatError: If the file cannot be made.
    """
    value = {**(about or {}), **to_json(grammar)}
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1)
    with write_text(path) as stream:
        stream.write(text + "\n")


def _rule(number: int, value: object, path: str | None) -> Rule:
    def refuse(message: str) -> FormatError:
        return FormatError(f"rule {number} of the list (from 0): {message}", path=path)

    if number >= MOST_RULES:
        raise refuse(f"there are more than {MOST_RULES:,} rules")
    if not isinstance(value, dict) or not isinstance(value.get("head"), str):
        raise refuse('expected an object with a "head" and a "body"')
    body = value.get("body")
    if not isinstance(body, list):
        raise refuse('"body" must be a list of symbols, empty for nothing')
    symbols = tuple(_symbol(each) for each in body)
    if None in symbols:
        wrong = body[symbols.index(None)]
        raise refuse(f'{wrong!r} is no symbol; expected "name" or {{"terminal": "word"}}')
    weight = _weight(value)
    if weight is None:
        raise refuse(
            "its weight must be a number from 0 on, or its log_weight a number or null, of at most "
            f"{_LARGEST:g}"
        )
    return Rule(value["head"], tuple(each for each in symbols if each is not None), weight)


def _symbol(value: object) -> Symbol | None:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, dict) and list(value) == ["terminal"]:
        word = value["terminal"]
        return Terminal(word) if isinstance(word, str) and word else None
    return None


def _weight(value: dict[str, Any]) -> float | None:
    """The log-weight of a rule; None where it is not one."""
    if "log_weight" in value and value["log_weight"] is None:
        return -math.inf
    number = value.get("log_weight", value.get("weight", 1.0))
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    try:
        number = float(number)
    except OverflowError:
        return None
    if not math.isfinite(number) or ("log_weight" not in value and number < 0):
        return None
    if "log_weight" in value and abs(number) > _LARGEST:
        return None
    if "log_weight" in value:
        return number
    return math.log(number) if number else -math.inf
