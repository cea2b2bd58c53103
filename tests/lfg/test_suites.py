"""Test files of XLE: what its annotations mean."""

from weft.commands.lfg.suites import read_expectations


def test_a_run_that_xle_gave_up_is_no_part_of_the_sentence():
    lines = ["It rains. (-1 5.0 78)", "", "It (really) rains. (2 0.1 7)"]
    first, second = read_expectations(enumerate(lines, 1), "suite")
    assert (first.text, first.optimal) == ("It rains.", None)
    assert (second.text, second.optimal) == ("It (really) rains.", 2)


def test_a_star_is_for_ungrammatical_analyses():
    for lines in (["*1+2: a"], ["a (*1+2 0.1 7)"]):
        [found] = read_expectations(enumerate(lines, 1), "suite")
        assert (found.text, found.shown, found.is_starred) == ("a", "*1+2", True)
