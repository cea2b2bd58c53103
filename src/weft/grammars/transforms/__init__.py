"""Changes of trees, each with its inverse, and changes of grammars that keep their weights."""

from weft.grammars.transforms.annotate import annotate, markovise, remove_annotation, unmarkovise
from weft.grammars.transforms.binarise import (
    binarise_by_head,
    binarise_left,
    binarise_right,
    head_outward,
    unbinarise,
)
from weft.grammars.transforms.collapse import collapse, uncollapse
from weft.grammars.transforms.epsilons import empty_weights, without_epsilons
from weft.grammars.transforms.factor import factor_rules
from weft.grammars.transforms.labels import is_made
from weft.grammars.transforms.moves import moves_of, states_of, tree_of
from weft.grammars.transforms.normal_form import normal_form
from weft.grammars.transforms.rebuild import rebuilt, relabel
from weft.grammars.transforms.roots import TOP, add_root, remove_root
from weft.grammars.transforms.unaries import unary_closure, without_unaries
from weft.grammars.transforms.words import with_leaves, with_words, without_words

__all__ = [
    "TOP",
    "add_root",
    "annotate",
    "binarise_by_head",
    "binarise_left",
    "binarise_right",
    "collapse",
    "empty_weights",
    "factor_rules",
    "head_outward",
    "is_made",
    "markovise",
    "moves_of",
    "normal_form",
    "rebuilt",
    "relabel",
    "remove_annotation",
    "remove_root",
    "states_of",
    "tree_of",
    "unary_closure",
    "unbinarise",
    "uncollapse",
    "unmarkovise",
    "with_leaves",
    "with_words",
    "without_epsilons",
    "without_unaries",
    "without_words",
]
