"""Context-free grammars as models of trees: what they look at, before a corpus is seen.

A derivation is a tree. Its features are its rules; and, of each phrase, its label with its length,
its first or its last word. :class:`Cfg` says which of them a model has;
:func:`~weft.models.prepare_grammar.prepare_grammar` reads the rules off trees, and gives a
:class:`~weft.models.grammar_model.GrammarModel`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from weft.errors import OptionError
from weft.models.chain import Normalisation, option
from weft.structures.grammar import Grammar


class Shape(StrEnum):
    """How trees are made binary before their rules are counted."""

    NONE = "none"
    """They are left as they are."""

    LEFT = "left"
    """Children are joined from the left."""

    RIGHT = "right"
    """Children are joined from the right."""

    HEAD = "head"
    """The head is joined with what is to its right, then with what is to its left."""


class PhraseFeature(StrEnum):
    """What of a phrase goes with its label, beside the rule that expands it."""

    HEAD = "head"
    """The label of its head, by Collins's head rules: what rules have in common."""

    LENGTH = "length"
    """How many words it has: 1, 2, 3, 4, 5, 6-10, 11-20, 21-40 or more."""

    FIRST = "first"
    """Its first word."""

    LAST = "last"
    """Its last word."""


def phrase_features(text: str) -> tuple[PhraseFeature, ...]:
    """Read names of features, with spaces or commas between them; ``none`` for none.

    >>> phrase_features("length first")
    (<PhraseFeature.LENGTH: 'length'>, <PhraseFeature.FIRST: 'first'>)
    """
    names = text.replace(",", " ").split()
    return () if names == ["none"] else tuple(option(PhraseFeature, name) for name in names)


@dataclass(frozen=True, slots=True)
class Cfg:
    """What a grammar of trees looks at; the corpus then fills in its rules.

    Attributes:
        normalisation: ``joint`` for a PCFG, whose rules of one head sum to one; ``none`` for free
            weights.
        binarise: How trees are made binary first.
        order: After how many children the new nodes of binary trees are named; None for all.
        parents: With how many ancestors' labels a phrase's own is annotated.
        features: What of a phrase goes with its label.
        rare: Words that occur at most so often are what unknown words are like; 0 where there
            are none, as with tags for words.
        grammar: The rules, where they are given, with weights to start from.
        symbols: Without labels and without a grammar: how many nonterminals a grammar of all
            rules X → Y Z and X → word has.

    Raises:
        OptionError: If these do not go together.
    """

    normalisation: Normalisation = Normalisation.NONE
    binarise: Shape = Shape.NONE
    order: int | None = None
    parents: int = 0
    features: tuple[PhraseFeature, ...] = ()
    rare: int = 0
    grammar: Grammar | None = None
    symbols: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "normalisation", option(Normalisation, self.normalisation))
        object.__setattr__(self, "binarise", option(Shape, self.binarise))
        several = tuple(dict.fromkeys(option(PhraseFeature, each) for each in self.features))
        object.__setattr__(self, "features", several)
        if self.normalisation is Normalisation.CONDITIONAL:
            raise OptionError("a grammar's normalisation is joint (a PCFG) or none")
        if self.features and self.normalisation is not Normalisation.NONE:
            raise OptionError("features of phrases need free weights: normalisation=none")
        for name in ("parents", "rare", "symbols"):
            if getattr(self, name) < 0:
                raise OptionError(f"{name} is at least 0, not {getattr(self, name)}")
        if self.order is not None and self.order < 0:
            raise OptionError(f"order is at least 0, not {self.order}")
        if self.grammar is not None and self.symbols:
            raise OptionError("give a grammar, or a number of symbols, not both")
