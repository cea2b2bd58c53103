"""What decides: the strongest features of a selector, and what they say of one sentence."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from weft.commands.files.inputs import StrPath, finite, opened_model
from weft.commands.selecting import SHOWN, Chosen
from weft.errors import FormatError, OptionError, abbreviated
from weft.features.compile import compiled
from weft.files import Source, name_of
from weft.models.selection.selector import Ranked, Reason, Selector
from weft.models.storage import Trained
from weft.report.features import KindSummary, kind_summaries
from weft.report.selection import strongest_weights
from weft.structures.parse_set import Packed, ParseSet
from weft.structures.tree import bracketed


@dataclass(frozen=True, slots=True, eq=False)
class SelectorInspection:
    """What is in a selector.

    Attributes:
        selector: The model.
        kinds: Its kinds of features: a property each.
        positive: The features with the largest weights, the largest first.
        negative: Those with the most negative weights.
    """

    selector: Selector
    kinds: tuple[KindSummary, ...]
    positive: tuple[tuple[str, float], ...]
    negative: tuple[tuple[str, float], ...]

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        selector = self.selector
        return {
            "notes": dict(selector.notes),
            "properties": [str(each) for each in selector.model.selection.properties],
            "features": len(selector.weights),
            "kinds": [asdict(kind) for kind in self.kinds],
            "positive": [_weight_json(*each) for each in self.positive],
            "negative": [_weight_json(*each) for each in self.negative],
            "trace": [asdict(step) for step in selector.trace],
        }


def _weight_json(name: str, weight: float) -> dict[str, Any]:
    return {"name": name, "weight": weight}


def inspect_selector(selector: Selector, *, count: int = 20, kind: str = "*") -> SelectorInspection:
    """Look into a selector.

    Args:
        selector: The model.
        count: How many features of either sign to list.
        kind: List only features of the kinds that match this pattern, such as ``rules``.
    """
    positive, negative = (
        tuple(strongest_weights(selector, count, kind=kind, negative=negative))
        for negative in (False, True)
    )
    return SelectorInspection(selector, tuple(kind_summaries(selector)), positive, negative)


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Why a selector chose one analysis of a sentence, and not another.

    Attributes:
        parse_set: The sentence.
        ranking: Its analyses, the most probable first.
        chosen: The first of them.
        other: The one that it is compared with: the right one if the choice is wrong, or else the
            next best; None if there is no other.
        is_right: Whether the choice is right; None where that is not known.
        right: The numbers of right analyses among those of the ranking.
        reasons: The features that tell the two apart, the weightiest first.
    """

    parse_set: ParseSet
    ranking: tuple[Ranked, ...]
    chosen: Ranked
    other: Ranked | None
    is_right: bool | None
    right: frozenset[int]
    reasons: tuple[Reason, ...]

    def derivation(self, ranked: Ranked) -> str | None:
        """Return the derivation of a listed analysis, if it has one."""
        analyses = self.parse_set.analyses
        if isinstance(analyses, Packed):
            return None
        tree = analyses[ranked.analysis].tree
        return None if tree is None else bracketed(tree)

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return {
            "id": self.parse_set.id,
            "text": self.parse_set.text,
            "right": sorted(self.right),
            "is_right": self.is_right,
            "ranking": [self._ranked_json(each) for each in self.ranking],
            "compared_with": None if self.other is None else self.other.analysis,
            "reasons": [{**asdict(each), "log_odds": each.difference} for each in self.reasons],
        }

    def _ranked_json(self, ranked: Ranked) -> dict[str, Any]:
        fields = {**asdict(ranked), "score": finite(ranked.score)}
        del fields["rows"]
        return {**fields, "derivation": self.derivation(ranked)}


def explain(
    model: Trained | StrPath,
    source: Source,
    name: str,
    *,
    against: int | None = None,
    count: int = SHOWN,
    chosen: Chosen | None = None,
) -> Explanation:
    """Say why a selector chose an analysis of one sentence of a file.

    Args:
        model: A selector or its file.
        source: Parse sets.
        name: The id of the sentence.
        against: The analysis to compare with, by its number, from 0, in a forest by its place in
            the ranking; by default the right one, or the next best if the choice is right.
        count: How many analyses to rank.
        chosen: Which parse sets of the file are looked at.

    Raises:
        OptionError: If the model is no selector, or there is no such sentence or analysis.
    """
    selector = opened_model(model)
    if not isinstance(selector, Selector):
        raise OptionError("only selectors are explained: see `weft inspect` for other models")
    parse_set = _found(chosen or Chosen(), source, name)
    example = compiled(parse_set, selector.model.selection.properties)
    ranking = selector.rank(example.tokens, None if example.tokens.forest is None else count)
    first = ranking[0]
    right = None if example.analysis is None else frozenset(example.analysis)
    is_right = None if right is None else right.issuperset(first.rows)
    other = _other(ranking, right, against)
    reasons = () if other is None else tuple(selector.reasons(example.tokens, first, other))
    known = frozenset(
        each.analysis for each in ranking if right is not None and right.issuperset(each.rows)
    )
    return Explanation(parse_set, tuple(ranking[:count]), first, other, is_right, known, reasons)


def _found(chosen: Chosen, source: Source, name: str) -> ParseSet:
    some: list[str] = []
    for parse_set in chosen.read(source):
        if parse_set.id == name:
            return parse_set
        some.append(parse_set.id)
    known = ", ".join(some[:3]) or "none"
    raise FormatError(
        f"no sentence has the id '{abbreviated(name)}'; ids here are "
        f"{known}{', ...' if len(some) > 3 else ''}",
        path=name_of(source),
    )


def _other(
    ranking: list[Ranked], right: frozenset[int] | None, against: int | None
) -> Ranked | None:
    """What the first analysis is compared with."""
    if against is not None:
        for each in ranking:
            if each.analysis == against:
                return each
        raise OptionError(f"there is no analysis {against}; there are 0 to {len(ranking) - 1}")
    if right is not None and not right.issuperset(ranking[0].rows):
        for each in ranking:
            if right.issuperset(each.rows):
                return each
    return ranking[1] if len(ranking) > 1 else None
