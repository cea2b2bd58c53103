"""Parameters: the coordinates of θ, in named runs called kinds.

A *kind* names the features that belong together, so that penalties can treat them alike:
``bigram`` and ``trigram`` for n-grams of tags, ``tag:T`` for a tag with an attribute of template
T, ``pair:T`` for a pair of tags with one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from weft.arrays import FloatArray, offsets_of
from weft.errors import OptionError, abbreviate


@dataclass(frozen=True, slots=True)
class Kind:
    """A run of coordinates of θ.

    Attributes:
        name: What penalties and reports call the features.
        start: The first coordinate.
        stop: One after the last.
    """

    name: str
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class Parameters:
    """Free weights: any real vector is allowed.

    Attributes:
        kinds: Consecutive runs that cover all coordinates.
        largest: The largest absolute value of each feature in the corpus, where that is known; some
            penalties depend on it. [θ]
    """

    kinds: tuple[Kind, ...]
    largest: FloatArray | None = field(default=None, compare=False)

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return self.kinds[-1].stop if self.kinds else 0

    def matching(self, pattern: str) -> list[Kind]:
        """Return the kinds whose names match a pattern such as ``tag:suffix*``.

        Raises:
            OptionError: If there are none.
        """
        # Kinds have square brackets in their names, which are not meant as sets of characters.
        glob = pattern.replace("[", "[[]")
        found = [kind for kind in self.kinds if fnmatchcase(kind.name, glob)]
        if not found:
            known = ", ".join(kind.name for kind in self.kinds)
            raise OptionError(
                f"no kind of feature matches '{abbreviate(pattern)}'; the model has {known}"
            )
        return found


def parameters(sizes: Iterable[tuple[str, int]]) -> Parameters:
    """Lay kinds out one after the other.

    >>> parameters([("bigram", 4), ("tag:word[0]", 10)]).kinds[1]
    Kind(name='tag:word[0]', start=4, stop=14)
    """
    named = list(sizes)
    starts = offsets_of(size for _, size in named).tolist()
    return Parameters(
        tuple(
            Kind(name, start, stop)
            for (name, _), start, stop in zip(named, starts[:-1], starts[1:], strict=True)
        )
    )


def parameters_of(names: Iterable[tuple[str, str]]) -> Parameters:
    """Return the layout of features with their kinds and names, those of a kind together.

    >>> parameters_of([("label", "X"), ("word", "a"), ("word", "b")]).kinds[1]
    Kind(name='word', start=1, stop=3)
    """
    return parameters(Counter(kind for kind, _ in names).items())
