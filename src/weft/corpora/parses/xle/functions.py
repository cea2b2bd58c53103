"""Features of f-structures: attributes with values, functions, semantic forms and their pairs.

In a reading, variables that are equal are one f-structure, and what is said of any of them is said
of it, once. So every variable has a *representative* in each context, found by elimination: of the
variables that are left, the highest is equal to some lower ones in some contexts, which makes these
equal to each other where two of the contexts hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from weft.corpora.parses.xle.contexts import ALWAYS, NEVER, Diagrams
from weft.corpora.parses.xle.terms import Compound, Term

Fact = tuple[int, Compound]
"""A context and what holds there."""

Feature = tuple[str, int]
"""A name and the context in which it counts one."""


class _Form(NamedTuple):
    """A semantic form: what it is called, and how many arguments it has, thematic and not."""

    name: str
    arguments: str


_Value = str | int | _Form  # an atom, the number of a variable, a semantic form
_Places = dict[_Value, int]  # things with the contexts in which they are found


def functional_features(diagrams: Diagrams, facts: Iterable[Fact]) -> Iterator[Feature]:
    """Yield the features of f-structures, each with its context.

    ==================  =======================================================================
    ``value NUM=sg``    an attribute and its atom; ``value TYPE∋x`` of an atom in a set
    ``form see/2``      a semantic form and the number of its arguments
    ``function SUBJ``   an attribute whose value is an f-structure or a set
    ``pred SUBJ dog``   such an attribute, and the PRED of its value, or of a member of it
    ``pair see SUBJ dog``  the same after the PRED of what has the attribute
    ==================  =======================================================================

    Args:
        diagrams: The contexts.
        facts: All facts; those that are not about attributes, equality or sets are left alone.
    """
    return _Structures(diagrams, facts).features()


class _Structures:
    def __init__(self, diagrams: Diagrams, facts: Iterable[Fact]) -> None:
        self.diagrams = diagrams
        equal: list[tuple[int, int, int]] = []
        values: list[tuple[int, _Value, int]] = []
        attributes: list[tuple[int, str, _Value, int]] = []
        members: list[tuple[int, _Value, int]] = []
        for context, fact in facts:
            if len(fact.arguments) != 2 or fact.name not in ("eq", "in_set"):
                continue
            one, other = fact.arguments
            if fact.name == "eq" and _attribute(one) is None and _attribute(other) is not None:
                one, other = other, one
            left, right = map(_value, (one, other))
            if fact.name == "in_set" and left is not None and isinstance(right, int):
                members.append((right, left, context))
            elif fact.name == "in_set" or right is None:
                continue
            elif isinstance(left, int) and isinstance(right, int):
                equal.append((left, right, context))
            elif isinstance(left, int):
                values.append((left, right, context))
            elif (attribute := _attribute(one)) is not None:
                attributes.append((*attribute, right, context))
        self.representatives = _representatives(diagrams, equal)
        self.atoms: dict[int, _Places] = {}
        self.atoms = self.moved(values)
        self.members = self.moved(members)
        self.attributes: dict[tuple[int, str], _Places] = defaultdict(dict)
        for holder, name, value, context in attributes:
            for owner, here in self.places(holder, context):
                self.add(self.attributes[owner, name], value, here)
        self.preds = {
            holder: [(value, here) for value, here in found.items() if isinstance(value, _Form)]
            for (holder, name), found in self.attributes.items()
            if name == "PRED"
        }

    def places(self, variable: int, context: int) -> list[tuple[int, int]]:
        """The representatives of a variable, with their contexts within one."""
        found = self.representatives.get(variable, [(variable, ALWAYS)])
        cut = ((each, self.diagrams.both(here, context)) for each, here in found)
        return [(each, here) for each, here in cut if here != NEVER]

    def moved(self, found: Iterable[tuple[int, _Value, int]]) -> dict[int, _Places]:
        """What holds of variables, of their representatives."""
        result: dict[int, _Places] = defaultdict(dict)
        for variable, value, context in found:
            for owner, here in self.places(variable, context):
                self.add(result[owner], value, here)
        return result

    def add(self, found: _Places, value: _Value, context: int) -> None:
        """Note a value where it is not yet; of a variable, those that it stands for."""
        if not isinstance(value, int):
            found[value] = self.diagrams.either(found.get(value, NEVER), context)
            return
        for each, here in self.places(value, context):
            rest = here
            for atom, known in self.atoms.get(each, {}).items():
                self.add(found, atom, self.diagrams.both(here, known))
                rest = self.diagrams.both(rest, self.diagrams.negate(known))
            found[each] = self.diagrams.either(found.get(each, NEVER), rest)

    def features(self) -> Iterator[Feature]:
        for (holder, name), found in self.attributes.items():
            for value, context in found.items():
                if isinstance(value, _Form):
                    label = "form" if name == "PRED" else f"form {name}"
                    yield f"{label} {value.name}/{value.arguments}", context
                elif isinstance(value, str):
                    yield f"value {name}={value}", context
                else:
                    yield f"function {name}", context
                    yield from self.below(holder, name, value, context)

    def below(self, holder: int, name: str, value: int, context: int) -> Iterator[Feature]:
        """An attribute with the PRED of its value and of members of it."""
        both = self.diagrams.both
        found = [(value, context)]
        for member, here in self.members.get(value, {}).items():
            here = both(context, here)
            if isinstance(member, str):
                yield f"value {name}∋{member}", here
            elif isinstance(member, int):
                found.append((member, here))
        for each, here in found:
            for pred, known in self.preds.get(each, ()):
                below = both(here, known)
                yield f"pred {name} {pred.name}", below
                for head, where in self.preds.get(holder, ()):
                    yield f"pair {head.name} {name} {pred.name}", both(below, where)


def _representatives(
    diagrams: Diagrams, equal: Iterable[tuple[int, int, int]]
) -> dict[int, list[tuple[int, int]]]:
    """For each variable the lowest that it is equal to, by contexts that exclude each other."""
    lower: dict[int, dict[int, int]] = defaultdict(dict)

    def link(one: int, other: int, context: int) -> None:
        if one != other and context != NEVER:
            found = lower[max(one, other)]
            below = min(one, other)
            found[below] = diagrams.either(found.get(below, NEVER), context)

    for one, other, context in equal:
        link(one, other, context)
    variables = {variable for one, other, _ in equal for variable in (one, other)}
    for variable in sorted(variables, reverse=True):
        links = list(lower[variable].items())
        for place, (one, here) in enumerate(links):
            for other, there in links[place + 1 :]:
                link(one, other, diagrams.both(here, there))
    found: dict[int, list[tuple[int, int]]] = {}
    for variable in sorted(lower):
        places: dict[int, int] = {}
        rest = ALWAYS
        for below, context in lower[variable].items():
            here = diagrams.both(rest, context)
            rest = diagrams.both(rest, diagrams.negate(context))
            for each, known in found.get(below, [(below, ALWAYS)]):
                added = diagrams.both(here, known)
                places[each] = diagrams.either(places.get(each, NEVER), added)
        found[variable] = [*places.items(), (variable, rest)]
    return found


def _value(term: Term) -> _Value | None:
    """An atom, a variable or a semantic form; None for what is none of these."""
    if isinstance(term, str | float | int):
        return str(term)
    if not isinstance(term, Compound):
        return None
    if term.name == "var" and len(term.arguments) == 1 and isinstance(term.arguments[0], int):
        return term.arguments[0]
    if term.name == "semform" and len(term.arguments) >= 1:
        counts = [len(each) for each in term.arguments if isinstance(each, tuple)] or [0]
        shown = "+".join(str(count) for place, count in enumerate(counts) if count or not place)
        return _Form(_text(term.arguments[0]), shown)
    return None


def _attribute(term: Term) -> tuple[int, str] | None:
    """The variable and the name in attr(var(0), 'SUBJ')."""
    if isinstance(term, Compound) and term.name == "attr" and len(term.arguments) == 2:
        holder, name = _value(term.arguments[0]), term.arguments[1]
        if isinstance(holder, int) and isinstance(name, str | int | float):
            return holder, str(name)
    return None


def _text(term: Term) -> str:
    return str(term) if isinstance(term, str | int | float) else "?"
