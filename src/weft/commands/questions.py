"""The sentences of a file, as a model is asked about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from weft.commands.files.inputs import UNSAID, FileLayout
from weft.commands.selecting import Chosen
from weft.commands.tasks import Question, task_of
from weft.errors import FormatError, OptionError, abbreviate
from weft.files import Source, name_of


def read_questions(
    trained: Any, source: Source, layout: FileLayout = UNSAID, chosen: Chosen | None = None
) -> list[Question]:
    """Return the sentences of a file that say what is right.

    Raises:
        FormatError: If the file cannot be read, or has no sentence.
        OptionError: If none of them says what is right.
    """
    task = task_of(trained)
    every = list(task.questions(trained, source, layout, chosen or Chosen()))
    if not every:
        raise FormatError("there is no sentence in the file", path=name_of(source))
    found = [each for each in every if task.is_labelled(each.example)]
    if not found:
        raise OptionError(
            f"{name_of(source)}: no sentence says what is right, and so nothing can be compared: "
            "give tagged sentences, trees or parse sets with their right analyses"
        )
    return found


def find_question(questions: Iterable[Question], source: Source, name: str | None) -> Question:
    """Return the sentence that has a name; the first where none is given.

    Raises:
        FormatError: If there is no such sentence.
    """
    some: list[str] = []
    for question in questions:
        if name is None or question.id == name:
            return question
        some.append(question.id)
    if not some:
        raise FormatError("there is no sentence in the file", path=name_of(source))
    known = ", ".join(some[:3])
    raise FormatError(
        f"no sentence has the id '{abbreviate(name or '')}'; ids here are "
        f"{known}{', ...' if len(some) > 3 else ''}",
        path=name_of(source),
    )
