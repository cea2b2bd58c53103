"""The parts of tags that say several things at once, such as ``NOUN+Case=Nom|Number=Sing``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from weft.arrays import IndexArray, IntArray, flatten
from weft.derivations.chain.rows import RowTable
from weft.derivations.chain.tag_parts import PartRows, matrix_of
from weft.derivations.chain.tagsets import TagSets
from weft.derivations.chain.topology import pad
from weft.models.options import TagParts

_NOTHING = {"", "_", "-"}


def split_tag(tag: str, how: TagParts) -> list[str]:
    """Return the parts of a tag.

    >>> split_tag("NOUN+Case=Nom|Number=Sing", TagParts.FEATURES)
    ['NOUN', 'Case=Nom', 'Number=Sing']
    >>> split_tag("NNF-1", TagParts.LETTERS)
    ['1:N', '2:N', '3:F', '5:1']
    >>> split_tag("NN", TagParts.NONE)
    []
    """
    if how is TagParts.NONE:
        return []
    if how is TagParts.LETTERS:
        return [f"{at}:{letter}" for at, letter in enumerate(tag, 1) if letter not in _NOTHING]
    found = [each for each in re.split(r"[+|]", tag) if each not in _NOTHING]
    return list(dict.fromkeys(found))


class Parts(NamedTuple):
    """The parts that tags share.

    Attributes:
        names: All parts.
        of_tags: The numbers of each tag's parts, ascending.
    """

    names: tuple[str, ...]
    of_tags: tuple[tuple[int, ...], ...]

    @property
    def width(self) -> int:
        """The padded number of parts."""
        return pad(max(1, len(self.names)))

    def of_sets(self, sets: TagSets) -> tuple[IntArray, IndexArray]:
        """The offsets and numbers of the parts that the tags of each set have."""
        offsets, parts = flatten(
            [
                sorted({part for tag in sets[number] for part in self.of_tags[tag]})
                for number in range(len(sets.offsets) - 1)
            ]
        )
        return offsets, np.array(parts, np.int32)

    def rows(self, width: int, table: RowTable) -> PartRows | None:
        """Return the weights of parts; None where there are no parts.

        Args:
            width: The padded number of tags.
            table: The weights.
        """
        if not self.names:
            return None
        return PartRows(self.names, matrix_of(self.of_tags, width, self.width), table)


def shared_parts(tags: Sequence[str], how: TagParts) -> Parts:
    """Return the parts that several tags have.

    What a single tag has, its own weights say already; and what all have says nothing.

    >>> shared_parts(["NOUN+Number=Sing", "VERB+Number=Sing", "ADV+_"], TagParts.FEATURES)
    Parts(names=('Number=Sing',), of_tags=((0,), (0,), ()))

    Args:
        tags: All tags.
        how: Which parts they have.
    """
    if how is TagParts.AUTO:
        how = TagParts.FEATURES if any("=" in tag[1:] for tag in tags) else TagParts.NONE
    split = [split_tag(tag, how) for tag in tags]
    counts = Counter(part for parts in split for part in parts)
    names = sorted(part for part, count in counts.items() if 1 < count < len(tags))
    number = {name: place for place, name in enumerate(names)}
    numbers = (sorted(number[part] for part in parts if part in number) for parts in split)
    return Parts(tuple(names), tuple(map(tuple, numbers)))
