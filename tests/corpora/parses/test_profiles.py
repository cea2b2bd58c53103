import gzip
import shutil
import sys

import pytest

from weft.corpora.parses.profiles import is_profile, read_profile
from weft.errors import FormatError, OptionError
from weft.features.compile import compile_parses, unpack_parses
from weft.features.properties import properties
from weft.structures.parse_set import Packed

RELATIONS = """item:
  i-id :integer :key
  i-input :string

parse:
  parse-id :integer :key
  i-id :integer :key

result:
  parse-id :integer :key
  result-id :integer
  derivation :string

preference:
  parse-id :integer :key
  t-version :integer
  result-id :integer

edge:
  e-id :integer :key
  parse-id :integer :key
  e-label :string
  e-type :integer
  e-start :integer
  e-end :integer
  e-daughters :string
  e-alternates :string
"""


@pytest.fixture
def profile(tmp_path):
    """Rain, a noun or a verb: listed in item 1, packed in item 2; item 3 was not parsed."""
    folder = tmp_path / "rain"
    folder.mkdir()
    tables = {
        "relations": RELATIONS,
        "item": "1@rain\n2@rain\n3@xyzzy\n4@rain\n",
        "parse": "11@1\n12@2\n13@3\n14@4\n",
        "result": '11@0@(1 np 0 0 1 (2 rain_n 0 0 1 ("rain")))\n'
        '11@1@(root_x (1 s 0 0 1 (2 rain_v 0 0 1 ("rain"))))\n'
        '12@0@(1 s 0 0 1 (2 rain_v 0 0 1 ("rain")))\n'
        "14@0@(a b)\n",
        "preference": "11@1@0\n11@2@1\n12@1@0\n",
        "edge": "9@12@root@4@0@1@(5)@\n5@12@np@3@0@1@(3)@(6)\n6@12@s@3@0@1@(4)@\n"
        "3@12@rain_n@1@0@1@(1)@\n4@12@rain_v@1@0@1@(1)@\n1@12@rain@0@0@1@@\n2@13@xyzzy@0@0@1@@\n",
    }
    for name, text in tables.items():
        (folder / name).write_text(text)
    return folder


def test_results_with_the_last_preference(profile):
    assert is_profile(profile)
    assert not is_profile(profile.parent)
    first, second, third = read_profile(profile)
    assert (first.id, first.text, first.right) == ("rain/1", "rain", (1,))
    assert [each.tree.label for each in first.analyses] == ["np", "root_x"]
    assert isinstance(second.analyses, Packed)
    assert third.right is None


def test_the_packed_forest_of_edges(profile):
    _, packed, _ = read_profile(profile)
    listed = unpack_parses(compile_parses(packed, properties("rules")))
    assert len(listed.tokens) == 2
    [right] = listed.analysis
    first, last = listed.tokens.offsets[right : right + 2]
    names = {listed.tokens.names[column] for column in listed.tokens.columns[first:last]}
    assert names == {("rules", "root → s"), ("rules", "s → rain_v")}


def test_broken_derivations_and_forests(profile):
    (profile / "result").write_text('12@0@(1 np 0 0 1 (2 rain_v 0 0 1 ("rain")))\n')
    with pytest.raises(
        FormatError, match="item 2: the kept derivation is not in the packed forest"
    ):
        list(read_profile(profile))
    skipped = []
    assert [each.id for each in read_profile(profile, skip=skipped.append)] == []
    assert len(skipped) == 1
    (profile / "result").write_text("11@0@(a\n")
    with pytest.raises(FormatError, match="item 1: the derivation ends too early"):
        list(read_profile(profile))
    (profile / "result").write_text("")
    (profile / "edge").write_text("9@12@root@4@0@1@(77)@\n")
    with pytest.raises(FormatError, match="daughter 77"):
        list(read_profile(profile))
    (profile / "item").write_text("x@y\n")
    with pytest.raises(FormatError, match="item:1: this is no row of the table 'item'"):
        list(read_profile(profile))


@pytest.mark.parametrize(
    ("relations", "message"),
    [
        ("item:\n  i-id\n", "relations:2: expected 'TABLE:' or"),
        ("item:\n  i-id # :integer\n", "relations:2: expected 'TABLE:' or"),
        ("item:\n  i-id integer\n", "relations:2: expected 'TABLE:' or"),
        ("  i-id :integer\n", "relations:1: expected 'TABLE:' or"),
        (RELATIONS + "item:\n  i-id :integer\n", "is no profile: table item redefined"),
        (RELATIONS.replace("i-input :string", "i-input :text"), "item:1: .*invalid datatype"),
        ("item:\n  i-id :integer\n", "item:1: this is no row of the table 'item'"),
        ("result:\n  x :string\n", "item:1: this is no row of the table 'item'"),
        ("\xff", "relations:1: expected 'TABLE:' or"),
    ],
)
def test_broken_relations(profile, relations, message):
    (profile / "relations").write_text(relations)
    with pytest.raises(FormatError, match=message):
        list(read_profile(profile))


def test_damaged_tables(profile):
    (profile / "item").unlink()
    packed = bytearray(gzip.compress(b"1@rain\n" * 100))
    packed[12] ^= 255
    (profile / "item.gz").write_bytes(packed)
    with pytest.raises(FormatError, match="item:1: this is no row"):
        list(read_profile(profile))


def test_without_pydelphin(profile, monkeypatch):
    monkeypatch.setitem(sys.modules, "delphin", None)
    with pytest.raises(OptionError, match=r"pip install 'weft-nlp\[delphin\]'"):
        list(read_profile(profile))


@pytest.mark.parametrize(
    ("name", "sentences", "ambiguous", "packed"),
    [("norsource-igtest", 60, 29, False), ("porgram-core", 132, 34, True)],
)
def test_profiles_of_grammars(data_folder, name, sentences, ambiguous, packed):
    """The numbers are those of results, preferences and trees, counted in the files."""
    sets = [each for each in read_profile(data_folder / "hpsg-profiles" / name) if each.right]
    assert len(sets) == sentences
    listed = [unpack_parses(compile_parses(each, properties("rules"))) for each in sets]
    assert all(len(each.analysis) == 1 for each in listed)
    assert sum(len(each.tokens) > 1 for each in listed) == ambiguous
    assert isinstance(sets[0].analyses, Packed) is packed


def test_gzipped_tables(profile, tmp_path):
    other = tmp_path / "zipped"
    shutil.copytree(profile, other)
    text = (other / "result").read_bytes()
    (other / "result").unlink()
    (other / "result.gz").write_bytes(gzip.compress(text))
    assert len(list(read_profile(other))) == 3
