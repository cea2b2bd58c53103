"""The treebank sentences that models of words and tags are estimated from.

Only the standard library is imported here, for the reason that :mod:`benchmarks.data` gives.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

_FALLBACK = Path(__file__).parents[2] / "shared" / "data"

WSJ = "wsj-sample"
"""The name of the treebank sample; any other corpus is generated, its name its sentences."""

SENTENCES, TOKENS, TAGS, TYPES = 3_914, 94_084, 45, 11_968
"""The size of that sample, and so of what takes its place where it is absent."""


class Tagged(NamedTuple):
    """A sentence: words and tags."""

    words: list[str]
    tags: list[str]


def wsj_folder() -> Path | None:
    """The folder of the sample's trees, below WEFT_DATA or beside the checkout, if it is there."""
    folder = Path(os.environ.get("WEFT_DATA") or _FALLBACK) / WSJ / "combined"
    return folder if any(folder.glob("*.mrg")) else None


def sentences(corpus: str) -> list[Tagged]:
    """The sentences of a corpus."""
    if corpus != WSJ:
        return _generated(int(corpus))
    folder = wsj_folder()
    if folder is None:
        raise FileNotFoundError(f"{WSJ} is neither below WEFT_DATA nor beside the checkout")
    return [each for path in sorted(folder.glob("*.mrg")) for each in _leaves(path.read_text())]


def _leaves(text: str) -> Iterator[Tagged]:
    """The words and tags of each tree in Penn brackets, without traces."""
    depth, tree = 0, Tagged([], [])
    for match in re.finditer(r"\(([^\s()]+) ([^\s()]+)\)|[()]", text):
        if match[1]:
            if match[1] != "-NONE-":
                tree.words.append(match[2])
                tree.tags.append(match[1])
            continue
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            yield tree
            tree = Tagged([], [])


def _generated(size: int) -> list[Tagged]:
    """So many random sentences, in proportion as many tokens as the sample has, and its tags.

    There are as many words as in the sample, too, the rarer the more; each occurs.
    """
    rng = random.Random(size)  # noqa: S311
    tokens = TOKENS * size // SENTENCES
    types = min(TYPES, tokens // 2)
    ranks = [*range(types), *(int(types ** rng.random()) - 1 for _ in range(tokens - types))]
    rng.shuffle(ranks)
    cuts = [0, *sorted(rng.sample(range(1, tokens), size - 1)), tokens]
    made = [ranks[first:last] for first, last in pairwise(cuts)]
    return [Tagged([f"w{rank}" for rank in s], [f"T{rank % TAGS}" for rank in s]) for s in made]
