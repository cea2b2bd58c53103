"""The best tag sequences of chains in order, and sequences drawn at random.

The state after token j is [y_{j-1}, y_j], or [0, y_j] for order 1: both orders have steps
c[y_{j-2}, y_{j-1}, y_j], which are grouped by the state that they lead to. They are made of the
tags that tokens may have alone, one token at a time: all triples of tags are never together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weft.arrays import BoolArray, FloatArray, IndexArray, IntArray, ScalarT, broken_and_kept
from weft.derivations.chain.layout import ChainArguments
from weft.derivations.chain.scoring import LogLinear
from weft.errors import LimitError
from weft.ranking import TIE

if TYPE_CHECKING:
    from weft.derivations.chain.trellis import Trellis
    from weft.derivations.derivation_set import Ranked

_MOST_BYTES = 2**30  # for the ways to the states of one token, by their ranks
_AT_ONCE = 2**20  # how many of these are put in order together


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """The steps of one member.

    Attributes:
        shared: What all members share: transitions.
        tags: The tags that each token may have.
        single: [tokens, width], the scores of tags.
        pair: [tokens, …], those of pairs or triples, if there are any.
    """

    shared: ChainArguments
    tags: list[IndexArray]
    single: FloatArray
    pair: FloatArray | None

    @property
    def order(self) -> int:
        """Of the chain, 1 or 2."""
        return self.shared.order

    def tags_at(self, place: int) -> IndexArray:
        """The tags of a token; the boundary before the first and after the last."""
        inside = 0 <= place < len(self.tags)
        return self.tags[place] if inside else np.array([self.shared.tags], np.int32)

    def axes(self, place: int) -> tuple[IndexArray, IndexArray, IndexArray]:
        """The tags that a step to a token has: at the two before, and there."""
        before = self.tags_at(place - 2) if self.order == 2 else np.zeros(1, np.int32)
        return before, self.tags_at(place - 1), self.tags_at(place)

    def at(self, place: int) -> FloatArray:
        """[before, previous, own]: the scores of the steps to a token."""
        return self.between(place, *self.axes(place))

    def between(
        self, place: int, before: IndexArray, previous: IndexArray, own: IndexArray
    ) -> FloatArray:
        """[before, previous, own]: the same of some tags."""
        found = _transitions(self.shared, before, previous, own)
        if place == len(self.tags):
            return found
        found += self.single[place, own]
        if self.pair is None:
            return found
        width = self.single.shape[1]
        added = self.pair[place].reshape(-1, width, width)
        if len(added) == 1:
            found += added[0][np.ix_(previous, own)]
        else:
            found += added[np.ix_(previous, before, own)].transpose(1, 0, 2)
        return found

    def most(self) -> int:
        """How many steps to one token there are, where they are most."""
        places = range(len(self.tags) + 1)
        return max(int(np.prod([len(tags) for tags in self.axes(place)])) for place in places)


def _transitions(
    shared: ChainArguments, before: IndexArray, previous: IndexArray, own: IndexArray
) -> FloatArray:
    """[before, previous, own]: the scores of transitions, where order 1 has one group."""
    table, width = shared.transitions, shared.transitions.shape[-1]
    if shared.order == 1:
        return table[np.ix_(before, previous, own)]
    if shared.cell_offsets is None or shared.cell_columns is None:
        return table[np.ix_(previous, before, own)].transpose(1, 0, 2)
    rows = (previous * width + before[:, None].astype(np.int64)).reshape(-1)
    found = np.repeat(table[0][np.ix_(previous, own)][None], len(before), axis=0)
    starts = shared.cell_offsets[rows]
    counts = shared.cell_offsets[rows + 1] - starts
    row = np.repeat(np.arange(len(rows)), counts)
    cells = np.arange(len(row)) + np.repeat(starts - np.cumsum(counts) + counts, counts)
    place = np.full(width, -1)
    place[own] = np.arange(len(own))
    columns = place[shared.cell_columns[cells]]
    inside = columns >= 0
    values = table.reshape(-1)[width**2 + cells[inside]]
    found.reshape(len(rows), -1)[row[inside], columns[inside]] += values
    return found


def _members(trellis: Trellis, theta: FloatArray) -> Iterator[tuple[int, Steps]]:
    """Yield the place and the steps of each member, in the order of the sentences."""
    for _, batch, arguments in trellis.scored(trellis.scores.at(theta, once=True)):
        owners = np.repeat(np.arange(len(batch.member_offsets) - 1), np.diff(batch.member_offsets))
        for place, sentence in enumerate(owners.tolist()):
            tokens = slice(*batch.sentence_offsets[sentence : sentence + 2].tolist())
            labels = slice(*batch.member_starts[place : place + 2].tolist())
            yield batch.members.start + place, _steps(arguments, tokens, labels)


def _steps(arguments: ChainArguments, tokens: slice, labels: slice) -> Steps:
    """Copy what the next batch would overwrite."""
    sets, offsets = arguments.member_sets[labels], arguments.set_offsets
    ends = zip(offsets[sets].tolist(), offsets[sets + 1].tolist(), strict=True)
    return Steps(
        arguments,
        [arguments.set_tags[start:end] for start, end in ends],
        arguments.emission[tokens] + arguments.set_bias[sets],
        None if arguments.pair is None else arguments.pair[tokens].copy(),
    )


def kbest(trellis: Trellis, theta: FloatArray, count: int) -> list[Ranked]:
    """Return the best ``count`` sequences of each member; of equals, the earlier tags come first.

    Scores are equal if they differ by at most 1e-9.

    Args:
        trellis: The members.
        theta: The weights.
        count: How many sequences are wanted, at least 0.

    Raises:
        LimitError: If this many would not fit into memory.
    """
    found: list[Ranked] = [[] for _ in range(len(trellis))]
    for place, steps in _members(trellis, theta):
        _check_room(steps, count, f"the best {count:,} tag sequences")
        found[int(trellis.order[place])] = _kbest(steps, count) if count else []
    return found


def _check_room(steps: Steps, count: int, what: str) -> None:
    """Refuse more ways to each state of a token than there is room for."""
    most = _MOST_BYTES // (8 * max(steps.most(), 1))
    if count > most:
        tags = max(map(len, steps.tags), default=0)
        cure = f"ask for {most:,} at most, or draw samples" if most else "allow fewer tags"
        raise LimitError(
            f"{what} would take more than a GiB at each token; with up to {tags} tags per token "
            f"and order {steps.order}, {cure}"
        )


def _kbest(steps: Steps, count: int) -> Ranked:
    state = np.zeros((1, 1, 1))  # [previous, own, ranks]: everything begins with the boundary
    places: IntArray = np.zeros((1, 1, 1), np.int64)  # of the same ways, in the order of their tags
    backs: list[IndexArray] = []
    length = len(steps.tags)
    for place in range(length):
        steps_to = steps.at(place)
        own = steps_to.shape[-1]
        width = max(1, _AT_ONCE // max(1, state.size))
        pieces = [
            _best_ways(steps.order, state, places, steps_to[..., first : first + width], count)
            for first in range(0, max(own, 1), width)
        ]
        back, state, spelt = (np.concatenate(each, axis=1) for each in zip(*pieces, strict=True))
        spelt = spelt * own + np.arange(own)[:, None]
        places = spelt.reshape(-1).argsort().argsort().reshape(spelt.shape)
        backs.append(back.astype(np.int32))
    ending = (state + steps.at(length)).reshape(-1)
    return [
        (float(ending[number]), _path(steps, backs, number))
        for number in _best_places(ending, places.reshape(-1), count).tolist()
        if ending[number] > -np.inf
    ]


def _best_ways(
    order: int, state: FloatArray, places: IntArray, steps_to: FloatArray, count: int
) -> tuple[IntArray, FloatArray, IntArray]:
    """[previous, own, count]: the best ways to states, their scores, and where they come from.

    The best ways through other states come before one, and the better ones through its own.
    """
    shape, ranks = (*steps_to.shape, 1), state.shape[-1]
    steps = _by_state(order, steps_to[..., None])
    first = _by_state(order, np.broadcast_to(state[:, :, None, :1], shape))
    names = _by_state(order, np.broadcast_to(places[:, :, None, :1], shape))
    sources = _best_places(first + steps, names, count)
    before, rank = np.nonzero(
        np.add.outer(np.arange(sources.shape[-1]), np.arange(ranks)) < max(count, 1)
    )
    through = sources[..., before]
    ways = through * ranks + rank
    scores = np.take_along_axis(_by_state(order, state[:, :, None, :]), ways, axis=-1)
    scores += np.take_along_axis(steps, through, axis=-1)
    known = np.take_along_axis(_by_state(order, places[:, :, None, :]), ways, axis=-1)
    best = _best_places(scores, known, count)
    back, found, spelt = (np.take_along_axis(each, best, axis=-1) for each in (ways, scores, known))
    return back, found, spelt


def _by_state(order: int, values: NDArray[ScalarT]) -> NDArray[ScalarT]:
    """[previous, own, ways]: values of the ways to each state, given [before, y, y′, ranks]."""
    before, previous, own, ranks = values.shape
    if order == 1:  # all of [before, y, rank] for each y′
        return values.transpose(2, 0, 1, 3).reshape(1, own, before * previous * ranks)
    # [before, rank] for each [y, y′]
    return values.transpose(1, 2, 0, 3).reshape(previous, own, before * ranks)


def _best_places(values: FloatArray, names: IntArray, count: int) -> IntArray:
    """[…, count]: where the largest of the last axis are; of those that agree, by their names.

    That the difference is small, and not its share, keeps the best where sums cancel later.
    """
    order: IntArray = np.argsort(-values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    with np.errstate(invalid="ignore"):  # two infinities are in no need of an order
        same = ordered[..., :-1] - ordered[..., 1:] <= TIE
    if same[..., :count].any():
        runs = np.cumsum(~same, axis=-1)
        runs = np.concatenate([np.zeros_like(runs[..., :1]), runs], axis=-1)
        known = np.take_along_axis(names, order, axis=-1)
        order = np.take_along_axis(order, np.lexsort((known, runs), axis=-1), axis=-1)
    return order[..., :count].copy()  # all of it would be kept


def _path(steps: Steps, backs: list[IndexArray], state: int) -> IndexArray:
    """The tags of a sequence, given the number of its last state with its rank."""
    tags = np.zeros(len(backs), np.int32)
    for place in range(len(backs) - 1, -1, -1):
        previous, own, ranks = backs[place].shape
        state, rank = divmod(state, ranks)
        before, last = divmod(state, own)
        tags[place] = steps.tags[place][last]
        way = int(backs[place][before, last, rank])
        if steps.order == 1:
            state = way
        else:
            below = backs[place - 1].shape[-1] if place else 1
            earlier, rank = divmod(way, below)
            state = (earlier * previous + before) * below + rank
    return tags


def fewest(
    trellis: Trellis,
    theta: FloatArray,
    allowed: Sequence[Sequence[int]] | None,
    forbidden: BoolArray | None,
) -> list[IndexArray | None]:
    """Return the sequence of each member that breaks the fewest rules, and of these the best.

    A weight of -inf is a rule; where weights are normalised, a step's probability of zero is.
    Between scores that differ by at most 1e-9, the order of tags decides.

    Args:
        trellis: The members.
        theta: The weights.
        allowed: The numbers of the sets of tags that tokens should have, each a rule; None for no
            such rules.
        forbidden: [tags + 1, tags + 1], which transitions break a rule; None for none.
    """
    found: list[IndexArray | None] = [None] * len(trellis)
    for place, broken, kept in _split(trellis, theta):
        member = int(trellis.order[place])
        if allowed is not None:
            broken.single[:] -= np.isneginf(trellis.sets.bias[np.array(allowed[member], np.int64)])
        found[member] = _fewest(broken, kept, trellis.topology.forbidden, forbidden)
    return found


def _split(trellis: Trellis, theta: FloatArray) -> Iterator[tuple[int, Steps, Steps]]:
    """Yield the place of each member, and steps that count broken rules, and score the others."""
    if isinstance(trellis.scoring, LogLinear):
        pairs = (_members(trellis, each) for each in broken_and_kept(theta))
        for (place, broken), (_, kept) in zip(*pairs, strict=True):
            yield place, broken, kept
        return
    for place, steps in _members(trellis, theta):
        halves = zip(
            broken_and_kept(steps.shared.transitions),
            broken_and_kept(steps.single),
            (None, None) if steps.pair is None else broken_and_kept(steps.pair),
            strict=True,
        )
        broken, kept = (
            Steps(steps.shared._replace(transitions=transitions), steps.tags, single, pair)
            for transitions, single, pair in halves
        )
        yield place, broken, kept


def _fewest(
    broken: Steps, kept: Steps, never: BoolArray, forbidden: BoolArray | None
) -> IndexArray | None:
    counts, scores = np.zeros((1, 1)), np.zeros((1, 1))
    backs: list[IndexArray] = []
    for place in range(len(kept.tags) + 1):
        _, previous, own = kept.axes(place)
        step = np.where(never[np.ix_(previous, own)], -np.inf, 0.0)
        if forbidden is not None:
            step -= forbidden[np.ix_(previous, own)]
        counts = counts[:, :, None] + (broken.at(place) + step)
        scores = scores[:, :, None] + kept.at(place)
        if place == len(kept.tags):
            break
        # To each state from [before] or, for order 1, from [previous].
        axes = (0, 2, 1) if kept.order == 1 else (1, 2, 0)
        counts, scores = counts.transpose(axes), scores.transpose(axes)
        scores = np.where(_are_best(counts), scores, -np.inf)
        back = _are_best(scores).argmax(axis=-1)[..., None]
        counts, scores = (
            np.take_along_axis(each, back, axis=-1)[..., 0] for each in (counts, scores)
        )
        backs.append(back.astype(np.int32))
    if np.isneginf(counts).all():
        return None
    last = np.where(_are_best(counts.reshape(-1)), scores.reshape(-1), -np.inf)
    return _path(kept, backs, int(_are_best(last).argmax()))


def _are_best(values: FloatArray) -> BoolArray:
    """Whether numbers are as good as the best of the last axis, as in _best_places.

    So are counts of rules, too: features with values break them by parts of one.
    """
    return np.asarray(values >= values.max(axis=-1, keepdims=True) - TIE)


def stuck(trellis: Trellis, theta: FloatArray) -> int:
    """Return the first token of the first member that no sequence gets past; or else the last."""
    steps = next(_members(trellis, theta))[1]
    state = np.zeros((1, 1))
    for place in range(len(steps.tags)):
        scores = state[:, :, None] + steps.at(place)
        after = scores.max(axis=(0, 1) if steps.order == 1 else 0, initial=-np.inf)
        if np.isneginf(after).all():
            return place
        state = after[None] if steps.order == 1 else after
    return len(steps.tags) - 1


def sample(
    trellis: Trellis, theta: FloatArray, rng: np.random.Generator, count: int
) -> list[list[IndexArray]]:
    """Draw sequences of each member with probability exp(score − log Z).

    Args:
        trellis: The members.
        theta: The weights.
        rng: The source of randomness.
        count: How many sequences are wanted of each member.

    Raises:
        LimitError: If the steps of a token would not fit into memory.
    """
    found: list[list[IndexArray]] = [[] for _ in range(len(trellis))]
    for place, steps in sorted(_members(trellis, theta), key=lambda each: trellis.order[each[0]]):
        _check_room(steps, 1, "samples")
        found[int(trellis.order[place])] = _sample(steps, rng, count)
    return found


def _sample(steps: Steps, rng: np.random.Generator, count: int) -> list[IndexArray]:
    """Sums forwards, draws backwards."""
    states = [np.zeros((1, 1))]
    for place in range(len(steps.tags)):
        scores = states[-1][:, :, None] + steps.at(place)
        axis = (0, 1) if steps.order == 1 else 0
        after = np.logaddexp.reduce(scores, axis=axis)
        states.append(after[None] if steps.order == 1 else after)
    ending = states[-1] + steps.at(len(steps.tags))[:, :, 0]
    if np.isneginf(ending).all():
        return []
    return [_drawn(steps, states, _draw(ending, rng), rng) for _ in range(count)]


def _drawn(
    steps: Steps, states: list[FloatArray], last: int, rng: np.random.Generator
) -> IndexArray:
    tags = np.zeros(len(steps.tags), np.int32)
    before, own = divmod(last, states[-1].shape[1])
    for place in range(len(tags) - 1, -1, -1):
        earlier, previous, mine = steps.axes(place)
        tags[place] = mine[own]
        chosen = slice(None) if steps.order == 1 else slice(before, before + 1)
        scores = steps.between(place, earlier, previous[chosen], mine[own : own + 1])
        drawn = _draw(states[place][:, chosen] + scores[:, :, 0], rng)
        before, own = (0, drawn) if steps.order == 1 else (drawn, before)
    return tags


def _draw(scores: FloatArray, rng: np.random.Generator) -> int:
    """Draw a place in proportion to exp(score)."""
    flat = scores.reshape(-1)
    sums = np.cumsum(np.exp(flat - flat.max()))
    place = int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))
    return min(place, int(np.flatnonzero(np.diff(sums, prepend=0.0))[-1]))  # despite rounding
