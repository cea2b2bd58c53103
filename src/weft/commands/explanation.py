"""What decides: the reasons for any model's answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weft.commands.files.inputs import UNSAID, FileLayout, StrPath, finite, open_model
from weft.commands.questions import find_question
from weft.commands.selecting import Chosen
from weft.commands.tasks import Question, task_of
from weft.errors import quote
from weft.files import Source
from weft.models.explaining import SHOWN, Contribution, Explained, RankedAnswer
from weft.models.model import Trained
from weft.reprs import count_things, describe


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Explanation:
    """Why a model gives one answer to a sentence, and not another.

    Attributes:
        question: The sentence.
        found: The answers, and what tells two of them apart.
    """

    question: Question
    found: Explained[Any]

    def __repr__(self) -> str:
        answers = count_things(len(self.found.ranking), "answer")
        reasons = count_things(len(self.found.reasons), "reason")
        return describe(self, quote(self.question.text), answers, reasons)

    @property
    def is_right(self) -> bool | None:
        """Whether the first answer is right; None where that is not known."""
        return self.found.chosen.right

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON; the keys are the same for every kind of model."""
        found, other = self.found, self.found.other
        return {
            "sentence": self.question.source,
            "id": self.question.id,
            "text": self.question.text,
            "is_right": self.is_right,
            "answers": [self._candidate_json(each) for each in found.ranking],
            "compared_with": None if other is None else self._candidate_json(other),
            "reasons": [_reason_json(each) for each in found.reasons],
            **({"note": found.note} if found.note else {}),
        }

    def _candidate_json(self, each: RankedAnswer[Any]) -> dict[str, Any]:
        return {
            "number": each.number,
            "rank": each.rank,
            "right": each.right,
            "probability": each.probability,
            "log_prob": finite(each.log_prob),
            "score": finite(each.score),
            "answer": self.question.as_json(each.answer),
            "shown": self.question.shown(each.answer),
        }


def _reason_json(each: Contribution) -> dict[str, Any]:
    return {
        "kind": each.kind,
        "name": each.name,
        "weight": finite(each.weight),
        "chosen": each.chosen,
        "other": each.other,
        "log_odds": finite(each.difference),
    }


def explain(
    model: Trained | StrPath,
    source: Source,
    name: str | None = None,
    *,
    against: int | None = None,
    count: int = SHOWN,
    layout: FileLayout = UNSAID,
    chosen: Chosen | None = None,
) -> Explanation:
    """Say why a model answers a sentence of a file as it does.

    Args:
        model: A model of any kind, or its file.
        source: Sentences, trees or parse sets.
        name: The number of the sentence in the file, from 1; of a parse set, its id. The first by
            default.
        against: The answer to compare with, by its number, from 0: its place in the ranking, of a
            listed analysis its number; by default the right one, or the next best if the first is
            right.
        count: How many answers to rank.
        layout: What is said about the file's format.
        chosen: Which parse sets of the file are looked at.

    Raises:
        OptionError: If there is no such answer.
        FormatError: If the file cannot be read, or there is no such sentence.
        EvidenceError: If the sentence has no answer.
    """
    trained: Any = open_model(model)
    questions = task_of(trained).questions(trained, source, layout, chosen or Chosen())
    question = find_question(questions, source, name)
    found = trained.explain(question.given, question.example, against=against, count=count)
    return Explanation(question, found)
