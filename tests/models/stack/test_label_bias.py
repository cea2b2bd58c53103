"""Label bias on the bundled trees: what is normalised move by move fails where the whole does not.

All three parsers look at the same: the labels on top of the stack, and what is next. They are tried
on what they were trained on, so that nothing but the normalisation is to blame.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.optimize import minimize

from stacks import MoveProbs, all_parses, best_parse, probs_of
from weft.corpora.bundled import bundled_trees
from weft.corpora.trees.cleaning import USUAL
from weft.corpora.trees.treebanks import read_treebank
from weft.grammars.heads import find_head_rules
from weft.grammars.transforms import binarise_by_head, moves_of, states_of, without_words
from weft.models.stack.counts import MoveCounts, count_moves
from weft.models.stack.tables import Shifts, Unseen, conditional_moves, joint_moves
from weft.structures.evidence import Example
from weft.structures.moves import Move, Reduce, Shift
from weft.structures.tree import Tree, subtrees

Corpus = list[tuple[tuple[str, ...], tuple[Move, ...]]]
DETERMINER = Reduce(1, "DET")
LONGEST_CHAIN = 3


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    return read_treebank(bundled_trees(), clean=(*USUAL, without_words))


@pytest.fixture(scope="module")
def corpus(examples: list[Example]) -> Corpus:
    heads = find_head_rules("collins")
    trees = [each.parse for each in examples if isinstance(each.parse, Tree)]
    parses = [tuple(moves_of(binarise_by_head(each, heads))) for each in trees]
    return [(tuple(e.tokens.words), moves) for e, moves in zip(examples, parses, strict=True)]


@pytest.fixture(scope="module")
def counts(corpus: Corpus) -> MoveCounts:
    return count_moves([moves for _, moves in corpus])


def embedded_subjects(corpus: Corpus) -> set[int]:
    """Which sentences have a clause below a verb that begins with a determiner."""
    return {
        number
        for number, (tags, moves) in enumerate(corpus)
        if "TH" in tags[1:] and "VBZ" in tags and DETERMINER in moves
    }


def wrong(corpus: Corpus, probs: MoveProbs) -> set[int]:
    best = {tags: best_parse(tags, probs, unaries=LONGEST_CHAIN) for tags, _ in corpus}
    return {number for number, (tags, moves) in enumerate(corpus) if best[tags] != moves}


def test_what_is_in_the_corpus(corpus: Corpus, examples: list[Example]) -> None:
    assert len(corpus) == 63
    labels = Counter(each.label for e in examples for each in subtrees(e.parse))
    assert (labels["COMP"], labels["DET"]) == (29, 25)
    assert len(embedded_subjects(corpus)) == 16
    assert len({tags for tags, _ in corpus}) == len(set(corpus)), "tags leave nothing open"


@pytest.mark.parametrize("unseen", [Unseen.BACK_OFF, Unseen.LOSE])
def test_the_joint_parser_is_right(corpus: Corpus, counts: MoveCounts, unseen: Unseen) -> None:
    assert not wrong(corpus, probs_of(joint_moves(counts, unseen), counts.labels))


@pytest.mark.parametrize("shifts", Shifts)
def test_moves_that_are_normalised_one_by_one_are_wrong(
    corpus: Corpus, counts: MoveCounts, shifts: Shifts
) -> None:
    arrays = conditional_moves(counts, Unseen.LOSE, shifts)
    probs = probs_of(arrays, counts.labels, counts.looks)
    assert wrong(corpus, probs) == embedded_subjects(corpus)
    # The verb changes nothing: what was decided before has the same probability.
    for noun in ("NN",), ("JJ", "NN"):
        shares = []
        for verb in ("VBP", "VBZ"):
            found = all_parses(("PRP", "VBP", "TH", *noun, verb), probs, unaries=LONGEST_CHAIN)
            shares.append(sum(p for moves, p in found.items() if Reduce(1, "COMP") in moves))
        assert shares[0] == pytest.approx(shares[1], abs=0.02)


def test_the_same_features_with_free_weights_are_right(corpus: Corpus, counts: MoveCounts) -> None:
    """The conditional criterion over listed parses, with a Gaussian penalty."""
    arrays = conditional_moves(counts, Unseen.LOSE)
    probs = probs_of(arrays, counts.labels, counts.looks)
    numbers: dict[object, int] = {}
    sets = []
    for tags, moves in corpus:
        listed = list(all_parses(tags, probs, unaries=LONGEST_CHAIN))
        rows = np.zeros((len(listed), 500))
        for row, parse in enumerate(listed):
            for move, state in zip(parse, states_of(parse), strict=True):
                kind = "shift" if isinstance(move, Shift) else move
                rows[row, numbers.setdefault((*state, kind), len(numbers))] += 1
        sets.append((rows, listed.index(moves)))
    assert len(numbers) < 500

    def negated(theta: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = -0.5 * theta @ theta / 10, -theta / 10
        for rows, right in sets:
            scores = rows @ theta
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            value += np.log(shares[right])
            gradient += rows[right] - shares @ rows
        return -value, -gradient

    theta = minimize(negated, np.zeros(500), jac=True, method="L-BFGS-B").x
    assert all(int((rows @ theta).argmax()) == right for rows, right in sets)
    # The penalty alone would leave all parses alike.
    assert sum(len(rows) > 1 for rows, _ in sets) >= 40
