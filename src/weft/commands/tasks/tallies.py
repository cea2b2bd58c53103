"""What is counted of single sentences of a test file, and the figures that counts come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np

from weft.arrays import FloatArray, IntArray
from weft.commands.files.inputs import finite
from weft.commands.parsing import counts_json
from weft.errors import OptionError
from weft.evaluate.brackets import WHOLE, BracketCounts, BracketScores, bracket_scores
from weft.evaluate.chunks import ChunkCounts, chunk_scores
from weft.evaluate.significance import Statistic
from weft.evaluate.tagging import is_right
from weft.models.grammar.phrases import phrases_of
from weft.models.model import filled
from weft.models.tagger import Tagger
from weft.models.tree_parser import TreeParser, put_words
from weft.models.tree_scores import assess_parser
from weft.reprs import Brief
from weft.structures.chunking import is_chunking
from weft.structures.evidence import Example, Sentence
from weft.structures.tree import Tree
from weft.train.crossvalidation import BASELINE, ESTIMATED, Columns, Fold

_BRACKETS = tuple(each.name for each in fields(BracketCounts))
_CHUNKS = tuple(f"chunks_{each.name}" for each in fields(ChunkCounts))
_RAW = "marginal_per_token"

PER_TOKEN = {_RAW: ("log p per token", "long")}
"""What raw text is judged by, as a column of a table."""

CHUNK_F1 = "chunk_f1"
"""The figure by which models of chunks are compared."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Headline(Brief):
    """By what models are compared.

    Attributes:
        key: The name of the figure.
        measure: What people call it.
        counts: What it is a statistic of, [sentences, ...], whole numbers.
        statistic: Which statistic that is.
    """

    key: str
    measure: str
    counts: IntArray
    statistic: Statistic


def judge_tags(tagger: Tagger, seen: Sequence[Example], test: Sequence[Example]) -> Fold:
    """Judge a tagger, beside the most frequent tag of each word.

    Unknown words are those that it has not seen, or that its lexicon has not.
    """
    sentences = [example.tokens for example in test]
    known = frozenset(word for each in seen for word in each.tokens.words)
    known = known or frozenset(getattr(tagger, "lexicon", ()))
    found, _ = tagger.nearest(sentences, threads=1)
    judged: dict[str, Columns] = {
        ESTIMATED: {**_tag_columns(test, found, known), **_likelihoods(tagger, test)}
    }
    frequent = _frequent_tags(seen, sentences)
    if frequent is not None:
        judged[BASELINE] = _tag_columns(test, frequent, known)
    return Fold(judged, len(tagger.weights))


def _tag_columns(
    test: Sequence[Example], predicted: Sequence[Sequence[str] | None], known: frozenset[str]
) -> Columns:
    """What is right of each sentence; nothing of one that has none, not even a close one."""
    gold = [example.analysis or (None,) * len(example.tokens) for example in test]
    found = filled(predicted, list(map(len, gold)))
    every = {label for labels in (*gold, *found) for label in labels if isinstance(label, str)}
    chunks = is_chunking(every)
    rows = []
    for example, labels, guesses in zip(test, gold, found, strict=True):
        marks = [is_right(label, tag) for label, tag in zip(labels, guesses, strict=True)]
        strange = [bool(known) and word not in known for word in example.tokens.words]
        rows.append(
            (
                sum(mark is not None for mark in marks),
                sum(mark is True for mark in marks),
                sum(new and mark is not None for new, mark in zip(strange, marks, strict=True)),
                sum(new and mark is True for new, mark in zip(strange, marks, strict=True)),
                any(mark is not None for mark in marks),
                any(mark is not None for mark in marks) and False not in marks,
                *(astuple(chunk_scores([labels], [guesses]).overall) if chunks else (0, 0, 0)),
            )
        )
    names = ("tokens", "right", "unknown", "unknown_right", "labelled", "whole", *_CHUNKS)
    return _columns(names, rows)


def _frequent_tags(
    seen: Sequence[Example], sentences: Sequence[Sentence]
) -> list[list[str]] | None:
    """The most frequent tag of each word, of unknown words that of all; None without labels."""
    counts: dict[str, Counter[str]] = {}
    for each in seen:
        for word, label in zip(each.tokens.words, each.analysis or (), strict=False):
            if isinstance(label, str):
                counts.setdefault(word, Counter())[label] += 1
    total = sum(counts.values(), Counter[str]())
    if not total:
        return None
    usual = _most(total)
    best = {word: _most(tags) for word, tags in counts.items()}
    return [[best.get(word, usual) for word in each.words] for each in sentences]


def _most(counts: Counter[str]) -> str:
    """The most frequent; of equals the first by name."""
    return min(counts, key=lambda name: (-counts[name], name))


def tag_figures(columns: Columns) -> dict[str, Any]:
    """Return the figures of tagged sentences; accuracies are fractions."""
    sums = {name: float(column.sum()) for name, column in columns.items()}
    return {
        "sentences": len(columns["tokens"]),
        "tokens": int(sums["tokens"]),
        "accuracy": _share(sums["right"], sums["tokens"]),
        "unknown_tokens": int(sums["unknown"]),
        "unknown_accuracy": _share(sums["unknown_right"], sums["unknown"]),
        "sentence_accuracy": _share(sums["whole"], sums["labelled"]),
        CHUNK_F1: _chunk_f1(columns),
        **_likelihood_figures(columns, columns["labelled"]),
    }


def _chunk_f1(columns: Columns) -> float | None:
    """The F1 of chunks; None where labels are no chunks, or nobody counted them."""
    counts = ChunkCounts(*(int(columns[each].sum()) if each in columns else 0 for each in _CHUNKS))
    return counts.f1 if counts.gold or counts.predicted else None


def chunk_counts(columns: Columns) -> IntArray | None:
    """[sentences, (correct, gold, predicted)] of chunks; None where there is none to be found."""
    if "chunks_gold" not in columns or not columns["chunks_gold"].any():
        return None
    return _whole(columns, "chunks_correct", "chunks_gold", "chunks_predicted")


def tag_counts(columns: Columns) -> IntArray:
    """[sentences, (right, tokens)]."""
    return _whole(columns, "right", "tokens")


def judge_trees(parser: TreeParser, seen: Sequence[Example], test: Sequence[Example]) -> Fold:
    """Judge a parser, beside trees of one phrase."""
    found = _bracket_columns(test, assess_parser(parser, test, threads=1))
    judged: dict[str, Columns] = {ESTIMATED: {**found, **_tree_likelihoods(parser, test)}}
    trees = [each.parse for each in seen if isinstance(each.parse, Tree)]
    if trees:
        whole = Counter(_largest(tree) for tree in trees)
        root, label = min(whole, key=lambda pair: (-whole[pair], pair))
        gold = [(each.parse, each.tokens) for each in test if isinstance(each.parse, Tree)]
        flat = bracket_scores(
            [put_words(tree, tokens) for tree, tokens in gold],
            [_flat(root, label, tokens) for _, tokens in gold],
            WHOLE,
        )
        judged[BASELINE] = _bracket_columns(test, flat)
    return Fold(judged, len(parser.weights))


def _largest(tree: Tree) -> tuple[str, str]:
    """The label of the root, and that of the largest phrase below it, or of the root again."""
    labels = [each.label for each in phrases_of(tree) if each.end - each.start == _length(tree)]
    return tree.label, labels[-2] if len(labels) > 1 else tree.label


def _length(tree: Tree) -> int:
    return max((each.end for each in phrases_of(tree)), default=0)


def _flat(root: str, label: str, tokens: Sentence) -> Tree:
    first, *words = tokens.columns
    leaves = first if words else tuple(Tree("X", (word,)) for word in first)
    inner = Tree(label, leaves)
    return put_words(inner if label == root else Tree(root, (inner,)), tokens)


def _bracket_columns(test: Sequence[Example], scores: BracketScores) -> Columns:
    """The counts of sentences with trees, and none of the others."""
    counted = iter(scores.sentences)
    rows = [
        astuple(next(counted).counts if isinstance(each.parse, Tree) else BracketCounts())
        for each in test
    ]
    return _columns(_BRACKETS, rows)


def tree_figures(columns: Columns) -> dict[str, Any]:
    """Return the figures of parsed sentences; shares are fractions."""
    counts = BracketCounts(*(int(columns[name].sum()) for name in _BRACKETS))
    found = counts_json(counts) if counts.gold else dict.fromkeys(counts_json(counts))
    likelihoods = _likelihood_figures(columns, columns["sentences"])
    return {**found, "sentences": len(columns["sentences"]), **likelihoods}


def tree_counts(columns: Columns) -> IntArray:
    """[sentences, (correct, gold, predicted)]."""
    return _whole(columns, "correct", "gold", "predicted")


def _likelihoods(model: Tagger | TreeParser, test: Sequence[Example]) -> Columns:
    """Log p(labels | sentence) and log p(sentence); NaN where there is no such distribution."""
    sums = model.log_sums(test, 1)
    marginal = np.full(len(test), np.nan)
    if sums.marginal is not None:
        closed = [model.model.closed([each.tokens.words]) for each in test]
        marginal = np.where(closed, sums.marginal, -np.inf)
    lengths = np.array([len(each.tokens) for each in test], np.float64)
    return {"log_prob": sums.conditional, "log_marginal": marginal, "length": lengths}


def _tree_likelihoods(parser: TreeParser, test: Sequence[Example]) -> Columns:
    """The same; NaN, too, where the trees of a sentence cannot be kept in memory."""
    large = parser.too_large(test, 1)
    if large is None:
        return _likelihoods(parser, test)
    found = {}
    for name, some in _likelihoods(parser, large.kept()).items():
        found[name] = np.full(len(test), np.nan)
        found[name][~large.flags] = some
    return found


def _likelihood_figures(columns: Columns, labelled: FloatArray) -> dict[str, Any]:
    if "log_prob" not in columns:
        return {}
    log_probs = columns["log_prob"][labelled > 0]
    marginal = columns["log_marginal"]
    possible = np.isfinite(marginal)
    total = _sum(marginal)
    tokens = float(columns["length"][possible].sum())
    return {
        "log_likelihood": _sum(log_probs),
        "impossible_sentences": int((~np.isfinite(log_probs)).sum()),
        "marginal_log_likelihood": total,
        _RAW: None if total is None else finite(total / max(tokens, 1.0)),
        "sentences_without_probability": int(np.isneginf(marginal).sum()),
    }


def score_of(figures: dict[str, Any], main: str) -> tuple[str, float]:
    """Return by what models are compared: a score, or what they say of raw text.

    Raises:
        OptionError: If there is neither.
    """
    for name in (main, _RAW):
        value = figures.get(name)
        if value is not None:
            return name, float(value)
    raise OptionError(
        "nothing can be said of what was held out: it has no labels, and the model has no "
        "distribution over sentences; give a file with labels, which are hidden from the criterion "
        "where it does not look at them"
    )


def _sum(values: FloatArray) -> float | None:
    """The sum of those that are finite; None if there is none."""
    possible = np.isfinite(values)
    return float(values[possible].sum()) if possible.any() else None


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def _whole(columns: Columns, *names: str) -> IntArray:
    return np.stack([columns[name] for name in names], axis=1).astype(np.int64)


def _columns(names: Sequence[str], rows: Sequence[Sequence[float]]) -> Columns:
    table = np.array(rows, np.float64).reshape(len(rows), len(names))
    return {name: table[:, place] for place, name in enumerate(names)}
