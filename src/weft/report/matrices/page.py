"""A page of analyses, each a tree beside its matrices: nodes and what belongs to them are numbered.

The page needs no other file and no network. With JavaScript, what has one number is marked together
when the pointer is on one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weft.report.matrices.boxes import Box
from weft.report.matrices.svg import avm_box, check_drawn, draw_file, linked_box, tree_box
from weft.report.page import STYLE, whole_page
from weft.report.trees import escaped
from weft.structures.avm import Avm, AvmTree

_MORE_STYLE = """
body { max-width: none; }
section { border-top: 1px solid var(--line); padding: 1rem 0; }
.analysis { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; overflow-x: auto; }
.analysis > svg { flex: none; }
svg { color: var(--text); }
svg path.phi, svg path.branch { stroke: var(--faint); }
.tagged.on > text, .tagged.on > g > text.tag { font-weight: bold; }
.tagged.on rect.tag { stroke: var(--made); stroke-width: 2.5; }
"""

_SCRIPT = """
"use strict";
(function () {
  function mark(event, on) {
    const place = event.target.closest(".tagged");
    if (!place) return;
    for (const each of place.closest(".analysis").querySelectorAll(".tagged"))
      if (each.dataset.tag === place.dataset.tag) each.classList.toggle("on", on);
  }
  document.addEventListener("pointerover", (event) => mark(event, true));
  document.addEventListener("pointerout", (event) => mark(event, false));
})();
"""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is drawn of an analysis.

    Attributes:
        title: What stands above it: the sentence, say.
        tree: Its tree; links are tags of matrices.
        matrices: One, with tags within it, to which lines are drawn; or one for every node.
    """

    title: str
    tree: AvmTree
    matrices: tuple[Avm, ...]


def analyses_page(title: str, analyses: Sequence[Analysis]) -> str:
    """Return an HTML page of its own, with a section for each analysis.

    Raises:
        LimitError: If there is too much of an analysis to see anything.
    """
    body = [f"<header><h1>{escaped(title)}</h1></header><main>"]
    for analysis in analyses:
        body.append(f'<section><h2>{escaped(analysis.title)}</h2><div class="analysis">')
        body.extend(draw_file(box, name) for name, box in _boxes(analysis))
        body.append("</div></section>")
    return whole_page(escaped(title), "\n".join([*body, "</main>"]), STYLE + _MORE_STYLE, _SCRIPT)


def _boxes(analysis: Analysis) -> Iterator[tuple[str, Box]]:
    check_drawn([analysis.tree, *analysis.matrices])
    if len(analysis.matrices) == 1:
        yield analysis.title, linked_box(analysis.tree, analysis.matrices[0])
        return
    yield f"The tree of {analysis.title}", tree_box(analysis.tree)
    for number, each in enumerate(analysis.matrices, 1):
        yield f"Matrix {number} of {analysis.title}", avm_box(each)
