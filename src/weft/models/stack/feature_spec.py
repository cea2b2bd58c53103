"""Log-linear shift-reduce parsers: what they look at, before a corpus is seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from weft.arrays import FloatArray
from weft.errors import OptionError
from weft.models.options import Normalisation, option
from weft.models.stack.feature_model import FeatureModel, gold_keys
from weft.models.stack.spec import MoveForm, MoveTables
from weft.models.stack.templates import Template, move_templates
from weft.settings import setting
from weft.structures.evidence import Example
from weft.structures.tree import Tree

USUAL = "s1 s1+s2 s1+next s1+s2+next s1+next+after s1+s2+before s1+first+last s1+s2+last+next"
"""The usual templates."""


@dataclass(frozen=True, slots=True, repr=False)
class MoveFeatures(MoveTables):
    """What a parser whose moves have features looks at; its tables say which moves are possible.

    Attributes:
        normalisation: ``conditional`` for moves that are normalised one by one, given the words;
            ``none`` for free weights, normalised over all parses of a sentence.
        features: What features look at.
        cycles: How many moves of a cycle of reduce moves may follow each other where weights are
            free: the sum over any number is finite only for some of them, and infinite where all
            are 0. Moves that are normalised may be any number.
    """

    form: MoveForm = setting(
        MoveForm.CONDITIONAL, "the tables that guide the search: joint or conditional"
    )
    normalisation: Normalisation = setting(
        Normalisation.CONDITIONAL, "what moves are normalised over: conditional, or none"
    )
    features: tuple[Template, ...] = setting(
        move_templates(USUAL),
        "what features of moves look at: s1, s2, first, last, before, next, after, joined by +",
        read=move_templates,
    )
    cycles: int = setting(
        30, "how many reduce moves of a cycle may follow each other where weights are free"
    )

    counted = False

    def __post_init__(self) -> None:
        super(MoveFeatures, self).__post_init__()
        object.__setattr__(self, "normalisation", option(Normalisation, self.normalisation))
        if not 0 <= self.cycles <= 60:
            raise OptionError(f"cycles is 0 to 60, not {self.cycles}")
        if self.normalisation is Normalisation.JOINT:
            raise OptionError(
                "features look at the words, and so they give no distribution over sentences: "
                "normalisation=conditional or none"
            )

    @property
    def linear(self) -> bool:
        """Whether weights are free."""
        return self.normalisation is Normalisation.NONE

    def prepare(
        self,
        seen: Sequence[Example],
        texts: Sequence[Example] = (),
        others: Sequence[Example] = (),
    ) -> FeatureModel:
        """Return the features of a treebank's moves.

        Raises:
            OptionError: If there are no trees.
        """
        tables = super(MoveFeatures, self).prepare(seen, texts, others)
        words = {word for each in seen for word in tables.terminals(each.tokens.words)}
        fields = {name: getattr(tables, name) for name in tables.__dataclass_fields__}
        # Where wrong moves are counted in training, there must not be any number of them.
        fields["limits"] = replace(tables.limits, cycles=self.cycles)
        model = FeatureModel(
            **fields,
            terminals_known=tuple(sorted(words)),
            templates=self.features,
            keys=(),
            normalisation=self.normalisation,
            by_moves=self.normalisation is Normalisation.CONDITIONAL,
        )
        trees = [each.evidence() for each in seen if isinstance(each.parse, Tree)]
        return replace(model, keys=gold_keys(model, trees))

    def finish(
        self,
        model: FeatureModel,
        weights: FloatArray,
        seen: Sequence[Any],  # noqa: ARG002
    ) -> tuple[FeatureModel, FloatArray]:
        """Return the model with exact sums over the parses of a sentence."""
        free = model.normalisation is Normalisation.NONE
        limits = model.limits if free else replace(model.limits, cycles=None)
        return replace(model, by_moves=False, limits=limits), weights

    def free(self, model: FeatureModel) -> FeatureModel:
        """Return the same features with free weights; the model itself, if they are free."""
        if model.normalisation is Normalisation.NONE:
            return model
        limits = replace(model.limits, cycles=self.cycles)
        return replace(model, normalisation=Normalisation.NONE, by_moves=False, limits=limits)
