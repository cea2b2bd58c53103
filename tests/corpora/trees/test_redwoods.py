"""Profiles of [incr tsdb()], and derivations with parts of speech for lexical entries."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from trees import tree
from weft.corpora.parses.derivations import read_derivation
from weft.corpora.parses.tsdb import read_relations, read_table, unescape_field
from weft.corpora.trees.redwoods import (
    TaggedToken,
    read_redwoods,
    read_tokens,
    with_parts_of_speech,
)
from weft.errors import FormatError

RELATIONS = """# a comment
item:
  i-id :integer :key
  i-input :string

parse:
  parse-id :integer :key                # unique
  p-input :string                       # tokens
result:
  parse-id :integer :key
  derivation :string
"""


def fs(start: int, end: int) -> str:
    return f'"token [ +FORM \\"w\\" +FROM \\"{start}\\" +TO \\"{end}\\" +ID x ]"'


def token(start: int, end: int, word: str, tags: str) -> str:
    return f'(1, 0, 1, <{start}:{end}>, 1, "{word}", 0, "null", {tags})'


TOKENS = " ".join(
    [
        token(0, 2, "Of", '"IN" 1.0'),
        token(3, 9, "course", '"NN" 1.0'),
        token(10, 12, "it", '"PRP" 1.0'),
        token(13, 18, "rains", '"NNS" 0.25 "VBZ" 0.75'),
    ]
)
DERIVATION = (
    f'(root (1 aj-hd 0 0 4 (2 of_course 0 0 2 ("of course" 1 {fs(0, 2)} 2 {fs(3, 9)})) '
    f'(3 sb-hd 0 2 4 (4 it 0 2 3 ("it" 3 {fs(10, 12)})) '
    f'(5 v_3s 0 3 4 (6 rain_v1 0 3 4 ("rains" 4 {fs(13, 18)}))))))'
)
TREE = "(root (aj-hd (multiword (IN Of) (NN course)) (sb-hd (PRP it) (v_3s (VBZ rains)))))"


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("@", "\\s").replace("\n", "\\n")


def profile(folder: Path, derivation: str = DERIVATION, tokens: str = TOKENS) -> Path:
    (folder / "relations").write_text(RELATIONS)
    (folder / "item").write_text("7@it rains \\s home\n8@oh\n")
    oh = token(0, 2, "oh", '"UH" 1.0')
    (folder / "parse.gz").write_bytes(
        gzip.compress(f"7@{escaped(tokens)}\n8@{escaped(oh)}\n".encode())
    )
    second = f'(root (1 oh 0 0 1 ("oh" 1 {fs(0, 2)})))'
    (folder / "result").write_text(
        f"7@{escaped(derivation)}\n7@(root (x y))\n8@{escaped(second)}\n"
    )
    return folder


def test_tables(tmp_path: Path) -> None:
    profile(tmp_path)
    assert read_relations(tmp_path)["parse"] == ("parse-id", "p-input")
    rows = list(read_table(tmp_path, "item"))
    assert [row.fields for row in rows] == [
        {"i-id": "7", "i-input": "it rains @ home"},
        {"i-id": "8", "i-input": "oh"},
    ]
    assert (rows[1].path, rows[1].line) == (str(tmp_path / "item"), 2)
    assert next(iter(read_table(tmp_path, "parse"))).fields["p-input"] == TOKENS


@pytest.mark.parametrize(
    ("text", "meant"), [(r"a\sb", "a@b"), (r"\\s", r"\s"), (r"\n", "\n"), (r"\x", r"\x"), ("", "")]
)
def test_escapes(text: str, meant: str) -> None:
    assert unescape_field(text) == meant


def test_trees(tmp_path: Path) -> None:
    first, second = read_redwoods(profile(tmp_path))
    assert first.tree == tree(TREE)
    assert second.tree == tree("(root (UH oh))")
    assert second.source == f"{tmp_path / 'result'}:3"


def test_tokens() -> None:
    text = '(2, 1, 2, <3:4>, 1, "b\\"", 0, "null", "B" 1.0)(1, 0, 1, <0:2>, 1 2, "a" "A", 0, "x")'
    with pytest.raises(ValueError, match="the token 'a' has no part of speech"):
        read_tokens(text)
    tagged = text.replace('"x")', '"x" "y", "A" 0.5 "B" 0.5)')
    assert read_tokens(tagged) == [TaggedToken(0, 2, "a", "A"), TaggedToken(3, 4, 'b"', "B")]
    for broken in ("oh", f"{TOKENS} oh", f"oh {TOKENS}"):
        with pytest.raises(ValueError, match=r"expected a token like \(1, 0, 1"):
            read_tokens(broken)


def test_leaves_and_tokens_that_do_not_go_together() -> None:
    derivation = read_derivation(DERIVATION)
    tokens = read_tokens(TOKENS)
    assert with_parts_of_speech(derivation, tokens) == tree(TREE)
    with pytest.raises(ValueError, match="the word 'rains' has no token of its own"):
        with_parts_of_speech(derivation, tokens[:-1])
    with pytest.raises(ValueError, match="the token 'again' is in no word of the derivation"):
        with_parts_of_speech(derivation, [*tokens, TaggedToken(19, 24, "again", "RB")])
    with pytest.raises(ValueError, match="'rain' does not say which characters"):
        with_parts_of_speech(read_derivation("(np (rain_n1 rain))"), tokens)


@pytest.mark.parametrize(
    ("table", "text", "line", "message"),
    [
        ("relations", "item:\n  i-id :integer\nwhat\n", 3, "expected 'TABLE:' or, below it"),
        ("relations", "  i-id :integer\n", 1, "expected 'TABLE:' or, below it"),
        ("relations", "item:\n  i-id :integer\n", None, "there is no table 'parse'"),
        ("parse.gz", "7\n", 1, "expected 2 fields with '@' between them but found 1"),
        ("parse.gz", "7@oh\n", 1, "expected a token like"),
        ("parse.gz", "8@\n", 1, "there is no row with parse-id 7 in the table 'parse'"),
        ("result", "7@(root\n", 1, "in the field derivation, the derivation ends too early"),
        ("result", "7@(np (rain_n1 rain))\n", 1, "restore the field derivation"),
    ],
)
def test_broken_profiles(
    tmp_path: Path, table: str, text: str, line: int | None, message: str
) -> None:
    profile(tmp_path)
    (tmp_path / table).write_text(text)
    with pytest.raises(FormatError) as caught:
        list(read_redwoods(tmp_path))
    assert message in str(caught.value)
    assert caught.value.line == line


def test_hostile_relations_are_refused_in_linear_time(tmp_path):
    """Thirty colons took a pattern with nested repetitions minutes; this is ten times as many."""
    (tmp_path / "relations").write_text("item:\n  i-id " + ":a" * 300 + " x\n")
    with pytest.raises(FormatError, match="relations:2: expected 'TABLE:' or"):
        read_relations(tmp_path)


@pytest.mark.parametrize("line", ["  a", "  a:", "  a :", "  :a", "a :b", "  a b", "  a :b c"])
def test_what_is_no_field(tmp_path, line):
    (tmp_path / "relations").write_text(f"item:\n  i-id :integer\n{line}\n")
    with pytest.raises(FormatError, match="relations:3"):
        read_relations(tmp_path)


def test_fields_with_and_without_spaces(tmp_path):
    (tmp_path / "relations").write_text("item:\n  a :b :c # d\n\tb:c\n c  ::d  :e:f\n")
    assert read_relations(tmp_path) == {"item": ("a", "b", "c")}
