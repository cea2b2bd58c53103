"""The table of recipes: named combinations of model, criterion, penalty and optimiser."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from weft.criteria import (
    Criterion,
    Gaussian,
    Penalty,
    accuracy,
    conditional,
    contrastive,
    find_criterion,
    joint,
    marginal,
    read_penalty,
)
from weft.errors import OptionError, no_such
from weft.features.templates import templates
from weft.models import Chain, Extent, Normalisation
from weft.models.grammar.spec import Cfg
from weft.models.model import Spec
from weft.models.options import RulesOf, phrase_features
from weft.models.selection.spec import Selection
from weft.models.stack.feature_spec import MoveFeatures
from weft.models.stack.spec import MoveForm, MoveTables
from weft.models.stack.tables import Unseen
from weft.models.tables import Form, Tables
from weft.models.tagger import Decoder
from weft.optimise.annealing import Annealing
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.search import Search
from weft.optimise.variational import VariationalBayes
from weft.recipes.optimisers import OPTIMISERS, find_optimiser
from weft.reprs import Brief
from weft.settings import setting
from weft.train.report import Watched
from weft.train.selection.scale import JOHNSON
from weft.train.usual import PATIENCE


@dataclass(frozen=True, slots=True)
class Raw:
    """What raw text says beside labelled text.

    Attributes:
        criterion: What is compared there.
        weight: How much it counts beside the criterion of the labelled text, which counts 1.
    """

    criterion: Criterion
    weight: float = setting(
        1.0,
        "how much raw text counts beside labelled text, which counts 1",
        key="raw_weight",
    )

    def __post_init__(self) -> None:
        if not 0 <= self.weight < float("inf"):
            raise OptionError(f"the weight of raw text must be finite and ≥ 0, not {self.weight}")


@dataclass(frozen=True, slots=True, repr=False)
class Recipe(Brief):
    """One row of the table that the command line, the documentation and the tests read.

    Attributes:
        name: What ``--recipe`` calls it.
        summary: What it is, in a line.
        model: What the model looks at.
        criterion: What is compared; None for tables, which are counted.
        penalty: What large weights cost, or what is added to counts.
        optimiser: How the weights move.
        search: Restarts and annealing; None for tables.
        decoder: How answers are chosen; None for the family's own way.
        raw: What raw text says beside the training corpus; None for recipes that take none.
        patience: After how many iterations without a gain on held-out examples training ends;
            0 for never, None for what suits criterion and optimiser.
        tuned: Whether the scale of the penalty is chosen by cross-validation.
        watched: What of held-out examples that is about.
        adapt: Whether what the model leaves open is chosen by the size of the corpus.
    """

    name: str
    summary: str
    model: Spec[Any] = field(default_factory=Chain)
    criterion: Criterion | None = setting(
        conditional, "which two sums are compared; see `weft recipes --grid`", read=find_criterion
    )
    penalty: Penalty | None = field(default_factory=Gaussian)
    optimiser: Any = setting(
        LBFGS, f"how weights move: {', '.join(OPTIMISERS)}", read=find_optimiser
    )
    search: Search | None = field(default_factory=Search)
    decoder: Decoder | None = None
    raw: Raw | None = None
    patience: int | None = setting(
        None,
        "after how many iterations without a gain on held-out examples training ends, 0 for never; "
        f"auto is {PATIENCE} where labels are learnt from, by gradients or passes, else never",
        read=lambda text: 0 if text.strip() == "never" else int(text),
        unsaid="auto",
    )
    tuned: bool = False
    watched: Watched = setting(
        Watched.AUTO,
        "what of held-out examples `patience` looks at: criterion, score (accuracy, F1), or auto "
        "(both, but the score alone of margins and perceptrons)",
    )
    adapt: bool = setting(
        True, "whether defaults, such as templates, depend on the size of the corpus, yes or no"
    )

    @property
    def penalised(self) -> bool:
        """Whether the optimiser looks at the penalty."""
        return bool(getattr(self.optimiser, "penalised", True))

    @property
    def penalty_shown(self) -> str | None:
        """The penalty as the table of recipes has it."""
        if self.penalty is None:
            return None
        return f"auto (around {self.penalty})" if self.tuned else str(self.penalty)

    def __post_init__(self) -> None:
        if self.patience is not None and self.patience < 0:
            raise OptionError(f"patience is at least 1, or 0 for never, not {self.patience}")
        if not (self.adapt or self.model.adapts):
            raise OptionError(
                "adapt=no is for templates that depend on the size of the corpus, and here they "
                "are named, or there are none: leave it out"
            )


def is_patience(given: Any) -> bool:
    """Whether a setting ``patience`` asks for held-out examples: a number above 0.

    >>> is_patience("5"), is_patience(0), is_patience("never"), is_patience(None)
    (True, False, False, False)
    """
    return str(given).strip() not in ("None", "auto", "never", "0")


ONE_WORD = templates(
    ["word[0]", "capital[0]", "digit[0]", "hyphen[0]"]
    + [f"{kind}{n}[0]" for kind, most in (("suffix", 3), ("prefix", 2)) for n in range(1, most + 1)]
)
"""Words and their spelling: where the words vary, attributes can look at one of them only."""

_HMM = Chain(
    templates=templates("word[0]"),
    attributes=Extent.ALL,
    ngrams=Extent.ALL,
    normalisation=Normalisation.JOINT,
)

_COUNTED: dict[str, Any] = {"criterion": None, "penalty": None, "optimiser": None, "search": None}

_TABLES = {
    Form.HMM: "bitag HMM with interpolated frequencies, Johnson's (2001) equation 4",
    Form.CONDITIONAL: "tags given their word and the tag before, Johnson's equation 5",
    Form.PREVIOUS_WORD: "tags given the word and the tag before, words given tags, equation 6",
    Form.NEXT_WORD: "words given the tag before, tags given both, equation 7",
}

TAGGERS = (
    Recipe(
        "crf",
        "conditional random field: a chain of order 1, free weights, trained conditionally",
    ),
    Recipe(
        "memm",
        "maximum entropy Markov model: tags normalised one by one, given the sentence",
        Chain(normalisation=Normalisation.CONDITIONAL),
    ),
    Recipe(
        "hmm",
        "hidden Markov model of order 1: counted where tags are known, else by EM",
        replace(_HMM, attributes=Extent.SHARED),
        joint,
        read_penalty(_HMM.penalties.counts),
        EM(),
    ),
    Recipe(
        "hmm-em",
        "hidden Markov model estimated by EM from the words alone",
        _HMM,
        marginal,
        read_penalty(_HMM.penalties.counts),
        EM(),
    ),
    Recipe(
        "hmm-features-em",
        "hidden Markov model with spelling features, estimated from the words alone",
        replace(_HMM, templates=ONE_WORD),
        marginal,
        Gaussian(1.0),
    ),
    Recipe(
        "mrf-em",
        "globally normalised chain with spelling features, estimated from the words alone",
        Chain(templates=ONE_WORD, attributes=Extent.ALL, ngrams=Extent.ALL),
        marginal,
        Gaussian(1.0),
    ),
    Recipe(
        "contrastive-tagger",
        "chain of order 2 that tells raw sentences from their neighbours, with a dictionary",
        Chain(order=2, templates=ONE_WORD, ngrams=Extent.ALL),
        contrastive("delortrans1"),
        Gaussian(1.0),
        LBFGS(tolerance=1e-4, period=1),
    ),
    Recipe(
        "semi-supervised",
        "conditional on labelled text, contrastive on raw text: one model that satisfies both",
        Chain(templates=ONE_WORD, ngrams=Extent.ALL),
        conditional,
        Gaussian(1.0),
        LBFGS(tolerance=1e-4, period=1),
        raw=Raw(contrastive("delortrans1"), 0.5),
    ),
    Recipe(
        "hmm-vb",
        "the same by variational Bayes, which prefers tags with few words and few followers",
        _HMM,
        marginal,
        read_penalty(_HMM.penalties.prior),
        VariationalBayes(),
    ),
    Recipe(
        "hmm-mealy",
        "hidden Markov model with words on its arcs, interpolated frequencies",
        Tables(Form.MEALY),
        **_COUNTED,
        decoder=Decoder.POSTERIOR,
    ),
    *(Recipe(str(form), summary, Tables(form), **_COUNTED) for form, summary in _TABLES.items()),
    Recipe(
        "mrf",
        "globally normalised chain of order 1 with spelling features, trained jointly",
        Chain(templates=ONE_WORD, attributes=Extent.ALL, ngrams=Extent.ALL),
        joint,
        Gaussian(1.0),
    ),
)
"""Recipes of chains and tables."""

_PCFG = Cfg(normalisation=Normalisation.JOINT, rare=1)
_PCFG_EM = Cfg(normalisation=Normalisation.JOINT, rules=RulesOf.TREES)

PARSERS = (
    Recipe(
        "pcfg",
        "probabilistic grammar of a treebank: relative frequencies of its rules",
        _PCFG,
        joint,
        read_penalty(_PCFG.penalties.counts),
        EM(),
    ),
    Recipe(
        "pcfg-em",
        "probabilistic grammar estimated from sentences alone, by inside-outside",
        _PCFG_EM,
        marginal,
        read_penalty(_PCFG_EM.penalties.counts),
        EM(),
    ),
    Recipe(
        "pcfg-mcle",
        "probabilistic grammar that makes trees likely given their sentences, Johnson's (2001)",
        _PCFG,
        conditional,
        Gaussian(math.inf),
    ),
    Recipe(
        "wcfg-crf",
        "weighted grammar with features of phrases, free weights, trained conditionally",
        Cfg(rare=1, features=phrase_features("head length first last")),
    ),
)
"""Recipes of grammars."""

STACKS = (
    Recipe(
        "shift-reduce-joint",
        "shift-reduce parser that makes the sentence with its tree, Johnson's (2001) section 4",
        MoveTables(unseen=Unseen.INTERPOLATE),
        **_COUNTED,
    ),
    Recipe(
        "shift-reduce-conditional",
        "shift-reduce parser whose moves are given the next tag, Johnson's section 4",
        MoveTables(MoveForm.CONDITIONAL),
        **_COUNTED,
    ),
    Recipe(
        "shift-reduce-maxent",
        "shift-reduce parser with features of moves, which are normalised one by one",
        MoveFeatures(beam=1e-4),
        conditional,
        Gaussian(10.0),
    ),
    Recipe(
        "shift-reduce-global",
        "the same features with free weights, normalised over the parses of a sentence",
        MoveFeatures(
            MoveForm.JOINT, Unseen.INTERPOLATE, normalisation=Normalisation.NONE, beam=1e-4
        ),
        conditional,
        Gaussian(10.0),
    ),
)
"""Recipes of shift-reduce parsers."""

SELECTORS = (
    Recipe(
        "parse-selection",
        "chooses among the analyses of a grammar: Johnson et al.'s (1999) pseudo-likelihood",
        Selection(),
        conditional,
        JOHNSON,
        tuned=True,
    ),
    Recipe(
        "max-correct",
        "the same, with as many right choices as simulated annealing finds",
        Selection(),
        accuracy,
        Gaussian(math.inf),
        Annealing(),
    ),
)
"""Recipes of choices among given analyses."""

RECIPES: dict[str, Recipe] = {each.name: each for each in (*TAGGERS, *PARSERS, *STACKS, *SELECTORS)}
"""All recipes by name. A family that is added has its list here."""


def find_recipe(name: str) -> Recipe:
    """Return a recipe.

    >>> find_recipe("crf").criterion.name
    'conditional'
    """
    if name not in RECIPES:
        raise OptionError(no_such("recipe", name, RECIPES))
    return RECIPES[name]
