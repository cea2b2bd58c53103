"""What there is to see of parsers: labels over spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from weft.commands.tasks.looks import Looks, Sure, as_sure
from weft.errors import EvidenceError
from weft.evaluate.confusion import NOTHING, Confusion, confusion_of
from weft.models.tree_parser import TreeParser, put_words
from weft.report.shapes import Spans
from weft.structures.constituents import Span
from weft.structures.evidence import Example, Sentence
from weft.structures.tree import Tree, is_preterminal, placed_subtrees

_ROUNDING = 1e-9  # how far a sum of probabilities may be off


def constituents(tree: Tree, tokens: Sentence, root: str) -> list[Span]:
    """Return the labels over spans of a tree, but for the root on top and the tags of words.

    >>> tree = Tree("S", (Tree("NP", (Tree("DT", ("the",)), Tree("NN", ("dog",)))),))
    >>> constituents(tree, Sentence((("the", "dog"),)), "S")
    [Span(start=0, end=2, label='NP')]
    """
    top = put_words(tree, tokens)
    return [
        Span(start, end, node.label)
        for node, start, end in placed_subtrees(top)
        if start < end and not is_preterminal(node) and not (node is top and node.label == root)
    ]


def _below_root(expected: Mapping[Span, float], tokens: Sentence, root: str) -> dict[Span, float]:
    """How often labels are expected over spans, the root of the whole sentence not counted.

    Every tree has that once; a sentence within the sentence may have its label again.
    """
    found = dict(expected)
    top = Span(0, len(tokens), root)
    again = found.pop(top, 0.0) - 1.0
    if again > _ROUNDING:
        found[top] = again
    return found


def _pairs(
    parser: TreeParser, examples: Sequence[Example], threads: int | None
) -> Iterator[tuple[Example, list[Span], list[Span]]]:
    """Each sentence with its gold spans and those that the parser finds."""
    root = parser.model.alphabet.root
    known = [each for each in examples if isinstance(each.parse, Tree)]
    found = parser.predict([each.tokens for each in known], threads=threads)
    for each, tree in zip(known, found, strict=True):
        gold = each.parse
        assert isinstance(gold, Tree)  # noqa: S101
        mine = [] if tree is None else constituents(tree, each.tokens, root)
        yield each, constituents(gold, each.tokens, root), mine


def confuse_spans(
    parser: TreeParser, examples: Sequence[Example], threads: int | None = None
) -> Confusion:
    """Compare labels over the same spans; of a span that one tree lacks, with nothing."""
    return confusion_of(
        pair for _, gold, mine in _pairs(parser, examples, threads) for pair in _aligned(gold, mine)
    )


def _aligned(gold: Sequence[Span], mine: Sequence[Span]) -> Iterator[tuple[str, str]]:
    both = Counter(gold) & Counter(mine)
    yield from ((span.label or "", span.label or "") for span in both.elements())
    missed, wrong = Counter(gold) - both, Counter(mine) - both
    places = {span[:2] for span in (*missed, *wrong)}
    for place in sorted(places):
        left, right = (
            [span.label or "" for span in some.elements() if span[:2] == place]
            for some in (missed, wrong)
        )
        count = max(len(left), len(right))
        padded = [[*each, *[NOTHING] * (count - len(each))] for each in (left, right)]
        yield from zip(*padded, strict=True)


def judge_spans(
    parser: TreeParser, examples: Sequence[Example], threads: int | None = None
) -> Sure:
    """Return how probable the labels over spans of the parser's trees are, and whether right."""
    several = list(_pairs(parser, examples, threads))
    expected = parser.marginals([each.tokens for each, _, _ in several], threads)
    marks = []
    root = parser.model.alphabet.root
    for (each, gold, mine), counted in zip(several, expected, strict=True):
        probs = _below_root(counted, each.tokens, root)
        left = Counter(gold)
        for span in mine:
            marks.append((probs.get(span, 0.0), left[span] > 0))
            left[span] -= 1
    return as_sure(marks)


def show_spans(parser: TreeParser, given: object) -> Spans:
    """Return how probable labels over spans are.

    Raises:
        EvidenceError: If the sentence has no tree.
    """
    [evidence] = parser.evidences([given])
    [probs] = parser.marginals([given])
    tokens = evidence.tokens
    if not probs:
        name = tokens.source or "this sentence"
        raise EvidenceError(f"{name}: the parser has no tree for it, and so no span is probable")
    shown = _below_root(probs, tokens, parser.model.alphabet.root)
    return Spans("p(label over span | sentence)", tuple(tokens.columns[-1]), shown)


TREES = Looks(confuse=confuse_spans, judge=judge_spans, marginals=show_spans, spans=show_spans)
"""What parsers show."""
