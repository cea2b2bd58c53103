import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.corpora.parses.derivations import Leaf, read_derivation
from weft.errors import FormatError
from weft.files import read_lines
from weft.structures.tree import Tree, leaves, preterminals, write_brackets

names = st.text("abc_-1@^", min_size=1, max_size=4)
words = st.text('ab"\\ ()é', min_size=1, max_size=4)
plain_words = st.text("abé.,'", min_size=1, max_size=4)


def trees(of_words):
    entries = st.builds(
        lambda name, some: Tree(name, tuple(some)),
        names,
        st.lists(of_words, min_size=1, max_size=2),
    )
    return st.recursive(
        entries,
        lambda below: st.builds(
            lambda name, some: Tree(name, tuple(some)),
            names,
            st.lists(below, min_size=1, max_size=3),
        ),
        max_leaves=6,
    )


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def long_form(tree, start=0):
    """Write a tree in the long form by plain recursion; also return where it ends."""
    parts, end = [], start
    for number, child in enumerate(tree.children):
        if isinstance(child, str):
            parts.append(
                f"({quoted(child)} {number} {quoted('token [ +FORM ' + quoted(child) + ' ]')})"
            )
            end = start + 1
        else:
            text, end = long_form(child, end)
            parts.append(text)
    return f"(7 {tree.label} -0.5 {start} {end} {' '.join(parts)})", end


@given(trees(plain_words))
def test_the_short_form_is_the_tree_in_brackets(tree):
    found = read_derivation(write_brackets(tree))
    assert found.tree == tree
    assert [leaf.form for leaf in found.leaves] == list(leaves(tree))


@given(trees(words))
def test_the_long_form_is_read_back(tree):
    found = read_derivation(f"(root {long_form(tree)[0]})")
    assert found.tree == Tree("root", (tree,))
    assert [leaf.form for leaf in found.leaves] == list(leaves(tree))
    assert all(leaf.tokens[0][1] == f"token [ +FORM {quoted(leaf.form)} ]" for leaf in found.leaves)
    entries = _entries(tree)
    starts = [place for place, entry in enumerate(entries) for _ in entry.children]
    assert [(leaf.start, leaf.end) for leaf in found.leaves] == [(at, at + 1) for at in starts]


def _entries(tree):
    if isinstance(tree.children[0], str):
        return [tree]
    return [entry for child in tree.children for entry in _entries(child)]


def test_older_systems_write_positions_after_the_form():
    found = read_derivation('(5 rain_n1 0.0 0 1 ("rain" 3 4))')
    assert found.leaves == (Leaf("rain", 3, 4),)


@pytest.mark.parametrize(
    ("text", "said", "column"),
    [
        ("", "there is no derivation", 1),
        ("rule", "begins with", 1),
        ("(a (b c)", "ends too early", 9),
        ('(a ("b', "ends too early", 7),
        ("(a (b c)) x", "has ended", 11),
        ("(a (b c)))", "has ended", 10),
        (")", "no '('", 1),
        ("(a)", "at least one child", 3),
        ("()", "at least one child", 2),
        ("(1 a 0 1 (b c))", "after 4 names", 15),
        ('(1 a 0 x 1 ("b"))', "whole number, not 'x'", 17),
        ('("b")', "without a lexical entry", 5),
        ('(a ("b" 1))', '("FORM" NUMBER "TOKEN" ...)', 10),
        ('(a ("b" 1 "t" 2 (c d)))', '("FORM" NUMBER "TOKEN" ...)', 22),
        ('(a ("b") (c d))', "both words and nodes", 15),
        ("(a (b c) d)", "at least one child", 11),
    ],
)
def test_errors_name_the_column(text, said, column):
    with pytest.raises(FormatError) as caught:
        read_derivation(text)
    assert said in str(caught.value)
    assert caught.value.column == column


def test_hostile_input_is_refused_in_linear_time():
    for text in ('("\\"' * 50_000, "(a " * 100_000, '("' + "\\" * 100_001, "9" * 100_000):
        with pytest.raises(FormatError):
            read_derivation(text)


def test_deep_derivations_are_read():
    depth = 5_000
    tree = read_derivation("(a " * depth + "(b c)" + ")" * depth).tree
    assert [each.label for each in preterminals(tree)] == ["b"]


def test_derivations_of_the_english_resource_grammar(data_folder):
    _, line = next(read_lines(data_folder / "parse-selection" / "csli.jsonl.gz"))
    record = json.loads(line)
    for parse in record["parses"]:
        tree = read_derivation(parse["d"]).tree
        assert write_brackets(tree) == parse["d"]


def test_derivations_of_a_profile(data_folder):
    _, line = next(read_lines(data_folder / "redwoods-vm" / "vm6" / "result.gz"))
    text = line.split("@")[10].replace("\\\\", "\\")
    found = read_derivation(text)
    assert found.tree.label == "root_informal"
    assert found.leaves[0].form == "well"
    assert '+TAG "RB"' in found.leaves[0].tokens[0][1]
    assert [leaf.start for leaf in found.leaves] == sorted(leaf.start for leaf in found.leaves)
