"""The best tag sequences of chains in order, and sequences drawn at random.

The state after token j is [y_{j-1}, y_j], or [0, y_j] for order 1: both orders have steps
c[before, y_{j-1}, y_j], which are grouped by the state that they lead to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weft.arrays import FloatArray, IndexArray
from weft.derivations.chain.layout import ChainArguments
from weft.errors import LimitError

if TYPE_CHECKING:
    from weft.derivations.chain.trellis import Trellis
    from weft.derivations.derivation_set import Ranked


_MOST_BYTES = 2**30  # for the ways to the states of one token, by their ranks


class StepScores(NamedTuple):
    """The scores of one member's steps.

    Attributes:
        order: Of the chain, 1 or 2.
        steps: For each token [earlier, width, width]; with one before for order 1.
        end: The step after the last token, [earlier, width].
        boundary: The number of the boundary.
    """

    order: int
    steps: list[FloatArray]
    end: FloatArray
    boundary: int

    def begin(self) -> FloatArray:
        """[earlier, width]: 0 for the boundary, which everything begins with."""
        before, width = self.steps[0].shape[:2] if self.steps else self.end.shape
        state = np.full((before, width), -np.inf)
        state[-1 if before == 1 else self.boundary, self.boundary] = 0.0
        return state


def _members(trellis: Trellis, theta: FloatArray) -> Iterator[tuple[int, StepScores]]:
    """Yield the place and the steps of each member, in the order of the sentences."""
    for _, batch, arguments in trellis.scored(trellis.scores.at(theta, once=True)):
        owners = np.repeat(np.arange(len(batch.member_offsets) - 1), np.diff(batch.member_offsets))
        for place, sentence in enumerate(owners.tolist()):
            tokens = slice(*batch.sentence_offsets[sentence : sentence + 2].tolist())
            labels = slice(*batch.member_starts[place : place + 2].tolist())
            yield batch.members.start + place, _steps(arguments, tokens, labels)


def _steps(arguments: ChainArguments, tokens: slice, labels: slice) -> StepScores:
    boundary, table = arguments.tags, _table(arguments)
    if arguments.order == 2:  # where it has a group for the tag before
        table = table.transpose(1, 0, 2)
    width = table.shape[-1]
    sets = arguments.member_sets[labels]
    single = arguments.emission[tokens] + arguments.set_bias[sets]
    single[:, boundary:] = -np.inf  # the boundary is no tag, nor is what fills up the width
    steps = []
    for place, scores in enumerate(single):
        step = table + scores
        if arguments.pair is not None:
            added = arguments.pair[tokens][place].reshape(-1, width, width)
            step = step + (added[0] if len(added) == 1 else added.transpose(1, 0, 2))
        steps.append(step)
    return StepScores(arguments.order, steps, np.ascontiguousarray(table[:, :, boundary]), boundary)


def _table(arguments: ChainArguments) -> FloatArray:
    """[groups, width, width]: the scores of all transitions."""
    table, width = arguments.transitions, arguments.transitions.shape[-1]
    if arguments.order == 1 or arguments.cell_offsets is None or arguments.cell_columns is None:
        return table
    whole = np.repeat(table[0][:, None, :], width, axis=1)
    rows = np.repeat(np.arange(width**2), np.diff(arguments.cell_offsets))
    scores = table.reshape(-1)[width**2 : width**2 + len(rows)]
    whole.reshape(-1, width)[rows, arguments.cell_columns] += scores
    return whole


def kbest(trellis: Trellis, theta: FloatArray, count: int) -> list[Ranked]:
    """Return the best ``count`` sequences of each member; of equals, the earlier tags come first.

    Args:
        trellis: The members.
        theta: The weights.
        count: How many sequences are wanted, at least 0.

    Raises:
        LimitError: If this many would not fit into memory.
    """
    topology = trellis.topology
    states = topology.width ** (topology.order + 1)
    most = _MOST_BYTES // (8 * states)
    if count > most:
        raise LimitError(
            f"the best {count:,} tag sequences would take more than a GiB at each token; with "
            f"{topology.tags} tags and order {topology.order}, ask for {most:,} at most, or draw "
            "samples"
        )
    found: list[Ranked] = [[] for _ in range(len(trellis))]
    for place, steps in _members(trellis, theta):
        found[int(trellis.order[place])] = _kbest(steps, count) if count else []
    return found


def _kbest(steps: StepScores, count: int) -> Ranked:
    state = steps.begin()[..., None]  # [earlier, width, ranks]
    backs: list[IndexArray] = []
    for step in steps.steps:
        state, back = _ranked(steps.order, state[:, :, None, :] + step[..., None], count)
        backs.append(back)
    ending = (state + steps.end[..., None]).reshape(-1)
    best = np.argsort(-ending, kind="stable")[:count]
    width = steps.end.shape[-1]
    return [
        (float(ending[number]), _path(steps.order, backs, int(number), width))
        for number in best.tolist()
        if ending[number] > -np.inf
    ]


def _ranked(order: int, scores: FloatArray, count: int) -> tuple[FloatArray, IndexArray]:
    """The best ways to each state, given [before, y, y′, ranks]; and where they come from."""
    before, width, _, ranks = scores.shape
    if order == 1:  # all of [before, y, rank] for each y′
        ways = scores.transpose(2, 0, 1, 3).reshape(1, width, -1)
    else:  # [before, rank] for each [y, y′]
        ways = scores.transpose(1, 2, 0, 3).reshape(width, width, before * ranks)
    back = np.argsort(-ways, axis=-1, kind="stable")[..., :count]
    return np.take_along_axis(ways, back, axis=-1), back.astype(np.int32)


def _path(order: int, backs: list[IndexArray], state: int, width: int) -> IndexArray:
    """The tags of a sequence, given the number of its last state with its rank."""
    tags = np.zeros(len(backs), np.int32)
    for place in range(len(backs) - 1, -1, -1):
        state, rank = divmod(state, backs[place].shape[-1])
        before, tags[place] = divmod(state, width)
        way = int(backs[place][before, tags[place], rank])
        below = backs[place - 1].shape[-1] if place else 1
        if order == 1:
            state = way
        else:
            earlier, rank = divmod(way, below)
            state = (earlier * width + before) * below + rank
    return tags


def sample(
    trellis: Trellis, theta: FloatArray, rng: np.random.Generator, count: int
) -> list[list[IndexArray]]:
    """Draw sequences of each member with probability exp(score − log Z).

    Args:
        trellis: The members.
        theta: The weights.
        rng: The source of randomness.
        count: How many sequences are wanted of each member.
    """
    found: list[list[IndexArray]] = [[] for _ in range(len(trellis))]
    for place, steps in sorted(_members(trellis, theta), key=lambda each: trellis.order[each[0]]):
        found[int(trellis.order[place])] = _sample(steps, rng, count)
    return found


def _sample(steps: StepScores, rng: np.random.Generator, count: int) -> list[IndexArray]:
    """Sums forwards, draws backwards."""
    states = [steps.begin()]
    for step in steps.steps:
        scores = states[-1][:, :, None] + step
        axis = (0, 1) if steps.order == 1 else 0
        after = np.logaddexp.reduce(scores, axis=axis)
        states.append(after[None] if steps.order == 1 else after)
    ending = states[-1] + steps.end
    if np.isneginf(ending).all():
        return []
    return [_drawn(steps, states, _draw(ending, rng), rng) for _ in range(count)]


def _drawn(
    steps: StepScores, states: list[FloatArray], last: int, rng: np.random.Generator
) -> IndexArray:
    width = steps.end.shape[-1]
    tags = np.zeros(len(steps.steps), np.int32)
    before, own = divmod(last, width)
    for place in range(len(tags) - 1, -1, -1):
        tags[place] = own
        ways = states[place] + steps.steps[place][:, :, own]
        if steps.order == 1:
            before, own = divmod(_draw(ways, rng), width)
        else:
            earlier = _draw(ways[:, before], rng)
            before, own = earlier, before
    return tags


def _draw(scores: FloatArray, rng: np.random.Generator) -> int:
    """Draw a place in proportion to exp(score)."""
    flat = scores.reshape(-1)
    sums = np.cumsum(np.exp(flat - flat.max()))
    place = int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))
    return min(place, int(np.flatnonzero(np.diff(sums, prepend=0.0))[-1]))  # despite rounding
