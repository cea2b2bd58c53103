"""What is known about one example: its tokens and its analysis.

Evidence picks out a set of derivations, and more evidence never adds one:

    D(tokens, analysis) ⊂ D(tokens, ?) ⊂ D(a set of strings with them, ?) ⊂ D(?, ?)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from weft.errors import ExampleError, OptionError, quote
from weft.reprs import Brief, Pictured
from weft.structures.constituents import Constituents
from weft.structures.lattice import Lattice
from weft.structures.tree import Tree, leaves

Label = str | frozenset[str] | None
"""What is known about one token's tag: the tag, a set it lies in, or nothing."""

Analysis = tuple[Label, ...]
"""What is known about a sentence's tags, a label per token."""

Parse = Tree | Constituents
"""What is known about a sentence's tree: all of it, or some of its constituents."""

Attributes = Mapping[str, float] | Sequence[str]
"""What the user says of one token: names with values, or names alone, whose value is 1."""

START = "<s>"
"""The boundary before a sentence."""

END = "</s>"
"""The boundary after it."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sentence(Brief):
    """The observed tokens of one example.

    Two sentences are equal only if they are the same object: evidence about one sentence
    shares everything that is computed from its tokens.

    Attributes:
        columns: One or more columns of the same length; the first holds the words.
        attributes: For each token the attributes that the user gives; None where a model's
            templates make them from the columns.
        source: Where the sentence comes from, such as ``train.txt:17``, for messages.
    """

    columns: tuple[tuple[str, ...], ...]
    attributes: tuple[Attributes, ...] | None = None
    source: str = ""

    def __post_init__(self) -> None:
        if not self.columns:
            raise ValueError("a sentence needs at least one column, the words")
        lengths = {len(column) for column in self.columns}
        if self.attributes is not None:
            lengths.add(len(self.attributes))
            if any(isinstance(token, str) for token in self.attributes):
                raise ValueError("a token's attributes are names or a mapping, not one string")
        if len(lengths) > 1:
            raise ValueError(f"the columns of a sentence have different lengths: {sorted(lengths)}")

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def words(self) -> tuple[str, ...]:
        """The first column."""
        return self.columns[0]


def _check_labels(tokens: Sentence, analysis: Analysis | None) -> None:
    if analysis is not None and len(analysis) != len(tokens):
        raise ValueError(
            f"{tokens.source or 'a sentence'} has {len(tokens)} tokens but {len(analysis)} labels"
        )


def _check_parse(tokens: Sentence, parse: Parse | None) -> None:
    name = tokens.source or "a sentence"
    if isinstance(parse, Tree) and tuple(leaves(parse)) != tokens.words:
        raise ValueError(f"the words of {name} are not the leaves of its tree")
    if isinstance(parse, Constituents):
        for span in parse.spans:
            if span.end > len(tokens):
                raise ValueError(f"{name} has {len(tokens)} tokens, but a constituent {span}")


@dataclass(frozen=True, slots=True)
class OfLength:
    """Any sentence of a length, over the words that the model knows.

    Attributes:
        length: The number of words, at least 1.
    """

    length: int

    def __post_init__(self) -> None:
        if not isinstance(self.length, int) or self.length < 1:
            raise ValueError(f"a sentence has at least one word, not {self.length}")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OneOf(Brief):
    """One of several sentences, each with other words than the rest.

    Attributes:
        sentences: The sentences; of equal ones the first counts, so that this is a set.
    """

    sentences: tuple[Sentence, ...]

    def __post_init__(self) -> None:
        # What users say of tokens is not compared: such sentences are all different.
        distinct = {
            each if each.attributes is not None else each.columns: each
            for each in reversed(self.sentences)
        }
        object.__setattr__(self, "sentences", tuple(reversed(distinct.values())))
        if not self.sentences:
            raise ValueError("there is no sentence to be one of: give at least one")


@dataclass(frozen=True, slots=True, repr=False)
class Evidence(Brief):
    """What is known about one example.

    Attributes:
        tokens: The sentence; or a set of strings that it is one of; or None where nothing is
            known of it: any sentence.
        analysis: A label per token, or None where nothing is known of the tags.
        parse: The tree, or some of its constituents; None where nothing is known of it.
    """

    tokens: Sentence | Lattice | OfLength | OneOf | None
    analysis: Analysis | None = None
    parse: Parse | None = None

    def __post_init__(self) -> None:
        if isinstance(self.tokens, Sentence):
            _check_labels(self.tokens, self.analysis)
            _check_parse(self.tokens, self.parse)
        elif self.analysis is not None or self.parse is not None:
            raise ValueError("labels and trees belong to the tokens of one sentence")


EVERYTHING = Evidence(None)
"""Nothing is known: every sentence with every analysis."""


@dataclass(frozen=True, slots=True, repr=False)
class Example(Brief, Pictured):
    """A sentence of a corpus with what its annotators said of it.

    Attributes:
        tokens: The sentence.
        analysis: A label per token, or None for raw text.
        weight: How often the example counts.
        parse: Its tree, or some of the constituents; None where nobody said.
    """

    tokens: Sentence
    analysis: Analysis | None = None
    weight: float = 1.0
    parse: Parse | None = None

    def __post_init__(self) -> None:
        _check_labels(self.tokens, self.analysis)
        _check_parse(self.tokens, self.parse)
        if not 0 <= self.weight < float("inf"):
            raise ValueError(f"an example's weight must be finite and ≥ 0, not {self.weight}")

    def evidence(self, labelled: bool = True) -> Evidence:
        """Return what is known of the example, with its labels or without."""
        if not labelled:
            return Evidence(self.tokens)
        return Evidence(self.tokens, self.analysis, self.parse)


def sentence(words: Sequence[str]) -> Sentence:
    """Make a sentence of its words.

    >>> len(sentence(["time", "flies"]))
    2

    Raises:
        OptionError: If the words are one string, whose characters would pass for words.
    """
    if isinstance(words, str):
        shown = quote(words)
        raise OptionError(f"a sentence is a list of words, not the string {shown}: split it first")
    return Sentence((tuple(words),))


def check_sentences(given: object) -> None:
    """Refuse a text where sentences are wanted.

    Raises:
        OptionError: With how to give it.
    """
    if isinstance(given, str):
        shown = quote(given)
        raise OptionError(
            f"sentences are lists of words, not the string {shown}: give [{shown}.split()]"
        )


Tokens = Sentence | Sequence[str]
"""A sentence, or just its words."""


def as_evidence(given: Tokens | Evidence) -> Evidence:
    """Return what is known of a sentence, which may be given by just its words."""
    if isinstance(given, Evidence):
        return given
    return Evidence(given if isinstance(given, Sentence) else sentence(given))


def example(
    words: Sequence[str],
    tags: Sequence[Label | AbstractSet[str]] | None = None,
    *,
    weight: float = 1.0,
) -> Example:
    """Make an example of words and, where they are known, their tags.

    >>> example(["time", "flies"], ["NN", frozenset({"VBZ", "NNS"})]).tokens.words
    ('time', 'flies')

    Raises:
        ExampleError: If something else than tags is given.
    """
    labels = None if tags is None else tuple(map(_label, tags))
    return Example(sentence(words), labels, weight)


def _label(tag: Label | AbstractSet[str]) -> Label:
    if isinstance(tag, str | None):
        return tag
    if not isinstance(tag, AbstractSet):
        kind = type(tag).__name__
        raise ExampleError(
            f"a tag must be a string, a set of strings or None, not {kind}; trees are examples as "
            "they are, for parsers"
        )
    return frozenset(tag)


def from_token(position: int) -> str:
    """Say from which token on nothing is possible, after what is not possible.

    >>> from_token(2), from_token(-1)
    (', at the latest from token 3 on', '')
    """
    return "" if position < 0 else f", at the latest from token {position + 1} on"


def no_tagging(example: Example, place: int, position: int) -> str:
    """Say that an example has no possible tagging, and at which token.

    Args:
        example: The example.
        place: Its number, from 0.
        position: The token that no tagging gets past; -1 if that is not known.
    """
    if position < 0:
        return f"{example.tokens.source or f'example {place + 1}'}: no tagging is possible"
    label = None if example.analysis is None else example.analysis[position]
    shown = label if isinstance(label, str | None) else "|".join(sorted(label))
    return (
        f"{example.tokens.source or f'example {place + 1}'}: no tagging is possible at token "
        f"{position + 1}, '{example.tokens.words[position]}' (label {shown}): the "
        "allowed tags or the forbidden transitions exclude it; mend the label, or allow it there"
    )
