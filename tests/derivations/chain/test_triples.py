"""Chains of order 2 whose tokens have scores for three tags, against every sequence in turn."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from weft.derivations import Trellis
from weft.derivations.chain.layout import ChainMembers
from weft.derivations.chain.tagsets import TagSetReader
from weft.derivations.chain.topology import Topology
from weft.errors import NotDefined
from weft.kernels import kernels
from weft.structures.evidence import Evidence, sentence

TAGS, WIDTH = 3, 8
NAMES = ("X", "Y", "Z")
LENGTHS = (1, 2, 5, 0, 4)
THETA = np.zeros(0)


@dataclass(frozen=True)
class Scores:
    """Scores that are given."""

    transitions: np.ndarray
    single: np.ndarray
    triple: np.ndarray
    bounds: np.ndarray | None = None

    paired = tripled = True
    cells = None

    def over(self, bounds, _threads):
        return Scores(self.transitions, self.single, self.triple, bounds)

    def at(self, _theta, *, once=False):  # noqa: ARG002
        return self

    def tokens(self, batch):
        run = slice(*self.bounds[batch : batch + 2])
        return self.single[run].copy(), self.triple[run].reshape(-1, WIDTH**3).copy()

    def expectations(self):
        raise NotDefined("no gradient")


def random_scores(rng, scale: float, holes: float) -> Scores:
    def draw(*shape):
        values = scale * rng.normal(size=shape)
        return np.where(rng.random(shape) < holes, -np.inf, values)

    transitions = np.full((WIDTH,) * 3, -np.inf)
    transitions[: TAGS + 1, : TAGS + 1, : TAGS + 1] = draw(*(TAGS + 1,) * 3)
    tokens = sum(LENGTHS)
    single, triple = np.zeros((tokens, WIDTH)), np.zeros((tokens, *(WIDTH,) * 3))
    single[:, :TAGS] = draw(tokens, TAGS)
    triple[:, : TAGS + 1, : TAGS + 1, :TAGS] = draw(tokens, TAGS + 1, TAGS + 1, TAGS)
    # What lies outside the tags must not matter, however large it is.
    triple[..., TAGS:] = 5.0 * scale
    return Scores(transitions, single, triple)


def trellis_of(scores: Scores, labels=None, threads=1) -> Trellis:
    none = np.empty((0, 2), np.int32)
    forbidden = np.zeros((TAGS + 1,) * 2, np.bool_)
    topology = Topology(2, TAGS, forbidden, none, 0, none[:, [0, 0, 0]], 0)
    reader = TagSetReader({name: n for n, name in enumerate(NAMES)}, None)
    several = labels or [None] * len(LENGTHS)
    sets = [reader.read(("w",) * n, each) for n, each in zip(LENGTHS, several, strict=True)]
    members = ChainMembers(np.arange(len(LENGTHS)), sets)
    table = reader.table(WIDTH)
    return Trellis(topology, np.array(LENGTHS), scores, members, table, threads, reader)


def listed(scores: Scores, number: int, labels=None) -> dict[tuple[int, ...], float]:
    """Every sequence of a sentence, with its score."""
    first = sum(LENGTHS[:number])
    found = {}
    for tags in product(range(TAGS), repeat=LENGTHS[number]):
        if labels and any(
            o is not None and NAMES[t] != o for t, o in zip(tags, labels, strict=True)
        ):
            continue
        path = [TAGS, TAGS, *tags, TAGS]
        score = 0.0
        for place, (earlier, before, tag) in enumerate(zip(path, path[1:], path[2:], strict=False)):
            score += scores.transitions[before, earlier, tag]
            if place < len(tags):
                score += scores.single[first + place, tag]
                score += scores.triple[first + place, before, earlier, tag]
        found[tags] = score
    return found


def log_sum(values) -> float:
    return float(np.logaddexp.reduce([*values, -np.inf]))


@pytest.fixture(
    params=[(1.0, 0.0), (1.0, 0.3), (300.0, 0.0), (300.0, 0.1), (1e6, 0.0)],
    ids=["plain", "holes", "far apart", "far apart with holes", "huge"],
)
def scores(request, rng) -> Scores:
    return random_scores(rng, *request.param)


@pytest.mark.parametrize("threads", [1, 2])
def test_sums_marginals_and_entropies_equal_enumeration(scores, threads):
    trellis = trellis_of(scores, threads=threads)
    sums = trellis.log_partition(THETA)
    values, marginals = trellis.marginals(THETA)
    entropies = trellis.entropy(THETA)
    np.testing.assert_allclose(values, sums, rtol=1e-12)
    for number, length in enumerate(LENGTHS):
        every = listed(scores, number)
        total = log_sum(every.values())
        assert sums[number] == pytest.approx(total, rel=1e-10, abs=1e-9)
        if total == -np.inf:
            continue
        probs = {tags: np.exp(score - total) for tags, score in every.items()}
        expected = np.zeros((length, TAGS))
        for tags, prob in probs.items():
            expected[np.arange(length), list(tags)] += prob
        np.testing.assert_allclose(marginals[number], expected, atol=1e-9)
        entropy = -sum(p * np.log(p) for p in probs.values() if p > 0)
        assert entropies[number] == pytest.approx(entropy, abs=1e-8)


def test_best_sequences_and_their_rivals_equal_enumeration(scores):
    trellis = trellis_of(scores)
    found, tags = trellis.best(THETA)
    ranked = trellis.kbest(THETA, 4)
    seen = [Evidence(sentence(["w"] * n), ("X",) * n) for n in LENGTHS]
    rivals, others = trellis.without(seen).best(THETA)
    for number, length in enumerate(LENGTHS):
        every = listed(scores, number)
        best = sorted(every.values(), reverse=True)
        assert found[number] == pytest.approx(best[0], rel=1e-12)
        if best[0] > -np.inf:
            assert every[tuple(tags[number].tolist())] == pytest.approx(best[0], rel=1e-12)
        expected = [score for score in best[:4] if score > -np.inf]
        assert [score for score, _ in ranked[number]] == pytest.approx(expected, rel=1e-12)
        left = {each: score for each, score in every.items() if any(each)}
        rival = max(left.values(), default=-np.inf)
        assert rivals[number] == pytest.approx(rival, rel=1e-12)
        if length and rival > -np.inf:
            assert every[tuple(others[number].tolist())] == pytest.approx(rival, rel=1e-12)


def test_observed_tags_leave_the_others_out(scores):
    labels = [("Y",), (None, "X"), ("X", None, "Z", None, None), (), ("X", "Y", "Z", "X")]
    sums = trellis_of(scores, labels).log_partition(THETA)
    for number, each in enumerate(labels):
        total = log_sum(listed(scores, number, each).values())
        assert sums[number] == pytest.approx(total, rel=1e-10, abs=1e-9)


def test_samples_have_the_scores_probabilities(rng):
    scores = random_scores(rng, 1.0, 0.0)
    drawn = trellis_of(scores).sample(THETA, rng, 4000)
    every = listed(scores, 1)
    total = log_sum(every.values())
    for tags, score in every.items():
        share = np.mean([tuple(each.tolist()) == tags for each in drawn[1]])
        assert share == pytest.approx(np.exp(score - total), abs=0.03)


def test_expected_transitions_equal_enumeration(scores):
    """What is told of transitions, though nothing that has such scores asks for it yet."""
    trellis = trellis_of(scores)
    totals = np.zeros((WIDTH,) * 3)
    marginals = np.zeros((sum(LENGTHS), WIDTH))
    [(_, _, arguments)] = list(trellis.scored(trellis.scores))
    count = len(LENGTHS)
    kernels.chain_sweep(
        *arguments, np.ones(count), np.zeros(count), marginals, None, totals, trellis.threads
    )
    expected = np.zeros((WIDTH,) * 3)
    for number in range(count):
        every = listed(scores, number)
        total = log_sum(every.values())
        for tags, score in every.items() if total > -np.inf else ():
            path = [TAGS, TAGS, *tags, TAGS]
            for earlier, before, tag in zip(path, path[1:], path[2:], strict=False):
                expected[before, earlier, tag] += np.exp(score - total)
    np.testing.assert_allclose(totals, expected, atol=1e-8)


def test_scores_of_other_shapes_are_refused(rng):
    scores = random_scores(rng, 1.0, 0.0)
    trellis = trellis_of(scores)
    [(_, _, arguments)] = list(trellis.scored(trellis.scores))
    for columns in (WIDTH**3 - 8, WIDTH):
        cut = np.ascontiguousarray(arguments.pair[:, :columns])
        with pytest.raises(ValueError, match="pair scores must be"):
            kernels.chain_log_partition(*arguments._replace(pair=cut), np.zeros(5), 1)
