"""What a lexical-functional grammar says once its notation has been read.

No macro, template, lexical rule, parametrised category or default annotation is left here: readers
have put in what they stand for. Solvers know these types and nothing of any notation.

A right side is a regular expression over annotated categories. An annotation is a conjunction of
statements about the f-structure of the mother (`UP`, written ↑ or ^) and of the annotated daughter
(`DOWN`, ↓ or !). In a lexical entry both are the f-structure of the entry's category.

Reference: Kaplan and Bresnan (1982), "Lexical-Functional Grammar: A Formal System for Grammatical
Representation"; Maxwell and Kaplan (1996), "LFG's formal parts" in the documentation of XLE.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from weft.lfg.networks import Morphology
from weft.reprs import count_things, describe


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: a file, and a line and column there, from 1."""

    path: str = ""
    line: int = 0
    column: int = 0


# ------------------------------------------------------------------------------- paths


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute, with what is said of the f-structures at its ends (off-path statements).

    In `off_path`, `AFTER` (->) is the value of the attribute and `BEFORE` (<-) what has it.
    """

    name: str
    off_path: Description = ()


@dataclass(frozen=True, slots=True)
class AnyAttribute:
    """Any attribute, written ?."""

    off_path: Description = ()


@dataclass(frozen=True, slots=True)
class Element:
    """A step from a set to one of its elements, written $ in a path."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Paths one after the other; none of them is the empty path."""

    parts: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of several paths."""

    options: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """A path several times: `least` 0 is A*, 1 is A+; `most` None is any number of times."""

    part: Path
    least: int = 0
    most: int | None = None


Path: TypeAlias = "Attribute | AnyAttribute | Element | Steps | OneOf | Repeated"

# -------------------------------------------------------------------------- designators


@dataclass(frozen=True, slots=True)
class Meta:
    """An f-structure that an annotation is about: `UP`, `DOWN`, `BEFORE` or `AFTER`."""

    name: str


UP, DOWN, BEFORE, AFTER = Meta("^"), Meta("!"), Meta("<-"), Meta("->")
FORM_NAME = "FN"
"""The attribute of a PRED that is the name of its semantic form, for tests."""


@dataclass(frozen=True, slots=True)
class Local:
    """A name for an f-structure within one rule's use or lexical entry, written %x."""

    name: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """An atomic value; an instantiated one (x_) is equal only to itself at the same place."""

    text: str
    instantiated: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """A semantic form, such as 'see<(^ SUBJ)(^ OBJ)>': always instantiated.

    Attributes:
        name: What stands before its arguments.
        thematic: Its arguments between < and >; None is NULL.
        other: Non-thematic arguments, after >.
    """

    name: str
    thematic: tuple[Designator | None, ...] = ()
    other: tuple[Designator | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Values:
    """One of a closed set of atoms, as in (^ CASE) $ {nom acc}: one value, not yet known which.

    Two such sets that meet keep what they share; an atom that meets one must be in it.
    """

    symbols: frozenset[str]


@dataclass(frozen=True, slots=True)
class At:
    """What a path leads to, (^ OBJ NUM); more than one path is functional uncertainty."""

    base: Designator
    path: Path


@dataclass(frozen=True, slots=True)
class From:
    """Inside-out: what a path leads from to its base, (COMP OBJ ^)."""

    path: Path
    base: Designator


Designator: TypeAlias = "Meta | Local | Symbol | Form | Values | At | From"

# ---------------------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Equal:
    """A defining equation, left = right."""

    left: Designator
    right: Designator
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class Contains:
    """A defining membership, element $ set, written ∈ too."""

    element: Designator
    whole: Designator
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class CheckEqual:
    """A test that two values are equal (=c) or, if not `positive`, that they are not (~=)."""

    left: Designator
    right: Designator
    positive: bool = True
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class CheckContains:
    """A test of membership ($c), or that there is none (~$)."""

    element: Designator
    whole: Designator
    positive: bool = True
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class CheckExists:
    """A test that something has a value, (^ OBJ), or has none, ~(^ OBJ)."""

    what: Designator
    positive: bool = True
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class CheckCategory:
    """A test that some node of one of these categories has this f-structure, @(CAT (^ X) {…})."""

    what: Designator
    categories: frozenset[str]
    positive: bool = True
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class Either:
    """One of several descriptions; what may be left out is `Either((description, ()))`."""

    options: tuple[Description, ...]
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class Not:
    """A test that a description, all of it read as tests, does not hold: ~[ … ]."""

    description: Description
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark of optimality, o::* or @(OT-MARK name)."""

    name: str
    place: Place = field(default=Place(), compare=False)


Statement: TypeAlias = (
    "Equal | Contains | CheckEqual | CheckContains | CheckExists | CheckCategory"
    " | Either | Not | Mark"
)
Description: TypeAlias = "tuple[Statement, ...]"

# ------------------------------------------------------------------------- right sides


@dataclass(frozen=True, slots=True)
class Category:
    """An annotated category; its name has its parameters in it, `VP[fin]`."""

    name: str
    notes: Description = ()
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class Nothing:
    """An annotated empty string, e: …; its notes are about `UP` only."""

    notes: Description = ()
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts one after the other; without parts, the empty string."""

    parts: tuple[RightSide, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several parts; what may be left out is `Choice((part, Sequence(())))`."""

    options: tuple[RightSide, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part several times, `most` None for any number."""

    part: RightSide
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Parts in any order, the members of each in its own order and others between them: A, B."""

    parts: tuple[RightSide, ...]


@dataclass(frozen=True, slots=True)
class Ignore:
    """A part with any number of others between its members, before and after: A / B."""

    part: RightSide
    ignored: RightSide


RightSide: TypeAlias = "Category | Nothing | Sequence | Choice | Repeat | Shuffle | Ignore"

# ---------------------------------------------------------------------------- grammars


@dataclass(frozen=True, slots=True)
class Entry:
    """A lexical sub-entry.

    Attributes:
        word: The headword as it is looked up; `-unknown` for entries of unknown words, `-token`
            for those of any word.
        category: The preterminal; sublexical ones end in `_BASE`.
        notes: What it says, with the headword put in for %stem; for unknown words a `Symbol` or
            the name of a `Form` is still `%stem`.
        surface: Whether it is looked up with words of the text (morphcode *) and not with
            what the morphology gives (XLE).
        place: Where it stands.
    """

    word: str
    category: str
    notes: Description = ()
    surface: bool = True
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Lfg:
    """A lexical-functional grammar.

    Attributes:
        name: Such as "DEMO ENGLISH".
        root: The category of sentences.
        rules: The right side of each category that has one.
        entries: The sub-entries of each headword.
        unknown: Entries of words that no other entry is for (-unknown, -token).
        governable: Functions that are for arguments only, OBL-?+ expanded to regular patterns by
            the reader as Python regular expressions without anchors.
        semantic: Functions whose values need a PRED but that nothing needs to govern.
        nondistributive: Attributes that sets have themselves.
        optimality: Marks and groups of them in the order of the grammar, worst first as XLE has it.
        morphology: How text is split and words are analysed; see `weft.lfg.tokens`.
        places: Where each rule stands.
        warnings: What was left out, each with its place.
    """

    name: str
    root: str
    rules: Mapping[str, RightSide]
    entries: Mapping[str, tuple[Entry, ...]]
    unknown: tuple[Entry, ...] = ()
    governable: tuple[str, ...] = ()
    semantic: tuple[str, ...] = ()
    nondistributive: tuple[str, ...] = ()
    optimality: tuple[tuple[str, ...], ...] = ()
    morphology: Morphology = field(default_factory=Morphology)
    places: Mapping[str, Place] = field(default_factory=dict)
    warnings: tuple[tuple[str, Place], ...] = ()

    def __repr__(self) -> str:
        sizes = (count_things(len(self.rules), "rule"), count_things(len(self.entries), "headword"))
        return describe(self, self.name, *sizes)
