"""What is asked of a model about each sentence of a file, and how answers are written as JSON.

Every kind of model is asked alike, and answers in one schema: an object per sentence, with a list
of answers, each with its rank, its probability and what it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from weft.commands.files.inputs import finite
from weft.errors import FormatError, OptionError
from weft.models.answers import Answer, Answering, Decoder
from weft.ranking import shared_ranks
from weft.reprs import Brief

AnswerT = TypeVar("AnswerT")
ItemT = TypeVar("ItemT")

SHOWN_PROBABILITY = 0.01
"""Marginal probabilities below it are not listed."""


@dataclass(frozen=True, slots=True, repr=False)
class Ask(Brief):
    """What is asked about each sentence.

    Attributes:
        kbest: How many of the most probable answers are wanted; None for the best alone.
        sample: How many answers are to be drawn at random; None for none.
        seed: What the draws depend on.
        decoder: How the best answer is chosen; None for the model's own way.
        marginals: Whether the probabilities of parts are wanted, and the entropy.

    Raises:
        OptionError: If these do not go together.
    """

    kbest: int | None = None
    sample: int | None = None
    seed: int | None = None
    decoder: Decoder | None = None
    marginals: bool = False

    def __post_init__(self) -> None:
        if self.kbest is not None and self.sample is not None:
            raise OptionError("--kbest ranks answers, and --sample draws them: give one of the two")
        if self.seed is not None and self.sample is None:
            raise OptionError("--seed is what --sample depends on: give --sample N, too")
        if self.decoder is not None and self.several:
            option = "--kbest" if self.sample is None else "--sample"
            raise OptionError(
                f"--{self.decoder} is a way to choose one answer, and {option} asks for several: "
                "leave one of the two out"
            )

    @property
    def several(self) -> bool:
        """Whether there may be several answers to a sentence."""
        return self.kbest is not None or self.sample is not None

    @property
    def count(self) -> int:
        """How many answers to a sentence there may be: the more, the fewer sentences at a time."""
        return self.kbest or self.sample or 1

    @property
    def rng(self) -> np.random.Generator:
        """Where chance comes from, from the start."""
        return np.random.default_rng(self.seed or 0)


PLAIN = Ask()
"""The best answer, and nothing else."""


@dataclass(frozen=True, slots=True, repr=False)
class Reply(Brief, Generic[AnswerT]):
    """What a model says of one sentence.

    Attributes:
        answers: The answers; none where there are none.
        ranks: The rank of each, 1 for the most probable, equals sharing one; None where answers
            were drawn, or chosen otherwise.
        marginals: How probable parts of answers are, as the model has them; None if not asked for.
        entropy: How undecided the model is, in nats; None if not asked for.
        several: Whether more than the best answer was asked for.
    """

    answers: tuple[Answer[AnswerT], ...] = ()
    ranks: tuple[int | None, ...] = ()
    marginals: Any = None
    entropy: float | None = None
    several: bool = False

    def as_json(
        self, shown: Callable[[AnswerT], Any], parts: Callable[[Any], Any]
    ) -> dict[str, Any]:
        """Return answers, and what else was asked for, ready for JSON.

        Args:
            shown: Shows an answer.
            parts: Shows the marginals.
        """
        answers = [
            {
                "rank": rank,
                "probability": each.probability,
                "log_prob": finite(each.log_prob),
                "score": finite(each.score),
                "answer": shown(each.answer),
            }
            for rank, each in zip(self.ranks, self.answers, strict=True)
        ]
        if self.entropy is None:
            return {"answers": answers}
        return {
            "answers": answers,
            "marginals": parts(self.marginals),
            "entropy": self.entropy,
        }


def replies(
    model: Answering[Any, AnswerT],
    inputs: Sequence[Any],
    ask: Ask,
    rng: np.random.Generator,
    threads: int | None = None,
) -> list[Reply[AnswerT]]:
    """Ask a model of any kind about several inputs.

    Args:
        model: The model.
        inputs: What it is asked about.
        ask: What is asked.
        rng: Where chance comes from, if answers are drawn; see :attr:`Ask.rng`.
        threads: How many threads to use, all by default; no result depends on it.
    """
    ranked = ask.sample is None and (ask.decoder or model.usual) is not Decoder.POSTERIOR
    if ask.sample is not None:
        several = model.sample(inputs, rng, ask.sample, threads)
    elif ask.kbest is not None:
        ranked, several = True, model.kbest(inputs, ask.kbest, threads)
    else:
        found = model.best(inputs, ask.decoder, threads)
        several = [[] if each is None else [each] for each in found]
    marginals: Sequence[Any] = [None] * len(inputs)
    entropies: Sequence[float | None] = [None] * len(inputs)
    if ask.marginals:
        marginals = model.marginals(inputs, threads)
        entropies = model.entropy(inputs, threads).tolist()
    return [
        Reply(tuple(answers), _ranks(answers, ranked), parts, entropy, ask.several)
        for answers, parts, entropy in zip(several, marginals, entropies, strict=True)
    ]


def batches(
    items: Iterable[ItemT],
    most: int,
    size: Callable[[ItemT], int] = lambda item: 1,  # noqa: ARG005
) -> Iterator[list[ItemT]]:
    """Collect what is asked about together; if reading fails, what came before comes first.

    Args:
        items: What is read, one at a time.
        most: How large a batch is; at least one item is in it.
        size: How large an item is.
    """
    batch: list[ItemT] = []
    total = 0
    try:
        for item in items:
            batch.append(item)
            total += size(item)
            if total >= most:
                yield batch
                batch, total = [], 0
    except FormatError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _ranks(answers: Sequence[Answer[Any]], ranked: bool) -> tuple[int | None, ...]:
    if not ranked:
        return (None,) * len(answers)
    return tuple(shared_ranks([each.score for each in answers], least=1.0))


def json_line(record: dict[str, Any]) -> str:
    """Return an object as a line that every program can read."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
