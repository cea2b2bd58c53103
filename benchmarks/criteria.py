"""Every family with every criterion that it has, on the corpora that come with the package.

``python -m benchmarks.criteria`` trains each pair and prints a table in Markdown: how much is right
on other sentences, beside an answer that needs no training, how long training took, by which
optimiser, why it ended, and whether that is clearly better than no training. ``--write`` puts it
into the documentation; with ``--family`` or ``--criterion`` the other lines stay as they are.
``--sentences`` and ``--iterations`` make it smaller.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.pages import lines_of, merge_lines, write_lines
from weft.criteria import CRITERIA
from weft.papers.families import families
from weft.papers.grid import rows

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "every-criterion.md"
MARK = "<!-- made by benchmarks/criteria.py -->"


HEADER = (
    "| family | criterion | right % | untrained % | better | seconds | optimiser, iterations | "
    "ended |",
    "|---|---|--:|--:|---|--:|---|---|",
)


def main() -> None:
    """Print the table, or write it into the documentation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=50)
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--steps", type=int, default=2000, help="of annealing")
    parser.add_argument("--family", action="append", help="only this one")
    parser.add_argument("--criterion", action="append", help="only this one")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}")
    asked = parser.parse_args()
    several = [
        each for each in families(asked.sentences) if each.name in (asked.family or [each.name])
    ]
    criteria = [each for name, each in CRITERIA.items() if name in (asked.criterion or CRITERIA)]
    made = []
    for row in rows(several, criteria, asked.iterations, asked.steps):
        made.append(row)
        print(row.line(), flush=True)
    if asked.write:
        lines = [row.line() for row in made]
        if asked.family or asked.criterion:
            lines = merge_lines(lines_of(PAGE, MARK), lines, 2)
        write_lines(PAGE, MARK, HEADER, lines)


if __name__ == "__main__":
    main()
