"""Precision, recall and F1 of brackets, counted as EVALB counts them.

A bracket is a label with the words from its first to its last; tags with their words are none.
With c the brackets that a predicted tree has in common with the gold one, each counted once for
every time that both have it, of p predicted and g gold ones,

    precision = c / p,   recall = c / g,   F1 = 2 c / (p + g),

over all sentences together. A predicted bracket *crosses* if some gold bracket begins within it
and ends behind it, or the other way round. Before all that

- words with certain labels are taken out, and brackets that have no others;
- brackets with certain labels are left out, and some labels are taken for the same;
- of labels, what follows the first ``-`` or ``=`` is left out, unless labels are to stay whole.

:mod:`weft.evaluate.bracket_parameters` says which. The gold tags decide which words are taken out,
of the predicted tree, too: so the same brackets are looked for whatever a parser's tags are. EVALB
lets each tree decide for itself, and skips a sentence of which other words are then left; where
the tags agree on what is taken out, all counts are EVALB's. A sentence without a predicted tree
has no predicted brackets; one of which no word counts has nothing to count, and is left out.

References: E. Black et al. (1991), "A procedure for quantitatively comparing the syntactic
coverage of English grammars", Speech and Natural Language Workshop; S. Sekine and M. Collins
(1997), EVALB, https://nlp.cs.nyu.edu/evalb.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import groupby

import numpy as np

from weft.evaluate.bracket_parameters import BracketParameters, find_bracket_parameters
from weft.evaluate.bracketing import Bracketing, Ready, align, bracketing, common, crossing, ready
from weft.evaluate.significance import ROUNDS, PairedTest, compare, f1
from weft.reprs import Brief
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
        counts: What is counted of it; nothing, and no sentence, where none of its words counts.
        problem: Why it has no predicted brackets, or was left out; empty where neither is so.
    """

    source: str
    length: int
    counts: BracketCounts
    problem: str = ""

    @property
    def left_out(self) -> bool:
        """Whether there is nothing to count in it, by its gold tags."""
        return not self.counts.sentences


@dataclass(frozen=True, slots=True, repr=False)
class BracketScores(Brief):
    """A comparison of predicted trees with gold ones.

    Attributes:
        overall: All sentences that have something to count.
        short: Those among them that are not longer than the cutoff.
        cutoff: The longest that is short.
        sentences: Every sentence, also those that have nothing to count.
    """

    overall: BracketCounts
    short: BracketCounts
    cutoff: int
    sentences: tuple[SentenceScore, ...]

    @property
    def failed(self) -> tuple[SentenceScore, ...]:
        """The sentences without a predicted tree, which count as such."""
        return tuple(each for each in self.sentences if each.problem and not each.left_out)

    @property
    def left_out(self) -> tuple[SentenceScore, ...]:
        """The sentences of which no word counts, the same ones for every parser."""
        return tuple(each for each in self.sentences if each.left_out)


COLLINS = find_bracket_parameters("collins")
"""What results on the Penn Treebank are given by."""

WHOLE = replace(COLLINS, cut=False)
"""The same with whole labels: for trees whose clean-up has decided what belongs to a label."""


def bracket_scores(
    gold: Sequence[Tree],
    predicted: Sequence[Tree | None],
    parameters: BracketParameters = COLLINS,
    *,
    sources: Sequence[str] | None = None,
) -> BracketScores:
    """Compare trees, sentence by sentence.

    Trees over tags need words first: :func:`weft.grammars.transforms.words.with_words`.

    Args:
        gold: The gold trees.
        predicted: The predicted trees of the same sentences; None where there is none.
        parameters: What counts; by default as results on the Penn Treebank are given.
        sources: What sentences are called; their numbers, by default.

    Raises:
        ValueError: If there are not as many predicted trees, or sources, as gold ones.
        FormatError: If a predicted tree has other words than the gold one, with its source.

    >>> noun, verb = Tree("NN", ("time",)), Tree("VP", (Tree("VB", ("flies",)),))
    >>> gold, flat = Tree("S", (Tree("NP", (noun,)), verb)), Tree("S", (noun, verb))
    >>> scores = bracket_scores([gold, gold], [flat, None])
    >>> scores.overall.precision, round(scores.overall.recall, 3)
    (1.0, 0.333)
    >>> [(each.source, each.problem) for each in scores.failed]
    [('2', 'there is no predicted tree')]
    """
    names = [str(number + 1) for number in range(len(gold))] if sources is None else sources
    if not len(gold) == len(predicted) == len(names):
        raise ValueError(
            f"{len(gold)} gold trees need as many predicted trees and sources, not "
            f"{len(predicted)} and {len(names)}"
        )
    rules = ready(parameters)
    sentences = tuple(_score(rules, *each) for each in zip(names, gold, predicted, strict=True))
    short = [each for each in sentences if each.length <= parameters.cutoff]
    return BracketScores(total(sentences), total(short), parameters.cutoff, sentences)


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
        sentences: The sentences; those that have nothing to count are left out.
        width: How many lengths fall together: with 10, those from 1 to 10, from 11 to 20, and so
            on.

    >>> one = BracketCounts(sentences=1)
    >>> sentences = [SentenceScore("", length, one) for length in (3, 10, 11)]
    >>> {str(lengths): counts.sentences for lengths, counts in scores_by_length(sentences).items()}
    {'range(1, 11)': 2, 'range(11, 21)': 1}
    """
    scored = sorted((each for each in sentences if not each.left_out), key=lambda each: each.length)
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
) -> PairedTest:
    """Test whether one of two systems has the higher F1, or was lucky, on the same sentences.

    Args:
        first: The first system's scores.
        second: The second's, against the same gold trees.
        rounds: How many samples to draw for the permutation test and the bootstrap.
        level: Of the confidence interval.
        seed: Of the random numbers.

    Raises:
        ValueError: If the two are not about the same sentences, or none has words that count.

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
        if not (pair[0].left_out or pair[1].left_out)
    ]
    left, right = (np.array([_row(pair[side]) for pair in pairs], np.int64) for side in (0, 1))
    return compare(left, right, f1, rounds=rounds, level=level, seed=seed)


_NONE = BracketCounts()


def _row(score: SentenceScore) -> tuple[int, int, int]:
    return score.counts.correct, score.counts.gold, score.counts.predicted


def _score(rules: Ready, source: str, gold: Tree, predicted: Tree | None) -> SentenceScore:
    if predicted is None:
        right, problem = bracketing(gold, rules), "there is no predicted tree"
        counts = _missing(right)
    else:
        right, guess = align(gold, predicted, rules, source)
        counts, problem = _counts(right, guess, rules.parameters.labelled), ""
    if not right.words:
        return SentenceScore(source, right.length, _NONE, "no gold word counts")
    return SentenceScore(source, right.length, counts, problem)


def _missing(gold: Bracketing) -> BracketCounts:
    return BracketCounts(
        sentences=1,
        gold=len(gold.brackets),
        without_crossing=1,
        two_crossing=1,
        words=len(gold.words),
    )


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
