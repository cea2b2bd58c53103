"""Which kinds of features a tagger has, and which features weigh most, by readable names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import BoolArray, FloatArray, IntArray
from weft.errors import OptionError
from weft.features.parameters import Kind
from weft.models.chain.model import ChainModel
from weft.models.chain.names import chain_features
from weft.models.model import Trained
from weft.models.tagger import Tagger
from weft.ranking import ranked


@dataclass(frozen=True, slots=True)
class NamedWeight:
    """A feature with its weight.

    Attributes:
        kind: The kind of the feature, such as ``bigram`` or ``tag:suffix3[0]``.
        attribute: Such as ``suffix3[0]=ing``; None for an n-gram of tags.
        tags: The tags that it looks at, the token's own last.
        weight: Its weight.

    >>> NamedWeight("tag:suffix3[0]", "suffix3[0]=ing", ("VBG",), 2.31).name
    'tag:suffix3[0]=ing → VBG'
    >>> NamedWeight("bigram", None, ("DT", "NN"), 1.9).name
    'bigram DT → NN'
    """

    kind: str
    attribute: str | None
    tags: tuple[str, ...]
    weight: float

    @property
    def name(self) -> str:
        """The whole feature in a line: what it sees, and the tag that it speaks for."""
        family = self.kind.partition(":")[0]
        seen = self.kind if self.attribute is None else f"{family}:{self.attribute}"
        *before, tag = self.tags
        return f"{' '.join([seen, *before])} → {tag}"


@dataclass(frozen=True, slots=True)
class KindSummary:
    """The features of a kind.

    Attributes:
        name: The kind.
        features: How many there are.
        norm: The Euclidean norm of their weights, those of -inf left out.
        largest: The largest absolute weight among them.
    """

    name: str
    features: int
    norm: float
    largest: float


def kind_summaries(tagger: Trained) -> list[KindSummary]:
    """Return what there is to say of each kind of feature, in the order of the weights."""
    parts = [(kind, _finite(tagger.weights[_run(kind)])) for kind in tagger.model.parameters.kinds]
    return [
        KindSummary(
            kind.name, len(kind), float(np.linalg.norm(part)), float(abs(part).max(initial=0.0))
        )
        for kind, part in parts
    ]


def strongest_features(
    tagger: Tagger,
    count: int,
    *,
    tag: str | None = None,
    kind: str = "*",
    negative: bool = False,
) -> list[NamedWeight]:
    """Return the features with the largest weights, the largest first; equals by name.

    Args:
        tagger: The model and its weights.
        count: At most this many.
        tag: Only features that look at this tag.
        kind: Only kinds that match this pattern, in which only ``*`` and ``?`` are special.
        negative: Whether the features with the most negative weights are wanted instead.

    Raises:
        OptionError: If the model has no such tag or kind.

    >>> from weft import Chain, example, fit
    >>> tagger = fit(Chain(), [example(["the", "dog"], ["DT", "NN"])])
    >>> strongest_features(tagger, 1, kind="bigram", tag="DT")[0].name
    'bigram DT → NN'
    """
    model = tagger.chain
    wanted = _of_kind(model, kind)
    if tag is not None:
        wanted &= _with_tag(model, tag)
    signed = -tagger.weights if negative else tagger.weights
    candidates = np.flatnonzero(wanted & (signed > 0))

    def names(places: IntArray) -> list[str]:
        return [each.name for each in named_weights(tagger, candidates[places])]

    return named_weights(tagger, candidates[ranked(signed[candidates], names, count)])


def named_weights(tagger: Tagger, coordinates: IntArray) -> list[NamedWeight]:
    """Return the names and weights of some coordinates of θ, in the order given."""
    weights = tagger.weights[coordinates].tolist()
    found = chain_features(tagger.chain, coordinates)
    return [NamedWeight(*each, weight) for each, weight in zip(found, weights, strict=True)]


def feature_name(kind: str, name: str) -> str:
    """Return a feature in a line; what the name says, the kind need not.

    >>> feature_name("tag:suffix1[0]", "suffix1[0]=s → VBZ"), feature_name("rule", "S → NP VP")
    ('tag: suffix1[0]=s → VBZ', 'rule: S → NP VP')
    """
    family, _, seen = kind.partition(":")
    return f"{family if seen and name.startswith(seen) else kind}: {name}"


def _finite(weights: FloatArray) -> FloatArray:
    """The weights but those of what has no probability, which are -inf."""
    return weights[np.isfinite(weights)]


def _run(kind: Kind) -> slice:
    return slice(kind.start, kind.stop)


def _of_kind(model: ChainModel, pattern: str) -> BoolArray:
    wanted = np.zeros(model.parameters.size, np.bool_)
    for each in model.parameters.matching(pattern):
        wanted[_run(each)] = True
    return wanted


def _with_tag(model: ChainModel, tag: str) -> BoolArray:
    """[θ]: which features look at a tag; θ is n-grams, then tags and pairs with attributes."""
    if tag not in model.tags:
        raise OptionError(f"the model has no tag '{tag}'; it has {', '.join(model.tags)}")
    # The boundary, and the columns that pad rows, show no tag.
    showing = np.zeros(model.topology.width, np.bool_)
    showing[: len(model.states)] = [each == tag for each in model.states]
    ngrams = [
        showing[each].any(axis=1) for each in (model.topology.bigrams, model.topology.trigrams)
    ]
    parts = [*ngrams, showing[model.tag_rows.columns]]
    if model.pair_rows is not None:
        before, after = np.divmod(model.pair_rows.columns, model.topology.width)
        parts.append(showing[before] | showing[after])
    if (shared := model.part_rows) is not None:
        parts.append((showing @ shared.matrix > 0)[shared.table.columns])
    return np.concatenate(parts)
