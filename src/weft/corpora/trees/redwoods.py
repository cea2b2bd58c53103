"""Derivations of HPSG treebanks as trees of rule names over parts of speech.

A node of a derivation is named after a rule of the grammar, and a preterminal after a lexical
entry, of which there are tens of thousands. Here the entry gives way to the part of speech of its
token, which a tagger gave to the parser (the field ``p-input`` of the table ``parse``):

    (hdn_bnp_c (n_sg_ilr (meeting_n1 "meeting")))   →   (hdn_bnp_c (n_sg_ilr (NN meeting)))

An entry of several tokens, such as *of course*, becomes a node ``multiword`` over their parts of
speech. Words are those of the tokens, as they were written.

Reference: S. Oepen, D. Flickinger, K. Toutanova and C. Manning (2004), "LinGO Redwoods",
Research on Language and Computation 2.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from weft.corpora.parses.derivations import Leaf, RuleTree, read_derivation
from weft.corpora.parses.tsdb import Row, read_table
from weft.corpora.trees.brackets import TreeRecord
from weft.errors import FormatError
from weft.grammars.transforms.rebuild import rebuilt
from weft.structures.tree import Tree

MULTIWORD = "multiword"
"""The label over the tokens of one lexical entry, where it has several."""

_INPUT = "p-input"
_QUOTED = r'"((?:[^"\\]|\\.)*)"'
# (number, start, end, <from:to>, paths, "form" "surface", position, "rules" …, "TAG" share …)
_TOKEN = re.compile(
    rf"\((\d+), \d+, \d+, <(\d+):(\d+)>, [\d ]+, {_QUOTED}(?: {_QUOTED})?, \d+"
    rf"(?:,? {_QUOTED}(?! [\d.]))+(?:,((?: {_QUOTED} [\d.eE+-]+)+))?\)"
)
_TAG = re.compile(rf"{_QUOTED} ([\d.eE+-]+)")
_RANGE = re.compile(r'\+FROM\s+"(\d+)"\s+\+TO\s+"(\d+)"')


class TaggedToken(NamedTuple):
    """A token that a parser was given.

    Attributes:
        start: The character where it starts, from 0.
        end: The character behind it.
        word: Its form.
        tag: Its most probable part of speech.
    """

    start: int
    end: int
    word: str
    tag: str


def read_tokens(text: str) -> list[TaggedToken]:
    """Read the tokens of a parser's input, in the order of their characters.

    >>> read_tokens('(1, 0, 1, <0:2>, 1, "oh", 0, "null", "UH" 0.9 "NN" 0.1)')
    [TaggedToken(start=0, end=2, word='oh', tag='UH')]

    Raises:
        ValueError: If this is not what such tokens look like, or one has no part of speech.
    """
    tokens = []
    place = 0
    for match in _TOKEN.finditer(text):
        if text[place : match.start()].strip():
            break
        place = match.end()
        tags = [(float(share), tag) for tag, share in _TAG.findall(match[7] or "")]
        if not tags:
            raise ValueError(f"the token {match[4]!r} has no part of speech")
        best = max(share for share, _ in tags)
        tag = next(tag for share, tag in tags if share == best)
        tokens.append(TaggedToken(int(match[2]), int(match[3]), _plain(match[4]), tag))
    if text[place:].strip():
        raise ValueError(f"expected a token like (1, 0, 1, <0:2>, 1, …) at '{text[place:][:40]}'")
    return sorted(tokens)


def with_parts_of_speech(derivation: RuleTree, tokens: Sequence[TaggedToken]) -> Tree:
    """Return a derivation's tree with parts of speech for lexical entries.

    Args:
        derivation: The derivation, whose leaves say which characters they are made of.
        tokens: The tokens of the same sentence, in the order of their characters.

    Raises:
        ValueError: If a leaf does not say, or leaves and tokens do not go together.
    """
    leaves = iter(derivation.leaves)
    remaining = list(reversed(tokens))

    def take(leaf: Leaf) -> list[Tree]:
        """The tokens that a leaf is made of, which are the next ones."""
        end = _end(leaf)
        taken = []
        while remaining and remaining[-1].end <= end:
            token = remaining.pop()
            taken.append(Tree(token.tag, (token.word,)))
        if not taken:
            raise ValueError(f"the word {leaf.form!r} has no token of its own")
        return taken

    def make(node: Tree, children: tuple[Tree | str, ...]) -> Tree:
        if not any(isinstance(child, str) for child in children):
            return Tree(node.label, children)
        parts = [part for _ in children for part in take(next(leaves))]
        return parts[0] if len(parts) == 1 else Tree(MULTIWORD, tuple(parts))

    made = rebuilt(derivation.tree, make)
    if remaining:
        raise ValueError(f"the token {remaining[-1].word!r} is in no word of the derivation")
    return made


def read_redwoods(folder: str | os.PathLike[str]) -> Iterator[TreeRecord]:
    """Read the trees of a profile, one a sentence that has a derivation, in their order.

    Where a sentence has several derivations the first is taken.

    Args:
        folder: The profile, with the tables ``parse`` and ``result``.

    Raises:
        FormatError: If a file is absent or broken, or a derivation does not go with its tokens.
    """
    # Of the rows, which are long, only what is needed is kept.
    inputs = {
        row.fields["parse-id"]: Row({_INPUT: row.fields[_INPUT]}, row.path, row.line)
        for row in read_table(folder, "parse")
    }
    before = None
    for row in read_table(folder, "result"):
        name = row.fields["parse-id"]
        if name != before:
            before = name
            if name not in inputs:
                raise row.error(f"there is no row with parse-id {name} in the table 'parse'")
            yield TreeRecord(_tree(row, inputs[name]), f"{row.path}:{row.line}")


def _tree(result: Row, parse: Row) -> Tree:
    try:
        tokens = read_tokens(parse.fields[_INPUT])
    except ValueError as problem:
        raise parse.error(f"{problem}; restore the field p-input") from None
    try:
        return with_parts_of_speech(read_derivation(result.fields["derivation"]), tokens)
    except FormatError as problem:
        raise result.error(f"in the field derivation, {problem.message}") from None
    except ValueError as problem:
        raise result.error(f"{problem}; restore the field derivation") from None


def _end(leaf: Leaf) -> int:
    ends = [int(match[2]) for _, text in leaf.tokens for match in [_RANGE.search(text)] if match]
    if not ends:
        raise ValueError(f"the word {leaf.form!r} does not say which characters it is made of")
    return max(ends)


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text) if "\\" in text else text
