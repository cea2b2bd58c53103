"""Tagging the sentences of a file, as a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np

from weft.arrays import FloatArray
from weft.commands.inputs import UNSAID, Layout, StrPath, finite, opened
from weft.commands.recognition import Told, recognised
from weft.corpora import Record
from weft.errors import EvidenceError, FormatError
from weft.files import Source
from weft.models.tagger import Decoder, Tagger
from weft.structures.evidence import Example, Sentence

BATCH_TOKENS = 30_000
"""Sentences are tagged together until they have so many tokens."""

SHOWN_PROBABILITY = 0.01
"""Marginal probabilities below it are not listed."""

AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, slots=True)
class Prediction:
    """The tags of a sentence and how sure the model is of them.

    Attributes:
        tokens: The words.
        tags: The chosen tags.
        probabilities: The probability of each chosen tag at its token.
        marginals: For each token its likely tags with their probabilities, the likeliest first.
        log_probability: log p(tags | sentence); -inf if posterior decoding chose tags that
            cannot follow one another.
        entropy: The entropy of the distribution over tag sequences, in nats.
    """

    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    probabilities: tuple[float, ...]
    marginals: tuple[Mapping[str, float], ...]
    log_probability: float
    entropy: float

    def as_json(self) -> dict[str, Any]:
        """Return the prediction, ready for JSON, which has no infinity."""
        return {**asdict(self), "log_probability": finite(self.log_probability)}


def predict(
    model: Tagger | StrPath,
    source: Source,
    *,
    layout: Layout = UNSAID,
    decoder: Decoder | None = None,
    threads: int | None = None,
    batch_tokens: int = BATCH_TOKENS,
    told: Told | None = None,
) -> Iterator[str]:
    r"""Tag a file, and yield each sentence's text with its tags as soon as it is known.

    What comes before a broken line is yielded before the error is raised.

    Args:
        model: A tagger or its file.
        source: The sentences; labels need not be there, and are replaced if they are.
        layout: What is said about the format; the rest is as it was in training, unless the
            file's name or first lines show another format.
        decoder: How tags are chosen.
        threads: How many threads to use, all by default; no result depends on it.
        batch_tokens: Sentences are tagged together until they have so many tokens.
        told: Told which format was taken, if that is not the training corpus's.

    Raises:
        FormatError: If a file cannot be read.
        EvidenceError: If a sentence has no possible tagging, or lacks the attributes that the
            model was trained on.

    >>> import io
    >>> from weft import Chain, example, fit
    >>> tagger = fit(Chain(), [example(["the", "dog"], ["DT", "NN"])])
    >>> list(predict(tagger, io.BytesIO(b"a dog\n"), layout=Layout("text")))
    ['a/DT dog/NN\n']
    """
    tagger = opened(model)
    file = recognised(tagger, source, layout, told=told)
    records = file.corpus_format.read(file.source, labelled=False)

    def ask(sentences: Sequence[Sentence]) -> list[tuple[str, ...]]:
        return tagger.tag(sentences, decoder, threads)

    answers = _answers(_batches(records, batch_tokens), ask)
    return (file.corpus_format.render(record, tags) for record, tags in answers)


def predict_marginals(
    model: Tagger | StrPath,
    source: Source,
    *,
    layout: Layout = UNSAID,
    decoder: Decoder | None = None,
    threads: int | None = None,
    batch_tokens: int = BATCH_TOKENS,
    told: Told | None = None,
) -> Iterator[Prediction]:
    """Tag a file, and yield each sentence's tags with their probabilities; see :func:`predict`."""
    tagger = opened(model)
    file = recognised(tagger, source, layout, told=told)
    records = file.corpus_format.read(file.source, labelled=False)

    def ask(sentences: Sequence[Sentence]) -> list[Prediction]:
        return _predictions(tagger, sentences, decoder, threads)

    return (answer for _, answer in _answers(_batches(records, batch_tokens), ask))


def _batches(records: Iterator[Record], tokens: int) -> Iterator[list[Record]]:
    """Collect records; if reading fails, what was read until then comes before the error."""
    batch: list[Record] = []
    size = 0
    try:
        for record in records:
            batch.append(record)
            size += len(record.example.tokens)
            if size >= tokens:
                yield batch
                batch, size = [], 0
    except FormatError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _answers(
    batches: Iterable[list[Record]], ask: Callable[[Sequence[Sentence]], list[AnswerT]]
) -> Iterator[tuple[Record, AnswerT]]:
    """Ask for whole batches, and for single sentences in one that holds an impossible sentence."""
    for batch in batches:
        try:
            answers = ask([record.example.tokens for record in batch])
        except EvidenceError:
            for record in batch:
                yield record, ask([record.example.tokens])[0]
        else:
            yield from zip(batch, answers, strict=True)


def _predictions(
    tagger: Tagger, sentences: Sequence[Sentence], decoder: Decoder | None, threads: int | None
) -> list[Prediction]:
    tags = tagger.tag(sentences, decoder, threads)
    chosen = [Example(*pair) for pair in zip(sentences, tags, strict=True)]
    parts = zip(
        chosen,
        tagger.marginals(sentences, threads),
        tagger.log_probs(chosen, threads).tolist(),
        tagger.entropy(sentences, threads).tolist(),
        strict=True,
    )
    return [_prediction(tagger.model.tags, *part) for part in parts]


def _prediction(
    names: Sequence[str],
    chosen: Example,
    probs: FloatArray,
    log_probability: float,
    entropy: float,
) -> Prediction:
    order = np.argsort(-probs, axis=1, kind="stable")
    ranked = np.take_along_axis(probs, order, axis=1)
    counts = (ranked >= SHOWN_PROBABILITY).sum(axis=1).tolist()
    tags = [tag for tag in chosen.analysis or () if isinstance(tag, str)]
    columns = [names.index(tag) for tag in tags]
    return Prediction(
        tokens=chosen.tokens.words,
        tags=tuple(tags),
        probabilities=tuple(probs[np.arange(len(tags)), columns].tolist()),
        marginals=tuple(
            {names[column]: prob for column, prob in zip(row[:count], likely[:count], strict=True)}
            for row, likely, count in zip(order.tolist(), ranked.tolist(), counts, strict=True)
        ),
        log_probability=log_probability,
        entropy=entropy,
    )
