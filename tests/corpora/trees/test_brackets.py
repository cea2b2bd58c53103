from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.corpora import Brackets, Record, read_trees
from weft.corpora.trees import brackets
from weft.corpora.trees.bracketing import DEEPEST_TREE, unescape_word
from weft.errors import FormatError
from weft.structures.tree import Tree, is_preterminal, preterminals, subtrees, write_brackets

Parse = Callable[..., list[Record]]
Refused = Callable[..., FormatError]

NAMES = st.text("aN-*|\\/\r\N{NO-BREAK SPACE}", min_size=1, max_size=3)
SPACES = st.text(" \t\n", min_size=1, max_size=2)
TAGGED = st.recursive(
    st.builds(lambda label, word: Tree(label, (word,)), NAMES | st.just("-NONE-"), NAMES),
    lambda below: st.builds(
        lambda label, children: Tree(label, tuple(children)),
        NAMES,
        st.lists(below, min_size=1, max_size=3),
    ),
)


def stream(text: str) -> io.BytesIO:
    return io.BytesIO(text.encode())


def trees_of(text: str) -> list[Tree]:
    return [record.tree for record in read_trees(stream(text))]


def reference(text: str) -> list[Tree | str]:
    """Reads trees in the obvious way, by recursion; a ValueError refuses them."""
    symbols = re.findall(r"[()]|[^ \t\n()]+", text)

    def read(position: int, outermost: bool) -> tuple[Tree, int]:
        if symbols[position] != "(":
            raise ValueError(symbols[position])
        position += 1
        label = ""
        if symbols[position] not in "()":
            label, position = symbols[position], position + 1
        elif not outermost or symbols[position] == ")":
            raise ValueError("no label")
        children: list[Tree | str] = []
        while symbols[position] != ")":
            if symbols[position] == "(":
                child, position = read(position, False)
                children.append(child)
            else:
                children.append(symbols[position])
                position += 1
        return Tree(label, tuple(children)), position + 1

    found: list[Tree | str] = []
    position = 0
    while position < len(symbols):
        try:
            tree, position = read(position, True)
        except IndexError:
            raise ValueError("the end") from None
        strip = not tree.label and len(tree.children) == 1
        found.extend(tree.children if strip else [tree])
    return found


def all_tagged(tree: Tree) -> bool:
    return all(
        is_preterminal(each) or not any(isinstance(child, str) for child in each.children)
        for each in subtrees(tree)
    )


@given(text=st.text("((((()))))ab \n") | st.text("(( (a (b c)) )\n", max_size=12))
def test_trees_are_those_of_the_obvious_reader(text: str) -> None:
    try:
        expected = reference(text)
    except ValueError:
        with pytest.raises(FormatError):
            trees_of(text)
        with pytest.raises(FormatError):
            list(Brackets().read(stream(text)))
        return
    assert trees_of(text) == expected
    whole = [each for each in expected if isinstance(each, Tree)]
    if not all(map(all_tagged, whole)) or any(
        not each.children for one in whole for each in subtrees(one)
    ):
        with pytest.raises(FormatError, match=r"has no tag of its own|expected a word or a tree"):
            list(Brackets().read(stream(text)))


@given(trees=st.lists(TAGGED, max_size=4), data=st.data())
def test_any_layout_says_the_same(trees: list[Tree], data: st.DataObject) -> None:
    wrapped = [data.draw(st.sampled_from(["{}", "({})"])).format(write_brackets(t)) for t in trees]
    plain = " ".join(wrapped)
    text = "".join(data.draw(SPACES) if each == " " else each for each in plain)
    # A carriage return before a line end would be taken for part of it.
    text = text.replace("\r\n", "\r \n")
    assert trees_of(text) == trees
    expected = [
        [(tag.label, tag.children[0]) for tag in preterminals(t) if tag.label != "-NONE-"]
        for t in trees
    ]
    records = list(Brackets().read(stream(text)))
    assert [
        list(zip(r.example.analysis or (), r.example.tokens.words, strict=True)) for r in records
    ] == [pairs for pairs in expected if pairs]


@given(trees=st.lists(TAGGED, min_size=1, max_size=4), data=st.data())
def test_rendering_changes_the_tags_alone(trees: list[Tree], data: st.DataObject) -> None:
    text = "".join(f"{data.draw(SPACES)}({write_brackets(tree)})\n" for tree in trees)
    records = list(Brackets().read(stream(text)))
    same = "".join(Brackets().render(r, r.example.analysis) for r in records)
    # Traces after the last word are of no sentence.
    assert text.startswith(same)
    tags = [[data.draw(NAMES) for _ in r.example.tokens.words] for r in records]
    other = "".join(Brackets().render(r, t) for r, t in zip(records, tags, strict=True))
    assert [list(r.example.analysis or ()) for r in Brackets().read(stream(other))] == tags
    for before, after in zip(trees_of(text), trees_of(other), strict=False):
        for old, new in zip(subtrees(before), subtrees(after), strict=True):
            if not is_preterminal(old) or old.label == "-NONE-":
                assert old.label == new.label
            else:
                assert old.children == new.children


def test_sources_and_lines(parse: Parse) -> None:
    text = "\n( (S\n (A a)\n(B b)) )  \n (X\n(C c)) (X (D d))\t(X (E e))\n\n(X (F f))\n"
    records = parse(Brackets(), text)
    assert [r.example.tokens.source for r in records] == [
        f"corpus.txt:{line}" for line in (2, 5, 6, 6, 8)
    ]
    assert records[0].lines == ("", "( (S", " (A a)", "(B b)) )  ")
    rendered = [Brackets().render(r, r.example.analysis) for r in records]
    assert rendered[1:] == [" (X\n(C c))\n", "(X (D d))\n", "(X (E e))\n", "\n(X (F f))\n"]
    assert [r.source for r in read_trees(stream(text))][1] == "<stream>:5"


def test_outermost_brackets_without_a_label() -> None:
    inner = Tree("A", ("a",))
    assert trees_of("( (A a) )(A a)") == [inner, inner]
    assert trees_of("((A a)(A a))") == [Tree("", (inner, inner))]
    assert trees_of("( (A a) b)") == [Tree("", (inner, "b"))]


def test_trees_without_words_stay_before_the_next(parse: Parse) -> None:
    [record] = parse(
        Brackets(), "(S (-NONE- *))\n(S (-NONE- 0) (A a) (-NONE- *T*-1))\n(-NONE- *)\n"
    )
    assert record.example.tokens.words == ("a",)
    assert record.example.tokens.source == "corpus.txt:2"
    expected = "(S (-NONE- *))\n(S (-NONE- 0) (B a) (-NONE- *T*-1))\n"
    assert Brackets().render(record, ["B"]) == expected


def test_escapes(parse: Parse) -> None:
    text = "(X (-LRB- -LRB-) (CD 1\\/2) (SYM \\*) (NN -LCB-x-RSB-) (NN a\\b) (-RRB- -RRB-))\n"
    [plain] = parse(Brackets(), text)
    assert plain.example.tokens.words[:2] == ("-LRB-", "1\\/2")
    [meant] = parse(Brackets(unescape=True), text)
    assert meant.example.tokens.words == ("(", "1/2", "*", "{x]", "a\\b", ")")
    assert meant.example.analysis == plain.example.analysis
    assert Brackets(unescape=True).render(meant, meant.example.analysis) == text
    [tree] = read_trees(stream(text), unescape=True)
    assert tree.tree.children[0] == Tree("-LRB-", ("(",))
    assert unescape_word("-LSB--RCB-") == "[}"


def test_tags_must_be_there_but_may_be_anything_when_unlabelled(
    parse: Parse, refused: Refused
) -> None:
    [record] = parse(Brackets(partial=True), "(X (A| a))\n", labelled=False)
    assert record.example.analysis is None
    assert refused(Brackets(), "(X a b)", labelled=False).column == 6


def test_partial_labels(parse: Parse, refused: Refused) -> None:
    [record] = parse(Brackets(partial=True), "(X (? a) (-NONE- *) (_ b) (A|B c) (A d))")
    assert record.example.analysis == (None, None, frozenset("AB"), "A")
    [record] = parse(Brackets(), "(X (? a) (A|B c))")
    assert record.example.analysis == ("?", "A|B")
    error = refused(Brackets(partial=True), "(X (A a)\n  (-NONE- *) (A|\nb))\n")
    assert (error.line, error.column) == (3, 1)
    assert "the label 'A|' has an empty alternative" in error.message
    assert refused(Brackets(partial=True), "(X (A a) (A| b))").column == 14


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("(A a)\ntime flies", 2, 1, "expected '(' but found 'time'; every tree is in brackets"),
        ("(A a)\n (A a))", 2, 7, "this bracket closes nothing; remove it, or open it before"),
        ("(S\n (A a) (NP))", 2, 11, "expected a word or a tree after the label 'NP'; give it"),
        ("(S (A a)\n ())", 2, 3, "expected a label after '('; give it, or remove the brackets"),
        ("( )", 1, 3, "expected a label after '('"),
        ("\n(S (A a)\n( (S (A a)))", 3, 3, "or close the tree that begins in line 2"),
        ("(A a)\n(S (A a)\n(B\n\n", 2, None, "the file ends inside the tree that begins here"),
        ("(A a)\n(S (A a)\n(B\n\n", 2, None, "close 2 brackets of it"),
        ("(S (A a)", 1, None, "close a bracket of it"),
        ("(NP (DT the)\n dog)", 2, 2, "the word 'dog' has no tag of its own; write it in brackets"),
        ("(NP the\n dog)", 2, 2, "the word 'dog' has no tag of its own"),
        ("(NP the (NN dog))", 1, 9, "the word 'the' has no tag of its own"),
    ],
)
def test_refusals(refused: Refused, text: str, line: int, column: int | None, message: str) -> None:
    error = refused(Brackets(), text)
    assert (error.line, error.column) == (line, column)
    assert message in error.message


def test_words_of_trees_need_no_tags() -> None:
    assert trees_of("(NP (DT the)\n dog)") == [Tree("NP", (Tree("DT", ("the",)), "dog"))]
    assert trees_of("(NP the (NN dog))") == [Tree("NP", ("the", Tree("NN", ("dog",))))]


def test_nodes_with_nothing_below() -> None:
    one = Tree("S", (Tree("NP", ()), Tree("VB", ("Run",)), Tree("X", ())))
    assert trees_of("(S (NP) (VB Run) (X\n))") == [one]
    assert write_brackets(one) == "(S (NP) (VB Run) (X))"
    assert trees_of("(S)") == [Tree("S", ())]
    assert trees_of("((S))") == [Tree("S", ())]


@pytest.mark.parametrize("tag", ["", "A B", "A\tB", "(", "A)", "-NONE-"])
def test_tags_that_cannot_be_written(parse: Parse, tag: str) -> None:
    [record] = parse(Brackets(), "(X (A a))\n")
    with pytest.raises(FormatError, match="cannot be written"):
        Brackets().render(record, [tag])


def test_other_encodings() -> None:
    with pytest.raises(FormatError, match=r"<stream>:2:4: byte 0xE9 is not UTF-8"):
        list(read_trees(io.BytesIO(b"(A a)\n(A \xe9)\n")))


class TestLimits:
    def test_depth(self, refused: Refused) -> None:
        [tree] = trees_of("(X " * (DEEPEST_TREE - 1) + "(X a)" + ")" * (DEEPEST_TREE - 1))
        assert sum(1 for _ in subtrees(tree)) == DEEPEST_TREE
        for inner in ("(X a)", "(X\na)"):
            error = refused(Brackets(), "(X\n" * DEEPEST_TREE + inner + ")" * DEEPEST_TREE)
            assert error.line == DEEPEST_TREE + 1
            assert "nested more than 10,000 deep" in error.message

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("(A a) " * 9 + "(S (A a) (A a))", 1),
            ("(A a)\n(S (A a)\n (A a))", 3),
            ("(A a)\n(S (A a)\n \n    \n)", 4),
            ("(S (A aaaaaaaaaa", 1),
            ("(-NONE- *)\n(-NONE- *)\n", 2),
        ],
    )
    def test_length(
        self, refused: Refused, monkeypatch: pytest.MonkeyPatch, text: str, line: int
    ) -> None:
        monkeypatch.setattr(brackets, "LONGEST_TREE", 13)
        error = refused(Brackets(), text)
        assert "more than 13 characters" in error.message
        assert error.line == line

    def test_what_is_short_enough(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(brackets, "LONGEST_TREE", 13)
        assert len(trees_of("(A a)" * 9 + "\n" + "(S\n(A a)\n\n) (A a)\n" * 9)) == 27
