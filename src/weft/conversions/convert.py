"""Conversions between hidden Markov models, Markov random fields and MEMMs.

Section 4 of Smith & Johnson (2007) shows which of them can say what others say:

    HMM → MRF     the logs of its probabilities are free weights;
    MRF → HMM     scaled and pushed (:mod:`~weft.conversions.push`): p(tags | words) is kept;
    MEMM → MRF    log p(y | k, w) is the weight of word w with the tags k y (lemma 1);
    Moore → Mealy words go with pairs of tags instead of tags;
    Mealy → Moore pairs of tags are states, and each shows its second tag;
    tables → HMM  or MEMM, whose weights are the logs of what was counted
                  (:mod:`~weft.conversions.counted`).

There is no way back to MEMMs: they say less (theorem 2, :mod:`weft.papers.smith_johnson2007`).
Every function takes a tagger and returns another one. What the two have in common is checked by
:func:`~weft.conversions.check.same_conditional` and
:func:`~weft.conversions.check.same_joint`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

import numpy as np

from weft.arrays import FloatArray, freeze
from weft.conversions.counted import chain_of_tables
from weft.conversions.growth import log_growth, useful_steps
from weft.conversions.push import log_scale_for, push, table_of
from weft.conversions.states import arcs_as_states, whole_tags, words_onto_pairs
from weft.conversions.tables import check_one_word, with_ngrams, written_out
from weft.derivations.chain.locally_normalised import log_shares, step_weights
from weft.errors import OptionError
from weft.models.chain.model import ChainModel
from weft.models.options import Normalisation, option
from weft.models.tables import TableModel
from weft.models.tagger import Tagger, as_tagger
from weft.structures.evidence import Evidence, sentence

MEAN_LENGTH = 20.0
"""How long the sentences of an HMM are on average where nothing else is asked for."""

_BYTES = 64 * 2**20  # for the scores of one batch of words


class Target(StrEnum):
    """What a tagger can be converted into."""

    HMM = "hmm"
    """Steps are distributions over tag and word."""

    MEMM = "memm"
    """Steps are distributions over tags, given the word."""

    MRF = "mrf"
    """Free weights."""

    MEALY = "mealy"
    """Words go with pairs of tags."""

    MOORE = "moore"
    """Words go with single states."""


KINDS = {
    Normalisation.NONE: "mrf",
    Normalisation.JOINT: "hmm",
    Normalisation.CONDITIONAL: "memm",
}
"""What chains are called by what their weights are normalised over."""


def kind_of(tagger: Tagger) -> str:
    """Return what a tagger is called: hmm, memm or mrf, or the form of its tables."""
    model = as_tagger(tagger).model
    if isinstance(model, TableModel):
        return str(model.factors.form)
    return KINDS[tagger.chain.normalisation]


def tables_to_chain(tagger: Tagger) -> Tagger:
    """Return the HMM or, of johnson-5, the MEMM that says exactly what tables say.

    Joint probabilities stay what they are, of sentences with unknown words, too.

    Raises:
        OptionError: If the tagger is not made of tables, or there would be too many weights.

    >>> from weft import example, fit
    >>> from weft.models.tables import Tables
    >>> tagger = fit(Tables("johnson-7"), [example(["the", "dog"], ["DT", "NN"])])
    >>> tables_to_chain(tagger).model.normalisation
    <Normalisation.JOINT: 'joint'>
    """
    if not isinstance(tagger.model, TableModel):
        raise OptionError(f"this conversion is for tables, and this is an {kind_of(tagger)}")
    chain, weights = chain_of_tables(tagger.model)
    form = tagger.model.factors.form
    return _converted(tagger, chain, weights, f"{form} to {KINDS[chain.normalisation]}")


def hmm_to_mrf(tagger: Tagger) -> Tagger:
    """Return the Markov random field whose weights are the log-probabilities of an HMM.

    Features that words share are written out: the result has a weight for each word of the
    vocabulary (and class of unknown words) with each tag, or pair of tags. Joint probabilities stay
    what they are.

    Raises:
        OptionError: If the tagger is no HMM, or there would be too many weights.

    >>> from weft.recipes import find_recipe
    >>> from weft import example, fit
    >>> hmm = find_recipe("hmm")
    >>> corpus = [example(["the", "dog"], ["DT", "NN"])]
    >>> tagger = fit(hmm.model, corpus, criterion=hmm.criterion, optimiser=hmm.optimiser)
    >>> mrf = hmm_to_mrf(tagger)
    >>> bool(abs(mrf.model.everything().log_partition(mrf.weights)[0]) < 1e-12)
    True
    """
    model = _checked(tagger, Normalisation.JOINT)
    words = model.words.at(tagger.weights)
    table = log_shares(step_weights(model.topology, words.steps.transitions, words.totals))
    shares = (words.log_shares(batch) for batch in range(len(model.words.bounds) - 1))
    paired = model.pair_rows is not None
    return _converted(tagger, *written_out(model, table, shares, paired=paired), "hmm to mrf")


def memm_to_mrf(tagger: Tagger) -> Tagger:
    """Return the Markov random field with the conditional distribution of a MEMM.

    The weights of tags k y and of word w with them add up to log p(y | k, w). (In the paper's lemma
    1 the two tags are exchanged in print.) Of it the tags have log p(y | k) of a word of which
    nothing is known, so that this is what words outside the vocabulary are left with. The growth
    rate is the number of words, unless some tags lead nowhere. A MEMM of order 2 becomes a chain
    of order 1 whose states are pairs of tags.

    Raises:
        OptionError: If the tagger is no MEMM, or a template looks at more than the word, or there
            would be too many weights.
    """
    model, weights = whole_tags(_checked(tagger, Normalisation.CONDITIONAL), tagger.weights)
    if model.topology.order == 2:
        model, weights = arcs_as_states(model, weights)
    table = _given_nothing(model, weights)
    steps = _given_words(model, weights, table[0])
    return _converted(tagger, *written_out(model, table, steps, paired=True), "memm to mrf")


def _given_nothing(model: ChainModel, weights: FloatArray) -> FloatArray:
    """[1, width, width]: log p(y | k) of a word without letters; the end is certain."""
    scoring = model.free.trellis([Evidence(sentence([""]))]).scoring
    steps = scoring.over(np.array([0, 1]), 1).at(weights)
    tags, pairs = steps.tokens(0)
    boundary, width = model.topology.tags, model.topology.width
    table = steps.transitions + tags + (0.0 if pairs is None else pairs.reshape(1, width, width))
    table[..., boundary:] = -np.inf  # no choice where there is a word
    table = log_shares(table)
    table[..., boundary] = 0.0
    return table


def _given_words(
    model: ChainModel, weights: FloatArray, nothing: FloatArray
) -> Iterator[FloatArray]:
    """Batches of log p(y | k, w) less that of a word of which nothing is known, [items, w, w]."""
    words = model.words.at(weights)
    transitions = words.steps.transitions[0].copy()
    transitions[:, model.topology.tags :] = -np.inf
    most = max(1, _BYTES // transitions.nbytes)
    base = np.where(np.isneginf(nothing), 0.0, nothing)
    for batch in range(len(model.words.bounds) - 1):
        scores = words.scores(batch)
        for first in range(0, len(scores), most):
            yield log_shares(scores[first : first + most] + transitions) - base


def mrf_to_hmm(
    tagger: Tagger, *, scale: float | None = None, mean_length: float | None = None
) -> Tagger:
    """Return an HMM with the conditional distribution of a Markov random field.

    The weights of words stay: p(w | y) is the weight of the word divided by that of all words (a
    Moore HMM), p(w | k, y) where words go with pairs of tags (a Mealy HMM). Those of tag n-grams
    become the logs of probabilities. The sum over all sentences may be infinite before. There is
    an HMM for each scale, all with the same p(tags | words): conditional estimation does not tell
    them apart.

    Args:
        tagger: A chain with free weights and templates of the word itself.
        scale: What each step is divided by, above the growth rate.
        mean_length: How long sentences shall be on average, which determines the scale; 20 if
            neither is given.

    Raises:
        OptionError: If the tagger has no free weights, or a template looks at more than the word,
            or the scale is not above the growth rate, or no scale gives that length, or there
            are too many states.
        EvidenceError: If the model excludes every sentence.

    >>> import numpy as np
    >>> from weft import Chain, Tagger, example, templates
    >>> from weft.models import prepare
    >>> corpus = [example(["a", "b"], ["X", "Y"])]
    >>> model = prepare(Chain(templates=templates("word[0]")), corpus)
    >>> crf = Tagger(model, np.linspace(-1, 1, model.parameters.size))
    >>> hmm = mrf_to_hmm(crf)
    >>> bool(np.allclose(hmm.log_probs(corpus), crf.log_probs(corpus)))
    True
    >>> hmm.notes["mean length"]
    '20'
    >>> mrf_to_hmm(crf, scale=100.0).notes["scale"]
    '100'
    """
    model, free = whole_tags(_checked(tagger, Normalisation.NONE), tagger.weights)
    if scale is not None and mean_length is not None:
        raise OptionError("the mean length determines the scale: give one of them")
    steps, useful = useful_steps(model, free)
    growth = log_growth(steps)
    if scale is None:
        log_scale = log_scale_for(
            steps, growth, MEAN_LENGTH if mean_length is None else mean_length
        )
    else:
        log_scale = _checked_scale(scale, growth)
    pushed = push(steps, log_scale)
    table = table_of(model.topology, pushed, useful)
    hmm, weights = with_ngrams(model, free, table)
    hmm = replace(hmm, normalisation=Normalisation.JOINT)
    notes = {
        "growth rate": _number(growth),
        "scale": _number(log_scale),
        "mean length": f"{pushed.mean_length:.6g}",
    }
    return _converted(tagger, hmm, weights, "mrf to hmm", notes)


def _checked_scale(scale: float, growth: float) -> float:
    if not (0 < scale < np.inf and np.log(scale) > growth):
        raise OptionError(
            f"a scale of {scale:g} will not do: it must be above the growth rate, which is "
            f"{_number(growth)}, for the sum over all sentences to be finite"
        )
    return float(np.log(scale))


def _number(log: float) -> str:
    """A number whose log is given, though it be beyond all floats.

    >>> _number(2.0), _number(2000.0)
    ('7.38906', 'exp(2000)')
    """
    return f"{np.exp(log):.6g}" if abs(log) < 700 or np.isneginf(log) else f"exp({log:.6g})"


def moore_to_mealy(tagger: Tagger) -> Tagger:
    """Return the same chain with the weights of words, and of all attributes, on pairs of tags.

    Nothing changes but that there is room for words that depend on the tag before.

    Raises:
        OptionError: If some attributes go with pairs already, or there would be too many weights.
    """
    if tagger.chain.pair_rows is not None:
        raise OptionError("its words go with pairs of tags already: this is a Mealy model")
    model, weights = whole_tags(tagger.chain, tagger.weights)
    return _converted(tagger, *words_onto_pairs(model, weights), "moore to mealy")


def mealy_to_moore(tagger: Tagger) -> Tagger:
    """Return the same chain with pairs of tags as states, with which words go.

    The result is of order 1. It has a state for each pair of tags that may follow each other, which
    shows the second: labels are evidence for sets of states, and predictions are tags.

    Raises:
        OptionError: If no attribute goes with pairs, or there would be too many weights.
    """
    if tagger.chain.pair_rows is None:
        raise OptionError("its words go with single tags already: this is a Moore model")
    model, weights = whole_tags(tagger.chain, tagger.weights)
    return _converted(tagger, *arcs_as_states(model, weights), "mealy to moore")


def convert(
    tagger: Tagger,
    form: Target,
    *,
    scale: float | None = None,
    mean_length: float | None = None,
) -> Tagger:
    """Return a tagger in another form, in two steps where need be (MEMM → MRF → HMM).

    Args:
        tagger: The tagger.
        form: What it shall become.
        scale: For HMMs; see :func:`mrf_to_hmm`.
        mean_length: Likewise.

    Raises:
        OptionError: If it has that form already, or cannot be converted, saying why.
    """
    form = option(Target, form)
    if form is not Target.HMM and not (scale is None and mean_length is None):
        raise OptionError(f"a scale or a mean length is for conversion into an hmm, not {form}")
    counted = isinstance(tagger.model, TableModel)
    tagger = tables_to_chain(tagger) if counted else tagger
    kind = KINDS[tagger.chain.normalisation]
    if counted and form in (kind, _arcs(tagger)):
        _check_unscaled(scale, mean_length)
        return tagger
    if form == kind:
        raise OptionError(f"the model is an {kind} already: nothing is left to convert")
    if form is Target.MEMM:
        raise OptionError(_LESS.format(kind=kind))
    if form is Target.MEALY:
        return moore_to_mealy(tagger)
    if form is Target.MOORE:
        return mealy_to_moore(tagger)
    if form is Target.MRF:
        return hmm_to_mrf(tagger) if kind == "hmm" else memm_to_mrf(tagger)
    free = memm_to_mrf(tagger) if kind == "memm" else tagger
    return mrf_to_hmm(free, scale=scale, mean_length=mean_length)


_LESS = (
    "a MEMM says less than an {kind}: its steps see no word that comes later, and an {kind} may "
    "let the last word of a sentence decide on the first tag (Smith and Johnson 2007, theorem 2 "
    "and example 3); train one, with the recipe memm"
)


def _arcs(tagger: Tagger) -> Target:
    """Where the words of a chain are: on its arcs, or on its states."""
    return Target.MOORE if tagger.chain.pair_rows is None else Target.MEALY


def _check_unscaled(scale: float | None, mean_length: float | None) -> None:
    if not (scale is None and mean_length is None):
        raise OptionError(
            "tables are probabilities, and so is what becomes of them: leave the scale and the "
            "mean length out"
        )


def _checked(tagger: Tagger, wanted: Normalisation) -> ChainModel:
    model = as_tagger(tagger).chain
    if model.normalisation is not wanted:
        raise OptionError(
            f"this conversion is for models of the kind {KINDS[wanted]}, and this is an "
            f"{KINDS[model.normalisation]}"
        )
    check_one_word(model)
    return model


def _converted(
    tagger: Tagger,
    model: ChainModel,
    weights: FloatArray,
    how: str,
    notes: dict[str, str] | None = None,
) -> Tagger:
    before = tagger.notes.get("converted")
    path = f"{before}, {how}" if before else how
    noted = {**tagger.notes, "converted": path, **(notes or {})}
    return replace(tagger, model=model, weights=freeze(weights), notes=noted)
