"""Recipes: named combinations of model, criterion, penalty and optimiser, and their settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from weft.criteria import (
    Criterion,
    Dirichlet,
    Gaussian,
    Penalty,
    accuracy,
    conditional,
    contrastive,
    criterion_named,
    joint,
    marginal,
)
from weft.errors import OptionError
from weft.features.properties import properties
from weft.features.templates import templates
from weft.models import Chain, Extent, Normalisation, Scheme
from weft.models.cfg import Cfg, Shape, phrase_features
from weft.models.chain import transitions
from weft.models.parser import Parser
from weft.models.selection import Selection
from weft.models.selector import Selector
from weft.models.tables import Form, Tables
from weft.models.tagger import Decoder, Progress, Tagger
from weft.optimise.annealing import Annealing
from weft.optimise.conjugate_gradient import ConjugateGradient
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.search import Choice, Search
from weft.optimise.variational import VariationalBayes
from weft.structures.alternatives import Selected
from weft.structures.evidence import Example
from weft.structures.parse_set import ParseSet
from weft.train import Term, fit
from weft.train.selectors import JOHNSON


@dataclass(frozen=True, slots=True)
class Raw:
    """What raw text says beside labelled text.

    Attributes:
        criterion: What is compared there.
        weight: How much it counts beside the criterion of the labelled text, which counts 1.
    """

    criterion: Criterion
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.weight < float("inf"):
            raise OptionError(f"the weight of raw text must be finite and ≥ 0, not {self.weight}")


@dataclass(frozen=True, slots=True)
class Recipe:
    """One row of the table that the command line, the documentation and the tests read.

    Attributes:
        name: What ``--recipe`` calls it.
        summary: What it is, in a line.
        chain: The model.
        criterion: What is compared; None for tables, which are counted.
        penalty: What large weights cost, or what is added to counts.
        optimiser: How the weights move.
        search: Restarts and annealing; None for tables.
        decoder: How tags are chosen.
        raw: What raw text says beside the training corpus; None for recipes that take none.
    """

    name: str
    summary: str
    chain: Chain | Tables | Cfg | Selection = field(default_factory=Chain)
    criterion: Criterion | None = conditional
    penalty: Penalty | None = field(default_factory=Gaussian)
    optimiser: LBFGS | EM | VariationalBayes | ConjugateGradient | Annealing | None = field(
        default_factory=LBFGS
    )
    search: Search | None = field(default_factory=Search)
    decoder: Decoder = Decoder.VITERBI
    raw: Raw | None = None


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

RECIPES: Mapping[str, Recipe] = {
    each.name: each
    for each in (
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
            _HMM,
            joint,
            Dirichlet(0.1, {"tag:*": 0.001}),
            EM(),
        ),
        Recipe(
            "hmm-em",
            "hidden Markov model estimated by EM from the words alone",
            _HMM,
            marginal,
            Dirichlet(0.1, {"tag:*": 0.001}),
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
            Chain(order=2, templates=templates("word[0]"), ngrams=Extent.ALL),
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
            Dirichlet(0.1),
            VariationalBayes(),
        ),
        Recipe(
            "hmm-mealy",
            "hidden Markov model with words on its arcs, interpolated frequencies",
            Tables(Form.MEALY),
            **_COUNTED,
        ),
        *(
            Recipe(str(form), summary, Tables(form), **_COUNTED, decoder=Decoder.POSTERIOR)
            for form, summary in _TABLES.items()
        ),
        Recipe(
            "mrf",
            "globally normalised chain of order 1 with spelling features, trained jointly",
            Chain(templates=ONE_WORD, attributes=Extent.ALL, ngrams=Extent.ALL),
            joint,
            Gaussian(1.0),
        ),
        Recipe(
            "pcfg",
            "probabilistic grammar of a treebank: relative frequencies of its rules",
            Cfg(normalisation=Normalisation.JOINT, rare=1),
            joint,
            Dirichlet(0.0, {"unknown": 0.1}),
            EM(),
        ),
        Recipe(
            "pcfg-em",
            "probabilistic grammar estimated from sentences alone, by inside-outside",
            Cfg(normalisation=Normalisation.JOINT),
            marginal,
            Dirichlet(0.0),
            EM(),
        ),
        Recipe(
            "pcfg-mcle",
            "probabilistic grammar that makes trees likely given their sentences, Johnson's (2001)",
            Cfg(normalisation=Normalisation.JOINT, rare=1),
            conditional,
            Gaussian(math.inf),
        ),
        Recipe(
            "wcfg-crf",
            "weighted grammar with features of phrases, free weights, trained conditionally",
            Cfg(rare=1, features=phrase_features("head length first last")),
        ),
        Recipe(
            "parse-selection",
            "chooses among the analyses of a grammar: Johnson et al.'s (1999) pseudo-likelihood",
            Selection(),
            conditional,
            JOHNSON,
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
}


def recipe_named(name: str) -> Recipe:
    """Return a recipe.

    >>> recipe_named("crf").criterion.name
    'conditional'
    """
    if name not in RECIPES:
        raise OptionError(f"there is no recipe '{name}'; there are {', '.join(RECIPES)}")
    return RECIPES[name]


def _flag(text: str) -> bool:
    known = {"yes": True, "true": True, "no": False, "false": False}
    if text.lower() not in known:
        raise ValueError(text)
    return known[text.lower()]


def _number_or_all(text: str) -> int | None:
    return None if text == "all" else int(text)


OPTIMISERS: Mapping[str, Any] = {
    "lbfgs": LBFGS,
    "conjugate-gradient": ConjugateGradient,
    "annealing": Annealing,
    "em": EM,
    "variational-bayes": VariationalBayes,
}
"""All optimisers by name."""


def optimiser_named(name: str) -> Any:
    """Return an optimiser with its defaults.

    >>> optimiser_named("conjugate-gradient").max_iterations
    1000
    """
    if name not in OPTIMISERS:
        raise OptionError(f"there is no optimiser '{name}'; there are {', '.join(OPTIMISERS)}")
    return OPTIMISERS[name]()


@dataclass(frozen=True, slots=True)
class Setting:
    """Something about a recipe that ``--set`` changes.

    Attributes:
        part: The field of the recipe that it is part of; empty for a field of the recipe itself.
        name: The field of that part.
        read: From text to the value.
        help: What it does and which values there are.
    """

    part: str
    name: str
    read: Callable[[str], Any]
    help: str

    def value_in(self, recipe: Recipe) -> Any:
        """Return what it is in a recipe; raise AttributeError where there is no such thing."""
        if self.part:
            return getattr(getattr(recipe, self.part), self.name)
        value = getattr(recipe, self.name)
        if value is None:
            raise AttributeError(self.name)
        return value


SETTINGS: Mapping[str, Setting] = {
    "order": Setting(
        "chain",
        "order",
        _number_or_all,
        "the number of earlier tags that a tag depends on, 1 or 2; or of children that the new "
        "nodes of binary trees are named after, which may be all",
    ),
    "templates": Setting(
        "chain", "templates", templates, "attributes that go with a tag, as 'word[0] suffix3[0] …'"
    ),
    "pair_templates": Setting(
        "chain", "pair_templates", templates, "attributes that go with a pair of tags, likewise"
    ),
    "attributes": Setting(
        "chain", "attributes", Extent, "which tags go with an attribute, observed or all (dense)"
    ),
    "ngrams": Setting(
        "chain", "ngrams", Extent, "which tag n-grams have a weight, observed or all"
    ),
    "minimum_count": Setting(
        "chain", "minimum_count", int, "the number of times a feature with an attribute must occur"
    ),
    "boundaries": Setting(
        "chain", "boundaries", _flag, "whether tag n-grams include sentence boundaries, yes or no"
    ),
    "scheme": Setting(
        "chain", "scheme", Scheme, "which tag pairs are forbidden, none or chunks (BIO, BIOES)"
    ),
    "forbidden": Setting(
        "chain", "forbidden", transitions, "tag pairs that never follow each other, as 'DT>VB DT>'"
    ),
    "normalisation": Setting(
        "chain",
        "normalisation",
        Normalisation,
        "none, joint (an HMM or a PCFG) or conditional (a MEMM)",
    ),
    "rare": Setting(
        "chain", "rare", int, "how often words occur, at most, that unknown words are like"
    ),
    "suffix": Setting(
        "chain", "suffix", int, "the length of the suffixes that tell a table's unknown words apart"
    ),
    "enough": Setting(
        "chain", "enough", int, "how many rare words make a class of a table's unknown words"
    ),
    "word_backoff": Setting(
        "chain", "word_backoff", float, "how often a table's word counts with the tags of its class"
    ),
    "class_backoff": Setting(
        "chain", "class_backoff", float, "how often a class counts with the tags around it"
    ),
    "parts": Setting(
        "chain", "parts", int, "into how many parts deleted interpolation divides a corpus"
    ),
    "binarise": Setting(
        "chain", "binarise", Shape, "how trees are made binary: none, left, right or head"
    ),
    "parents": Setting(
        "chain", "parents", int, "with how many ancestors' labels those of phrases are annotated"
    ),
    "features": Setting(
        "chain",
        "features",
        phrase_features,
        "what goes with a phrase's label: head length first last",
    ),
    "symbols": Setting(
        "chain", "symbols", int, "how many symbols a grammar of all rules has, for raw text"
    ),
    "properties": Setting(
        "chain", "properties", properties, "what analyses are told apart by, as 'rules entries …'"
    ),
    "relevance": Setting(
        "chain", "relevance", int, "in how many sentences a feature must tell analyses apart"
    ),
    "criterion": Setting("", "criterion", criterion_named, "which two sums are compared"),
    "optimiser": Setting(
        "", "optimiser", optimiser_named, f"how weights move: {', '.join(OPTIMISERS)}"
    ),
    "l1": Setting("optimiser", "l1", float, "what each unit of a weight costs, beside the penalty"),
    "steps": Setting("optimiser", "steps", int, "how many changes simulated annealing tries"),
    "hot": Setting("optimiser", "hot", float, "the temperature that it begins with"),
    "cold": Setting("optimiser", "cold", float, "the temperature that it ends with"),
    "memory": Setting("optimiser", "memory", int, "the number of iterations that L-BFGS remembers"),
    "iterations": Setting("optimiser", "max_iterations", int, "the largest number of iterations"),
    "tolerance": Setting(
        "optimiser", "tolerance", float, "the relative gain over a period below which training ends"
    ),
    "restarts": Setting(
        "search", "restarts", int, "from how many random starts to climb, beside the plain one"
    ),
    "spread": Setting(
        "search", "spread", float, "the standard deviation of the weights of random starts"
    ),
    "seed": Setting("search", "seed", int, "the seed of random starts and of annealing"),
    "choose": Setting(
        "search", "choose", Choice, "which solution is kept: the highest value, or entropy"
    ),
    "anneal": Setting(
        "search", "anneal", float, "the power that annealing begins with, below 1; 1 is none"
    ),
    "growth": Setting("search", "growth", float, "the factor by which that power grows"),
    "raw_weight": Setting(
        "raw", "weight", float, "how much raw text counts beside labelled text, which counts 1"
    ),
    "period": Setting("optimiser", "period", int, "the number of iterations of that period"),
}


def with_settings(recipe: Recipe, settings: Mapping[str, str]) -> Recipe:
    """Return a recipe with some settings changed.

    >>> with_settings(recipe_named("crf"), {"order": "2"}).chain.order
    2

    Raises:
        OptionError: For a setting or a value that does not exist.
    """
    for key, text in settings.items():
        if key not in SETTINGS:
            raise OptionError(f"there is no setting '{key}'; there are {', '.join(SETTINGS)}")
        setting = SETTINGS[key]
        try:
            setting.value_in(recipe)
        except AttributeError:
            message = f"the recipe {recipe.name} has no such setting"
            raise OptionError(f"--set {key}={text}: {message}") from None
        whole: Any = getattr(recipe, setting.part) if setting.part else recipe
        try:
            part = replace(whole, **{setting.name: setting.read(text)})
        except OptionError as error:
            raise OptionError(f"--set {key}={text}: {error}") from None
        except ValueError:
            kind = "a whole number: " if setting.read in (int, _number_or_all) else ""
            raise OptionError(f"--set {key}={text}: expected {kind}{setting.help}") from None
        recipe = replace(recipe, **{setting.part: part}) if setting.part else part
    return recipe


def fit_recipe(
    recipe: Recipe,
    corpus: Sequence[Example],
    *,
    raw: Sequence[Example] = (),
    development: Sequence[Example] | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
) -> Tagger:
    """Estimate a recipe's model from a corpus; see :func:`weft.train.fit`.

    Raises:
        OptionError: If there is raw text that the recipe has no use for.
    """
    if isinstance(recipe.chain, Selection) or isinstance(recipe.optimiser, Annealing):
        raise OptionError(f"the recipe {recipe.name} is for parse sets: use fit_selector")
    if isinstance(recipe.chain, Cfg):
        raise OptionError(f"the recipe {recipe.name} is for trees: use fit_grammar")
    if raw and recipe.raw is None:
        raise OptionError(f"the recipe {recipe.name} takes no raw text beside its corpus")
    extra = [Term(recipe.raw.weight, raw, recipe.raw.criterion)] if raw and recipe.raw else []
    return fit(
        recipe.chain,
        corpus,
        criterion=recipe.criterion,
        extra=extra,
        penalty=recipe.penalty,
        optimiser=recipe.optimiser,
        search=recipe.search,
        decoder=recipe.decoder,
        development=development,
        progress=progress,
        threads=threads,
        notes={"recipe": recipe.name, **(notes or {})},
    )


def fit_grammar(
    recipe: Recipe,
    corpus: Sequence[Example],
    *,
    development: Sequence[Example] | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
) -> Parser:
    """Estimate the parser of a recipe for trees; see :func:`weft.train.fit`.

    Raises:
        OptionError: If the recipe is for other corpora, or its optimiser for other models.
    """
    if not isinstance(recipe.chain, Cfg):
        raise OptionError(f"the recipe {recipe.name} is not for trees: use pcfg")
    if isinstance(recipe.optimiser, Annealing | VariationalBayes):
        raise OptionError("a grammar's weights move by lbfgs, conjugate-gradient or em")
    return fit(
        recipe.chain,
        corpus,
        criterion=recipe.criterion,
        penalty=recipe.penalty,
        optimiser=recipe.optimiser,
        search=recipe.search,
        development=development,
        progress=progress,
        threads=threads,
        notes={"recipe": recipe.name, **(notes or {})},
    )


def fit_selector(
    recipe: Recipe,
    corpus: Sequence[ParseSet | Selected],
    *,
    development: Sequence[ParseSet | Selected] | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
) -> Selector:
    """Estimate the model of a recipe for parse sets; see :func:`weft.train.fit`.

    Raises:
        OptionError: If the recipe is for other corpora, or its optimiser for other models.
    """
    if not isinstance(recipe.chain, Selection):
        raise OptionError(f"the recipe {recipe.name} is not for parse sets: use parse-selection")
    if isinstance(recipe.optimiser, EM | VariationalBayes):
        raise OptionError("EM is for models whose weights are probabilities: use lbfgs")
    return fit(
        recipe.chain,
        corpus,
        criterion=recipe.criterion,
        penalty=recipe.penalty,
        optimiser=recipe.optimiser,
        search=recipe.search,
        development=development,
        progress=progress,
        threads=threads,
        notes={"recipe": recipe.name, **(notes or {})},
    )
