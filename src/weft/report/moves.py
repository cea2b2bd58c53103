"""A parse move by move: a table for the terminal, and a page that a teacher can step through.

The page needs no other file, no network and, to be read as a list of all moves, no JavaScript.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from rich.table import Table

from weft.models.stack.trace import Step, Trace
from weft.ranking import by_value
from weft.report.page import stepped_page
from weft.report.tables import table
from weft.report.trees import escaped, tree_svg
from weft.structures.moves import END
from weft.structures.tree import Tree, leaves

_SHOWN_WORDS = 3  # of those under a label, in the table
_LEAST = 0.00005  # what is not written as 0.0000


MOVES = ("", "stack", "next", "move, · rivals", "P", "sum log P")
"""The columns of a table of moves."""


def moves_table(trace: Trace) -> Table:
    """Return a row per move: the stack, what is next, the move, and its best rivals below it."""
    return table("Moves", MOVES, moves_rows(trace))


def moves_rows(trace: Trace) -> list[list[str]]:
    """Return the cells of that table; those of rivals have several lines."""
    return [
        [
            str(number),
            " ".join(map(_under, step.stack)) or END,
            _next(step),
            "\n· ".join(str(each.move) for each in (step.made, *step.rivals)),
            "\n".join(_probability(each.probability) for each in (step.made, *step.rivals)),
            f"{step.log_prob:.3f}",
        ]
        for number, step in enumerate(trace.steps, 1)
    ]


def summary(trace: Trace) -> str:
    """Say what probabilities are given, and how probable the parse is."""
    last = trace.steps[-1].log_prob
    return (
        f"P is the probability of a move given {trace.given.value}. All moves together: "
        f"{_written(last)}, which is {100 * trace.share:.2f} % of the sum over all parses."
    )


def _written(log_prob: float) -> str:
    """A probability, given its logarithm; of one that is too small to be written, the power."""
    return f"{math.exp(log_prob):.4g}" if log_prob > -700 else f"exp({log_prob:.1f})"


def _probability(share: float) -> str:
    return f"{share:.4f}" if share >= _LEAST else f"{share:.0e}"


def _under(node: Tree | str) -> str:
    """A label with the first and the last of what is under it."""
    if isinstance(node, str):
        return node
    words = list(leaves(node))
    if len(words) > _SHOWN_WORDS:
        words = [words[0], "…", words[-1]]
    return f"[{' '.join([node.label, *words])}]"


def _next(step: Step) -> str:
    word = step.words[0] if step.words else END
    return word if step.next in (None, word) else f"{word}/{step.next}"


def moves_page(trace: Trace) -> str:
    """Return an HTML page of its own, with a step per move and the tree at the end."""
    return stepped_page(escaped(f"Move by move: {' '.join(trace.words)}"), "\n".join(_body(trace)))


def _body(trace: Trace) -> Iterator[str]:
    yield f"<header><h1>{escaped(' '.join(trace.words))}</h1>"
    yield f"<p>{escaped(summary(trace))}</p></header>"
    yield '<nav hidden aria-label="Steps"><button type="button">← Previous</button>'
    yield '<span id="where" aria-live="polite"></span>'
    yield '<button type="button">Next →</button></nav>'
    yield '<main><ol class="steps">'
    for number, step in enumerate(trace.steps, 1):
        yield from _step(number, step)
    yield '<li class="step"><h2>The tree</h2><div class="tree">'
    yield tree_svg(trace.tree, "The tree of the sentence")
    yield "</div></li></ol></main>"


def _step(number: int, step: Step) -> Iterator[str]:
    yield f'<li class="step"><h2>{number}. {escaped(str(step.made.move))}</h2>'
    yield "<h3>Stack, its top at the right</h3>"
    yield f'<div class="stack">{"".join(_stack(step))}</div>'
    words = " ".join(escaped(word) for word in step.words[1:])
    yield f"<h3>Next</h3><p><strong>{escaped(_next(step))}</strong> {words}</p>"
    yield '<h3>Moves</h3><ul class="bars">'
    # In the order of their probabilities, so that it is seen where the best parse takes another.
    every = by_value((step.made, *step.rivals), lambda each: each.probability)
    for each in every:
        kind = "made" if each is step.made else "rival"
        yield _bar(kind, str(each.move), each.probability)
    if step.rest >= _LEAST:
        yield _bar("rest", "all others", step.rest)
    yield f'</ul><p class="total">Log-probability so far: {step.log_prob:.4f}</p></li>'


def _stack(step: Step) -> Iterator[str]:
    if not step.stack:
        yield '<div class="empty">empty</div>'
    for place, node in enumerate(step.stack, 1):
        tree = Tree(node, ()) if isinstance(node, str) else node
        top = " top" if place == len(step.stack) else ""
        yield f'<div class="item{top}">{tree_svg(tree, _under(node))}</div>'


def _bar(kind: str, name: str, share: float) -> str:
    return (
        f'<li class="{kind}"><span class="name">{escaped(name)}</span>'
        f'<span class="track"><span class="bar" style="width:{100 * share:.2f}%"></span></span>'
        f'<span class="share">{_probability(share)}</span></li>'
    )
