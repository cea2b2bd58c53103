"""Hidden Markov models written as probabilistic context-free grammars, and as transducers.

With a symbol for each state and another one for saying its word (section 4 of Smith & Johnson 2007,
:mod:`weft.grammars.forms.linear`), the trees of a sentence are its taggings, each with the
probability that the HMM gives to both. Where words go with pairs of tags, or tags depend on the two
before, a state is a pair of tags. A model that is no HMM becomes one first, with the same
p(tags | words).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weft.arrays import FloatArray
from weft.automata import EPSILON, Arc, Transducer
from weft.conversions.convert import Target, convert, hmm_to_mrf, kind_of
from weft.conversions.growth import check_size
from weft.conversions.states import arcs_as_states
from weft.errors import OptionError
from weft.grammars.forms.linear import Moore, from_moore
from weft.models.chain.model import ChainModel
from weft.models.tagger import Tagger
from weft.structures.grammar import Grammar

START = "^"
"""The start symbol."""

MOST_ARCS = 5_000_000
"""A transducer with more is refused: each arc is an object, of a few hundred bytes."""


def tagger_to_grammar(tagger: Tagger) -> Grammar:
    """Return the probabilistic grammar whose trees are tagged sentences.

    A state is called after the tag that it shows, with a number where several show one; the symbol
    that says its word has ``~`` behind. A class of unknown words is a terminal in angle brackets.

    Raises:
        OptionError: If the tagger cannot be converted into an HMM, saying why; or if the grammar
            would be too large.

    >>> from weft import example, fit
    >>> from weft.models.tables import Tables
    >>> tagger = fit(Tables("johnson-4"), [example(["the", "dog"], ["DT", "NN"])] * 5)
    >>> rules = tagger_to_grammar(tagger)
    >>> rules.nonterminals
    ('^', 'DT~', 'DT', 'NN~', 'NN')
    """
    return from_moore(tagger_to_moore(tagger), START)


def tagger_to_moore(tagger: Tagger) -> Moore:
    """Return a tagger as the HMM that says the same: its states, and what each says.

    Raises:
        OptionError: If the tagger cannot be converted into an HMM, saying why; or if it would be
            too large.
    """
    return _moore(*_chain_of_states(tagger))


def tagger_to_transducer(tagger: Tagger) -> Transducer:
    """Return the HMM that says the same as a tagger, as a machine that reads words and writes tags.

    A path's weight is the log-probability of its words and tags together, and the paths of a
    sentence are its taggings. From a state an empty arc leads to what the next state says, so that
    there are as many arcs as there are transitions and emissions.

    Raises:
        OptionError: As :func:`tagger_to_moore` does, and if there are too many arcs.

    >>> from weft import example, fit
    >>> from weft.models.tables import Tables
    >>> tagger = fit(Tables("johnson-4"), [example(["the", "dog"], ["DT", "NN"])] * 5)
    >>> machine = tagger_to_transducer(tagger)
    >>> [arc.output for arc in machine.arcs if arc.input == "dog"]
    ['DT', 'NN']
    """
    model, weights = _chain_of_states(tagger)
    chain = _moore(model, weights)
    count = len(chain.states)
    possible = sum(np.count_nonzero(each > -np.inf) for each in (chain.begin, chain.go, chain.say))
    if possible > MOST_ARCS:
        raise OptionError(
            f"its transducer would have {possible:,} arcs, and at most {MOST_ARCS:,} are allowed: "
            "use a model with fewer tags or words"
        )
    # 0 is the start; after it the states, and after them what each says.
    says = 1 + count
    arcs = (
        *(Arc(0, EPSILON, EPSILON, says + to, w) for _, to, w in _entries(chain.begin[None])),
        *(Arc(1 + a, EPSILON, EPSILON, says + to, w) for a, to, w in _entries(chain.go)),
        *(
            Arc(says + a, chain.words[number], model.states[a], 1 + a, w)
            for a, number, w in _entries(chain.say)
        ),
    )
    return Transducer(arcs, (chain.empty, *chain.end.tolist(), *[-np.inf] * count))


def _entries(table: FloatArray) -> Iterator[tuple[int, int, float]]:
    """The rows, columns and weights of what is possible."""
    rows, columns = np.nonzero(table > -np.inf)
    return zip(rows.tolist(), columns.tolist(), table[rows, columns].tolist(), strict=True)


def _chain_of_states(tagger: Tagger) -> tuple[ChainModel, FloatArray]:
    hmm = tagger if kind_of(tagger) == "hmm" else convert(tagger, Target.HMM)
    free = hmm_to_mrf(hmm)
    model, weights = free.chain, free.weights
    if model.pair_rows is not None or model.topology.order == 2:
        return arcs_as_states(model, weights)
    return model, weights


def _moore(model: ChainModel, weights: FloatArray) -> Moore:
    """A chain of order 1 whose attributes are words, and go with states."""
    states, rows = model.topology.tags, model.tag_rows
    items = len(model.index)
    check_size(states * (states + items), "its table of rules", "a model with fewer tags or words")
    table = model.topology.table(weights)[0, : states + 1, : states + 1]
    say = np.full((items, states), -np.inf)
    owners = np.repeat(np.arange(items), np.diff(rows.offsets))
    say[owners, rows.columns] = weights[rows.start : rows.start + len(rows)]
    classes = [f"⟨{name.removeprefix('unknown:')}⟩" for name in model.index.given]
    return Moore(
        _names(model),
        (*model.vocabulary, *classes),
        table[states, :states],
        table[:states, :states],
        table[:states, states],
        say.T,
    )


def _names(model: ChainModel) -> tuple[str, ...]:
    if model.shown is None:
        return model.tags
    return tuple(f"{tag}.{number}" for number, tag in enumerate(model.states, 1))
