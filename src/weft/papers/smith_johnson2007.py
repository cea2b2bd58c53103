"""Smith & Johnson (2007), section 4.2: an HMM that no MEMM matches, however far it looks ahead.

The HMM of example 3 starts in state 0, goes to state 1 or 2 with probability ½ each, emitting a,
and stays there until it stops. State 1 goes on with a or b, state 2 with a or c, so that a single b
or c tells which state the whole sentence is in. (The figure is missing from some copies of the
paper; this one agrees with what its text says of it.)

A MEMM that looks L words ahead decides between 1 and 2 at the first word, on the first L + 1 words
alone: q(state | 0, x₁ … x_{L+1}). Once there, nothing is left to decide. Its expected divergence
from the HMM,

    D = Σ_x p(x) Σ_π p(π | x) log p(π | x) / q(π | x),

is a sum over contexts, each of which is least at the HMM's own conditional distribution: certain
where one of the L + 1 words is b or c, and ½ where all are a, since the two states mirror each
other. What remains is log 2 for each sentence that begins with L + 1 a's and shows its b or c only
later:

    min D = log 2 · rᴸ · t / (s + t)

with s, r and t the probabilities of stopping, of another a, and of b or c. That is positive for
every L (corollary 3); looking back does not help, since there are only a's. And however a MEMM
decides, one of the sentences aᴸ⁺¹b and aᴸ⁺¹c has a divergence of log 2 at least: the worst case
does not become better with L at all. :func:`memm_table` trains MEMMs on sentences of the HMM, and
shows how near they come.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np

from weft.arrays import FloatArray
from weft.conversions.check import joint_log_probs
from weft.criteria import conditional
from weft.errors import OptionError
from weft.features.templates import templates
from weft.models import Chain, ChainModel, Extent, Normalisation, prepare
from weft.models.tagger import Tagger
from weft.structures.evidence import Example, example
from weft.train import fit

STATES = {"1": "b", "2": "c"}
"""The states beside the start, with the word that only they emit."""

_LONGEST = 16  # 65,534 sentences: more would be a matter of minutes


def example_3(stop: float = 1 / 3, reveal: float = 1 / 3) -> Tagger:
    """Return the HMM of example 3; its states but the start are tags.

    Args:
        stop: The probability of stopping in state 1 or 2.
        reveal: The probability of b in state 1, and of c in state 2.

    >>> from weft.structures.evidence import example
    >>> several = [example(list(words), ["1"] * len(words)) for words in ("aab", "aac", "aa")]
    >>> np.exp(example_3().log_probs(several)).round(6).tolist()
    [1.0, 0.0, 0.5]
    """
    again = _again(stop, reveal)
    corpus = [example(["a", own], [state, state]) for state, own in STATES.items()]
    chain = Chain(
        templates=(),
        pair_templates=templates("word[0]"),
        attributes=Extent.ALL,
        ngrams=Extent.ALL,
        normalisation=Normalisation.JOINT,
    )
    model = prepare(chain, corpus)
    probs: dict[tuple[str, ...], float] = {}
    for state, own in STATES.items():
        probs |= {("", state): 0.5, (state, state): 1 - stop, (state, ""): stop}
        probs |= {("", state, "a"): 1.0, (state, state, "a"): again / (1 - stop)}
        probs |= {(state, state, own): reveal / (1 - stop)}
    with np.errstate(divide="ignore"):
        return Tagger(model, np.log([probs.get(each, 0.0) for each in _events(model)]))


def _again(stop: float, reveal: float) -> float:
    """The probability of another a."""
    if not (stop > 0 and reveal > 0 and stop + reveal < 1):
        raise OptionError(
            f"stopping ({stop:g}) and b or c ({reveal:g}) need probabilities above 0 that leave "
            "some for another a"
        )
    return 1 - stop - reveal


def _events(model: ChainModel) -> Iterator[tuple[str, ...]]:
    """What each weight is of: two states, and the word that is emitted between them."""
    names = [*model.tags, ""]
    for before, after in model.topology.bigrams.tolist():
        yield names[before], names[after]
    rows = model.pair_rows
    for number, word in enumerate(model.vocabulary):
        for column in rows.columns[rows.offsets[number] : rows.offsets[number + 1]] if rows else ():
            before, after = divmod(int(column), model.topology.width)
            yield names[before], names[after], word


def least_divergence(
    look_ahead: int, stop: float = 1 / 3, reveal: float = 1 / 3, longest: float = math.inf
) -> float:
    """Return the expected divergence, in nats, of the best MEMM from the HMM of example 3.

    Args:
        look_ahead: How many words after the current one the MEMM sees.
        stop: See :func:`example_3`.
        reveal: Likewise.
        longest: Sentences of more words are left out of the expectation.

    >>> [round(least_divergence(n), 4) for n in range(4)]
    [0.3466, 0.1155, 0.0385, 0.0128]
    """
    again = _again(stop, reveal)
    if look_ahead < 0:
        raise OptionError(f"a MEMM looks no less than 0 words ahead, not {look_ahead}")
    more = longest - look_ahead - 1  # words that may come after those that are seen
    if more <= 0:
        return 0.0
    # Σ_n s ((r + t)ⁿ - rⁿ): n more words, not all of them a.
    late = _geometric(1 - stop, more) - _geometric(again, more)
    return math.log(2) * math.pow(again, look_ahead) * stop * late


def _geometric(ratio: float, terms: float) -> float:
    """Σ ratioⁿ for n = 1 … terms."""
    return ratio * (1 - math.pow(ratio, terms)) / (1 - ratio)


def divergence(hmm: Tagger, other: Tagger, longest: int = 10) -> float:
    """Return Σ_x p(x) KL(p(π | x) ‖ q(π | x)) over sentences of at most this many words, in nats.

    No term is negative, so that this is less than the whole, and close to it for few words more.

    Args:
        hmm: The HMM of example 3.
        other: A tagger with the same states.
        longest: The length of the longest sentences, at most 16.

    >>> divergence(example_3(), example_3())
    0.0
    """
    if not 1 <= longest <= _LONGEST:
        raise OptionError(f"sentences of 1 to {_LONGEST} words can be listed, not of {longest}")
    every = list(_everything(longest))
    joint = joint_log_probs(hmm, every)
    possible = [each for each, log in zip(every, joint, strict=True) if log > -np.inf]
    logs = hmm.log_probs(possible) - other.log_probs(possible)
    return float(np.exp(joint[joint > -np.inf]) @ logs)


def _everything(longest: int) -> Iterator[Example]:
    """Every sentence that some state may emit, with that state all along."""
    for state, own in STATES.items():
        for length in range(1, longest + 1):
            for rest in product(["a", own], repeat=length - 1):
                yield example(["a", *rest], [state] * length)


def sample(
    sentences: int, rng: np.random.Generator, stop: float = 1 / 3, reveal: float = 1 / 3
) -> list[Example]:
    """Draw tagged sentences from the HMM of example 3.

    >>> drawn = sample(3, np.random.default_rng(1))
    >>> [each.tokens.words[0] for each in drawn]
    ['a', 'a', 'a']
    """
    again = _again(stop, reveal)
    drawn = []
    for state in rng.choice(list(STATES), sentences).tolist():
        length = int(rng.geometric(stop))  # the first word, and each that does not stop
        shown: FloatArray = rng.random(length - 1)
        rest = np.where(shown * (1 - stop) < again, "a", STATES[state]).tolist()
        drawn.append(example(["a", *rest], [state] * length))
    return drawn


@dataclass(frozen=True, slots=True)
class MemmRow:
    """A MEMM that looks this far ahead.

    Attributes:
        look_ahead: How many words.
        least: The expected divergence of the best one from the HMM, in nats.
        trained: That of one that was trained on sentences of the HMM.
    """

    look_ahead: int
    least: float
    trained: float


@dataclass(frozen=True, slots=True)
class MemmTable:
    """MEMMs beside the HMM of example 3.

    Attributes:
        sentences: How many were drawn to train on.
        longest: Sentences of more words are left out of the expectations.
        seed: Of the sentences.
        rows: A row for each number of words that are seen ahead.
    """

    sentences: int
    longest: int
    seed: int
    rows: tuple[MemmRow, ...]

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return asdict(self)


def memm_table(
    ahead: int = 3,
    *,
    sentences: int = 1000,
    longest: int = 10,
    seed: int = 0,
    threads: int | None = None,
    watch: Callable[[str], None] | None = None,
) -> MemmTable:
    """Train MEMMs that look ahead by 0 words, 1 and so on, on sentences of example 3.

    Args:
        ahead: The largest number of words.
        sentences: How many are drawn.
        longest: Sentences of more words are left out of the expectations.
        seed: Of the sentences.
        threads: How many threads to use, all by default; no result depends on it.
        watch: Told what is trained next.

    >>> [row.trained >= row.least for row in memm_table(1, sentences=100).rows]
    [True, True]
    """
    drawn = sample(sentences, np.random.default_rng(seed))
    rows = []
    for count in range(ahead + 1):
        if watch:
            watch(f"training a MEMM, words ahead: {count}")
        seen = "|".join(f"word[{place}]" for place in range(count + 1))
        chain = Chain(templates=templates(seen), normalisation=Normalisation.CONDITIONAL)
        memm = fit(chain, drawn, criterion=conditional, threads=threads)
        least = least_divergence(count, longest=longest)
        rows.append(MemmRow(count, least, divergence(example_3(), memm, longest)))
    return MemmTable(sentences, longest, seed, tuple(rows))
