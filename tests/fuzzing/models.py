"""Small models of every kind, trained in a moment, and what they are asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from parse_sets import random_packed
from weft import LBFGS, Cfg, Chain, Extent, Normalisation, Scheme, Tables, fit, templates
from weft.conversions.convert import mealy_to_moore, moore_to_mealy
from weft.criteria import joint
from weft.features.compile import compile_parses
from weft.features.properties import PROPERTIES, properties
from weft.models.grammar.parser import Parser
from weft.models.model import Trained
from weft.models.options import Shape, phrase_features
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection
from weft.models.stack.feature_spec import MoveFeatures
from weft.models.stack.spec import MoveForm, MoveTables
from weft.models.tables import Form
from weft.models.tagger import Tagger
from weft.optimise.em import EM
from weft.structures.alternatives import Selected
from weft.structures.evidence import Example, Sentence, example
from weft.structures.parse_set import Candidate, ParseSet
from weft.structures.tree import Tree, leaves

TAGGED = (
    example(["the", "dog", "barks"], ["DT", "NN", "VBZ"]),
    example(["the", "saw", "cuts"], ["DT", "NN", "VBZ"]),
    example(["we", "saw", "the", "dog"], ["PRP", "VBD", "DT", "NN"]),
    example(["dogs", "bark"], ["NNS", None]),
    example(["saws", "cut"], ["NNS", frozenset({"VBP", "NN"})]),
)
CHUNKS = (
    example(["the", "dog", "barks"], ["B-NP", "I-NP", "O"]),
    example(["we", "saw", "dogs"], ["B-NP", "O", "B-NP"]),
)
TREES = (
    Tree("S", (Tree("NP", (Tree("DT", ("the",)), Tree("NN", ("dog",)))), Tree("VBZ", ("barks",)))),
    Tree(
        "S",
        (
            Tree("NP", (Tree("PRP", ("we",)),)),
            Tree(
                "VP",
                (
                    Tree("VBD", ("saw",)),
                    Tree("NP", (Tree("DT", ("the",)), Tree("NN", ("dog",)))),
                    Tree("RB", ("here",)),
                ),
            ),
        ),
    ),
)
DICTIONARY = {"the": frozenset({"DT"}), "saw": frozenset({"NN", "VBD"})}
SENTENCES = (
    ("the", "dog", "barks"),
    ("we", "saw", "the", "Unheard-of", "dog"),
    ("the",),
    (),
    ("dog",) * 12,
)
FEW = LBFGS(max_iterations=5)


def _given(index: int) -> Example:
    """An example whose attributes the user gives, with values or without."""
    words, tags = [("time", "flies"), ("fruit", "flies")][index], ("NN", "VBZ")
    several = tuple({f"w={word}": 1.0, "long": float(len(word))} for word in words)
    return Example(Sentence((words,), several if index else tuple(map(tuple, several))), tags)


def _trees(over_tags: bool = False) -> list[Example]:
    found = []
    for tree in TREES:
        parse = _without_words(tree) if over_tags else tree
        found.append(Example(Sentence((tuple(leaves(parse)),)), parse=parse))
    return found


def _without_words(tree: Tree) -> Tree:
    children = tuple(
        child.label if isinstance(child.children[0], str) else _without_words(child)
        for child in tree.children
        if isinstance(child, Tree)
    )
    return Tree(tree.label, children)


def parse_sets() -> list[ParseSet]:
    """Sentences with listed analyses, with given features, and packed."""
    low = Tree("S", (Tree("x_n@n", ("x",)), Tree("VP", (Tree("y_v@v", ("y",)),))))
    high = Tree("S", (Tree("NP", (Tree("x_n@n", ("x",)),)), Tree("y_v@v", ("y",))))
    listed = ParseSet("a", "x y", (Candidate(low, {"cost": 2.0}, -0.5), Candidate(high)), (0,))
    given = (Candidate(None, {"f": 1.0, "g": 0.5}), Candidate(None, {"g": 2.0}))
    packed = random_packed(np.random.default_rng(1), 3)
    one = tuple(range(len(packed.edges)))
    return [listed, ParseSet("b", "", given, (1,)), ParseSet("c", "", packed, one)]


def _selector(names: str, sets: list[ParseSet]) -> Selector:
    selection = Selection(properties(names), relevance=0)
    return fit(
        selection, [compile_parses(each, selection.properties) for each in sets], optimiser=FEW
    )


def _taggers() -> Mapping[str, Callable[[], Tagger]]:
    words = templates("word[0]")
    spelling = templates("word[0] suffix2[0]")
    everything = {"attributes": Extent.ALL, "ngrams": Extent.ALL}
    hmm = Chain(templates=words, normalisation=Normalisation.JOINT, **everything)
    second = Chain(
        order=2, templates=words, pair_templates=templates("bias word[0]"), dictionary=DICTIONARY
    )
    opened = Chain(
        templates=spelling,
        dictionary=DICTIONARY,
        open_tags=frozenset({"NN", "NNS", "PRP", "VBP", "VBZ"}),
    )
    memm = Chain(normalisation=Normalisation.CONDITIONAL, templates=templates("word[-1]|word[0]"))
    mrf = Chain(templates=spelling, **everything)

    def counted() -> Tagger:
        return fit(hmm, TAGGED[:3], criterion=joint, optimiser=EM())

    return {
        "crf": lambda: fit(Chain(), TAGGED, optimiser=FEW),
        "order 2": lambda: fit(second, TAGGED, optimiser=FEW),
        "open tags": lambda: fit(opened, TAGGED, optimiser=FEW),
        "given": lambda: fit(Chain(templates=()), [_given(0), _given(1)], optimiser=FEW),
        "chunks": lambda: fit(Chain(scheme=Scheme.CHUNKS), CHUNKS, optimiser=FEW),
        "memm": lambda: fit(memm, TAGGED, optimiser=FEW),
        "hmm": counted,
        "mrf": lambda: fit(mrf, TAGGED[:3], criterion=joint, optimiser=FEW),
        "arcs": lambda: moore_to_mealy(counted()),
        "states": lambda: mealy_to_moore(moore_to_mealy(counted())),
        **{str(form): lambda form=form: fit(Tables(form), TAGGED[:3]) for form in Form},
    }


def _parsers() -> Mapping[str, Callable[[], Parser]]:
    pcfg = Cfg(normalisation=Normalisation.JOINT, rare=1)
    plain = Cfg(normalisation=Normalisation.JOINT)
    shaped = Cfg(binarise=Shape.HEAD, order=1, parents=1)
    phrases = Cfg(rare=1, features=phrase_features("head length first last"))
    return {
        "pcfg": lambda: fit(pcfg, _trees(), criterion=joint, optimiser=EM()),
        "pcfg of tags": lambda: fit(plain, _trees(True), criterion=joint, optimiser=EM()),
        "shaped": lambda: fit(shaped, _trees(), optimiser=FEW),
        "phrases": lambda: fit(phrases, _trees(), optimiser=FEW),
    }


def _stacks() -> Mapping[str, Callable[[], Trained]]:
    """Shift-reduce parsers: counted over tags and words, with features normalised or not."""
    conditional = MoveTables(MoveForm.CONDITIONAL)
    unnormalised = MoveFeatures(MoveForm.JOINT, rare=0, normalisation=Normalisation.NONE)
    return {
        "moves": lambda: fit(MoveTables(), _trees()),
        "moves of tags": lambda: fit(MoveTables(rare=0), _trees(True)),
        "moves given words": lambda: fit(conditional, _trees()),
        "moves by features": lambda: fit(MoveFeatures(), _trees(), optimiser=FEW),
        "free moves of tags": lambda: fit(unnormalised, _trees(True), optimiser=FEW),
    }


def _selectors() -> Mapping[str, Callable[[], Selector]]:
    sets = parse_sets()
    return {
        "listed": lambda: _selector(" ".join(PROPERTIES), sets[:2]),
        "packed": lambda: _selector("rules entries", sets),
    }


def makers() -> dict[str, Callable[[], Trained]]:
    """What trains each model, by name."""
    return {**_taggers(), **_parsers(), **_stacks(), **_selectors()}


def selected(selector: Selector) -> list[Selected]:
    """The parse sets, as a selector that may not look at forests sees them."""
    return selector.compiled(parse_sets()[:2])
