"""Wrong answers in context: beside the right ones, with what decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from weft.commands.tasks import Question
from weft.errors import WeftError
from weft.models.explaining import Contribution
from weft.ranking import by_value
from weft.reprs import Brief

_REASONS = 5

Marked = tuple[tuple[str, bool], ...]
"""Pieces of a text, and whether they differ from another text's."""


@dataclass(frozen=True, slots=True, repr=False)
class Mistake(Brief):
    """A sentence with a wrong answer.

    Attributes:
        id: What the sentence is asked for by.
        text: The sentence.
        probability: How probable the wrong answer is, says the model.
        wrong: The wrong answer, marked where it differs from the right one.
        right: The right one, likewise; empty where the model does not have it.
        reasons: What decided, the weightiest first.
        note: Why the right answer is not here; empty where it is.
    """

    id: str
    text: str
    probability: float
    wrong: Marked
    right: Marked
    reasons: tuple[Contribution, ...]
    note: str = ""


def surest_mistakes(
    trained: Any, questions: Sequence[Question], count: int, threads: int | None = None
) -> tuple[int, tuple[Mistake, ...]]:
    """Return how many sentences have a wrong answer, and those that the model is surest of.

    Args:
        trained: The model.
        questions: The sentences.
        count: How many to return.
        threads: How many threads to use, all by default; no result depends on it.
    """
    best = trained.best([each.given for each in questions], threads=threads)
    wrong = [
        (answer.log_prob, place)
        for place, (each, answer) in enumerate(zip(questions, best, strict=True))
        if answer is not None and trained.agrees(each.example, answer.answer) is False
    ]
    surest = by_value(wrong, lambda pair: pair[0], least=1.0)[:count]
    found = [_explained(trained, questions[place]) for _, place in surest]
    return len(wrong), tuple(each for each in found if each is not None)


def _explained(trained: Any, question: Question) -> Mistake | None:
    try:
        found = trained.explain(question.given, question.example, count=2)
    except WeftError:  # such as for want of room
        return None
    other = found.other if found.other is not None and found.other.right else None
    mine = _words(question, found.chosen)
    theirs = [] if other is None else _words(question, other)
    return Mistake(
        question.id,
        question.text,
        found.chosen.probability,
        tuple(_marked(mine, theirs)),
        tuple(_marked(theirs, mine)),
        found.reasons[:_REASONS],
        found.note,
    )


def _words(question: Question, ranked: Any) -> list[str]:
    """An answer as people read it, word by word; or its number, where it has no such form."""
    shown = question.shown(ranked.answer)
    return [f"analysis {ranked.number}"] if shown is None else shown.split(" ")


def _marked(words: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Words that follow each other, and whether the others have none such there."""
    if not others:
        yield from ([(" ".join(words), False)] if words else [])
        return
    matcher = SequenceMatcher(None, others, words, autojunk=False)
    for tag, _, _, start, stop in matcher.get_opcodes():
        if stop > start:
            yield " ".join(words[start:stop]), tag != "equal"
