"""Every family with every criterion that it has, on the corpora that come with the package.

``python -m benchmarks.criteria`` trains each pair and prints a table in Markdown: how much is right
on other sentences, beside an answer that needs no training, how long training took, by which
optimiser, and why it ended. ``--write`` puts it into the documentation, ``--sentences`` and
``--iterations`` make it smaller.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from weft import fit
from weft.corpora import bundled, bundled_parse_sets
from weft.corpora.tags.dictionaries_made import dictionary_of
from weft.criteria import (
    CRITERIA,
    Criterion,
    Gaussian,
    Penalty,
    Unit,
    accuracy,
    complete,
    contrast,
    exponential,
)
from weft.errors import NotDefined, OptionError
from weft.models.chain.spec import Chain
from weft.models.grammar.spec import Cfg
from weft.models.options import Extent, Normalisation, RulesOf
from weft.models.selection.spec import Selection
from weft.optimise.annealing import Annealing
from weft.recipes import find_recipe
from weft.structures.evidence import Example, Sentence
from weft.structures.tree import Tree, leaves
from weft.train.usual import usual_optimiser

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "every-criterion.md"
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

MARK = "<!-- made by benchmarks/criteria.py -->"


@dataclass(frozen=True, slots=True, eq=False)
class Family:
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


@dataclass(frozen=True, slots=True)
class Row:
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


def families(count: int) -> list[Family]:
    """Return all families, with this many sentences to learn from."""
    train, test = bundled("train")[:count], bundled("test")[:count]
    tags = Counter(tag for each in train for tag in each.analysis or ())
    commonest = tags.most_common(1)[0][0]
    gold = [tag for each in test for tag in each.analysis or ()]
    share = gold.count(commonest) / len(gold)
    dictionary = dictionary_of([*train, *test])
    found = [
        Family(name, spec, _with_dictionary(spec, dictionary), train, test, share)
        for name, spec in _chains().items()
    ]
    parses = bundled_parse_sets()
    half = min(count, len(parses) // 2)
    seen, unseen = parses[:half], parses[half : 2 * half]
    for name in ("pcfg", "wcfg-crf"):
        spec = find_recipe(name).model
        trees = [[_example(each) for each in some] for some in (seen, unseen)]
        found.append(
            _by_chance(Family(name, spec, replace(spec, rules=RulesOf.TREES), *trees, 0.0))
        )
    return [*found, _by_chance(Family("parse-selection", Selection(), None, seen, unseen, 0.0))]


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


def _by_chance(family: Family) -> Family:
    """The same with the mean score of ten models with random weights."""
    spec, rng = family.spec, np.random.default_rng(0)
    model = spec.prepare(spec.compile(family.train), spec.compile(family.train))
    judge = _judge(spec, model, family.test)
    scores = [judge(rng.standard_normal(model.parameters.size)) for _ in range(10)]
    return replace(family, baseline=float(np.mean(scores)))


def _judge(spec: Any, model: Any, test: Sequence[Any]) -> Callable[[Any], float]:
    """Weights → the share of tags or analyses that are right; of a parser, that of whole trees."""
    if not isinstance(spec, Cfg):
        judge: Callable[[Any], float] = spec.judge(model, spec.compile(test))
        return judge
    choices = contrast(model, [each for each in test if spec.covers(model, each)], accuracy)
    return lambda weights: float(choices.per_example(weights).sum()) / len(test)


def rows(
    several: Sequence[Family], criteria: Sequence[Criterion], iterations: int, steps: int
) -> Iterator[Row]:
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
    """Return what large weights cost: little where an example is worth no more than 1."""
    return Gaussian(1000.0 if criterion.link is exponential else 10.0)


def _row(family: Family, spec: Any, criterion: Criterion, iterations: int, steps: int) -> Row:
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
    judge = _judge(spec, trained.model, family.test)
    return Row(
        family.name,
        criterion.name,
        judge(trained.weights),
        family.baseline,
        trained.trace[-1].iteration,
        seconds,
        type(options["optimiser"]).__name__,
        trained.notes.get("start", ""),
        trained.notes["stopped"],
    )


def table(made: Sequence[Row]) -> str:
    """Return rows as a table in Markdown."""
    lines = [
        "| family | criterion | right % | untrained % | seconds | optimiser, iterations | "
        "started from | ended |",
        "|---|---|--:|--:|--:|---|---|---|",
    ]
    lines += [
        f"| {row.family} | {row.criterion} | {100 * row.right:.1f} | {100 * row.baseline:.1f} | "
        f"{row.seconds:.1f} | {row.optimiser}, {row.iterations} | {row.start or '—'} | "
        f"{row.stopped} |"
        for row in made
    ]
    return "\n".join(lines)


def main() -> None:
    """Print the table, or write it into the documentation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=50)
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--steps", type=int, default=2000, help="of annealing")
    parser.add_argument("--family", action="append", help="only this one")
    parser.add_argument("--criterion", action="append", help="only this one")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    asked = parser.parse_args()
    several = [
        each for each in families(asked.sentences) if each.name in (asked.family or [each.name])
    ]
    criteria = [each for name, each in CRITERIA.items() if name in (asked.criterion or CRITERIA)]
    made = []
    for row in rows(several, criteria, asked.iterations, asked.steps):
        made.append(row)
        print(table([row]).splitlines()[-1], flush=True)
    if asked.write:
        before, _, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
        PAGE.write_text(f"{before}{MARK}\n\n{table(made)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
