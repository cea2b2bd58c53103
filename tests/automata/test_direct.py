"""Lattices that are made without checks pass them."""

import numpy as np
import pytest

from weft.automata import direct
from weft.errors import LimitError
from weft.structures.lattice import Lattice

BUILDERS = [
    direct.deletions,
    direct.transpositions,
    direct.deletions_and_transpositions,
    direct.span_deletions,
]


@pytest.mark.parametrize("build", BUILDERS)
def test_what_is_made_is_what_the_constructor_makes(rng, build):
    for length in [1, 1, 2, 2, 3, 4, 5, 8, 13, 30]:
        words = [str(word) for word in rng.choice(["a", "b", "c", "d", "e"], length)]
        made = build(words)
        again = Lattice(made.symbols, made.arc_offsets, made.arc_symbols, made.targets, made.final)
        for name in ("arc_offsets", "arc_symbols", "targets", "final"):
            one, other = getattr(made, name), getattr(again, name)
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype
            assert not one.flags.writeable
        assert made.symbols == again.symbols
        assert made.deterministic


def test_spans_are_limited():
    words = [str(number) for number in range(40)]
    arcs = direct.span_deletions(words, 2000).arc_count
    assert arcs < 2000
    with pytest.raises(LimitError, match="the arcs of the spans would be more than 500"):
        direct.span_deletions(words, 500)
