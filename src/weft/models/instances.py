"""Small instances of every family of models, each with complete, partial and raw data.

They are what is asked when a table says which model goes with which criterion, and what the laws
are checked on: see :mod:`weft.train.grid` and ``tests/contracts``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from weft.features.compile import compile_parses
from weft.features.properties import properties
from weft.features.templates import templates
from weft.models.chain.prepare import prepare
from weft.models.chain.spec import Chain
from weft.models.grammar.model import GrammarModel
from weft.models.grammar.phrases import phrases_of
from weft.models.grammar.prepare import prepare_grammar
from weft.models.grammar.spec import Cfg
from weft.models.options import Extent, Normalisation, TagNgrams, phrase_features
from weft.models.selection.model import prepare_selection
from weft.models.selection.spec import Selection
from weft.models.stack.feature_spec import MoveFeatures
from weft.models.stack.spec import MoveForm, MoveTables
from weft.models.stack.tables import Unseen
from weft.models.tables import Form, Tables, estimate_tables
from weft.structures.alternatives import Selected
from weft.structures.constituents import Constituents, Span
from weft.structures.evidence import Example, Label, Sentence, example
from weft.structures.parse_set import Candidate, Packed, PackedEdge, ParseSet
from weft.structures.tree import Tree, leaves

DATA = ("complete", "partial", "raw")
"""What may be known of the examples: all, some or nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """A small instance of a family.

    Attributes:
        name: What the table calls it.
        kind: The family: ``chain``, ``tables``, ``grammar``, ``stack`` or ``selection``, say.
        spec: What the model looks at.
        model: The model of its complete data.
        corpora: By what is known of the examples.
    """

    name: str
    kind: str
    spec: Any
    model: Any
    corpora: Mapping[str, Sequence[Any]]


_WORDS = templates("word[0]")
_FULL = {"attributes": Extent.ALL, "ngrams": Extent.ALL}
_DICTIONARY = {"u": frozenset({"A", "B"}), "v": frozenset({"B"})}

_CHAINS: Mapping[str, Chain] = {
    f"{name}{', order 2' if order == 2 else ''}{', dictionary' if dictionary else ''}": Chain(
        normalisation=normalisation,
        order=order,
        templates=chosen,
        dictionary=dictionary,
        **_FULL,  # type: ignore[arg-type]
    )
    for name, normalisation, chosen in (
        ("free chain of single words", Normalisation.NONE, _WORDS),
        ("free chain", Normalisation.NONE, templates("word[0] word[-1]")),
        ("hidden Markov model", Normalisation.JOINT, _WORDS),
        ("chain normalised by steps", Normalisation.CONDITIONAL, templates("word[0] word[1]")),
    )
    for order in (1, 2)
    for dictionary in (None, _DICTIONARY)
}

CHAINS: Mapping[str, Chain] = {
    **_CHAINS,
    **{
        f"{name}, trigrams alone": replace(
            _CHAINS[f"{name}, order 2"], tag_ngrams=TagNgrams.LONGEST
        )
        for name in (
            "free chain of single words",
            "hidden Markov model",
            "chain normalised by steps",
        )
    },
}
"""Chains: normalisation × order, with a dictionary and without; and with no bigrams of tags."""

GRAMMARS: Mapping[str, Cfg] = {
    "free": Cfg(),
    "pcfg": Cfg(normalisation=Normalisation.JOINT),
    "binary": Cfg(binarise="right", order=1),  # type: ignore[arg-type]
    "parents": Cfg(binarise="head", parents=1, normalisation="joint"),  # type: ignore[arg-type]
    "johnson": Cfg(binarise="johnson"),  # type: ignore[arg-type]
    "phrases": Cfg(features=phrase_features("length first last")),
    "heads": Cfg(features=phrase_features("head")),
    "all": Cfg(features=phrase_features("head length first last"), rare=1),
    "words": Cfg(rare=1, normalisation=Normalisation.JOINT),
}
"""Grammars: free and probabilistic, binarised, annotated, with features, with unknown words."""


def labelled_data(
    some: Sequence[tuple[str, tuple[Label, ...], tuple[Label, ...], float]],
) -> Mapping[str, Sequence[Example]]:
    """Return sentences of which all, some or nothing is known.

    Args:
        some: For each sentence its words, all its labels, some of them, and its weight.
    """
    return {
        "complete": [example(t.split(), full, weight=weight) for t, full, _, weight in some],
        "partial": [example(t.split(), part, weight=weight) for t, _, part, weight in some],
        "raw": [example(t.split(), weight=weight) for t, _, _, weight in some],
    }


@cache
def _chain_data() -> Mapping[str, Sequence[Example]]:
    return labelled_data(
        [
            ("u v w", ("A", "B", "C"), ("A", None, frozenset("AC")), 1.0),
            ("w u", ("C", "B"), (None, frozenset("AB")), 2.0),
            ("v", ("B",), ("B",), 0.5),
        ]
    )


def _tree(label: str, *children: Tree | str) -> Tree:
    return Tree(label, children)


def _noun() -> Tree:
    return _tree("NP", "n")


def _phrase() -> Tree:
    return _tree("PP", "p", _noun())


TREES = (
    _tree("TOP", _tree("S", _noun(), _tree("VP", "v", _noun(), _phrase()))),
    _tree("TOP", _tree("S", _noun(), _tree("VP", "v", _tree("NP", _noun(), _phrase())))),
    _tree("TOP", _tree("S", _tree("NP", _noun(), _phrase()), _tree("VP", "v"))),
    _tree("TOP", _tree("NP", "d", "n")),
)
"""Trees with an ambiguity: two analyses of "n v n p n"."""


def _tree_data(label: str) -> Mapping[str, Sequence[Example]]:
    """Trees, some of their constituents and their sentences; the label is that of "n p n"."""
    texts = [
        Sentence((tuple(leaves(tree)),), source=f"tree {number}")
        for number, tree in enumerate(TREES)
    ]
    pairs = list(zip(texts, TREES, (1.0, 2.0, 1.0, 0.5), strict=True))
    known = [(Span(2, 5),), (Span(2, 5, label),), (Span(0, 3), Span(3, 4)), ()]
    return {
        "complete": [Example(text, parse=tree, weight=weight) for text, tree, weight in pairs],
        "partial": [
            Example(text, parse=Constituents(spans), weight=weight)
            for (text, _, weight), spans in zip(pairs, known, strict=True)
        ],
        "raw": [Example(text, weight=weight) for text, _, weight in pairs],
    }


def _packed() -> Packed:
    """Two ways to attach a phrase, and a word with two entries."""
    edges = [
        PackedEdge("n", "saw_n", (), ("saw",)),
        PackedEdge("n", "saw_v", (), ("saw",), {"odd": 1.0}),
        PackedEdge("p", "in", (), ("in",)),
        PackedEdge("np", "modified", ("n", "p")),
        PackedEdge("top", "low", ("np",)),
        PackedEdge("top", "high", ("n", "p"), (), {"far": 2.0}, 0.5),
    ]
    return Packed(tuple(edges), "top")


def _parse_sets() -> tuple[Sequence[ParseSet], Sequence[ParseSet]]:
    """Some listed and some packed, of which the right analyses are known."""
    trees = [_tree("high", "a"), _tree("low", _tree("x", "a")), _tree("low", _tree("y", "a"))]
    candidates = tuple(
        Candidate(tree, {"given": float(n)}, 0.1 * n) for n, tree in enumerate(trees)
    )
    listed = [
        ParseSet("l1", "", candidates, (1,), source="listed:1"),
        ParseSet("l2", "", candidates[:2], (0,), 2.0, source="listed:2"),
    ]
    packed = [
        ParseSet("p1", "", _packed(), (0, 2, 3, 4), source="packed:1"),
        ParseSet("p2", "", _packed(), (1, 2, 5), 2.0, source="packed:2"),
    ]
    return listed, packed


_SEVERAL = {"l1": (1, 2), "l2": (0, 1), "p1": (0, 1, 2, 3, 4), "p2": (0, 1, 2, 5)}


def _selection_data(several: Sequence[ParseSet]) -> Mapping[str, Sequence[Selected]]:
    local = properties("rules entries")

    def made(right: Callable[[ParseSet], tuple[int, ...] | None]) -> list[Selected]:
        return [
            compile_parses(
                ParseSet(each.id, each.text, each.analyses, right(each), each.weight),
                local,
            )
            for each in several
        ]

    return {
        "complete": made(lambda each: each.right),
        "partial": made(lambda each: _SEVERAL[each.id]),
        "raw": made(lambda each: None),  # noqa: ARG005
    }


@cache
def _chain_instances() -> list[Instance]:
    data = _chain_data()
    return [
        Instance(name, "chain", chain, prepare(chain, data["complete"]), data)
        for name, chain in CHAINS.items()
    ]


@cache
def _table_instances() -> list[Instance]:
    data = _chain_data()
    made = {
        f"tables {form}{', order 2' if order == 2 else ''}": Tables(form, order)
        for order in (1, 2)
        for form in Form
    }
    return [
        Instance(name, "tables", spec, estimate_tables(spec, data["complete"]), data)
        for name, spec in made.items()
    ]


@cache
def _grammar_instances() -> list[Instance]:
    complete = [Example(Sentence((tuple(leaves(tree)),)), parse=tree) for tree in TREES]
    made = {name: (cfg, prepare_grammar(cfg, complete)) for name, cfg in GRAMMARS.items()}
    return [
        Instance(f"grammar, {name}", "grammar", cfg, model, _tree_data(_label_of(model)))
        for name, (cfg, model) in made.items()
    ]


def _label_of(model: GrammarModel) -> str:
    """The label of "n p n" as the grammar has it: annotated, perhaps."""
    return next(each for each, *span in phrases_of(model.shaped(TREES[1])) if span == [2, 5])


@cache
def _selection_instances() -> list[Instance]:
    found = []
    listed, packed = _parse_sets()
    for name, several in (("listed", listed), ("packed", packed), ("mixed", [*listed, *packed])):
        selection = Selection(properties("rules entries"), relevance=0)
        data = _selection_data(several)
        model = prepare_selection(selection, data["complete"])
        found.append(Instance(f"selection, {name}", "selection", selection, model, data))
    return found


STACKS: Mapping[str, MoveTables] = {
    "joint": MoveTables(unseen=Unseen.LOSE, rare=0, beam=0.0),
    "conditional": MoveTables(MoveForm.CONDITIONAL, Unseen.LOSE, rare=0, beam=0.0),
    "maxent": MoveFeatures(unseen=Unseen.LOSE, rare=0, beam=0.0),
    "global": MoveFeatures(
        MoveForm.JOINT, Unseen.LOSE, rare=0, beam=0.0, normalisation=Normalisation.NONE
    ),
}
"""Shift-reduce parsers: counted jointly and conditionally, with features normalised or not."""


@cache
def _stack_instances() -> list[Instance]:
    complete = [Example(Sentence((tuple(leaves(tree)),)), parse=tree) for tree in TREES]
    found = []
    for name, spec in STACKS.items():
        made = spec.prepare(complete)
        model, _ = spec.finish(made, np.zeros(made.parameters.size), complete)
        found.append(Instance(f"shift-reduce, {name}", "stack", spec, model, _tree_data("NP")))
    return found


MAKERS: list[Callable[[], Sequence[Instance]]] = [
    _chain_instances,
    _table_instances,
    _grammar_instances,
    _stack_instances,
    _selection_instances,
]
"""What makes the instances of each family. A family that is added has a line here."""


def instances() -> Mapping[str, Instance]:
    """Return a small instance of every kind of model, by name.

    >>> instances()["hidden Markov model"].name
    'hidden Markov model'
    """
    return {each.name: each for make in MAKERS for each in make()}
