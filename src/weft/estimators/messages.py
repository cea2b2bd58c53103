"""Messages about options of the command line, in the words of Python."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from weft.errors import FormatError, WeftError

# A value ends before what ends a phrase, which a value may contain.
_SETTING = re.compile(r"--set (\w+)=(\S+?)(?=[,;:.)]*(?:\s|$))")
_VALUE = re.compile(r"--(criterion|optimiser|penalty|recipe) ([\w:.]*\w)(?=[,;:.)]*(?:\s|$))")
_COMMAND = re.compile(r" \(--[a-z][^()]*\.\w+[^()]*\)")  # with a file's name
_NAMES = {"dev": "X_dev", "train": "X", "terminals": "settings['terminals']"}
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")


def in_python(text: str) -> str:
    """Return a message with arguments of estimators in the place of options.

    >>> in_python("leave --penalty auto out, or give random starts, such as --set restarts=5")
    "leave penalty='auto' out, or give random starts, such as settings={'restarts': '5'}"
    >>> in_python("--patience looks at --dev")
    'patience looks at X_dev'
    >>> in_python("give labelled sentences (--train train.tagged), or marginal")
    'give labelled sentences, or marginal'
    """
    text = _COMMAND.sub("", text)
    text = _SETTING.sub(r"settings={'\1': '\2'}", text)
    text = _VALUE.sub(r"\1='\2'", text)
    return _OPTION.sub(lambda match: _NAMES.get(match[1], match[1].replace("-", "_")), text)


@contextlib.contextmanager
def told_in_python() -> Iterator[None]:
    """Errors of the block name arguments of estimators, and are otherwise the same."""
    try:
        yield
    except WeftError as error:
        error.args = tuple(
            in_python(each) if isinstance(each, str) else each for each in error.args
        )
        if isinstance(error, FormatError):
            error.message = in_python(error.message)
        raise
