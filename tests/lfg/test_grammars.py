"""Grammars that people wrote for XLE, with the numbers that XLE gives where they are known."""

import re

import pytest

from weft.lfg.parser import load_lfg


@pytest.fixture(scope="module")
def xle(data_folder):
    folder = data_folder / "grammars" / "xle"
    if not folder.is_dir():
        pytest.skip("no grammars/xle in the folder of corpora")
    return folder


def sentences(path):
    """The sentences of a test file, without comments and translations."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and line.lstrip()[0] not in '#"']


def expected(path):
    """The sentences of a file that XLE wrote, with its numbers of analyses."""
    found = (re.fullmatch(r"(.*) \((\d+)\S* [\d.]+ \d+\)", line) for line in sentences(path))
    return [(match[1], int(match[2])) for match in found if match]


@pytest.mark.parametrize(("name", "count"), [("testfile", 11), ("negative-test", 20)])
def test_the_french_lesson_gives_the_numbers_of_xle(xle, name, count):
    folder = xle / "french-lesson-6"
    parser = load_lfg(folder / "basic-french.lfg")
    given = expected(folder / f"{name}.lfg.new")
    assert len(given) == count
    found = [(sentence, len(parser.parse(sentence))) for sentence, _ in given]
    assert found == given


def test_mandarin_sentences_are_analysed_unless_they_should_not_work(xle):
    folder = xle / "mandarin-2022"
    parser = load_lfg(folder / "restructuring.lfg")
    found = [len(parser.parse(each)) for each in sentences(folder / "testsuite.lfg")]
    assert found == [1] * 11 + [0, 0]


def test_portuguese_sentences_all_have_analyses(xle):
    folder = xle / "brgram"
    parser = load_lfg(folder / "config.lfg")
    found = {each: len(parser.parse(each)) for each in sentences(folder / "testfile.lfg")}
    assert len(found) == 102
    assert [sentence for sentence, number in found.items() if not number] == []
