"""Files of a grammar: sections, CONFIG, priorities, encodings."""

from __future__ import annotations

import gzip
import io
import os
import re

import pytest

from lfg.reading import read, source
from weft.errors import FormatError
from weft.lfg import read_lfg
from weft.lfg.write import show_description, show_side

CONFIG = """D E CONFIG (1.0)
  ROOTCAT S.
  FILES {files}.
  RULES (D E).
  TEMPLATES (LOW E) (D E).
  LEXENTRIES (D E).
{more}
----
"""


def folder(tmp_path, files, more="", **texts):
    (tmp_path / "config.lfg").write_text(CONFIG.format(files=files, more=more))
    for name, text in texts.items():
        path = tmp_path / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path / "config.lfg"


def test_files_are_looked_for_beside_the_configuration(tmp_path):
    path = folder(
        tmp_path,
        "rules/r.lfg\n   lexicon.lfg ",
        rules__r_lfg="D E RULES (1.0)\n S --> N.\n----",
        lexicon_lfg="D E LEXICON (1.0)\n w N *.\n----",
    )
    grammar = read_lfg(path)
    assert list(grammar.rules) == ["S"]
    assert list(grammar.entries) == ["w"]
    assert grammar.places["S"].path == str(tmp_path / "rules" / "r.lfg")


def test_a_file_that_is_missing_is_named_in_the_configuration(tmp_path):
    with pytest.raises(FormatError, match=r"none.lfg: cannot be read: no such file") as error:
        read_lfg(folder(tmp_path, "none.lfg"))
    assert error.value.line == 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize(
    ("files", "more", "line"), [("pipe.lfg", "", 3), ("x", "BASECONFIGFILE pipe.lfg.", 7)]
)
def test_a_file_that_is_a_pipe_is_refused_and_not_waited_for(tmp_path, files, more, line):
    os.mkfifo(tmp_path / "pipe.lfg")
    with pytest.raises(FormatError, match=r"pipe.lfg is no regular file") as error:
        read_lfg(folder(tmp_path, files, more))
    assert error.value.line == line


def test_sections_that_are_not_listed_are_dead_and_later_names_win(tmp_path):
    templates = "{} TEMPLATES (1.0)\n T = (^ A)={}.\n----\n"
    path = folder(
        tmp_path,
        "t.lfg",
        t_lfg=templates.format("D E", "high")
        + templates.format("LOW E", "low")
        + templates.format("DEAD E", "dead")
        + "D E LEXICON (1.0)\nw X * @T.\n----\nOTHER E LEXICON (1.0)\nv X *.\n----",
    )
    grammar = read_lfg(path)
    assert show_description(grammar.entries["w"][0].notes) == "(^ A) = high"
    assert "v" not in grammar.entries


def test_headers_and_lines_may_be_indented_and_the_last_line_missing():
    text = b"\n  D   E   CONFIG (1.0)\n ROOTCAT S. RULES (D E).\n  ---- \n"
    text += b"\n\tD E RULES (1.0)\n S --> A."
    assert list(read_lfg(io.BytesIO(text)).rules) == ["S"]


def test_text_after_the_end_of_a_section_is_warned_of():
    text = source("S --> A.").replace(b"----\n\nD E TEMPLATES", b"----\nlost\nD E TEMPLATES")
    grammar = read_lfg(io.BytesIO(text))
    assert [(message, place.line) for message, place in grammar.warnings] == [
        ("text after the end of a section is not read", 8)
    ]


def test_signs_that_repeat_nothing_are_themselves():
    grammar = read(rules="S --> A.", config="ROOTCAT S. RULES (D E). GOVERNABLERELATIONS +A B* ?.")
    assert [
        re.fullmatch(each, text) is not None
        for each, text in zip(grammar.governable, ("+A", "B*", "C"), strict=True)
    ] == [True, True, True]


def test_fields_of_the_configuration():
    grammar = read(
        rules="S --> nil: (^ X)=y; A.",
        config="""ROOTCAT S. RULES (D E).
            GOVERNABLERELATIONS SUBJ OBJ OBL-?+ OBL?*
              COMP.
            SEMANTICFUNCTIONS ADJUNCT. NONDISTRIBUTIVES NUM PERS. EPSILON nil.
            OPTIMALITYORDER *Bad (One Two) NOGOOD +Good. GENOPTIMALITYORDER X.
            CHARACTERENCODING utf-8. "a comment: ROOTCAT X." """,
    )
    assert grammar.governable == ("SUBJ", "OBJ", "OBL-.+", "OBL.*", "COMP")
    assert grammar.semantic == ("ADJUNCT",)
    assert grammar.nondistributive == ("NUM", "PERS")
    assert grammar.optimality == (("*Bad",), ("One", "Two"), ("NOGOOD",), ("+Good",))
    assert show_side(grammar.rules["S"]) == "e: (^ X) = y; A: ^ = !;"
    assert not grammar.warnings


def test_what_is_not_used_is_warned_of():
    text = b"D E FEATURES (1.0)\nNUM: -> $ {sg pl}.\n----\n"
    config = "ROOTCAT S. REPARSECAT FRAGMENTS. GRAMMARVERSION 1.0.\nRULES (D E). FEATURES (D E)."
    grammar = read_lfg(io.BytesIO(source("S --> A.", config=config) + text))
    assert [(message, place.line) for message, place in grammar.warnings] == [
        ("REPARSECAT of CONFIG is not used", 2),
        ("GRAMMARVERSION of CONFIG is not used", 2),
        ("feature declarations are not checked", 17),
    ]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("RULES (D E).", "CONFIG has no ROOTCAT"),
        ("ROOTCAT S. RULES (D E)", "RULES has no period at its end"),
        ("ROOTCAT S. ROOTCAT X.", "ROOTCAT is there a second time"),
        ("ROOTCAT S. RULE (D E).", "no field of CONFIG 'RULE': did you mean RULES"),
        ("ROTCAT S.", "no field of CONFIG 'ROTCAT': did you mean ROOTCAT"),
        ("ROOTCAT S. FILES x.lfg.", "other files can be read beside a file only"),
        ("ROOTCAT S. BASECONFIGFILE x.lfg.", "other files can be read beside a file only"),
        ("ROOTCAT S. CHARACTERENCODING none.", "there is no encoding 'none'"),
    ],
)
def test_configurations_that_cannot_be_read(config, message):
    with pytest.raises(FormatError, match=message):
        read("S --> A.", config=config)


def test_a_file_without_configuration_is_refused():
    with pytest.raises(FormatError, match="there is no section CONFIG"):
        read_lfg(io.BytesIO(b"# SENTENCE_ID: 001\n\nThe cow sleeps.\n"))


def test_a_base_configuration_is_changed(tmp_path):
    folder(
        tmp_path,
        "a.lfg b.lfg",
        more="  GOVERNABLERELATIONS SUBJ OBJ.\n  SEMANTICFUNCTIONS ADJUNCT.",
        a_lfg="D E RULES (1.0)\n S --> A.\n----",
        b_lfg="D E LEXICON (1.0)\n w A *.\n----",
        c_lfg="D E LEXICON (1.0)\n v A *.\n----",
        user_lfg="""U E CONFIG (1.0)
            BASECONFIGFILE config.lfg. FILES -b.lfg +c.lfg.
            GOVERNABLERELATIONS +COMP. SEMANTICFUNCTIONS MOD.
            ----""",
    )
    grammar = read_lfg(tmp_path / "user.lfg")
    assert grammar.name == "U E"
    assert list(grammar.entries) == ["v"]
    assert grammar.root == "S"
    assert grammar.governable == ("SUBJ", "OBJ", "COMP")
    assert grammar.semantic == ("MOD",)


def test_encodings_and_line_ends():
    text = source(lexicon="fée N * (^ PRED)='FÉE'.").decode()
    for encoding in ("utf-8", "iso8859-1", "utf-8-sig"):
        stated = text.replace("ROOTCAT S.", f"ROOTCAT S. CHARACTERENCODING {encoding}.")
        raw = stated.replace("\n", "\r").encode(encoding)
        assert list(read_lfg(io.BytesIO(raw)).entries) == ["fée"]
    assert list(read_lfg(io.BytesIO(gzip.compress(text.encode()))).entries) == ["fée"]
    assert list(read_lfg(io.BytesIO(text.encode("latin-1")), encoding="latin-1").entries) == ["fée"]
    with pytest.raises(FormatError, match=r"cannot be read as utf-8.*CHARACTERENCODING"):
        read_lfg(io.BytesIO(text.encode("latin-1")))
    with pytest.raises(FormatError, match="the gzip data ends too early"):
        read_lfg(io.BytesIO(gzip.compress(text.encode())[:-9]))


def test_a_gzipped_file_that_is_too_large_is_refused():
    with pytest.raises(FormatError, match="has more than 67,108,864 bytes"):
        read_lfg(io.BytesIO(gzip.compress(b" " * ((64 << 20) + 1))))
