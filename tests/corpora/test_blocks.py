"""Blocks found in runs of lines are those found line by line."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from weft.corpora.blocks import read_blocks

IGNORED = ("-DOC", "%")


def plain_blocks(lines: list[str]) -> list[tuple[int, list[str], list[str]]]:
    """Each block's first number, lines and leading lines, one line after the other."""
    found, block, leading = [], [], []
    for number, line in enumerate(lines, 1):
        blank = not line.strip(" \t")
        if not blank and not line.startswith(IGNORED):
            block.append(line)
            continue
        if block:
            found.append((number - len(block), block, leading))
            ended, block, leading = blank, [], []
            if ended:
                continue
        leading.append(line)
    return [*found, (len(lines) - len(block) + 1, block, leading)] if block else found


class Pieces(io.BytesIO):
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, piece: int) -> None:
        super().__init__(data)
        self.piece = piece

    def read1(self, size: int | None = -1) -> bytes:
        return super().read1(min(size or self.piece, self.piece))


@given(
    lines=st.lists(
        st.sampled_from(["a", "b c", "", " ", "\t ", " a", "-", "-DOC x", "-DO", "%", "é", "\xa0"])
    ),
    piece=st.integers(1, 30),
)
def test_blocks_equal_those_found_line_by_line(lines: list[str], piece: int) -> None:
    data = "".join(f"{line}\n" for line in lines).encode()
    blocks = list(read_blocks(Pieces(data, piece), IGNORED))
    found = [(block.number, list(block.lines), list(block.leading)) for block in blocks]
    assert found == plain_blocks(lines)
