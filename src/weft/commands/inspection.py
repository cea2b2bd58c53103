"""Looking into a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from weft.commands.files.inputs import StrPath, finite, open_tagger
from weft.models.model import Trained
from weft.models.tagger import Tagger
from weft.report.features import KindSummary, NamedWeight, kind_summaries, strongest_features
from weft.report.selection import strongest_weights
from weft.reprs import Brief


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Inspection(Brief):
    """What is in a model.

    Attributes:
        tagger: The model.
        kinds: Its kinds of features.
        positive: The features with the largest weights, the largest first.
        negative: Those with the most negative weights.
    """

    tagger: Tagger
    kinds: tuple[KindSummary, ...]
    positive: tuple[NamedWeight, ...]
    negative: tuple[NamedWeight, ...]

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        model = self.tagger.model
        dictionary = model.dictionary
        return {
            "notes": dict(self.tagger.notes),
            "order": model.topology.order,
            "tags": list(model.tags),
            "attributes": model.attribute_count,
            "features": len(self.tagger.weights),
            "words": len(self.tagger.lexicon),
            "dictionary_words": None if dictionary is None else len(dictionary),
            "kinds": [asdict(kind) for kind in self.kinds],
            "positive": [_weight_json(each) for each in self.positive],
            "negative": [_weight_json(each) for each in self.negative],
            "trace": [asdict(step) for step in self.tagger.trace],
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FeatureInspection(Brief):
    """What is in a model of any family whose features have names.

    Attributes:
        trained: The model.
        kinds: Its kinds of features.
        positive: The features with the largest weights, the largest first.
        negative: Those with the most negative weights.
        more: What only its family has, ready for JSON.
        told: What people are told beside the lists of ``more``, by its name.
    """

    trained: Trained
    kinds: tuple[KindSummary, ...]
    positive: tuple[tuple[str, float], ...]
    negative: tuple[tuple[str, float], ...]
    more: Mapping[str, Any]
    told: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return {
            "notes": dict(self.trained.notes),
            "model": type(self.trained.model).__name__,
            **self.more,
            "features": len(self.trained.weights),
            "kinds": [asdict(kind) for kind in self.kinds],
            "positive": [{"name": name, "weight": finite(w)} for name, w in self.positive],
            "negative": [{"name": name, "weight": finite(w)} for name, w in self.negative],
            "trace": [asdict(step) for step in self.trained.trace],
        }


@dataclass(frozen=True, slots=True, repr=False)
class Facts(Brief):
    """What is said of a model.

    Attributes:
        told: Texts for people, by their names.
        figures: The same for programs, ready for JSON.
    """

    told: Mapping[str, str]
    figures: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return the figures."""
        return dict(self.figures)


def inspect_features(
    trained: Any,
    count: int = 20,
    kind: str = "*",
    told: Mapping[str, str] | None = None,
    **more: Any,
) -> FeatureInspection:
    """Look into a model of any family whose features have names.

    Args:
        trained: The model with its weights.
        count: How many features of either sign to list.
        kind: List only features of the kinds that match this pattern, such as ``rules``.
        told: What people are told beside the lists of ``more``, by its name.
        **more: What only its family has, ready for JSON.

    Raises:
        OptionError: If there is no such kind.
    """
    positive, negative = (
        tuple(strongest_weights(trained, count, kind=kind, negative=negative))
        for negative in (False, True)
    )
    kinds = tuple(kind_summaries(trained))
    return FeatureInspection(trained, kinds, positive, negative, more, told or {})


def _weight_json(weight: NamedWeight) -> dict[str, Any]:
    return {"name": weight.name, **asdict(weight), "weight": finite(weight.weight)}


def inspect(
    model: Tagger | StrPath, *, count: int = 20, tag: str | None = None, kind: str = "*"
) -> Inspection:
    """Look into a model.

    Args:
        model: A tagger or its file.
        count: How many features of either sign to list.
        tag: List only features that look at this tag.
        kind: List only features of the kinds that match this pattern, such as ``tag:suffix*``.

    Raises:
        OptionError: If there is no such tag or kind.
        FormatError: If the file is no model's.
    """
    tagger = open_tagger(model)
    if not len(tagger.weights):  # tables have no features
        return Inspection(tagger, (), (), ())
    positive, negative = (
        tuple(strongest_features(tagger, count, tag=tag, kind=kind, negative=negative))
        for negative in (False, True)
    )
    return Inspection(tagger, tuple(kind_summaries(tagger)), positive, negative)
