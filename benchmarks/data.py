"""The corpus that both tools see, and the attributes of its tokens.

Only the standard library is imported here: the memory of a tool is measured with this module in
its process, and must not include what the other tool needs.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_FALLBACK = Path(__file__).parents[2] / "shared" / "data"
_FILES = {"train": "train.txt", "test": "test.txt"}

CONLL2000 = "conll2000"
"""The name of the chunking corpus; any other corpus is generated, and its name is its size."""

TEMPLATES = (
    "word[-2] word[-1] word[0] word[1] word[2] word[-1]|word[0] word[0]|word[1] "
    "column2[-2] column2[-1] column2[0] column2[1] column2[2] "
    "column2[-2]|column2[-1] column2[-1]|column2[0] column2[0]|column2[1] column2[1]|column2[2] "
    "column2[-2]|column2[-1]|column2[0] column2[-1]|column2[0]|column2[1] "
    "column2[0]|column2[1]|column2[2] bias"
)
"""The attributes that :func:`attributes` makes, as Weft's templates."""


class Tagged(NamedTuple):
    """A sentence: words, their parts of speech and their chunk labels."""

    words: Sequence[str]
    pos: Sequence[str]
    chunks: Sequence[str]


def conll2000_folder() -> Path | None:
    """The folder of the chunking corpus, below WEFT_DATA or beside the checkout, if it is there."""
    folder = Path(os.environ.get("WEFT_DATA") or _FALLBACK) / CONLL2000
    return folder if all((folder / name).is_file() for name in _FILES.values()) else None


def text(corpus: str, part: str) -> bytes:
    """A part of a corpus as it stands in a file: a token per line, blank lines after sentences."""
    if corpus == CONLL2000:
        folder = conll2000_folder()
        if folder is None:
            raise FileNotFoundError("conll2000 is neither below WEFT_DATA nor beside the checkout")
        return (folder / _FILES[part]).read_bytes()
    return "".join(
        "".join(f"{' '.join(token)}\n" for token in zip(*sentence, strict=True)) + "\n"
        for sentence in _generated(int(corpus), part)
    ).encode()


def sentences(corpus: str, part: str) -> list[Tagged]:
    """The sentences of a part of a corpus."""
    blocks = text(corpus, part).decode().split("\n\n")
    rows = [[line.split(" ") for line in block.splitlines()] for block in blocks]
    return [Tagged(*zip(*tokens, strict=True)) for tokens in rows if tokens]


def attributes(words: Sequence[str], pos: Sequence[str]) -> list[list[str]]:
    """The 20 attributes of each token, those of CRFsuite's chunking example."""
    w = ["<-2>", "<-1>", *words, "<+1>", "<+2>"]
    p = ["<-2>", "<-1>", *pos, "<+1>", "<+2>"]
    return [
        [
            f"w[-2]={w[i - 2]}",
            f"w[-1]={w[i - 1]}",
            f"w[0]={w[i]}",
            f"w[1]={w[i + 1]}",
            f"w[2]={w[i + 2]}",
            f"w[-1]|w[0]={w[i - 1]}|{w[i]}",
            f"w[0]|w[1]={w[i]}|{w[i + 1]}",
            f"pos[-2]={p[i - 2]}",
            f"pos[-1]={p[i - 1]}",
            f"pos[0]={p[i]}",
            f"pos[1]={p[i + 1]}",
            f"pos[2]={p[i + 2]}",
            f"pos[-2]|pos[-1]={p[i - 2]}|{p[i - 1]}",
            f"pos[-1]|pos[0]={p[i - 1]}|{p[i]}",
            f"pos[0]|pos[1]={p[i]}|{p[i + 1]}",
            f"pos[1]|pos[2]={p[i + 1]}|{p[i + 2]}",
            f"pos[-2]|pos[-1]|pos[0]={p[i - 2]}|{p[i - 1]}|{p[i]}",
            f"pos[-1]|pos[0]|pos[1]={p[i - 1]}|{p[i]}|{p[i + 1]}",
            f"pos[0]|pos[1]|pos[2]={p[i]}|{p[i + 1]}|{p[i + 2]}",
            "bias",
        ]
        for i in range(2, len(words) + 2)
    ]


_ATOMS = [
    *((("w", offset),) for offset in range(-2, 3)),
    *((("w", offset), ("w", offset + 1)) for offset in (-1, 0)),
    *((("pos", offset),) for offset in range(-2, 3)),
    *((("pos", offset), ("pos", offset + 1)) for offset in range(-2, 2)),
    *((("pos", offset), ("pos", offset + 1), ("pos", offset + 2)) for offset in range(-2, 1)),
]


def attributes_by_templates(words: Sequence[str], pos: Sequence[str]) -> list[list[str]]:
    """The same attributes by loops over templates, as the programs that come with CRFsuite do."""
    edges = {-2: "<-2>", -1: "<-1>", len(words): "<+1>", len(words) + 1: "<+2>"}
    columns = {"w": words, "pos": pos}
    made: list[list[str]] = [[] for _ in words]
    for template in _ATOMS:
        name = "|".join(f"{field}[{offset}]" for field, offset in template)
        for token, names in enumerate(made):
            values = []
            for field, offset in template:
                place = token + offset
                values.append(edges[place] if place in edges else columns[field][place])
            names.append(f"{name}={'|'.join(values)}")
    for names in made:
        names.append("bias")
    return made


def accuracy(gold: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> dict[str, float]:
    """How many tokens there are, and which part of them is tagged right."""
    pairs = [pair for both in zip(gold, tags, strict=True) for pair in zip(*both, strict=True)]
    return {"tokens": len(pairs), "accuracy": sum(a == b for a, b in pairs) / len(pairs)}


def _generated(size: int, part: str) -> list[Tagged]:
    """So many random sentences: frequencies of words as in text, chunks that depend on them."""
    rng = random.Random(f"{part} {size}")  # noqa: S311
    parts = [f"P{number}" for number in range(40)]
    labels = ["O", *(f"{place}-{kind}" for kind in "ABCDEFGHIJ" for place in "BI")]
    made = []
    for _ in range(size if part == "train" else -(-size // 4)):
        ranks = [int(rng.paretovariate(0.9)) % 20_000 for _ in range(rng.randint(5, 40))]
        pos = [parts[rank % 37 if rng.random() < 0.9 else 37 + rank % 3] for rank in ranks]
        chunks = [
            _label(labels, before, here) for before, here in zip(["", *pos], pos, strict=False)
        ]
        noisy = [label if rng.random() < 0.95 else rng.choice(labels) for label in chunks]
        made.append(Tagged([f"w{rank}" for rank in ranks], pos, noisy))
    return made


def _label(labels: Sequence[str], before: str, here: str) -> str:
    return labels[(int(here[1:]) + (before == here)) % len(labels)]
