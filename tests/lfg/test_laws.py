"""Laws of the plain solver on random grammars."""

from functools import lru_cache

from hypothesis import given, settings
from hypothesis import strategies as st

from lfg import laws
from lfg.small import words
from lfg.strategies import grammars, tests
from weft.lfg.reference.solve import Solver

make_solver = lru_cache(maxsize=4)(Solver)


def solve(grammar, text):
    return make_solver(grammar).solve(words(grammar, text))


@settings(max_examples=20)
@given(grammars())
def test_the_order_of_statements_does_not_matter(grammar):
    laws.law_of_order(solve, grammar)


@settings(max_examples=20)
@given(grammars())
def test_what_is_said_twice_is_said_once(grammar):
    laws.law_of_repetition(solve, grammar)


@settings(max_examples=20)
@given(grammars(), tests)
def test_a_test_divides_the_analyses(grammar, test):
    laws.law_of_tests(solve, grammar, test)


@settings(max_examples=20)
@given(grammars())
def test_an_equation_that_holds_changes_nothing(grammar):
    laws.law_of_known_equations(solve, grammar)


@settings(max_examples=20)
@given(grammars(), st.sampled_from(("F", "G", "SUBJ", "ADJ")))
def test_what_must_exist_exists(grammar, name):
    laws.law_of_existence(solve, grammar, name)


@settings(max_examples=20)
@given(grammars())
def test_marks_make_no_difference_to_numbers(grammar):
    laws.law_of_marks(solve, grammar)
