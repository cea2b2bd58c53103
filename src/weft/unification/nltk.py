"""Feature grammars of NLTK, taken for ours without a need for NLTK.

What has ``productions()`` and ``start()`` is taken for a grammar; classes of values are told by
their names. λ-expressions are taken as they are written.
"""

from __future__ import annotations

from typing import Any

from weft.errors import FormatError, quote
from weft.unification.grammar import FeatureGrammar, FeatureRule, make_grammar
from weft.unification.notation import StructureReader
from weft.unification.structure import VARIABLE, Atom, FeatureStructure, Listed, Struct

_SEQUENCES = {
    "FeatureValueTuple": ("tuple", False),
    "FeatureValueConcat": ("tuple", True),
    "FeatureValueSet": ("set", False),
    "FeatureValueUnion": ("set", True),
}


def from_nltk(value: Any) -> FeatureGrammar:
    """Return the grammar that a ``FeatureGrammar`` of NLTK is.

    Raises:
        FormatError: If it is none, or has a value of an unknown kind.
    """
    if not callable(getattr(value, "productions", None)) or not hasattr(value, "start"):
        raise FormatError(f"expected a feature grammar of NLTK, not {quote(value)}")
    start = structure_from_nltk(value.start())
    return make_grammar(start, [_rule(production) for production in value.productions()])


def structure_from_nltk(value: Any) -> FeatureStructure:
    """Return the structure that a ``FeatStruct`` of NLTK is.

    Raises:
        FormatError: If it has a value of an unknown kind.
    """
    reader = _Taker()
    return reader.structure(reader.value(value))


def _rule(production: Any) -> FeatureRule:
    reader = _Taker()
    sides = [reader.value(side) for side in (production.lhs(), *production.rhs())]
    return FeatureRule(reader.structure(reader.add(Listed(tuple(sides)))), str(production))


class _Taker(StructureReader):
    """Takes values of NLTK into one graph; what is one object there is one node here."""

    def __init__(self) -> None:
        super().__init__("")
        self.taken: dict[int, int] = {}

    def value(self, given: Any) -> int:  # type: ignore[override]
        kinds = {each.__name__ for each in type(given).__mro__}
        if given is None or isinstance(given, str | int):
            return self.add(Atom(given))
        if "Variable" in kinds:
            return self.variable(given.name.removeprefix("?"))
        if "Expression" in kinds:
            return self.logic(str(given))
        for name, (kind, joined) in _SEQUENCES.items():
            if name in kinds:
                return self.sequence([self.value(each) for each in given], kind, joined)
        if id(given) not in self.taken:
            self.taken[id(given)] = self._container(given, kinds)
        return self.taken[id(given)]

    def _container(self, given: Any, kinds: set[str]) -> int:
        if "FeatDict" in kinds:
            # A place first: what contains itself must not be taken for ever.
            place = self.taken[id(given)] = self.add(VARIABLE)
            items = sorted((_feature_name(name), self.value(each)) for name, each in given.items())
            self.nodes[place] = Struct(tuple(items))
            return place
        if "FeatList" in kinds:
            return self.add(Listed(tuple(map(self.value, given))))
        raise FormatError(f"expected a value of a feature of NLTK, not {quote(given)}")


def _feature_name(name: Any) -> str:
    return name if isinstance(name, str) else f"*{name.name}*"
