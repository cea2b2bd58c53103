"""The grammars people have load whole: as many rules, templates and entries as their files hold."""

from __future__ import annotations

from functools import cache

import pytest

from weft.lfg import read_lfg
from weft.lfg.check import check_lfg
from weft.lfg.read import read_notation
from weft.lfg.tokens import analyse
from weft.lfg.write import show_description, show_side, write_lfg

MANDARIN = "mandarin-2022/restructuring.lfg"
FRENCH = "french-lesson-6/basic-french.lfg"
BRAZILIAN = "brgram/config.lfg"


@pytest.fixture
def xle(data_folder):
    folder = data_folder / "grammars" / "xle"
    if not folder.is_dir():
        pytest.skip("no grammars/xle in the folder of corpora")
    return folder


@cache
def read_once(path):
    return read_lfg(path)


def sentences(path):
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and line[0] not in '#"']


# Counted from the files by another program; of what is defined twice, one is used.
@pytest.mark.parametrize(
    ("name", "rules", "macros", "templates", "entries"),
    [
        (MANDARIN, 10, 0, 11, 14),
        (FRENCH, 8, 10, 56 - 2, 169 - 2),  # T1, PASSIVE; commence twice, propre lacks a bracket
        (BRAZILIAN, 22, 15, 67, 352 - 13),  # nouns.lfg and tags.lfg both have the tags
    ],
)
def test_grammars_load_whole(xle, name, rules, macros, templates, entries):
    found = read_notation(xle / name)
    assert len(found.rules) == rules
    assert len(found.macros) == macros
    assert len(found.templates) == templates
    assert len(found.entries) == entries
    grammar = read_once(xle / name)
    assert len(grammar.rules) == rules
    special = sum(word in ("-unknown", "-token") for word in found.entries)
    assert len(grammar.entries) == entries - special


@pytest.mark.parametrize("name", [MANDARIN, FRENCH, BRAZILIAN])
def test_grammars_are_written_and_read_again(xle, tmp_path, name):
    grammar = read_once(xle / name)
    write_lfg(tmp_path / "g.lfg", grammar)
    again = read_lfg(tmp_path / "g.lfg")
    assert not again.warnings
    assert again.rules == grammar.rules
    assert again.entries == {word: each for word, each in grammar.entries.items() if each}
    assert again.unknown == grammar.unknown
    assert again.governable == grammar.governable


def test_what_is_wrong_in_the_grammars_is_found(xle):
    french = check_lfg(xle / FRENCH)
    assert [finding.text for finding in french.undefined_templates] == ["COL"]
    assert [finding.place.line for finding in french.left_out] == [69, 6, 4]
    brazilian = check_lfg(xle / BRAZILIAN)
    assert len(brazilian.doubles) == 13
    assert [finding.text for finding in brazilian.undefined_categories] == ["Ptcp_BASE"]
    assert [finding.text for finding in brazilian.unreachable] == ["Ptcp"]


def test_every_word_of_the_test_files_has_an_entry(xle):
    for name, files in (
        (MANDARIN, ["mandarin-2022/testsuite.lfg"]),
        (FRENCH, ["french-lesson-6/testfile.lfg", "french-lesson-6/negative-test.lfg"]),
        (BRAZILIAN, ["brgram/testfile.lfg"]),
    ):
        grammar = read_once(xle / name)
        for file in files:
            for sentence in sentences(xle / file):
                lattice = analyse(grammar, sentence)
                assert lattice.unknown == (), sentence
                assert lattice.arcs


def test_contractions_are_split_and_words_analysed(xle):
    grammar = read_once(xle / BRAZILIAN)
    lattice = analyse(grammar, "A Maria comprou mangas no mangue.")
    assert lattice.words == ("a", "maria", "comprou", "mangas", "em", "o", "mangue", ".")
    texts = [arc.text for arc in lattice.arcs]
    assert {"maria", "+NPR", "+F", "+Sg", "manga", "+N", "+Pl", "em"} <= set(texts)
    assert len(sentences(xle / "brgram/testfile.lfg")) == 102


def test_constructs_that_are_easily_read_wrongly(xle):
    mandarin = read_once(xle / MANDARIN)
    assert "(^ [{XCOMP: (-> INTOP);|COMP: (-> INTOP);}]* OBJ) = !" in show_side(
        mandarin.rules["I'"]
    )
    assert "IP[-INTOP]: (^ XCOMP: ~(-> RESTR);) = !;" in show_side(mandarin.rules["V'"])
    french = read_once(xle / FRENCH)
    assert show_description(french.entries["le long de"][0].notes) == (
        "(^ PRED) = 'LE` LONG` DE<(^ SUBJ)(^ OBJ)>'"
    )
    assert "'ACHETER<NULL (^ SUBJ)(^ OBJ2)>'" in show_description(
        french.entries["achetée"][0].notes
    )
    brazilian = read_once(xle / BRAZILIAN)
    assert show_side(brazilian.rules["Vbar"]).startswith("V: ^ = !; [({ DP: (^ OBJ) = ! ")
    assert "(! CASE) = acc;, PP: " in show_side(brazilian.rules["Vbar"])
    assert "(^ PSEM) = {dir loc}" in show_description(brazilian.entries["em"][0].notes)
