"""Chains whose weights are the logs of probabilities: hidden Markov models, in closed form.

The weights of the longest tag n-grams and of words are the logs of

    p(t | t″ t′) = (c(t″ t′ t) + λ) / Σ_u (c(t″ t′ u) + λ),     p(w | t) = (c(t, w) + λ) / Σ_v (…)

or p(w | t′ t) where words go with pairs of tags; all others are zero. With every n-gram and every
word × tag the sum over all sentences is 1, so that globally normalised models begin here: at zero
that sum diverges. For given counts these are the weights of the highest likelihood.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weft.arrays import BoolArray, FloatArray
from weft.derivations.chain.rows import RowTable
from weft.derivations.chain.topology import Topology
from weft.errors import OptionError
from weft.models.chain.model import SHARING, ChainModel
from weft.models.distributions import Distributions, SharedDistributions
from weft.structures.evidence import Evidence, Example
from weft.structures.stream import sections_of

_WORD = SHARING[0]


def multinomials(model: ChainModel) -> Distributions:
    """Return the distributions that a chain's weights can be the logs of."""
    return _multinomials(model, classes=False)


def word_multinomials(model: ChainModel) -> Distributions | None:
    """Return the distributions of an HMM, with the classes of unknown words among its words.

    None where words share features, so that weights are no logs of probabilities.
    """
    plain = model.index.templates in (SHARING, SHARING[:1]) and model.part_rows is None
    every = len(model.topology.longest[0]) == _ngram_count(model.topology)
    return _multinomials(model, classes=True) if plain and every else None


def _multinomials(model: ChainModel, *, classes: bool) -> Distributions:
    groups = np.full(model.parameters.size, -1, np.int64)
    possible = np.ones(model.parameters.size, np.bool_)
    topology = model.topology
    ngrams, run = topology.longest
    contexts = np.unique(ngrams[:, :-1], axis=0, return_inverse=True)[1].reshape(-1)
    groups[run] = contexts
    first = int(contexts.max(initial=-1)) + 1
    for rows in (model.tag_rows, model.pair_rows):
        if rows is None or _WORD not in model.index.templates:
            continue
        number = model.index.templates.index(_WORD)
        begin, end = rows.offsets[model.index.starts[number : number + 2]].tolist()
        known = slice(rows.start + begin, rows.start + end)
        end = int(rows.offsets[-1]) if classes else end
        run = slice(rows.start + begin, rows.start + end)
        columns = rows.columns[begin:end]
        groups[run] = first + columns.astype(np.int64)
        first += rows.width
        if model.dictionary is not None:
            possible[known] = _possible(model, number, rows)
    if not _shares(model):
        return Distributions(groups, possible)
    first -= model.topology.width
    rest = slice(model.parameters.size - topology.tags, model.parameters.size)
    groups[rest] = first + np.arange(topology.tags)
    return SharedDistributions(groups, possible, rest, first, len(model.vocabulary))


def _shares(model: ChainModel) -> bool:
    """Whether words share a weight with the tags that they did not have."""
    return model.index.templates == SHARING and model.signatures is None


def _possible(model: ChainModel, number: int, rows: RowTable) -> BoolArray:
    """Which entries of the rows of words the dictionary allows."""
    words = list(model.index.values[_WORD.atoms[0].column, _WORD.atoms[0].function])
    known = [words[key] for key in model.index.keys[number].tolist()]
    bounds = rows.offsets[model.index.starts[number] : model.index.starts[number + 1] + 1]
    tags = np.array(model.states)[rows.columns[bounds[0] : bounds[-1]] % model.topology.width]
    every = frozenset(model.tags) if model.open_tags is None else model.open_tags
    allowed = [(model.dictionary or {}).get(word, every) for word in known]
    owners = np.repeat(np.arange(len(known)), np.diff(bounds)).tolist()
    return np.array([tag in allowed[owner] for tag, owner in zip(tags, owners, strict=True)])


def check_multinomials(model: ChainModel) -> Distributions:
    """Return a model's distributions, if its weights are nothing but those.

    Raises:
        OptionError: If some weights share features, or are left out.
    """
    topology, words = model.topology, len(model.vocabulary)
    tags = topology.tags
    ngrams, _ = topology.longest
    sizes = len(model.tag_rows) + len(model.pair_rows or ())
    whole = words * (tags if model.pair_rows is None else tags * (tags + 1))
    shares = _shares(model) and model.pair_rows is None and model.dictionary is None
    sizes = whole if shares else sizes
    reasons = {
        "its only template must be word[0]": not shares and set(model.index.templates) != {_WORD},
        "words must go with tags or with pairs of tags, not both": bool(
            len(model.tag_rows) and model.pair_rows is not None
        ),
        "every word must have a weight with every tag: attributes=all": sizes != whole,
        "its tags must be whole: tag_parts=none": model.part_rows is not None,
        "every tag n-gram must have a weight: ngrams=all, boundaries=yes": len(ngrams)
        != _ngram_count(topology),
    }
    for reason, holds in reasons.items():
        if holds:
            raise OptionError(
                f"counting and EM need a model whose weights are probabilities, and {reason}; "
                "use the optimiser L-BFGS for others"
            )
    return multinomials(model)


def _ngram_count(topology: Topology) -> int:
    """How many tag n-grams there are that are not forbidden, the boundary alone left out."""
    allowed = ~topology.forbidden
    if topology.order == 1:
        return int(allowed.sum()) - 1
    tags = topology.tags
    inside = allowed[:, :tags].sum(axis=0) @ allowed[:tags].sum(axis=1)
    return int(inside) + int(allowed[tags].sum()) - 1


def relative_frequencies(
    model: ChainModel, corpus: Sequence[Example], smoothing: float = 1.0
) -> FloatArray:
    """Return the weights [θ] that make a chain the HMM of a corpus.

    Args:
        model: A chain with every tag n-gram.
        corpus: Labelled examples; labels that are partial count in proportion.
        smoothing: λ, what is added to every count.

    Returns:
        The weights. Where the model has no words among its attributes, every word is as likely
        as any other.
    """
    return frequencies(model, counts_of(model, corpus) + smoothing * multinomials(model).times)


def frequencies(model: ChainModel, counts: FloatArray) -> FloatArray:
    """Return the weights [θ] that counts give; see :func:`relative_frequencies`."""
    weights = multinomials(model).weights(counts)
    if _WORD not in model.index.templates:
        # Each tag then stands for the whole vocabulary.
        ngrams, run = model.topology.longest
        weights[run][ngrams[:, -1] < model.topology.tags] -= np.log(len(model.vocabulary))
    return weights


def counts_of(model: ChainModel, corpus: Sequence[Example]) -> FloatArray:
    """[θ]: how often each feature occurs, with unknown labels shared out evenly."""
    total = np.zeros(model.parameters.size)
    for section in sections_of(corpus):
        evidences = [Evidence(example.tokens, example.analysis) for example in section]
        trellis = model.free.trellis(evidences)
        shares = np.array([example.weight for example in section])
        total += trellis.evaluate(np.zeros(model.parameters.size), shares)[1]
    return total
