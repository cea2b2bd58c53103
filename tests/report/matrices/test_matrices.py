"""Matrices as text, pictures, LaTeX and pages: everything is there, once, and nothing overlaps."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import quick
from weft.errors import LimitError
from weft.report.matrices import (
    Analysis,
    analyses_page,
    avm_latex,
    avm_svg,
    latex_document,
    linked_svg,
    linked_text,
    tree_of_avms_svg,
)
from weft.report.matrices.latex import escape_latex
from weft.report.trees import FONT, text_width
from weft.structures.avm import (
    Avm,
    AvmTree,
    Group,
    Leaf,
    Link,
    Matrix,
    draw_avm,
    parts_of,
    values_within,
    width_of,
)

SVG = "{http://www.w3.org/2000/svg}"
WORDS = st.sampled_from(["sg", "R&D", "<λx.x>", "'see⟨SUBJ⟩'", "a_b%", "星", "?x", "{}"])
TAGS = st.sampled_from(["", "", "1", "23"])
VALUES: st.SearchStrategy[Avm] = st.recursive(
    st.builds(Leaf, WORDS, TAGS) | st.builds(Link, st.sampled_from(["1", "23"])),
    lambda below: (
        st.builds(
            Matrix,
            st.lists(st.tuples(WORDS, below), max_size=3).map(tuple),
            st.sampled_from(["", "NP"]),
            TAGS,
        )
        | st.builds(
            Group,
            st.lists(below, max_size=3).map(tuple),
            st.sampled_from(["{}", "⟨⟩", "()"]),
            st.sampled_from([", ", "+"]),
            TAGS,
        )
    ),
    max_leaves=8,
)

SENTENCE = AvmTree(
    Leaf("S"),
    (AvmTree(Leaf("NP"), ("Kim",), "2"), AvmTree(Leaf("VP"), ("ran", "off"), "1")),
    "1",
)
FUNCTIONS = Matrix(
    (("PRED", Leaf("'run'")), ("SUBJ", Matrix((("PRED", Leaf("'Kim'")),), tag="2"))), tag="1"
)


def texts(value: Avm) -> Iterator[str]:
    """What a picture of a value must say, without separators."""
    for each in values_within(value):
        if isinstance(each, Leaf):
            yield each.text
        if isinstance(each, Matrix):
            yield from (name for name, _ in each.features)
            yield from [each.heading] if each.heading else []
        yield from [each.tag] if each.tag else []
        if isinstance(each, Group) and not any(
            isinstance(item, Matrix | Group) for item in each.items
        ):
            yield from [each.separator.strip()] * (len(each.items) - 1)


def placed(element: ElementTree.Element, x: float = 0, y: float = 0) -> Iterator[tuple]:
    """The texts of a picture with where they begin, end and stand."""
    if move := re.fullmatch(r"translate\((\S+) (\S+)\)", element.get("transform", "")):
        x, y = x + float(move[1]), y + float(move[2])
    if element.tag == f"{SVG}text":
        width = text_width(element.text or "")
        if element.get("class") == "tag":
            width *= 0.75
            left = x + float(element.get("x", 0)) - width / 2
        else:
            left = x + float(element.get("x", 0))
        yield element.text, left, left + width, y + float(element.get("y", 0))
    for child in element:
        yield from placed(child, x, y)


def drawn(picture: str) -> tuple[list[tuple], float, float]:
    root = ElementTree.fromstring(picture)  # noqa: S314
    return list(placed(root)), float(root.get("width", 0)), float(root.get("height", 0))


@quick
@given(VALUES)
@pytest.mark.slow
def test_pictures_show_everything_once_and_nothing_overlaps(value: Avm) -> None:
    found, width, height = drawn(avm_svg(value))
    assert Counter(text for text, *_ in found) == Counter(texts(value))
    for _, left, right, y in found:
        assert left >= 0
        assert right <= width
        assert FONT / 2 <= y <= height
    for place, (_, left, right, y) in enumerate(found):
        for _, other_left, other_right, other_y in found[:place]:
            apart = right <= other_left + 0.2 or other_right <= left + 0.2
            assert apart or abs(y - other_y) >= FONT


@quick
@given(VALUES)
def test_text_is_a_block(value: Avm) -> None:
    lines = draw_avm(value).splitlines()
    bracketed = not isinstance(value, Leaf | Link) and len(lines) > 1
    if bracketed:
        assert len({width_of(line) for line in lines}) == 1
    for text in texts(value):
        assert text in "\n".join(lines)


@quick
@given(VALUES)
def test_latex_is_well_formed(value: Avm) -> None:
    text = avm_latex(value)
    bare = re.sub(r"\\[{}]", "", text)
    depths = [0]
    for character in bare:
        depths.append(depths[-1] + (character == "{") - (character == "}"))
    assert min(depths) == depths[-1] == 0
    for one, other in (("left", "right"), ("begin", "end")):
        counts = [len(re.findall(rf"\\{name}(?![a-z])", text)) for name in (one, other)]
        assert counts[0] == counts[1]
    assert text.count(r"\fbox") == sum(bool(each.tag) for each in values_within(value))
    rows = sum(len(each.features) for each in values_within(value) if isinstance(each, Matrix))
    assert len(re.findall(r"(?<!\\)&", text)) == rows


@pytest.mark.parametrize("character", "\\{}$&#_%~^<>|")
def test_what_latex_would_take_for_itself_is_escaped(character: str) -> None:
    written = escape_latex(character)
    assert written.startswith("\\")
    assert len(written) > 1


def test_latex_has_no_ligatures_and_knows_signs() -> None:
    assert escape_latex("--?`") == "{-}{-}{?}{`}"
    assert escape_latex("λ∃ς\N{GREEK SMALL LETTER OMICRON}").count(r"\ensuremath{\ ".strip()) == 4
    assert escape_latex("a\0b\N{NO-BREAK SPACE}é") == r"a?b\ é"
    document = latex_document([("50 %", Leaf("x"))])
    assert document.startswith("\\documentclass{article}\n\\begin{document}\n\\noindent 50 \\%\n")
    assert document.endswith("\\end{document}\n")


CLAUSE = Matrix((("OBJ", Link("5")), ("SUBJ", Matrix((("NUM", Leaf("sg")),), tag="6"))), tag="4")
NESTED = Matrix(
    (
        ("OBJ", Matrix((("PRED", Leaf("'page'")), ("NUM", Leaf("sg"))), tag="2")),
        (
            "SUBJ",
            Matrix(
                (
                    ("ADJUNCT", Group((CLAUSE, Matrix((("PRED", Leaf("'new'")),), tag="5")))),
                    ("CASE", Leaf("nom")),
                    ("SPEC", Leaf("def")),
                ),
                tag="3",
            ),
        ),
        ("TENSE", Leaf("present")),
    ),
    tag="1",
)
PARTS = AvmTree(
    Leaf("S"),
    (
        AvmTree(
            Leaf("NP"),
            ("the", AvmTree(Leaf("CP"), (AvmTree(Leaf("N"), ("who",), "6"), "saw"), "4"), "new"),
            "3",
        ),
        AvmTree(Leaf("VP"), ("prints", AvmTree(Leaf("NP"), ("pages",), "2")), "1"),
        AvmTree(Leaf("A"), ("today",), "5"),
    ),
    "1",
)


def segments(path: str) -> Iterator[tuple[float, float, float, float]]:
    """The lines of a path."""
    x = y = 0.0
    for command, after in re.findall(r"([MLHVh])([^MLHVh]*)", path):
        numbers = [float(each) for each in after.split()]
        before = x, y
        if command in "ML":
            x, y = numbers
        elif command == "V":
            [y] = numbers
        else:
            x = numbers[0] + (x if command == "h" else 0.0)
        if command != "M":
            yield min(before[0], x), max(before[0], x), min(before[1], y), max(before[1], y)


@pytest.mark.parametrize(("tree", "matrix"), [(SENTENCE, FUNCTIONS), (PARTS, NESTED)])
def test_lines_cross_no_text_and_end_at_their_matrices(tree: AvmTree, matrix: Matrix) -> None:
    picture = linked_svg(tree, matrix)
    [path] = re.findall(r'class="phi"[^>]* d="([^"]*)"', picture)
    margin = float(re.findall(r'<g transform="translate\((\d+) ', picture)[0])
    found, _, _ = drawn(picture)
    for left, right, top, bottom in segments(path):
        for text, begins, ends, y in found:
            beside = right + margin <= begins or left + margin >= ends
            apart = bottom + margin <= y - 0.7 * FONT or top + margin >= y + 0.15 * FONT
            assert beside or apart, text
    heads = re.findall(r"H([\d.]+)M[\d.]+ [\d.]+L[\d.]+ ([\d.]+)L", path)
    tags = Counter(each.tag for each in values_within(matrix) if not isinstance(each, Link))
    assert len(heads) == sum(bool(tag) for tag in tags)
    for x, y in heads:
        assert any(
            begins - 8 < float(x) + margin < begins and abs(base - 4 - margin - float(y)) < 3
            for _, begins, _, base in found
        )


def test_nodes_are_linked_with_their_matrices() -> None:
    picture = linked_svg(SENTENCE, FUNCTIONS, "a sentence")
    root = ElementTree.fromstring(picture)  # noqa: S314
    [phi] = [each for each in root.iter(f"{SVG}path") if each.get("class") == "phi"]
    # The topmost node of each tag has a line, with a head.
    assert phi.get("d", "").count("M") == 2 * 2
    nowhere = linked_svg(AvmTree(Leaf("S"), ("a",), "7"), FUNCTIONS)
    assert "phi" not in nowhere
    assert linked_text(SENTENCE, FUNCTIONS).splitlines() == [
        "S (1)                (1)⎡PRED  'run'           ⎤",
        "  NP (2)  Kim           ⎣SUBJ  (2)[PRED  'Kim']⎦",
        "  VP (1)  ran off",
    ]


def test_trees_of_matrices() -> None:
    tree = AvmTree(FUNCTIONS, (AvmTree(Matrix(heading="NP"), ("Kim",)), "ran", AvmTree(Leaf("E"))))
    found, *_ = drawn(tree_of_avms_svg(tree))
    assert Counter(text for text, *_ in found) == Counter(
        [*texts(FUNCTIONS), "NP", "Kim", "ran", "E"]
    )


def test_pages_stand_alone() -> None:
    linked = Analysis("Kim ran <off>", SENTENCE, (FUNCTIONS,))
    listed = Analysis("two", SENTENCE, (FUNCTIONS, Leaf("x", "2")))
    page = analyses_page("R&D", [linked, listed])
    assert "<title>R&amp;D</title>" in page
    assert "Kim ran &lt;off&gt;" in page
    assert page.count("<svg") == 1 + 3
    assert page.count('class="phi"') == 1
    assert "overflow-x: auto" in page
    assert "max-width: 100%" not in page  # wide ones are scrolled
    assert "prefers-color-scheme: dark" in page
    assert not re.search(r'(src|href)=|url\(|@import|https?://(?!www\.w3\.org/2000/svg")', page)


def test_what_would_show_nothing_is_refused() -> None:
    wide = Matrix(tuple((str(number), Leaf("x")) for number in range(5_000)))
    with pytest.raises(LimitError, match="over 5,000 nodes and values"):
        avm_svg(wide)
    deep: Avm = Leaf("x")
    for _ in range(300):
        deep = Group((deep,))
    with pytest.raises(LimitError, match="over 200 levels"):
        avm_svg(deep)
    assert len(parts_of(wide)) == 5_000
