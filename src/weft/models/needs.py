"""How much memory a model will take in use, told from its manifest and the shapes of its arrays.

A file of a few kilobytes can declare a thousand tags, and a chain of order 2 a table of all their
triples. So this is asked before any array is read; see :func:`weft.archive.load_archive`. The
numbers are those of the parts that grow faster than the file, rounded up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from weft.archive import Shape
from weft.derivations.chain.topology import Topology, pad
from weft.errors import EvidenceError
from weft.structures.evidence import Sentence

_TABLES = 4
"""How many tables of transitions there are at a time: scores, a copy of them, and expectations."""

_SETS = 2
"""And tables of the sets of single tags, and of what they add to scores."""

_TOKENS = 32
"""The length of a sentence that must fit, where each token has a score for every pair of tags."""

_TEXT = 150
"""Bytes of a short string in a list and in an index."""

_TAGS_OF_WORD = 300
"""Bytes of a word's set of tags in a dictionary."""

_EDGE = 600
"""Bytes of an edge of a grammar that is laid out for charts."""

_SENTENCE = 2**32
"""Bytes that a sentence may take: with 45 tags, 5.6 million tokens of order 1 or 116,000 of 2."""

Shapes = Mapping[str, Shape]


def tables_need(width: int) -> int:
    """Return how many bytes the tables of a chain of order 1 take, of so many columns."""
    return (_TABLES + _SETS) * 8 * width**2


def tagger_need(manifest: Mapping[str, Any], shapes: Shapes) -> int:
    """Return how many bytes a tagger takes beyond its arrays."""
    tags = len(manifest["tags"])
    chain = manifest["model"] == "chain"
    states = _length(shapes, "shown") if chain and manifest.get("shown") else tags
    width = pad(states + 1)
    table = 8 * width**2
    order = int(manifest["order"] if chain else manifest.get("order", 1))
    paired = manifest["pairs"] if chain else True
    tripled = not chain and order == 2 and manifest["form"] not in ("johnson-4", "mealy")
    need = _TABLES * table * (width if order == 2 else 1) + _SETS * table
    need += 2 * table * _TOKENS * (width if tripled else 1) if paired else 0
    words = _length(shapes, "vocabulary_ends") + _length(shapes, "signatures_ends")
    return need + 2 * 8 * width * words + texts_need(shapes)


def parser_need(manifest: Mapping[str, Any], shapes: Shapes) -> int:
    """Return how many bytes a parser takes beyond its arrays."""
    need = _EDGE * (_length(shapes, "heads") + _length(shapes, "bodies"))
    if manifest["phrases"]:
        spans = _TOKENS * (_TOKENS + 1) // 2
        need += 2 * 8 * spans * _length(shapes, "nonterminals_ends")
        need += sum(24 * prod(shapes[f"weights_{name}"]) for name in manifest["phrases"])
    return need + texts_need(shapes)


def stack_need(manifest: Mapping[str, Any], shapes: Shapes) -> int:  # noqa: ARG001
    """Return how many bytes a shift-reduce parser takes beyond its arrays."""
    # What reduce moves lead to is looked up for all pairs of labels, and choices are tuples.
    entries = 4 * prod(shapes["rows"]) + 2 * prod(shapes["moves"])
    return 8 * entries + _TEXT * _length(shapes, "choice_labels") + texts_need(shapes)


def selector_need(manifest: Mapping[str, Any], shapes: Shapes) -> int:  # noqa: ARG001
    """Return how many bytes a selector takes beyond its arrays: the names of its features."""
    return 2 * texts_need(shapes)


def texts_need(shapes: Shapes) -> int:
    """Return how many bytes the texts of a model take, once they are strings."""
    need = 0
    for name, shape in shapes.items():
        if name.endswith("_ends"):
            need += prod(shape) * _TEXT
        if name.endswith("_words_ends"):
            need += prod(shape) * _TAGS_OF_WORD
    return need


def _length(shapes: Shapes, name: str) -> int:
    return prod(shapes.get(name, (0,)))


def check_lengths(
    topology: Topology, pairs: bool, sentences: Sequence[Sentence], *, triples: bool = False
) -> None:
    """Refuse a sentence that would take more memory than a laptop has to spare."""
    states = topology.width if topology.order == 1 and not pairs else topology.width**2
    states *= topology.width if triples else 1
    longest = _SENTENCE // (8 * 2 * states)  # doubles, forwards and backwards
    for sentence in sentences:
        if len(sentence) > longest:
            raise EvidenceError(
                f"{sentence.source or 'a sentence'} has {len(sentence)} tokens; with "
                f"{topology.tags} tags and order {topology.order} at most {longest} fit into "
                "memory: split it"
            )
