"""The probabilities of hidden Markov models, as arrays with names.

    start[t] = p(t | ^),         transitions[t′, t] = p(t | t′),
    end[t] = p($ | t),           emissions[t, w] = p(w | t)

Each row of transitions, with its end, sums to one, and so do start and the rows of emissions. Words
that the model does not know have classes, in angle brackets, where it has any.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import FloatArray
from weft.conversions.grammars import tagger_to_moore
from weft.errors import LimitError, OptionError, no_such
from weft.frames import make_frame
from weft.models.tagger import Tagger
from weft.reprs import Brief
from weft.structures.evidence import Example, sentence

_LONGEST = 10_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HmmProbabilities(Brief):
    """The probabilities of a hidden Markov model.

    Attributes:
        tags: The names of the states: tags, or tags with numbers where several states show one.
        words: The words and classes of unknown words.
        start: [tags], p(first tag).
        transitions: [tags, tags], p(tag of the column | tag of the row before it).
        end: [tags], p(no more tags | the last one).
        emissions: [tags, words], p(word | tag).
    """

    tags: tuple[str, ...]
    words: tuple[str, ...]
    start: FloatArray
    transitions: FloatArray
    end: FloatArray
    emissions: FloatArray

    def columns(self, which: str = "transitions") -> dict[str, list[Any]]:
        """Return one of the arrays as columns by name, the first of which, ``tag``, names its rows.

        Args:
            which: ``start``, ``transitions``, ``end`` or ``emissions``.

        Raises:
            OptionError: If there is no such array.
        """
        names: dict[str, tuple[str, ...]] = {"start": ("start",), "end": ("end",)}
        names |= {"transitions": self.tags, "emissions": self.words}
        if which not in names:
            raise OptionError(no_such("array", which, names))
        table = getattr(self, which).reshape(len(self.tags), -1)
        # A word may be 'tag', too.
        columns = [f"{name} " if name == "tag" else name for name in names[which]]
        return {"tag": list(self.tags), **dict(zip(columns, table.T.tolist(), strict=True))}

    def to_frame(self, which: str = "transitions", library: str | None = None) -> Any:
        """Return what :meth:`columns` gives as a data frame.

        Args:
            which: ``start``, ``transitions``, ``end`` or ``emissions``.
            library: ``pandas`` or ``polars``; None for the one that is installed.

        Raises:
            OptionError: If there is no such array.
            WeftError: If the library is not installed.
        """
        return make_frame(self.columns(which), library)

    def sample(
        self, rng: np.random.Generator, count: int = 1, longest: int = _LONGEST
    ) -> list[Example]:
        """Draw tagged sentences, independently and with their probabilities.

        Args:
            rng: Where chance comes from; the same seed gives the same sentences.
            count: How many.
            longest: A sentence that is longer ends with an error.

        Raises:
            LimitError: If a sentence is longer: the model may go on for ever.
        """
        return [self._draw(rng, longest) for _ in range(count)]

    def _draw(self, rng: np.random.Generator, longest: int) -> Example:
        steps = np.column_stack([self.transitions, self.end])
        states: list[int] = []
        probs = np.append(self.start, 0.0)
        while (state := int(rng.choice(len(probs), p=probs / probs.sum()))) < len(self.tags):
            states.append(state)
            if len(states) > longest:
                raise LimitError(f"a sentence of over {longest:,} words was drawn: give `longest`")
            probs = steps[state]
        rows = (self.emissions[state] for state in states)
        words = [self.words[int(rng.choice(len(row), p=row / row.sum()))] for row in rows]
        return Example(sentence(words), tuple(self.tags[state] for state in states))


def hmm_probabilities(tagger: Tagger) -> HmmProbabilities:
    """Return the probabilities of a hidden Markov model.

    >>> import weft
    >>> corpus = [weft.example(["the", "dog"], ["DT", "NN"])] * 9
    >>> tagger = weft.fit(weft.Tables("johnson-4"), corpus)
    >>> hmm = hmm_probabilities(tagger)
    >>> hmm.tags, hmm.transitions.shape, round(float(hmm.start[0]), 1)
    (('DT', 'NN'), (2, 2), 1.0)

    Args:
        tagger: An HMM; another chain is converted into one that gives tags the same probabilities,
            where that is possible. Of order 2, or with words on arcs, states are pairs of tags.

    Raises:
        OptionError: If the tagger cannot be an HMM, saying why; or if the arrays would be too
            large.
    """
    found = tagger_to_moore(tagger)
    arrays = (np.exp(each) for each in (found.begin, found.go, found.end, found.say))
    return HmmProbabilities(found.states, found.words, *arrays)
