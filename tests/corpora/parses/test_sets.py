import gzip
import io
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parse_sets import random_packed
from weft.corpora import bundled_parse_sets
from weft.corpora.parses.sets import keep_flagged, parse_set_line, read_parse_sets
from weft.errors import FormatError
from weft.structures.parse_set import Candidate, Packed, ParseSet
from weft.structures.tree import Tree


def read(*records, **options):
    lines = [each if isinstance(each, str) else json.dumps(each) for each in records]
    return list(read_parse_sets(io.BytesIO("\n".join(lines).encode()), **options))


def as_plain(parse_set):
    analyses = parse_set.analyses
    if isinstance(analyses, Packed):
        shown = [
            analyses.root,
            *(
                (e.node, e.rule, e.children, e.words, dict(e.features), e.score)
                for e in analyses.edges
            ),
        ]
    else:
        shown = [(each.tree, dict(each.features), each.score) for each in analyses]
    return (
        parse_set.id,
        parse_set.text,
        shown,
        parse_set.right,
        parse_set.weight,
        dict(parse_set.flags),
    )


candidates = st.builds(
    Candidate,
    st.sampled_from(
        [
            Tree("s", (Tree("a_n", ("a",)), Tree("b_v", ("é",)))),
            Tree("a_n", ("a", "b")),
            Tree("s → np v", (Tree("np → ε", ()), Tree("v → '('", ("(", 'a "b"')))),
        ]
    ),
    st.dictionaries(st.text(max_size=3), st.floats(-5, 5), max_size=2),
    st.floats(-3, 3),
)


@given(st.lists(candidates, min_size=1, max_size=3), st.integers(0, 2), st.floats(0, 5), st.text())
def test_what_is_written_is_read_back(analyses, right, weight, text):
    known = (right,) if right < len(analyses) else None
    one = ParseSet("id", text, tuple(analyses), known, weight, {"direct": True})
    [again] = read(parse_set_line(one))
    assert as_plain(again) == as_plain(one)


def test_forests_are_read_back():
    packed = random_packed(np.random.default_rng(2))
    one = ParseSet("id", "x", packed, (0, 3))
    assert as_plain(read(parse_set_line(one))[0]) == as_plain(one)


def test_other_names_of_keys_and_lines_without_ids():
    [first, second] = read(
        {"parses": [{"d": "(a b)"}, {"d": "(c d)"}], "gold": 1, "direct": False},
        {"analyses": [{"features": {}, "right": True}, {"features": {"x": 1}}]},
    )
    assert (first.id, first.right, first.flags, first.source) == (
        "1",
        (1,),
        {"direct": False},
        "<stream>:1",
    )
    assert (second.id, second.right) == ("2", (0,))
    assert [each.id for each in keep_flagged([first, second], "direct")] == []


ONE = {"analyses": [{"features": {}}]}
BROKEN = [
    ("{", "and a parse set is expected", 2),
    ("[]", "a line must be an object", None),
    ("{}", "'analyses' must be a list", None),
    ({"analyses": []}, "'analyses' is empty", None),
    ({"analyses": [3]}, "an analysis must be an object", None),
    ({"analyses": [{}]}, "analysis 0 has neither", None),
    (
        {"analyses": [{"derivation": "(a"}]},
        "the derivation of analysis 0, character 3: the derivation ends",
        None,
    ),
    ({"analyses": [{"derivation": ["a", ["b"], "c"]}]}, "'a' has both words and nodes", None),
    ({"analyses": [{"derivation": ["a", [3]]}]}, "a node is a list of a name", None),
    ({"analyses": [{"derivation": []}]}, "a node is a list of a name", None),
    ({"analyses": [{"features": {"x": "y"}}]}, "'x' must be a number", None),
    ({"analyses": [{"features": {"x": True}}]}, "'x' must be a number", None),
    ({"analyses": [{"features": []}]}, "'features' must be an object", None),
    ('{"analyses": [{"features": {"x": NaN}}]}', "NaN is no number", None),
    ('{"analyses": [{"features": {"x": 1e999}}]}', "'x' must be a finite number", None),
    ('{"analyses": [{"features": {"x": ' + "9" * 400 + "}}]}", "'x' must be a finite number", None),
    ({**ONE, "right": 1}, "'right' must be a number from 0 to 0, not 1", None),
    ({**ONE, "right": [0, True]}, "'right' must be a number", None),
    ({**ONE, "weight": -1}, "'weight' must be at least 0", None),
    ({**ONE, "id": []}, "'id' must be a text", None),
    ("[" * 100_000, "this JSON is nested too deeply", None),
    ({"forest": [], "root": "a"}, "'forest' is empty", None),
    ({"forest": [{"node": "a", "rule": "r"}]}, "a forest needs a 'root'", None),
    ({"forest": [{"node": "a"}], "root": "a"}, "an edge needs a 'rule'", None),
    (
        {"forest": [{"node": "a", "rule": "r", "children": ["b"]}], "root": "a"},
        "no edge for the node 'b'",
        None,
    ),
    (
        {"forest": [{"node": "a", "rule": "r", "children": ["a"], "words": ["w"]}], "root": "a"},
        "not both",
        None,
    ),
]


@pytest.mark.parametrize(("record", "said", "column"), BROKEN)
def test_broken_records_are_named_by_line_and_skipped_if_asked(record, said, column):
    with pytest.raises(FormatError) as caught:
        read(ONE, record)
    assert said in caught.value.message
    assert (caught.value.path, caught.value.line) == ("<stream>", 2)
    assert caught.value.column == column
    skipped = []
    kept = read(ONE, record, {**ONE, "id": "last"}, skip=skipped.append)
    assert [each.id for each in kept] == ["1", "last"]
    assert [error.line for error in skipped] == [2]


def test_gzip_streams(tmp_path):
    path = tmp_path / "sets.jsonl.gz"
    lines = [parse_set_line(each) for each in bundled_parse_sets()]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert [as_plain(each) for each in read_parse_sets(path)] == [
        as_plain(each) for each in bundled_parse_sets()
    ]
    broken = tmp_path / "broken.jsonl"
    broken.write_text(lines[0] + "\n{\n")
    found = read_parse_sets(broken)
    assert next(found).id == "s1"  # before the broken line is reached
    with pytest.raises(FormatError, match=r"broken\.jsonl:2"):
        next(found)


def test_the_bundled_sentences():
    sets = bundled_parse_sets()
    assert len({each.id for each in sets}) == len({each.text for each in sets}) == 100
    for each in sets:
        assert len(each.analyses) > 1
        assert len(each.right) == 1
        assert len({candidate.tree for candidate in each.analyses}) == len(each.analyses)


def test_the_sets_of_parse_selection(data_folder):
    first = next(read_parse_sets(data_folder / "parse-selection" / "csli.jsonl.gz"))
    assert first.right is not None
    assert set(first.flags) == {"bracket_only", "direct", "mrs_agrees"}
