"""Looking into a model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from weft.commands.files.inputs import StrPath, finite, opened
from weft.models.tagger import Tagger
from weft.report.features import KindSummary, NamedWeight, kind_summaries, strongest_features


@dataclass(frozen=True, slots=True, eq=False)
class Inspection:
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
    tagger = opened(model)
    if not len(tagger.weights):  # tables have no features
        return Inspection(tagger, (), (), ())
    positive, negative = (
        tuple(strongest_features(tagger, count, tag=tag, kind=kind, negative=negative))
        for negative in (False, True)
    )
    return Inspection(tagger, tuple(kind_summaries(tagger)), positive, negative)
