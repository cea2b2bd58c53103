"""Changes of trees, each with its inverse, and changes of grammars that keep their weights."""

from weft.grammars.transforms.rebuild import rebuilt, relabelled
from weft.grammars.transforms.roots import TOP, rooted, unrooted
from weft.grammars.transforms.words import with_leaves, with_words, without_words

__all__ = [
    "TOP",
    "rebuilt",
    "relabelled",
    "rooted",
    "unrooted",
    "with_leaves",
    "with_words",
    "without_words",
]
