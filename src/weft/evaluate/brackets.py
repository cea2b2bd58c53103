"""Precision, recall and F1 of brackets, counted as EVALB counts them.

A bracket is a label with the words from its first to its last; tags with their words are none.
With c the brackets that a predicted tree has in common with the gold one, each counted once for
every time that both have it, of p predicted and g gold ones,

    precision = c / p,   recall = c / g,   F1 = 2 c / (p + g),

over all sentences together. A predicted bracket *crosses* if some gold bracket begins within it
and ends behind it, or the other way round. Before all that

- words with certain labels are taken out, and brackets that have no others;
- brackets with certain labels are left out, and some labels are taken for the same;
- of labels, what follows the first ``-`` or ``=`` is left out.

:mod:`weft.evaluate.bracket_parameters` says which. Sentences whose words are then not the same in
both trees, or that have no predicted tree, are skipped, and reported.

References: E. Black et al. (1991), "A procedure for quantitatively comparing the syntactic
coverage of English grammars", Speech and Natural Language Workshop; S. Sekine and M. Collins
(1997), EVALB, https://nlp.cs.nyu.edu/evalb.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import groupby

import numpy as np

from weft.evaluate.bracket_parameters import BracketParameters, bracket_parameters_named
from weft.evaluate.bracketing import Bracketing, Ready, bracketing, common, crossing, ready
from weft.evaluate.significance import ROUNDS, Comparison, compare, f1
from weft.structures.tree import Tree


@dataclass(frozen=True, slots=True)
class BracketCounts:
    """What is counted of one sentence, or of several together.

    Attributes:
        sentences: The sentences.
        gold: Their brackets in the gold trees.
        predicted: Those in the predicted trees.
        correct: Those that agree.
        correct_spans: Those that agree but for their labels.
        exact: The sentences of which all brackets agree.
        crossing: The predicted brackets that cross.
        without_crossing: The sentences that have none.
        two_crossing: The sentences that have two at most.
        words: The words that count.
        correct_tags: Those of them whose tags agree.

    >>> counts = BracketCounts(sentences=1, gold=4, predicted=2, correct=1)
    >>> counts.precision, counts.recall, round(counts.f1, 3)
    (0.5, 0.25, 0.333)
    """

    sentences: int = 0
    gold: int = 0
    predicted: int = 0
    correct: int = 0
    correct_spans: int = 0
    exact: int = 0
    crossing: int = 0
    without_crossing: int = 0
    two_crossing: int = 0
    words: int = 0
    correct_tags: int = 0

    @property
    def precision(self) -> float:
        """The share of the predicted brackets that are correct."""
        return _share(self.correct, self.predicted)

    @property
    def recall(self) -> float:
        """The share of the gold brackets that were found."""
        return _share(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return _share(2 * self.correct, self.gold + self.predicted)

    @property
    def unlabelled(self) -> BracketCounts:
        """The same without a look at labels, but for exact matches."""
        return replace(self, correct=self.correct_spans)

    @property
    def exact_match(self) -> float:
        """The share of the sentences of which all brackets agree."""
        return _share(self.exact, self.sentences)

    @property
    def mean_crossing(self) -> float:
        """How many brackets cross, in a sentence on average."""
        return _share(self.crossing, self.sentences)

    @property
    def tagging_accuracy(self) -> float:
        """The share of the words whose tags agree."""
        return _share(self.correct_tags, self.words)


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """One sentence of a comparison.

    Attributes:
        source: Its name, or its number from 1.
        length: Its words in the gold tree.
        counts: What is counted of it.
        problem: Why it was skipped; empty where it was not.
    """

    source: str
    length: int
    counts: BracketCounts
    problem: str = ""


@dataclass(frozen=True, slots=True)
class BracketScores:
    """A comparison of predicted trees with gold ones.

    Attributes:
        overall: All sentences that were not skipped.
        short: Those among them that are not longer than the cutoff.
        cutoff: The longest that is short.
        sentences: Every sentence, also the skipped ones.
    """

    overall: BracketCounts
    short: BracketCounts
    cutoff: int
    sentences: tuple[SentenceScore, ...]

    @property
    def skipped(self) -> tuple[SentenceScore, ...]:
        """The sentences that do not count, each with its problem."""
        return tuple(each for each in self.sentences if each.problem)


COLLINS = bracket_parameters_named("collins")
"""What results on the Penn Treebank are given by."""


def bracket_scores(
    gold: Sequence[Tree],
    predicted: Sequence[Tree | None],
    parameters: BracketParameters = COLLINS,
    *,
    sources: Sequence[str] | None = None,
    count_missing: bool = False,
) -> BracketScores:
    """Compare trees, sentence by sentence.

    Trees over tags need words first: :func:`weft.grammars.transforms.words.with_words`.

    Args:
        gold: The gold trees.
        predicted: The predicted trees of the same sentences; None where there is none.
        parameters: What counts; by default as results on the Penn Treebank are given.
        sources: What sentences are called; their numbers, by default.
        count_missing: Whether a sentence without a predicted tree counts, with no bracket
            predicted; else it is skipped, as EVALB does.

    Raises:
        ValueError: If there are not as many predicted trees, or sources, as gold ones.

    >>> noun, verb = Tree("NN", ("time",)), Tree("VP", (Tree("VB", ("flies",)),))
    >>> gold, flat = Tree("S", (Tree("NP", (noun,)), verb)), Tree("S", (noun, verb))
    >>> scores = bracket_scores([gold, gold], [flat, None])
    >>> scores.overall.precision, round(scores.overall.recall, 3)
    (1.0, 0.667)
    >>> [(each.source, each.problem) for each in scores.skipped]
    [('2', 'there is no predicted tree')]
    """
    names = [str(number + 1) for number in range(len(gold))] if sources is None else sources
    if not len(gold) == len(predicted) == len(names):
        raise ValueError(
            f"{len(gold)} gold trees need as many predicted trees and sources, not "
            f"{len(predicted)} and {len(names)}"
        )
    rules = ready(parameters)
    sentences = tuple(
        _score(rules, *each, count_missing) for each in zip(names, gold, predicted, strict=True)
    )
    scored = [each for each in sentences if not each.problem]
    short = [each for each in scored if each.length <= parameters.cutoff]
    return BracketScores(total(scored), total(short), parameters.cutoff, sentences)


def total(sentences: Iterable[SentenceScore]) -> BracketCounts:
    """Add up the counts of sentences.

    >>> one = SentenceScore("1", 2, BracketCounts(sentences=1, gold=3))
    >>> total([one, one]).gold
    6
    """
    rows = [astuple(each.counts) for each in sentences]
    return BracketCounts(*(sum(column) for column in zip(*rows, strict=True))) if rows else _NONE


def scores_by_length(
    sentences: Iterable[SentenceScore], width: int = 10
) -> Mapping[range, BracketCounts]:
    """Add up the counts of sentences of similar length, in ascending order.

    Args:
        sentences: The sentences; skipped ones do not count.
        width: How many lengths fall together: with 10, those from 1 to 10, from 11 to 20, and so
            on.

    >>> one = BracketCounts(sentences=1)
    >>> sentences = [SentenceScore("", length, one) for length in (3, 10, 11)]
    >>> {str(lengths): counts.sentences for lengths, counts in scores_by_length(sentences).items()}
    {'range(1, 11)': 2, 'range(11, 21)': 1}
    """
    scored = sorted((each for each in sentences if not each.problem), key=lambda each: each.length)
    return {
        range(number * width + 1, (number + 1) * width + 1): total(group)
        for number, group in groupby(scored, key=lambda each: (each.length - 1) // width)
    }


def compare_parses(
    first: BracketScores,
    second: BracketScores,
    *,
    rounds: int = ROUNDS,
    level: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Test whether one of two systems has the higher F1, or was lucky, on the same sentences.

    Sentences that are skipped for one of the two count for neither.

    Args:
        first: The first system's scores.
        second: The second's, against the same gold trees.
        rounds: How many samples to draw for the permutation test and the bootstrap.
        level: Of the confidence interval.
        seed: Of the random numbers.

    Raises:
        ValueError: If the two are not about the same sentences, or none is left.

    >>> gold = Tree("S", (Tree("NP", (Tree("NN", ("time",)),)), Tree("VB", ("flies",))))
    >>> flat = Tree("S", (Tree("NN", ("time",)), Tree("VB", ("flies",))))
    >>> better = compare_parses(bracket_scores([gold], [flat]), bracket_scores([gold], [gold]))
    >>> round(better.difference, 3)
    0.333
    """
    names = [[each.source for each in scores.sentences] for scores in (first, second)]
    if names[0] != names[1]:
        raise ValueError("the two systems were not compared with the same sentences")
    pairs = [
        pair
        for pair in zip(first.sentences, second.sentences, strict=True)
        if not (pair[0].problem or pair[1].problem)
    ]
    left, right = (np.array([_row(pair[side]) for pair in pairs], np.int64) for side in (0, 1))
    return compare(left, right, f1, rounds=rounds, level=level, seed=seed)


_NONE = BracketCounts()


def _row(score: SentenceScore) -> tuple[int, int, int]:
    return score.counts.correct, score.counts.gold, score.counts.predicted


def _score(
    rules: Ready, source: str, gold: Tree, predicted: Tree | None, count_missing: bool
) -> SentenceScore:
    right = bracketing(gold, rules)
    if predicted is not None:
        guess = bracketing(predicted, rules)
        problem = _problem(right, guess)
        counts = _NONE if problem else _counts(right, guess, rules.parameters.labelled)
        return SentenceScore(source, right.length, counts, problem)
    if not count_missing:
        return SentenceScore(source, right.length, _NONE, "there is no predicted tree")
    missing = BracketCounts(
        sentences=1,
        gold=len(right.brackets),
        without_crossing=1,
        two_crossing=1,
        words=len(right.words),
    )
    return SentenceScore(source, right.length, missing)


def _problem(gold: Bracketing, predicted: Bracketing) -> str:
    if not predicted.words:
        return "no predicted word counts"
    if len(gold.words) != len(predicted.words):
        return f"{len(gold.words)} gold words but {len(predicted.words)} predicted ones"
    for one, other in zip(gold.words, predicted.words, strict=True):
        if one != other:
            return f"the gold word {one!r} but the predicted one {other!r}"
    return ""


def _counts(gold: Bracketing, predicted: Bracketing, labelled: bool) -> BracketCounts:
    spans = common([each[:2] for each in gold.brackets], [each[:2] for each in predicted.brackets])
    correct = common(gold.brackets, predicted.brackets) if labelled else spans
    crossed = crossing(gold, predicted)
    return BracketCounts(
        sentences=1,
        gold=len(gold.brackets),
        predicted=len(predicted.brackets),
        correct=correct,
        correct_spans=spans,
        exact=int(correct == len(gold.brackets) == len(predicted.brackets)),
        crossing=crossed,
        without_crossing=int(crossed == 0),
        two_crossing=int(crossed <= 2),
        words=len(gold.words),
        correct_tags=sum(map(str.__eq__, gold.tags, predicted.tags)),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
