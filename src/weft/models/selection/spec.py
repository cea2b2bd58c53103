"""What a selection model looks at: the family that chooses among the analyses of a grammar.

:class:`Selection` says which properties tell analyses apart; the corpus gives the features of a
:class:`~weft.models.selection.model.SelectionModel`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from weft.arrays import FloatArray, dot
from weft.errors import ExampleError, OptionError
from weft.features.compile import compile_parses, edge_names
from weft.features.properties import Property, properties
from weft.inference.metropolis import effective_size, walk
from weft.models.answers import Answering
from weft.models.model import Judge, Outcome, Penalties, Spec
from weft.models.options import option
from weft.models.selection.model import SelectionModel, prepare_selection
from weft.models.selection.scores import Judge as SelectionJudge
from weft.models.selection.selector import Selector
from weft.reprs import Brief
from weft.settings import setting
from weft.structures.alternatives import FeatureName, Selected, no_right_analysis
from weft.structures.parse_set import Packed, ParseSet

DEFAULT_PROPERTIES = properties("rules grandparents entries")
"""What analyses are told apart by, if nothing is said."""


class Forward(StrEnum):
    """What is added step by step, the most useful first, as long as held-out sentences gain."""

    NONE = "none"
    """Nothing: all of it is there from the beginning."""

    PROPERTIES = "properties"
    """Whole properties."""

    FEATURES = "features"
    """Single features of all properties."""


class Sampling(StrEnum):
    """How expectations over all sentences are taken from analyses that were drawn."""

    IMPORTANCE = "importance"
    """Each counts in proportion to its weight: value and gradient belong together."""

    METROPOLIS = "metropolis"
    """A walk over them counts, as Abney (1997) has it: the gradient alone, and noisier."""


@dataclass(frozen=True, slots=True, repr=False)
class Selection(Brief, Spec[Selector]):
    """What a selection model looks at; the corpus then fills in the features.

    Attributes:
        properties: The properties that are switched on, and the user's own. Features that the
            file gives are always used.
        relevance: In how many sentences of the corpus a feature must differ between analyses; 0
            keeps those that never do, which decide nothing.
        forward: What of that recipes choose, by cross-validation on the corpus.
        only: The features that are left where some were chosen; None for all.
        reference: A model with its weights, which scores analyses beforehand; None for none.
        universe: Analyses of all sentences, for criteria that compare with everything: all that
            there are, or some that were drawn, each scored by minus the logs of its probability
            and of the number of draws. None for none.
        sampling: How expectations are taken from those.
    """

    properties: tuple[Property, ...] = setting(
        DEFAULT_PROPERTIES, "what analyses are told apart by, as 'rules entries …'", read=properties
    )
    relevance: int = setting(1, "in how many sentences a feature must tell analyses apart")
    forward: Forward = setting(
        Forward.NONE,
        "what is added step by step as long as held-out sentences gain: properties, features or "
        "none",
    )
    only: frozenset[FeatureName] | None = None
    reference: Answering[Any, Any] | None = None
    universe: ParseSet | None = None
    sampling: Sampling = setting(
        Sampling.IMPORTANCE,
        "how drawn analyses of a universe count: by importance, or by a walk, metropolis",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "forward", option(Forward, self.forward))
        object.__setattr__(self, "sampling", option(Sampling, self.sampling))
        if self.relevance < 0:
            raise OptionError(f"relevance must be at least 0, not {self.relevance}")
        names = [each.name for each in self.properties]
        if len(set(names)) < len(names):
            raise OptionError(f"two properties have the same name: {', '.join(names)}")

    analyser = Selector
    files = unlabelled_files = "--train parses.jsonl"

    @property
    def penalties(self) -> Penalties:
        """Sigma is seven times the largest value of a feature, as in Johnson et al. (1999)."""
        return Penalties(weights="relative:7")

    def compile(self, corpus: Sequence[ParseSet | Selected]) -> list[Selected]:
        """Return parse sets as bags of features; others are ready.

        Raises:
            ExampleError: If something else is given.
        """
        compile_one = self.compiler()
        for each in corpus:
            if not isinstance(each, ParseSet | Selected):
                kind = type(each).__name__
                raise ExampleError(
                    f"an example of a selector must be a parse set, not {kind}: read them with "
                    "read_parse_sets of weft.corpora.parses.sets"
                )
        return [each if isinstance(each, Selected) else compile_one(each) for each in corpus]

    def compiler(self) -> Callable[[ParseSet], Selected]:
        """Return what makes bags of features of parse sets, one by one."""
        given = None if self.reference is None else self.reference.as_reference()
        return lambda parse_set: compile_parses(parse_set, self.properties, given)

    def names_of(self, parse_set: ParseSet) -> list[str]:
        """Return what the rows of a packed parse set are called, where its edges have names."""
        analyses = parse_set.analyses
        given = None if self.reference is None else self.reference.as_reference()
        return edge_names(analyses, self.properties, given) if isinstance(analyses, Packed) else []

    def check(self, criterion: Any) -> None:
        """Refuse criteria that compare with other sentences, unless there is a universe of them."""
        known = ("input",) if self.universe is None else ("input", "everything")
        if criterion.denominator.name not in known:
            raise OptionError(
                f"criterion '{criterion.name}' compares analyses with those of other sentences, "
                "which a selection model does not have: use one that compares with 'input', or, "
                "for 'joint' and 'marginal', give analyses of all sentences, a universe"
            )

    def prepare(
        self,
        seen: Sequence[Selected],
        texts: Sequence[Selected] = (),  # noqa: ARG002
        others: Sequence[Selected] = (),  # noqa: ARG002
    ) -> SelectionModel:
        """Return the model whose features are those of a corpus.

        Raises:
            OptionError: If it is still to be chosen which of them.
        """
        if self.forward is not Forward.NONE:
            raise OptionError(
                f"forward={self.forward} is what recipes do before they estimate: use fit_recipe, "
                "or choose_forward of weft.train.selection.choosing"
            )
        universe = None if self.universe is None else self.compiler()(self.universe)
        corpus = [each for each in seen if each.weight > 0]
        return prepare_selection(self, corpus, universe)

    def trained(self, model: SelectionModel, outcome: Outcome) -> Selector:
        """Return a selector; its notes say how much the analyses that were drawn are worth."""
        notes = dict(outcome.notes or {})
        universe = model.universe
        if universe is not None and universe.forest is None:
            weights = model.analyses([universe]).scores(outcome.weights, 1)
            accepted = walk(weights, np.random.default_rng(0)).accepted
            notes["universe"] = (
                f"{len(weights):,} analyses, worth {effective_size(weights):,.0f} independent "
                f"ones; a walk over them accepts {accepted:.1%}"
            )
        return Selector(model, outcome.weights, outcome.trace, notes)

    def uncertainty(
        self, model: SelectionModel, seen: Sequence[Selected], threads: int | None
    ) -> Callable[[FloatArray], float]:
        """Return the entropy of the analyses: log Z less the expected score."""
        evidences = [each.evidence(labelled=False) for each in seen]
        derivations = model.derivations(evidences, threads)

        def entropy(weights: FloatArray) -> float:
            values, expected = derivations.evaluate(weights, np.ones(len(derivations)))
            return float(values.sum()) - dot(expected, weights)

        return entropy

    def judge(
        self,
        model: SelectionModel,
        corpus: Sequence[Selected],
        threads: int | None = None,
        decoder: None = None,  # noqa: ARG002
    ) -> Judge:
        """Return the share of right choices, which are by score: a selector has no decoders."""
        found = SelectionJudge(model, corpus, threads)
        return lambda theta: found(theta).scores().accuracy

    def why_impossible(self, example: Selected, place: int, position: int) -> str:  # noqa: ARG002
        """Say that no right analysis is possible."""
        return no_right_analysis(example.tokens.source, place)
