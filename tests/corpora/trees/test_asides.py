"""Lines between trees."""

from __future__ import annotations

import io
import re

import pytest

from weft.corpora import Brackets, find_steps, read_treebank, read_trees
from weft.corpora.trees.asides import Aside
from weft.errors import FormatError
from weft.structures.tree import write_brackets

MARKED = """<DOC>
<DOCID> ours </DOCID>
*x*x*x*x*x*x*x*x*
*x* Copyright (C) nobody (S (X y)) *x*
*x*x*x*x*x*x*x*x*

<S ID=1>
( (S (NN one)
  (VB
    two)) )
</S>
/~*
one two (S (X
(ID 7)
*~/
/* 1 S: (NN three) */
  (S (NN three)) (S (NN four))
</DOC>
"""


def stream(text: str) -> io.BytesIO:
    return io.BytesIO(text.encode())


def test_markup_headers_and_comments_are_left_out() -> None:
    skipped: list[int] = []
    found = list(read_trees(stream(MARKED), skip=lambda _, line: skipped.append(line)))
    trees = [write_brackets(record.tree) for record in found]
    assert trees == ["(S (NN one) (VB two))", "(S (NN three))", "(S (NN four))"]
    assert [record.source for record in found] == [f"<stream>:{line}" for line in (8, 17, 17)]
    assert skipped == [1, 2, 3, 4, 5, 7, 11, 12, 13, 14, 15, 16, 18]


def test_taggers_keep_them_where_they_were() -> None:
    records = list(Brackets().read(stream(MARKED)))
    assert [each.example.tokens.words for each in records] == [
        ("one", "two"),
        ("three",),
        ("four",),
    ]
    written = "".join(Brackets().render(each, ["T"] * len(each.example.tokens)) for each in records)
    expected = MARKED.replace("(NN one)", "(T one)").replace("(VB\n", "(T\n")
    expected = expected.replace("(S (NN three)) (S (NN four))", "(S (T three))\n(S (T four))")
    assert written == expected.removesuffix("</DOC>\n")
    assert any(isinstance(line, Aside) for line in records[0].lines)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("(S (A a))\n\nsome text\n", 3, "expected '(' but found 'some'; every tree is in brackets"),
        ("(S (A a))\n<s> (S (A a)) </s>\n", 2, "expected '(' but found '<s>'"),
        ("(S (A a))\n<3 (S (A a))\n", 2, "expected '(' but found '<3'"),
        ("(S (A a))\n\n/* no end\n(S (A a))\n", 3, "the file ends inside the comment that begins"),
        ("(S (A a))\n) text\n", 2, "this bracket closes nothing"),
        ("(S (A a\n*x*\n", 1, "the file ends inside the tree that begins here"),
    ],
)
def test_what_is_refused_is_named(text: str, line: int, message: str) -> None:
    with pytest.raises(FormatError, match=re.escape(message)) as caught:
        list(read_trees(stream(text)))
    assert caught.value.line == line


def test_text_is_left_out_where_that_is_asked_for() -> None:
    text = "A header (of ours)\n(S (A a))\n  more, and <s> more\n(S (B\nb))\n0\n"
    with pytest.raises(FormatError, match="left out by the clean-up 'text'"):
        read_treebank(stream(text))
    found = read_treebank(stream(text), clean=find_steps("text,top"))
    assert [each.tokens.words for each in found] == [("a",), ("b",)]
    with pytest.raises(FormatError, match="closes nothing"):
        read_treebank(stream("text\n) (S (A a))\n"), clean=find_steps("text"))
