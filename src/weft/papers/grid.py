"""Every family with every criterion that it has, on the corpora that come with the package."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.corpora import bundled, bundled_parse_sets
from weft.corpora.tags.dictionaries_made import dictionary_of
from weft.criteria import (
    Criterion,
    Gaussian,
    Penalty,
    Unit,
    accuracy,
    complete,
    conditional,
    contrast,
)
from weft.errors import NotDefined, OptionError
from weft.models.chain.spec import Chain
from weft.models.grammar.spec import Cfg
from weft.models.options import Extent, Normalisation, RulesOf
from weft.models.selection.spec import Selection
from weft.optimise.annealing import Annealing
from weft.optimise.lbfgs import LBFGS
from weft.recipes import find_recipe
from weft.structures.evidence import Example, Sentence
from weft.structures.tree import Tree, leaves
from weft.train import fit
from weft.train.usual import usual_optimiser, usual_penalty

PHRASES = {
    "subj-head": "S",
    "spec-head": "NP",
    "hd-aj_np": "NP",
    "adj-noun": "N",
    "head-comp": "VP",
    "hd-aj_vp": "VP",
    "prep-comp": "PP",
    "np_coord": "NP",
    "conj-np": "CP",
}
"""The rules of the bundled analyses as phrases of a treebank."""

WORN = ("hat", "scarf", "badge", "beard")
"""Nouns that tell where a phrase is attached."""


@dataclass(frozen=True, slots=True, eq=False)
class GridFamily:
    """A family with its data.

    Attributes:
        name: What the table calls it.
        spec: What the model looks at, where labels are known.
        raw: The same where they are not; None if there is no such thing.
        train: The training corpus.
        test: Other sentences.
        baseline: The share that is right without training.
    """

    name: str
    spec: Any
    raw: Any
    train: Sequence[Any]
    test: Sequence[Any]
    baseline: float


CLEARLY = 0.05
"""By how much more must be right than without training."""


@dataclass(frozen=True, slots=True)
class GridRow:
    """How one training went; shares are of 1."""

    family: str
    criterion: str
    right: float
    baseline: float
    iterations: int
    seconds: float
    optimiser: str
    start: str
    stopped: str
    reason: str = ""

    @property
    def verdict(self) -> str:
        """Whether training is clearly better than none; if not, why."""
        if self.right <= self.baseline + CLEARLY:
            return f"no: {self.reason}" if self.reason else "no"
        return "yes" if self.iterations or self.start else "nothing to climb"

    def line(self) -> str:
        """Return the row in Markdown."""
        return (
            f"| {self.family} | {self.criterion} | {100 * self.right:.1f} | "
            f"{100 * self.baseline:.1f} | {self.verdict} | {self.seconds:.1f} | {self.optimiser}, "
            f"{self.iterations} | {self.start or '—'} | {self.stopped} |"
        )


def families(count: int) -> list[GridFamily]:
    """Return all families, with this many sentences to learn from."""
    train, test = bundled("train")[:count], bundled("test")[:count]
    tags = Counter(tag for each in train for tag in each.analysis or ())
    commonest = tags.most_common(1)[0][0]
    gold = [tag for each in test for tag in each.analysis or ()]
    share = gold.count(commonest) / len(gold)
    dictionary = dictionary_of([*train, *test])
    found = [
        GridFamily(name, spec, _with_dictionary(spec, dictionary), train, test, share)
        for name, spec in _chains().items()
    ]
    parses = bundled_parse_sets()
    half = min(count, len(parses) // 2)
    seen, unseen = parses[:half], parses[half : 2 * half]
    for name in ("pcfg", "wcfg-crf"):
        spec: Any = find_recipe(name).model
        train, test = ([_example(each) for each in some] for some in (seen, unseen))
        raw = replace(spec, rules=RulesOf.TREES)
        found.append(_by_chance(GridFamily(name, spec, raw, train, test, 0.0)))
    return [*found, _by_chance(GridFamily("parse-selection", Selection(), None, seen, unseen, 0.0))]


def _chains() -> dict[str, Chain]:
    chains = {name: find_recipe(name).model for name in ("crf", "memm", "hmm", "mrf")}
    return {name: each for name, each in chains.items() if isinstance(each, Chain)}


def _with_dictionary(spec: Chain, dictionary: Any) -> Chain | None:
    if spec.normalisation is Normalisation.CONDITIONAL:
        return None
    return replace(spec, dictionary=dictionary, ngrams=Extent.ALL)


def _example(parses: Any) -> Example:
    """A sentence with the tree of its right analysis."""
    tree = _plain(parses.analyses[parses.right[0]].tree)
    return Example(Sentence((tuple(leaves(tree)),), source=parses.source), parse=tree)


def _plain(tree: Tree) -> Tree:
    """The same with word classes and phrases, those of what one wears apart."""
    word = isinstance(tree.children[0], str)
    label = tree.label.rpartition("_")[2] if word else PHRASES[tree.label]
    if label in ("n", "N", "NP", "PP") and _noun(tree) in WORN:
        label = f"{label}-worn"
    children = (each if isinstance(each, str) else _plain(each) for each in tree.children)
    return Tree(label, tuple(children))


def _noun(phrase: Tree | str) -> str:
    """The noun of a phrase, whatever is attached to it."""
    while isinstance(phrase, Tree):
        attached = phrase.label in ("hd-aj_np", "np_coord")
        phrase = phrase.children[0 if attached else -1]
    return phrase


def _by_chance(family: GridFamily) -> GridFamily:
    """The same with the mean score of ten models with random weights."""
    spec, rng = family.spec, np.random.default_rng(0)
    model = spec.prepare(spec.compile(family.train), spec.compile(family.train))
    judge = tree_judge(spec, model, family.test)
    scores = [judge(rng.standard_normal(model.parameters.size)) for _ in range(10)]
    return replace(family, baseline=float(np.mean(scores)))


def tree_judge(spec: Any, model: Any, test: Sequence[Any]) -> Callable[[Any], float]:
    """Weights → the share of tags or analyses that are right; of a parser, that of whole trees."""
    if not isinstance(spec, Cfg):
        judge: Callable[[Any], float] = spec.judge(model, spec.compile(test))
        return judge
    choices = contrast(model, [each for each in test if spec.covers(model, each)], accuracy)
    return lambda weights: float(choices.per_example(weights).sum()) / len(test)


def rows(
    several: Sequence[GridFamily], criteria: Sequence[Criterion], iterations: int, steps: int
) -> Iterator[GridRow]:
    """Train each family with each criterion that it has."""
    for family in several:
        for criterion in criteria:
            labelled = criterion.numerator is complete
            spec = family.spec if labelled else family.raw
            if spec is None or not _takes(spec, criterion):
                continue
            with suppress(NotDefined):
                yield _row(family, spec, criterion, iterations, steps)


def _takes(spec: Any, criterion: Criterion) -> bool:
    try:
        spec.check(criterion)
    except OptionError:
        return False
    return True


def penalty_of(criterion: Criterion) -> Penalty:
    """Return what large weights cost."""
    return usual_penalty(criterion, Gaussian(10.0))


def _row(
    family: GridFamily, spec: Any, criterion: Criterion, iterations: int, steps: int
) -> GridRow:
    options: dict[str, Any] = {}
    penalty = penalty_of(criterion)
    if criterion.unit is Unit.CHOICE:
        options["optimiser"] = Annealing(steps=steps)
    elif (usual := usual_optimiser(spec, criterion, penalty)) is not None:
        options["optimiser"] = usual
    else:
        options["optimiser"] = replace(find_recipe("crf").optimiser, max_iterations=iterations)
    began = time.perf_counter()
    trained = fit(spec, family.train, criterion=criterion, penalty=penalty, **options)
    seconds = time.perf_counter() - began
    right = tree_judge(spec, trained.model, family.test)(trained.weights)
    failed = right <= family.baseline + CLEARLY
    return GridRow(
        family.name,
        criterion.name,
        right,
        family.baseline,
        trained.trace[-1].iteration,
        seconds,
        type(options["optimiser"]).__name__,
        trained.notes.get("start", ""),
        trained.notes["stopped"],
        _reason(family, spec, criterion, penalty, trained) if failed else "",
    )


def _reason(family: GridFamily, spec: Any, criterion: Criterion, penalty: Any, trained: Any) -> str:
    """Why a model is no good: whether its criterion likes it better than one that learnt labels."""
    model, corpus = trained.model, spec.compile(family.train)
    cost = penalty.objective(model.parameters)
    start = np.zeros(model.parameters.size)
    labels = LBFGS().maximise(contrast(model, corpus, conditional) + cost, start).weights
    objective = contrast(model, corpus, criterion) + cost
    mine, other = (float(objective(theta)[0]) for theta in (trained.weights, labels))
    share = 100 * tree_judge(spec, model, family.test)(labels)
    blamed = "criterion prefers it" if mine >= other else "optimiser stops"
    return f"the {blamed}, at {mine:.1f}; weights with {share:.1f} % right are at {other:.1f}"
