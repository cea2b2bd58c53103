"""The notation of NLTK's feature grammars: read as NLTK does, and refused with line and caret."""

from __future__ import annotations

import io

import pytest
from nltk.grammar import FeatureGrammar
from nltk.sem.drt import DrtParser

from weft.errors import FormatError, OptionError
from weft.unification import FeatureParser, from_nltk, read_fcfg

GRAMMARS = [
    *(f"book_grammars/{name}" for name in ("discourse", "drt", "feat0", "feat1", "german")),
    *(f"book_grammars/{name}" for name in ("simple-sem", "sql0", "sql1", "storage")),
    *(f"sample_grammars/{name}" for name in ("bindop", "chat_pnames", "event", "gluesemantics")),
    *(f"sample_grammars/{name}" for name in ("hole", "np", "sem0", "sem1", "sem2", "sql")),
]


def read(text):
    return read_fcfg(io.BytesIO(text.encode()))


@pytest.mark.parametrize("name", GRAMMARS)
def test_files_are_read_as_nltk_reads_them(data_folder, name):
    path = data_folder / "grammars" / f"{name}.fcfg"
    parser = DrtParser() if name.endswith("drt") else None
    theirs = from_nltk(FeatureGrammar.fromstring(path.read_text(), logic_parser=parser))
    ours = read_fcfg(path)
    assert ours.start == theirs.start
    if parser is None:
        assert ours.rules == theirs.rules
    # Discourse structures are kept as they are written.
    assert [rule.words for rule in ours.rules] == [rule.words for rule in theirs.rules]


def test_alvey_has_the_rules_that_its_file_has(data_folder):
    grammar = read_fcfg(data_folder / "grammars" / "alvey" / "alvey.fcfg")
    lexical = [rule for rule in grammar.rules if any(rule.words)]
    assert (len(grammar.rules), len(lexical)) == (3145, 2363)
    assert {len(rule.sides) - 1 for rule in grammar.rules} == set(range(6))
    assert grammar.rules[0].name == "t1"


def test_other_files_are_included(data_folder):
    folder = data_folder / "grammars" / "sample_grammars"
    names = {word for rule in read_fcfg(folder / "chat80.fcfg").rules for word in rule.words}
    assert {"Abidjan", "city"} <= names


def test_lines_alternatives_comments_and_names():
    grammar = read(
        "# a comment of words\n%start VP\n# v1 (core)\nVP -> 'go' \\\n  'on' | \"it's\"\nVP ->\n"
    )
    assert [rule.words for rule in grammar.rules] == [("go", "on"), ("it's",), ()]
    assert [rule.name for rule in grammar.rules] == ["v1", "v1", "VP → ε"]
    assert [rule.line for rule in grammar.rules] == [4, 4, 6]
    assert str(grammar.start) == "VP[]"


def test_equal_rules_count_once():
    grammar = read("S -> NP[A=?x]\nS -> NP[A=?y]\nS -> NP[A=b]\n")
    assert [rule.line for rule in grammar.rules] == [1, 3]


def test_other_encodings(tmp_path):
    path = tmp_path / "latin.fcfg"
    path.write_bytes("S -> 'été'".encode("latin-1"))
    assert read_fcfg(path, encoding="latin-1").rules[0].words == ("été",)
    with pytest.raises(FormatError, match="UTF-8"):
        read_fcfg(path)
    with pytest.raises(OptionError, match="utf-8"):
        read_fcfg(path, encoding="utf-9")


SPANISH = """\
# -*-coding:{0}-*-
O -> SN[NÚM=?n, GÉN=?g] SV[NÚM=?n]
SN[NÚM=?n, GÉN=?g] -> DET[NÚM=?n, GÉN=?g] N[NÚM=?n, GÉN=?g]
SN[NÚM=sg, GÉN=masc, PERS='3ª'] -> "él"
DET[NÚM=sg, GÉN=fem] -> "la" | "una"
N[NÚM=sg, GÉN=fem] -> "señora" | 'cigüeña'
N[NÚM=pl, GÉN=fem] -> "señoras"
SV[NÚM=sg] -> "soñó" | "cantó" 'ayer'
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16"])
def test_accents_and_headers_in_any_encoding(tmp_path, encoding):
    path = tmp_path / "es.fcfg"
    path.write_bytes(SPANISH.format(encoding).encode(encoding))
    given = "utf-8" if encoding == "utf-8-sig" else encoding
    parser = FeatureParser(read_fcfg(path, encoding=given))
    sentences = ["la señora soñó", "la señoras soñó", "él cantó ayer", "una cigüeña soñó"]
    assert [len(parser.parse(each)) for each in sentences] == [1, 0, 1, 1]
    [tree] = parser.parse("él soñó")
    assert "SN[GÉN='masc', NÚM='sg', PERS='3ª'] él" in str(tree)
    # A header is no name of a rule.
    assert parser.grammar.rules[0].name == "O → SN SV"
    text = path.read_bytes().decode(encoding)
    theirs = FeatureGrammar.fromstring(text.replace("# -*-", "#", 1).removeprefix("\ufeff"))
    assert from_nltk(theirs).rules == parser.grammar.rules


def test_a_header_says_which_encoding_to_give(tmp_path):
    path = tmp_path / "es.fcfg"
    path.write_bytes(SPANISH.format("iso-8859-15").encode("iso-8859-15"))
    with pytest.raises(FormatError, match=r"es\.fcfg:2:.*--encoding iso-8859-15") as caught:
        read_fcfg(path)
    assert caught.value.line == 2
    path.write_bytes("S -> 'été'".encode("latin-1"))
    with pytest.raises(FormatError, match="--encoding latin-1"):
        read_fcfg(path)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("S -> NP[NUM=] VP", "expected a value", 13),
        ("  S => NP", "expected '->'", 5),
        ("S -> NP[NUM=sg VP", "expected ',' or ']'", 16),
        ("S -> 'the dog", "no partner", 6),
        ("S -> NP[A=b, A=c]", "has a value already", 14),
        ("S -> NP[A->(1)]", "number of a value", 12),
        ("S -> NP[A=(b,c]", "expected ',', '+' or ')'", 15),
        ("% begin S", "there are start, include", 1),
        ("% start S NP", "expected one category", 11),
        ("S -> NP[*kind*=b]", "special features", 9),
    ],
)
def test_what_is_wrong_is_shown_with_line_and_caret(text, message, column):
    with pytest.raises(FormatError, match="<stream>:2:") as caught:
        read(f"A -> 'a'\n{text}\n")
    assert message in str(caught.value)
    assert (caught.value.line, caught.value.column) == (2, column)
    *_, shown, caret = str(caught.value).split("\n")
    assert caret.index("^") == shown.index(text) + column - 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one rule"),
        ("S -> [A=b]", "<stream>:1: the category"),
        ("A -> 'u'\nS -> " + "A " * 2000, "<stream>:2: a rule has 2,001 sides"),
        ("S -> ?x[A=b]", "has no name"),
        ("S -> " + "NP[A=" * 200, "nested more than"),
        ("S -> " + "S/" * 800 + "S", "nested more than"),
        ("S -> NP[A=" + "9" * 5000 + "]", "too many digits"),
    ],
)
def test_what_is_no_grammar_is_refused(text, message):
    with pytest.raises(FormatError, match=message.replace("[", r"\[")):
        read(text)


def test_a_file_that_includes_itself_is_refused(tmp_path):
    (tmp_path / "a.fcfg").write_text("% include b.fcfg\nS -> 'a'\n")
    (tmp_path / "b.fcfg").write_text("% include a.fcfg\n")
    with pytest.raises(FormatError, match="includes itself"):
        read_fcfg(tmp_path / "a.fcfg")
