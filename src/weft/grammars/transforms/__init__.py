"""Changes of trees, each with its inverse, and changes of grammars that keep their weights."""

from weft.grammars.transforms.annotate import annotated, markovised, unannotated, unmarkovised
from weft.grammars.transforms.binarise import (
    head_binarised,
    head_outward,
    left_binarised,
    right_binarised,
    unbinarised,
)
from weft.grammars.transforms.collapse import collapsed, uncollapsed
from weft.grammars.transforms.epsilons import empty_weights, without_epsilons
from weft.grammars.transforms.factor import factored
from weft.grammars.transforms.labels import is_made
from weft.grammars.transforms.normal_form import normal_form
from weft.grammars.transforms.rebuild import rebuilt, relabelled
from weft.grammars.transforms.roots import TOP, rooted, unrooted
from weft.grammars.transforms.unaries import unary_closure, without_unaries
from weft.grammars.transforms.words import with_leaves, with_words, without_words

__all__ = [
    "TOP",
    "annotated",
    "collapsed",
    "empty_weights",
    "factored",
    "head_binarised",
    "head_outward",
    "is_made",
    "left_binarised",
    "markovised",
    "normal_form",
    "rebuilt",
    "relabelled",
    "right_binarised",
    "rooted",
    "unannotated",
    "unary_closure",
    "unbinarised",
    "uncollapsed",
    "unmarkovised",
    "unrooted",
    "with_leaves",
    "with_words",
    "without_epsilons",
    "without_unaries",
    "without_words",
]
