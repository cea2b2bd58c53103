"""The command that trained a model, as far as the model remembers it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

_OPTIONS: Mapping[str, str] = {
    "development": "--dev",
    "penalty": "--penalty",
    "format": "--format",
    "column": "--column",
    "inputs": "--inputs",
    "separator": "--separator",
    "terminals": "--terminals",
    "clean": "--clean",
    "tag_map": "--tag-map",
    "only": "--only",
    "dictionary": "--dictionary",
    "dictionary_from": "--dictionary-from",
    "template": "--template",
    "dilution": "--dilute",
    "open_tags": "--open-tags",
    "neighbourhood": "--neighbourhood",
    "grammar": "--grammar",
    "reference": "--reference",
    "start_file": "--start",
}
"""The options of training, by the notes that remember them."""

_FLAGS: Mapping[str, tuple[str, str]] = {
    "partial": ("True", "--partial"),
    "spelling": ("yes", "--spelling"),
}
"""Those without a value: what the note says, and the option."""


def recall_command(model: str, notes: Mapping[str, str]) -> str | None:
    """Return the command that trained a model, with the files' names as the model knows them.

    None where it was not trained by a command.

    >>> recall_command("pos.weft", {"recipe": "crf", "files": "a.tagged", "penalty": "gaussian:10"})
    'weft train pos.weft --recipe crf --train a.tagged --penalty gaussian:10'
    """
    if "recipe" not in notes or not notes.get("files"):
        return None
    words = ["weft", "train", model, "--recipe", notes["recipe"]]
    for option, key in (("--train", "files"), ("--raw", "raw")):
        for name in filter(None, notes.get(key, "").split(", ")):
            words += [option, name]
    for key, option in _OPTIONS.items():
        # A corpus that the dictionary is made of is in both notes; a map of one's own is a text.
        if key == "dictionary" and "dictionary_from" in notes:
            continue
        if notes.get(key) and "\n" not in notes[key]:
            words += [option, notes[key]]
    for key, (value, option) in _FLAGS.items():
        words += [option] if notes.get(key) == value else []
    for setting in filter(None, re.split(r", (?=\w+=)", notes.get("settings", ""))):
        words += ["--set", setting]
    return shlex.join(words)
