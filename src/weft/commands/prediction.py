"""Labelling the tokens of a file's sentences, as a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np

from weft.arrays import FloatArray
from weft.commands.asking import PLAIN, SHOWN_PROBABILITY, Ask, Reply, batches, json_line, replies
from weft.commands.files.inputs import UNSAID, FileLayout, StrPath, finite, open_tagger
from weft.commands.files.recognition import Told, recognise
from weft.commands.how import How, unheard
from weft.corpora import Record
from weft.errors import EvidenceError, UnansweredError
from weft.files import Source
from weft.models.answers import Answer
from weft.models.tagger import Decoder, Tagger
from weft.ranking import by_value
from weft.reprs import Brief, count_things
from weft.structures.evidence import Sentence

BATCH_TOKENS = 30_000
"""Sentences are tagged together until they have this many tokens."""

UNBROKEN = str.maketrans(dict.fromkeys(" \t", "\N{NO-BREAK SPACE}"))
"""White space inside words, which would end them on a line."""

AnswerT = TypeVar("AnswerT")


@dataclass(frozen=True, slots=True, repr=False)
class Prediction(Brief):
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
    layout: FileLayout = UNSAID,
    decoder: Decoder | None = None,
    threads: int | None = None,
    batch_tokens: int = BATCH_TOKENS,
    told: Told = unheard,
) -> Iterator[str]:
    r"""Tag a file, and yield each sentence's text with its tags as soon as it is known.

    What comes before a broken line is yielded before the error is raised. A sentence that has no
    possible tagging gets the closest one, and that is told; what has not even that is left out, and
    told at the end.

    Args:
        model: A tagger or its file.
        source: The sentences; labels need not be there, and are replaced if they are.
        layout: What is said about the format; the rest is as it was in training, unless the
            file's name or first lines show another format.
        decoder: How tags are chosen.
        threads: How many threads to use, all by default; no result depends on it.
        batch_tokens: Sentences are tagged together until they have this many tokens.
        told: Told which format was taken, if that is not the training corpus's, and of sentences
            without a possible tagging.

    Raises:
        FormatError: If a file cannot be read.
        EvidenceError: If a sentence lacks the attributes that the model was trained on.
        UnansweredError: If some sentences have no tagging, after all others.

    >>> import io
    >>> from weft import Chain, example, fit
    >>> tagger = fit(Chain(), [example(["the", "dog"], ["DT", "NN"])])
    >>> list(predict(tagger, io.BytesIO(b"a dog\n"), layout=FileLayout("text")))
    ['a/DT dog/NN\n']
    """
    how = How(Ask(decoder=decoder), layout, threads=threads, told=told)
    return _rendered(open_tagger(model), source, how, batch_tokens)


def _rendered(trained: Any, source: Source, how: How, batch_tokens: int) -> Iterator[str]:
    file = recognise(trained, source, how.layout, told=how.told)
    records = file.corpus_format.read(file.source, labelled=False)

    def ask(sentences: Sequence[Sentence]) -> list[tuple[str, ...]]:
        found: list[tuple[str, ...]] = trained.answers(sentences, how.ask.decoder, how.threads)
        return found

    answers = _answers(batches(records, batch_tokens, _size), ask, trained, how, lambda tags: tags)
    return (file.corpus_format.render(record, tags) for record, tags in answers)


def write_answers(
    trained: Any, source: Source, how: How, names: Sequence[str] = ()
) -> Iterator[str]:
    """Yield what is written of each sentence of a file that a model labels the tokens of.

    Args:
        trained: A model of any family whose answers are a label per token.
        source: The sentences.
        how: How they are read, asked about and answered.
        names: The labels, where marginals are the probabilities of each at each token.
    """
    batch_tokens = 1 if how.typed else BATCH_TOKENS
    as_json = how.json or how.ask.marginals
    if not as_json and not how.ask.several:
        yield from _rendered(trained, source, how, batch_tokens)
        return
    for each in _labelled(trained, source, how, names, batch_tokens):
        yield json_line(each.as_json()) if as_json else each.lines + "\n"


@dataclass(frozen=True, slots=True, repr=False)
class Tagging(Brief):
    """A sentence and what a tagger says of it.

    Attributes:
        record: The sentence, as the file has it.
        reply: What was asked for.
        names: The tags of the model; empty where marginals are of other parts.
    """

    record: Record
    reply: Reply[tuple[str, ...]]
    names: tuple[str, ...]

    @property
    def lines(self) -> str:
        """The answers, a line of word/TAG each."""
        words = [word.translate(UNBROKEN) for word in self.record.example.tokens.words]
        return "".join(
            " ".join(f"{word}/{tag}" for word, tag in zip(words, each.answer, strict=True)) + "\n"
            for each in self.reply.answers
        )

    @property
    def prediction(self) -> Prediction:
        """The first answer, and how sure the model is of it; marginals were asked for."""
        [first, *_] = self.reply.answers
        probs, names = self.reply.marginals, self.names
        chosen = [names.index(tag) for tag in first.answer]
        return Prediction(
            tokens=self.record.example.tokens.words,
            tags=first.answer,
            probabilities=tuple(probs[np.arange(len(chosen)), chosen].tolist()),
            marginals=_likely(names, probs),
            log_probability=first.log_prob,
            entropy=self.reply.entropy or 0.0,
        )

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        tokens = self.record.example.tokens
        parts = (lambda probs: _likely(self.names, probs)) if self.names else _parts
        answers = self.reply.as_json(list, parts)
        alone = self.names and self.reply.marginals is not None and not self.reply.several
        older = self.prediction.as_json() if alone else {}
        return {"sentence": tokens.source, "tokens": tokens.words, **older, **answers}


def tag_file(
    model: Tagger | StrPath,
    source: Source,
    ask: Ask = PLAIN,
    *,
    layout: FileLayout = UNSAID,
    threads: int | None = None,
    batch_tokens: int = BATCH_TOKENS,
    told: Told = unheard,
) -> Iterator[Tagging]:
    """Ask a tagger about each sentence of a file; see :func:`predict`.

    Args:
        model: A tagger or its file.
        source: The sentences.
        ask: What is asked: the best tags, several answers, samples, probabilities.
        layout: What is said about the format.
        threads: How many threads to use, all by default; no result depends on it.
        batch_tokens: Sentences are tagged together until they have this many tokens.
        told: Told which format was taken, if that is not the training corpus's.

    >>> import io
    >>> from weft import Chain, example, fit
    >>> tagger = fit(Chain(), [example(["the", "dog"], ["DT", "NN"])])
    >>> [found] = tag_file(tagger, io.BytesIO(b"a dog"), Ask(kbest=2), layout=FileLayout("text"))
    >>> [each.answer for each in found.reply.answers]
    [('DT', 'NN'), ('NN', 'NN')]
    """
    tagger, how = open_tagger(model), How(ask, layout, threads=threads, told=told)
    return _labelled(tagger, source, how, tagger.model.tags, batch_tokens)


def _labelled(
    trained: Any, source: Source, how: How, names: Sequence[str], batch_tokens: int
) -> Iterator[Tagging]:
    ask, rng = how.ask, how.ask.rng
    file = recognise(trained, source, how.layout, told=how.told)
    records = file.corpus_format.read(file.source, labelled=False)

    def answers(sentences: Sequence[Sentence]) -> list[Reply[tuple[str, ...]]]:
        found = replies(trained, sentences, ask, rng, how.threads)
        if any(
            len(each) and not reply.answers for each, reply in zip(sentences, found, strict=True)
        ):
            trained.answers(sentences, threads=how.threads)  # which says where none is possible
        return found

    def alone(tags: tuple[str, ...]) -> Reply[tuple[str, ...]]:
        nothing: Any = np.zeros((len(tags), len(names))) if names else {}
        answers = (Answer(-np.inf, tags, -np.inf),)
        if ask.marginals:
            return Reply(answers, (None,), nothing, 0.0, ask.several)
        return Reply(answers, (None,), several=ask.several)

    pairs = _answers(
        batches(records, batch_tokens // ask.count, _size), answers, trained, how, alone
    )
    return (Tagging(record, reply, tuple(names)) for record, reply in pairs)


def _size(record: Record) -> int:
    return len(record.example.tokens)


def _answers(
    batches: Iterable[list[Record]],
    ask: Callable[[Sequence[Sentence]], list[AnswerT]],
    trained: Any,
    how: How,
    only: Callable[[Any], AnswerT],
) -> Iterator[tuple[Record, AnswerT]]:
    """Ask for whole batches, and for single sentences in one that holds an impossible sentence.

    Args:
        batches: The sentences.
        ask: From sentences to what is said of them.
        trained: The model, which has the closest answer where none is possible.
        how: Who is told of it.
        only: From that answer to what is said.
    """
    missing = 0
    for batch in batches:
        try:
            answers = ask([record.example.tokens for record in batch])
        except EvidenceError:
            for record in batch:
                try:
                    answer = ask([record.example.tokens])[0]
                except EvidenceError as error:
                    closest = trained.closest(record.example.tokens, how.threads)
                    if closest is None:
                        missing += 1
                        how.told(f"left out: {error}")
                        continue
                    how.told(f"warning: {error}; the closest answer is given")
                    answer = only(closest)
                yield record, answer
        else:
            yield from zip(batch, answers, strict=True)
    if missing:
        message = f"{count_things(missing, 'sentence')} without an answer were left out"
        raise UnansweredError(f"{message}: the model excludes all that they could have")


def _parts(expected: Mapping[Any, float]) -> list[dict[str, Any]]:
    """The likely parts of answers with their probabilities, the likeliest first."""
    return [
        {"part": part, "probability": min(share, 1.0)}
        for part, share in by_value(expected.items(), itemgetter(1))
        if share >= SHOWN_PROBABILITY
    ]


def _likely(names: Sequence[str], probs: FloatArray) -> tuple[Mapping[str, float], ...]:
    """For each token its likely tags with their probabilities, the likeliest first."""
    tokens, tags = (each.tolist() for each in np.nonzero(probs >= SHOWN_PROBABILITY))
    likely: list[list[tuple[str, float]]] = [[] for _ in probs]
    for token, tag in zip(tokens, tags, strict=True):
        likely[token].append((names[tag], float(probs[token, tag])))
    return tuple(dict(by_value(row, itemgetter(1), itemgetter(0))) for row in likely)
