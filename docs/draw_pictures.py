"""Draw the pictures of the pages: ``python docs/draw_pictures.py`` writes ``docs/pictures``.

A test compares. All are light, on a ground of their own, so that they can be read on dark pages.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from math import exp
from pathlib import Path

import numpy as np

import weft
from weft.automata import del1word, delortrans1, trans1
from weft.automata.drawing import to_svg
from weft.corpora import bundled, bundled_parse_sets, bundled_trees, read_treebank
from weft.corpora.trees.cleaning import USUAL
from weft.derivations import Chart
from weft.grammars import parse_grammar, partition
from weft.grammars.heads import find_head_rules
from weft.grammars.transforms import binarise_by_head, without_words
from weft.lfg.pictures import draw_structure, draw_tree
from weft.models.stack.spec import MoveTables
from weft.report.matrices import linked_svg, tree_of_avms_svg
from weft.report.networks import network_svg
from weft.report.plots import Axis, line_plot, on_white
from weft.report.trees import escaped, text_width, tree_svg
from weft.structures.evidence import Evidence, sentence
from weft.structures.tree import Tree
from weft.unification.matrix import to_avm_tree

FOLDER = Path(__file__).parent / "pictures"
_SIZE = re.compile(r'<svg[^>]* width="(\d+)" height="(\d+)"')
_CAPTION = 26


def light(picture: str) -> str:
    """Return a picture on white ground, whatever the screen is."""
    return on_white(re.sub(r"<style>.*?</style>\n?", "", picture, flags=re.DOTALL))


def side_by_side(title: str, parts: Iterable[tuple[str, str]]) -> str:
    """Return pictures with captions below them as one."""
    placed, left, tallest = [], 0, 0
    for caption, picture in parts:
        width, height = map(int, _SIZE.findall(picture)[0])
        room = max(width, round(text_width(caption)) + 24)
        placed.append((left, room, caption, picture.replace("<svg", f'<svg x="{left}"', 1)))
        left, tallest = left + room, max(tallest, height)
    texts = [
        f'<text x="{start + room / 2:.0f}" y="{tallest + 14}">{escaped(caption)}</text>'
        for start, room, caption, _ in placed
    ]
    return _file(title, left, tallest + _CAPTION, [*(each for *_, each in placed), *texts])


def _file(title: str, width: float, height: float, marks: Iterable[str]) -> str:
    lines = "\n".join(each.rstrip() for each in marks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" '
        f'font-size="14" text-anchor="middle">\n<title>{escaped(title)}</title>\n'
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>\n{lines}\n</svg>\n'
    )


def draw_nested_sets() -> str:
    """The four sets of derivations, one inside the other."""
    names = [
        ("everything D(?, ?)", "#eef3f8"),
        ("neighbours D(N(x), ?)", "#dbe7f2"),
        ("input D(x, ?)", "#c3d8ea"),
        ("complete D(x, y)", "#a5c6e1"),
    ]
    marks = [
        f'<rect x="{8 + 30 * k}" y="{8 + 30 * k}" width="{464 - 60 * k}" height="{214 - 44 * k}" '
        f'rx="14" fill="{colour}" stroke="#1d5f9e"/>'
        f'<text x="240" y="{28 + 30 * k}" fill="#111">{name}</text>'
        for k, (name, colour) in enumerate(names)
    ]
    return _file("four nested sets of derivations", 480, 230, marks)


def draw_dependences() -> str:
    """What depends on what in an HMM, a MEMM and a CRF, as graphical models have it."""
    models = [
        ("HMM: p(t, w), step by step", "down", True),
        ("MEMM: p(t | w), step by step", "up", True),
        ("CRF: p(t | w), as a whole", "up", False),
    ]
    parts = [(name, _net(name, way, arrows)) for name, way, arrows in models]
    return side_by_side("HMM, MEMM and CRF as graphical models", parts)


def _net(title: str, way: str, arrows: bool) -> str:
    places = {f"{kind}{'₁₂₃'[j]}": (j, row) for row, kind in enumerate("tw") for j in range(3)}
    tags, words = list(places)[:3], list(places)[3:]
    within = zip(tags, words, strict=True) if way == "down" else zip(words, tags, strict=True)
    return network_svg(title, places, [*within, *pairwise(tags)], seen=words, arrows=arrows)


def draw_partition() -> str:
    """Z of S → S S with probability p, and what never ends."""
    points = []
    for p in np.arange(0.05, 1.0, 0.05).round(2).tolist():
        grammar = parse_grammar(f"S -> S S [{p}] | 'a' [{1 - p:.2f}]")
        points.append((p, exp(partition(grammar).log_value)))
    return line_plot("what all trees weigh", Axis("p(S → S S)"), Axis("Z"), {"Z": points})


def draw_attachments() -> str:
    """The two analyses of a bundled sentence."""
    found = bundled_parse_sets()[0]
    named = {True: "right", False: "wrong"}
    return side_by_side(
        found.text,
        [
            (named[k in (found.right or ())], tree_svg(each.tree, found.text))
            for k, each in enumerate(found.analyses)  # type: ignore[arg-type]
        ],
    )


def draw_label_bias() -> str:
    """What a joint and a conditional shift-reduce parser make of a sentence."""
    trees = read_treebank(bundled_trees(), clean=(*USUAL, without_words))
    tags = ["PRP", "VBP", "TH", "NN", "VBZ"]
    parts = []
    for kind, said in ("joint", "joint: right"), ("conditional", "conditional: wrong"):
        [found] = weft.fit(MoveTables(kind, rare=0), trees).parse([tags])
        parts.append((said, tree_svg(found.tree, said)))
    return side_by_side("we know that sheep sleeps", parts)


def draw_chart() -> str:
    """The two trees of an ambiguous sentence, with their probabilities."""
    grammar = parse_grammar("""
    S -> NP VP
    VP -> V NP [0.7] | VP PP [0.3]
    NP -> NP PP [0.4] | 'astronomers' [0.2] | 'stars' [0.2] | 'ears' [0.2]
    PP -> 'with' NP
    V -> 'saw'
    """)
    words = ["astronomers", "saw", "stars", "with", "ears"]
    chart = Chart(grammar, [Evidence(sentence(words))])
    [total] = chart.log_partition(grammar.weights)
    parts = [
        (f"p(tree | sentence) = {exp(score - total):.2f}", tree_svg(tree, "a tree"))
        for score, tree in chart.kbest(grammar.weights, 2)[0]
    ]
    return side_by_side(" ".join(words), parts)


def draw_binarisation() -> str:
    """A flat tree, and what binarisation by heads makes of it."""
    flat = Tree(
        "VP",
        (Tree("RB", ("not",)), Tree("VB", ("see",)), Tree("NP", ("it",)), Tree("PP", ("there",))),
    )
    binary = binarise_by_head(flat, find_head_rules("collins"))
    return side_by_side(
        "binarisation from the head outwards",
        [
            ("as the treebank has it", tree_svg(flat, "flat")),
            ("as the parser sees it", tree_svg(binary, "binary")),
        ],
    )


def draw_feature_tree() -> str:
    """An analysis of a feature grammar, a matrix at each node."""
    rules = """
    % start S
    S -> NP[NUM=?n] VP[NUM=?n]
    VP[NUM=?n] -> V[NUM=?n] NP
    V[NUM=sg, TENSE=present] -> 'sees'
    NP[NUM=sg] -> 'Kim'
    NP[NUM=pl] -> 'stars'
    """
    forest = weft.unify.load(io.BytesIO(rules.encode())).parse("Kim sees stars")
    return tree_of_avms_svg(to_avm_tree(forest[0]), "Kim sees stars")


def draw_functional_structure() -> str:
    """A c-structure beside its f-structure."""
    text = """TOY ENGLISH CONFIG (1.0)
      ROOTCAT S.  RULES (TOY ENGLISH).  LEXENTRIES (TOY ENGLISH).  GOVERNABLERELATIONS SUBJ OBJ.
    ----
    TOY ENGLISH RULES (1.0)
      S --> N: (^ SUBJ)=!; VP.  VP --> V (N: (^ OBJ)=!).
    ----
    TOY ENGLISH LEXICON (1.0)
      Kim    N * (^ PRED)='Kim' (^ NUM)=sg.
      Sandy  N * (^ PRED)='Sandy' (^ NUM)=sg.
      sees   V * (^ PRED)='see<(^ SUBJ)(^ OBJ)>' (^ SUBJ NUM)=sg.
    ----"""
    analysis = weft.unify.load_lfg(io.BytesIO(text.encode())).parse("Kim sees Sandy").best()
    return linked_svg(draw_tree(analysis), draw_structure(analysis), "Kim sees Sandy")


def draw_learning() -> str:
    """The training of a tagger, by its accuracy on sentences that it does not see."""
    heldout = bundled("heldout")
    lines = {}
    for variance in 0.1, 10.0:
        options = {"penalty": weft.Gaussian(variance), "development": heldout}
        tagger = weft.fit(weft.Chain(), bundled("train")[:150], **options)
        lines[f"variance {variance:g}"] = [
            (step.iteration, None if step.accuracy is None else 100 * step.accuracy)
            for step in tagger.trace
            if step.iteration % 2 == 0
        ]
    return line_plot("training", Axis("iteration"), Axis("held-out accuracy, %"), lines)


def _drawn(neighbourhood: Callable, text: str) -> Callable[[], str]:
    words = text.split()
    return lambda: to_svg(neighbourhood(words), words, title=f"neighbours of: {text}")


_DELICATE = "natural language is a delicate thing"


PICTURES: dict[str, Callable[[], str]] = {
    "nested-sets": draw_nested_sets,
    "dependences": draw_dependences,
    "del1word": _drawn(del1word, _DELICATE),
    "trans1": _drawn(trans1, _DELICATE),
    "contrast": _drawn(delortrans1, "the man saw a dog"),
    "partition": draw_partition,
    "attachments": draw_attachments,
    "label-bias": draw_label_bias,
    "chart": draw_chart,
    "binarisation": draw_binarisation,
    "feature-tree": draw_feature_tree,
    "functional-structure": draw_functional_structure,
    "learning": draw_learning,
}
"""The pictures, by the names of their files."""


def main() -> None:
    """Write all pictures."""
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(light(draw()), encoding="utf-8")


if __name__ == "__main__":
    main()
