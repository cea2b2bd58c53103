"""Every family, with a small corpus that comes with the package."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weft.corpora import bundled, bundled_parse_sets
from weft.corpora.tags.dictionaries_made import dictionary_of
from weft.criteria import accuracy, contrast
from weft.models.chain.spec import Chain
from weft.models.grammar.spec import Cfg
from weft.models.options import Extent, Normalisation, RulesOf
from weft.models.selection.spec import Selection
from weft.models.stack.feature_spec import MoveFeatures
from weft.models.stack.spec import MoveTables
from weft.recipes import find_recipe
from weft.structures.evidence import Example, Sentence
from weft.structures.tree import Tree, leaves

CHAINS = {
    "crf": "free chain",
    "memm": "chain normalised by steps",
    "hmm": "hidden Markov model",
    "mrf": "free chain of single words",
}
GRAMMARS = {"pcfg": "grammar, words", "wcfg-crf": "grammar, all"}
STACKS = {
    f"shift-reduce-{each}": f"shift-reduce, {each}"
    for each in ("maxent", "global", "joint", "conditional")
}
SELECTION = "parse-selection"
TABLES = {
    **{f"johnson-{number}": f"tables johnson-{number}" for number in (4, 5, 6, 7)},
    "hmm-mealy": "tables mealy",
}
"""By recipe, the small instance of the same family."""

FAMILIES = (*CHAINS, *GRAMMARS, *STACKS, SELECTION, *TABLES)
"""The names of all families."""

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
        name: What the table calls it: the name of a recipe.
        of: The small instance of the same family, of :mod:`weft.models.instances`.
        spec: What the model looks at, where labels are known.
        raw: The same where they are not; None if there is no such thing.
        train: The training corpus.
        test: Other sentences.
        baseline: The share that is right without training.
    """

    name: str
    of: str
    spec: Any
    raw: Any
    train: Sequence[Any]
    test: Sequence[Any]
    baseline: float


def families(count: int, seed: int = 0) -> list[GridFamily]:
    """Return all families, with this many sentences to learn from.

    Args:
        count: How many sentences.
        seed: Of the random weights that say what is right by chance.
    """
    train, test = bundled("train")[:count], bundled("test")[:count]
    tags = Counter(tag for each in train for tag in each.analysis or ())
    commonest = tags.most_common(1)[0][0]
    gold = [tag for each in test for tag in each.analysis or ()]
    share = gold.count(commonest) / len(gold)
    dictionary = dictionary_of([*train, *test])
    found = [
        GridFamily(name, of, spec, _with_dictionary(spec, dictionary), train, test, share)
        for name, (of, spec) in _chains().items()
    ]
    counted = [
        GridFamily(name, of, find_recipe(name).model, None, train, test, share)
        for name, of in TABLES.items()
    ]
    parses = bundled_parse_sets()
    half = min(count, len(parses) // 2)
    seen, unseen = parses[:half], parses[half : 2 * half]
    known, others = ([_example(each) for each in some] for some in (seen, unseen))
    for name, of in GRAMMARS.items():
        spec: Any = find_recipe(name).model
        raw = replace(spec, rules=RulesOf.TREES)
        found.append(_by_chance(GridFamily(name, of, spec, raw, known, others, 0.0), seed))
    stack = [
        GridFamily(name, of, find_recipe(name).model, None, known, others, 0.0)
        for name, of in STACKS.items()
    ]
    moves = [_by_chance(each, seed) for each in stack if not each.spec.counted]
    counted += [replace(each, baseline=moves[-1].baseline) for each in stack if each.spec.counted]
    chosen = GridFamily(SELECTION, "selection, listed", Selection(), None, seen, unseen, 0.0)
    return [*found, *moves, _by_chance(chosen, seed), *counted]


def _chains() -> dict[str, tuple[str, Chain]]:
    chains = {name: (of, find_recipe(name).model) for name, of in CHAINS.items()}
    return {name: (of, each) for name, (of, each) in chains.items() if isinstance(each, Chain)}


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


def _by_chance(family: GridFamily, seed: int) -> GridFamily:
    """The same with the mean score of ten models with random weights."""
    spec, rng = family.spec, np.random.default_rng(seed)
    model = spec.prepare(spec.compile(family.train), spec.compile(family.train))
    judge = tree_judge(spec, model, family.test)
    scores = [judge(rng.standard_normal(model.parameters.size)) for _ in range(10)]
    return replace(family, baseline=float(np.mean(scores)))


def tree_judge(spec: Any, model: Any, test: Sequence[Any]) -> Callable[[Any], float]:
    """Weights → the share of tags or analyses that are right; of a parser, that of whole trees."""
    if not isinstance(spec, Cfg | MoveFeatures | MoveTables):
        judge: Callable[[Any], float] = spec.judge(model, spec.compile(test))
        return judge
    choices = contrast(model, [each for each in test if spec.covers(model, each)], accuracy)
    return lambda weights: float(choices.per_example(weights).sum()) / len(test)
