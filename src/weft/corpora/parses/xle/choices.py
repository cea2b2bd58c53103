"""The choices of a file, in an order in which they can be made, and contexts as diagrams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from weft.corpora.parses.xle.contexts import ALWAYS, NEVER, Diagrams
from weft.corpora.parses.xle.terms import Compound, Term, Variable
from weft.errors import FormatError, abbreviate

MOST_ALTERNATIVES = 500
"""A choice of more is refused."""

MOST_IN_ALL = 20_000
"""Choices with more alternatives in all are refused."""


class TermError(ValueError):
    """A term that is not what it should be.

    Attributes:
        line: Where it is; 0 where that is not known.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line

    def at(self, path: str) -> FormatError:
        """Return the error with the file's name."""
        return FormatError(str(self), path=path, line=self.line or None)


@dataclass(frozen=True, slots=True)
class _Choice:
    """A choice as it is written."""

    names: tuple[str, ...]
    context: Term
    line: int


class Space:
    """The choices of a file.

    Attributes:
        diagrams: The choices, in an order in which none depends on a later one, and contexts.
        wrong: Contexts of which none holds in a reading that was selected.
        is_selected: Whether some alternative was.
        names: The alternatives of each choice, in the order of the diagrams.

    Raises:
        TermError: If a choice, a definition or a selection is not what it should be.
    """

    def __init__(self, choices: Iterable[Term], equivalences: Iterable[Term]) -> None:
        self.diagrams = Diagrams()
        self.names: list[tuple[str, ...]] = []
        self._named: dict[str, int] = {}
        self._defined: dict[str, Compound] = {}
        found = [_choice(term) for term in choices]
        if sum(len(choice.names) for choice in found) > MOST_IN_ALL:
            raise TermError(f"there are more than {MOST_IN_ALL:,} alternatives", found[0].line)
        selected: list[Compound] = []
        for term in equivalences:
            if isinstance(term, Compound) and term.name == "define":
                self._define(term)
            elif isinstance(term, Compound) and term.name in ("select", "choose"):
                selected.append(term)
        self._places: dict[str, int] = {}
        for place, choice in enumerate(found):
            for name in choice.names:
                if name in self._places or name in self._defined:
                    raise TermError(f"the name '{abbreviate(name)}' comes twice", choice.line)
                self._places[name] = place
        alternatives = self._add(found)
        self.is_selected = bool(selected)
        self.wrong = self._wrong(selected, alternatives)

    def _define(self, term: Compound) -> None:
        if len(term.arguments) != 2 or not isinstance(term.arguments[0], Variable):
            raise TermError("a definition is define(NAME, CONTEXT)", term.line)
        name = term.arguments[0].name
        if name in self._defined:
            raise TermError(f"the name '{abbreviate(name)}' is defined twice", term.line)
        self._defined[name] = term

    def context(self, term: Term, line: int) -> int:
        """Return the diagram of a context.

        Raises:
            TermError: If it is none, or names what is not there.
        """
        return self._context(term, line, ())

    def _context(self, term: Term, line: int, within: tuple[str, ...]) -> int:
        if isinstance(term, Variable):
            return self._name(term.name, line, within)
        if isinstance(term, int) and term in (0, 1):
            return ALWAYS if term else NEVER
        if isinstance(term, Compound) and term.name in ("and", "or", "not"):
            parts = [self._context(each, line, within) for each in term.arguments]
            if term.name == "not" and len(parts) == 1:
                return self.diagrams.negate(parts[0])
            if term.name != "not" and parts:
                join = self.diagrams.all_of if term.name == "and" else self.diagrams.any_of
                return join(parts)
        raise TermError(
            "a context is 1, the name of an alternative or definition, and(…), or(…) or not(…), "
            f"not {abbreviate(repr(term))}",
            line,
        )

    def _name(self, name: str, line: int, within: tuple[str, ...]) -> int:
        if name not in self._named:
            definition = self._defined.get(name)
            if definition is None:
                raise TermError(f"there is no choice with '{abbreviate(name)}'", line)
            if name in within:
                raise TermError(f"'{abbreviate(name)}' is defined by itself", definition.line)
            term = definition.arguments[1]
            self._named[name] = self._context(term, definition.line, (*within, name))
        return self._named[name]

    def _add(self, choices: list[_Choice]) -> dict[str, tuple[int, int]]:
        """Add the choices in an order; the choice and the value of each name."""
        found: dict[str, tuple[int, int]] = {}
        for choice in self._ordered(choices):
            context = self.context(choice.context, choice.line)
            number = self.diagrams.add_choice(len(choice.names), context)
            self.names.append(choice.names)
            for value, name in enumerate(choice.names, 1):
                self._named[name] = self.diagrams.alternative(number, value)
                found[name] = number, value
        return found

    def _ordered(self, choices: list[_Choice]) -> Iterator[_Choice]:
        """Yield choices after those that they depend on, and as soon after them as may be."""
        needs = [self._needed(choice) for choice in choices]
        needed_by: list[list[int]] = [[] for _ in choices]
        for place, needed in enumerate(needs):
            for each in needed:
                needed_by[each].append(place)
        open_needs = [len(needed) for needed in needs]
        ready = [place for place in reversed(range(len(choices))) if not open_needs[place]]
        done = 0
        while ready:
            place = ready.pop()
            yield choices[place]
            done += 1
            for each in reversed(needed_by[place]):
                open_needs[each] -= 1
                if not open_needs[each]:
                    ready.append(each)
        if done < len(choices):
            place = next(place for place, count in enumerate(open_needs) if count)
            names = abbreviate(", ".join(choices[place].names))
            raise TermError(f"the choice of {names} depends on itself", choices[place].line)

    def _needed(self, choice: _Choice) -> set[int]:
        """The choices that a choice depends on."""
        found: set[int] = set()
        seen: set[str] = set()
        waiting: list[Term] = [choice.context]
        while waiting:
            term = waiting.pop()
            if isinstance(term, Compound):
                waiting.extend(term.arguments)
            elif isinstance(term, Variable) and term.name in self._places:
                found.add(self._places[term.name])
            elif isinstance(term, Variable) and term.name not in seen:
                seen.add(term.name)
                if term.name in self._defined:
                    waiting.append(self._defined[term.name].arguments[1])
        return found

    def _wrong(
        self, selected: list[Compound], alternatives: dict[str, tuple[int, int]]
    ) -> list[int]:
        """Of each choice that has a selected alternative, where another one is taken."""
        diagrams, taken = self.diagrams, dict[int, int]()
        for term in selected:
            name, *rest = term.arguments or ("",)
            if not isinstance(name, Variable) or len(rest) > 1:
                raise TermError("a selection is select(ALTERNATIVE, CONTEXT)", term.line)
            if name.name not in alternatives:
                raise TermError(f"there is no choice with '{abbreviate(name.name)}'", term.line)
            choice, value = alternatives[name.name]
            here = self.context(rest[0] if rest else 1, term.line)
            right = diagrams.both(diagrams.alternative(choice, value), here)
            taken[choice] = diagrams.either(taken.get(choice, NEVER), right)
        return [
            diagrams.both(diagrams.contexts[choice], diagrams.negate(right))
            for choice, right in taken.items()
        ]


def _choice(term: Term) -> _Choice:
    if isinstance(term, Compound) and term.name == "choice" and len(term.arguments) == 2:
        names, context = term.arguments
        if isinstance(names, tuple) and names and all(isinstance(n, Variable) for n in names):
            listed = tuple(name.name for name in names if isinstance(name, Variable))
            if len(set(listed)) == len(listed) <= MOST_ALTERNATIVES:
                return _Choice(listed, context, term.line)
    raise TermError(
        f"a choice is choice([A1,A2], CONTEXT), with 1 to {MOST_ALTERNATIVES} different names",
        term.line if isinstance(term, Compound) else 0,
    )
