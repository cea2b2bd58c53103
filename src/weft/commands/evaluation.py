"""Comparing a tagger's tags with those of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from itertools import chain, compress
from typing import Any

import numpy as np

from weft.arrays import BoolArray, FloatArray
from weft.commands.files.inputs import (
    UNSAID,
    FileLayout,
    StrPath,
    finite,
    gold_map,
    open_tagger,
    with_tag_map,
)
from weft.commands.files.recognition import Told, recognise
from weft.corpora import check_not_excluded, read_examples
from weft.errors import OptionError
from weft.evaluate.choices import ChoiceScores
from weft.evaluate.chunks import ChunkCounts, ChunkScores, find_chunks, known_chunks
from weft.evaluate.clusters import ClusterScores, cluster_scores
from weft.evaluate.lexical import LexicalDivergence
from weft.evaluate.tagging import TaggingScores, tagging_scores
from weft.files import Source
from weft.models.chain.allowed import allowed_loss
from weft.models.chain.first_pass import AllowedLoss
from weft.models.model import filled, label_scores
from weft.models.options import LEARNT
from weft.models.tagger import Decoder, Tagger, as_tagger
from weft.models.tagger_scores import allowed_tags, ambiguous_words, choices_of, divergence_of
from weft.reprs import Brief, count_things, describe, show_figure
from weft.structures.chunking import is_chunking
from weft.structures.evidence import Example, Label


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation:
    """How good a tagger is on a corpus.

    Attributes:
        scores: Accuracies and confusions.
        chunks: Precision, recall and F1, if the tags are chunks.
        log_likelihood: Σ log p(gold | sentence), over the sentences where that is above -inf.
        joint_log_likelihood: Σ log p(gold, sentence) over the same; None where the model has no
            distribution over sentences, or does not know all their words.
        marginal_log_likelihood: Σ log p(sentence), likewise.
        likely_tokens: The tokens of these sentences.
        impossible_sentences: The sentences whose gold tags the model excludes.
        unanalysed_sentences: Those of which it excludes all tags, and the closest ones count.
        choices: What chance and the posterior get right.
        clusters: How well the tags agree with the gold ones if their names do not count.
        divergence: How far p(word | tag) is from the corpus's; None where the model has none, or
            does not know all words.
        unsupervised: Whether the model was estimated from words alone, without a dictionary, so
            that its tags are classes whose names mean nothing.
        allowed: What is lost by the tags that training has learnt to allow; None where it allows
            all of them.
    """

    scores: TaggingScores
    chunks: ChunkScores | None
    log_likelihood: float
    joint_log_likelihood: float | None
    marginal_log_likelihood: float | None
    likely_tokens: int
    impossible_sentences: int
    unanalysed_sentences: int
    choices: ChoiceScores
    clusters: ClusterScores
    divergence: LexicalDivergence | None
    unsupervised: bool
    allowed: AllowedLoss | None = None

    def __repr__(self) -> str:
        tokens = count_things(self.scores.tokens, "token")
        accuracy, f1 = show_figure("accuracy", self.accuracy), show_figure("F1", self.f1)
        return describe(self, tokens, accuracy, f1)

    @property
    def accuracy(self) -> float | None:
        """The share of tokens tagged right."""
        return self.scores.accuracy

    @property
    def f1(self) -> float | None:
        """The F1 of all chunks; None if the tags are not chunks."""
        return self.chunks.overall.f1 if self.chunks else None

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; accuracies are fractions."""
        names = [each.name for each in fields(self.scores) if each.name != "confusions"]
        overall = self.chunks.overall if self.chunks else None
        mean = self.divergence.mean if self.divergence else None
        return {
            **{name: getattr(self.scores, name) for name in names},
            "log_likelihood": self.log_likelihood,
            "joint_log_likelihood": self.joint_log_likelihood,
            "marginal_log_likelihood": self.marginal_log_likelihood,
            "impossible_sentences": self.impossible_sentences,
            "unanalysed_sentences": self.unanalysed_sentences,
            "allowed": self.allowed and self.allowed._asdict(),
            **asdict(self.choices),
            **asdict(self.clusters),
            "lexical_divergence": None if mean is None else finite(mean),
            "lexical_divergences": self.divergence
            and {tag: finite(value) for tag, value in self.divergence.by_tag.items()},
            "precision": overall.precision if overall else None,
            "recall": overall.recall if overall else None,
            "f1": self.f1,
            "chunks": self.chunks
            and {kind: _chunk_json(counts) for kind, counts in self.chunks.types.items()},
            "chunk_means": self.chunks
            and {
                "macro": self.chunks.macro._asdict(),
                "weighted": self.chunks.weighted._asdict(),
            },
            "confusions": [
                {"gold": gold, "predicted": predicted, "count": count}
                for (gold, predicted), count in self.scores.confusions
            ],
        }


def _chunk_json(counts: ChunkCounts) -> dict[str, float]:
    shares = {"precision": counts.precision, "recall": counts.recall, "f1": counts.f1}
    return {**asdict(counts), **shares}


@dataclass(frozen=True, slots=True, repr=False)
class Assessment(Brief):
    """How good a model of any family is that labels tokens.

    Attributes:
        scores: Accuracies and confusions.
        baseline: What is right if every token has the most frequent label of the corpus.
        chunks: Precision, recall and F1, if the labels are chunks.
        log_likelihood: Σ log p(gold | sentence), over the sentences where that is above -inf.
        impossible_sentences: The sentences whose gold labels the model excludes.
        unanalysed_sentences: Those of which it excludes all labels, and the closest ones count.
    """

    scores: TaggingScores
    baseline: float | None
    chunks: ChunkScores | None
    log_likelihood: float
    impossible_sentences: int
    unanalysed_sentences: int

    @property
    def accuracy(self) -> float | None:
        """The share of tokens labelled right."""
        return self.scores.accuracy

    def as_json(self) -> dict[str, Any]:
        """Return every figure, ready for JSON; accuracies are fractions."""
        return {
            "tokens": self.scores.tokens,
            "accuracy": self.accuracy,
            "most_frequent_label_accuracy": self.baseline,
            "sentences": self.scores.sentences,
            "sentence_accuracy": self.scores.sentence_accuracy,
            "f1": self.chunks.overall.f1 if self.chunks else None,
            "log_likelihood": self.log_likelihood,
            "impossible_sentences": self.impossible_sentences,
            "unanalysed_sentences": self.unanalysed_sentences,
        }


def assess_labels(
    trained: Any,
    corpus: Sequence[Example],
    decoder: Decoder | None = None,
    threads: int | None = None,
) -> Assessment:
    """Compare the labels that a model of any family gives tokens with those of a corpus."""
    scores, found, strayed = label_scores(trained, corpus, decoder, threads)
    gold = [_labels(example) for example in corpus]
    counts = Counter(each for each in chain.from_iterable(gold) if isinstance(each, str))
    log_probs = trained.log_probs(corpus, threads)
    possible = np.isfinite(log_probs)
    return Assessment(
        scores,
        max(counts.values()) / counts.total() if counts else None,
        find_chunks(gold, found),
        float(log_probs[possible].sum()),
        int((~possible).sum()),
        len(strayed),
    )


def evaluate(
    model: Tagger | StrPath,
    source: Source,
    *,
    layout: FileLayout = UNSAID,
    decoder: Decoder | None = None,
    threads: int | None = None,
    tag_map: str | None = None,
    strict: bool = False,
    told: Told | None = None,
) -> Evaluation:
    """Compare a tagger's tags with those of a file; see :func:`predict` for the arguments.

    Args:
        model: A tagger or its file.
        source: The sentences with their gold tags.
        layout: What is said about the format; the rest is as it was in training, unless the
            file's name or first lines show another format.
        decoder: How tags are chosen.
        threads: How many threads to use, all by default; no result depends on it.
        tag_map: A map that makes gold tags coarse, by name or file, or ``none``; by default the
            one of training.
        strict: Refuse a gold tag that the model's dictionary excludes, instead of counting it.
        told: Told which format was taken, if that is not the training corpus's.

    Raises:
        OptionError: If the format has no tags, a gold tag is refused, or the model has no
            dictionary to be strict about.
        FormatError: If a file cannot be read.
    """
    tagger = open_tagger(model)
    file = recognise(tagger, source, layout, labelled=True, told=told)
    corpus = with_tag_map(read_examples(file.corpus_format, file.source), gold_map(tagger, tag_map))
    if strict:
        if tagger.model.dictionary is None:
            message = "--strict refuses tags that the dictionary excludes, and this model has none"
            raise OptionError(f"{message}: leave it out, or train with --dictionary FILE")
        check_not_excluded(tagger.model.dictionary, corpus, tagger.chain.open_tags)
    return assess(tagger, corpus, decoder=decoder, threads=threads)


def assess(
    tagger: Tagger,
    corpus: Sequence[Example],
    *,
    decoder: Decoder | None = None,
    threads: int | None = None,
) -> Evaluation:
    """Compare a tagger's tags with those of a corpus.

    >>> from weft import Chain, example, fit
    >>> tagger = fit(Chain(), [example(["the", "dog"], ["DT", "NN"])])
    >>> assess(tagger, [example(["the", "dog"], ["DT", "VB"])]).accuracy
    0.5

    Raises:
        OptionError: If the model is no tagger; parsers have :func:`~weft.commands.evaluate_parser`.
        ExampleError: If something else than examples is given.
    """
    corpus = as_tagger(tagger).examples(corpus)
    sentences = [example.tokens for example in corpus]
    gold = [_labels(example) for example in corpus]
    found, strayed = tagger.nearest(sentences, decoder, threads)
    predicted = filled(found, [len(each) for each in sentences])
    analysed = [example for place, example in enumerate(corpus) if place not in set(strayed)]
    words = [sentence.words for sentence in sentences]
    sums = tagger.log_sums(corpus, threads)
    log_probs = sums.conditional
    possible = np.isfinite(log_probs)
    closed = tagger.model.closed(words)
    return Evaluation(
        scores=tagging_scores(gold, predicted, words, tagger.lexicon, _ambiguous(tagger, words)),
        chunks=known_chunks(gold, predicted) if is_chunking(tagger.model.tags) else None,
        log_likelihood=float(log_probs[possible].sum()),
        joint_log_likelihood=_total(sums.joint, possible) if closed else None,
        marginal_log_likelihood=_total(sums.marginal, possible) if closed else None,
        likely_tokens=int(np.array([len(each) for each in sentences])[possible].sum()),
        impossible_sentences=int((~possible).sum()),
        unanalysed_sentences=len(strayed),
        choices=choices_of(tagger, analysed, threads),
        clusters=cluster_scores(gold, predicted),
        divergence=_divergence(tagger, corpus, words),
        unsupervised=_unsupervised(tagger),
        allowed=allowed_loss(tagger.chain, corpus, threads) if LEARNT in tagger.notes else None,
    )


def _ambiguous(tagger: Tagger, words: Sequence[Sequence[str]]) -> frozenset[str]:
    distinct = list(dict.fromkeys(chain.from_iterable(words)))
    several = ambiguous_words(tagger, distinct, allowed_tags(tagger, distinct))
    return frozenset(compress(distinct, several.tolist()))


def _divergence(
    tagger: Tagger, corpus: Sequence[Example], words: Sequence[Sequence[str]]
) -> LexicalDivergence | None:
    if not set(chain.from_iterable(words)) <= set(tagger.model.vocabulary):
        return None
    return divergence_of(tagger, corpus)


def _unsupervised(tagger: Tagger) -> bool:
    criterion = tagger.notes.get("criterion", "")
    blind = criterion.startswith(("marginal", "contrastive"))
    return blind and not tagger.model.dictionary


def _total(values: FloatArray | None, where: BoolArray) -> float | None:
    return None if values is None else float(values[where].sum())


def _labels(example: Example) -> tuple[Label, ...]:
    return (None,) * len(example.tokens) if example.analysis is None else example.analysis
