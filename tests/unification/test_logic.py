"""λ-expressions: read as NLTK reads them, and reduced without catching variables."""

from __future__ import annotations

import pytest
from nltk.sem.logic import Expression

from weft.errors import LimitError
from weft.unification.logic import LogicError, Name, fill, read_logic, reduce_logic, write_logic

TEXTS = [
    r"\x y.(see(x,y) & -(x = y))",
    r"exists x.(dog(x) & all y.(cat(y) -> chase(x,y)))",
    r"\P Q.exists x.(P(x) & Q(x))",
    r"(\P.P(kim))(\x.walk(x))",
    r"\P.P(x)(Q)",
    r"(\x.\y.see(x,y))(y)",
    r"all x.P(x) & Q(x) | R(x) <-> -S(x)",
    r"not all x.(man(x) implies mortal(x))",
    r"\X y.X(\x.chase(y,x))",
    r"(\P Q.all x.(P(x) -> Q(x)))(\x.dog(x))(\x.bark(x))",
    r"fun(a)(b, c) = gun(d) & a != b",
    r"((\x.(\y.(x & y)))(p))(q)",
    r"iota x.(king(x) & exists y.of(x,y))",
]


@pytest.mark.parametrize("text", TEXTS)
def test_reading_and_reducing_as_nltk_does(text):
    theirs = Expression.fromstring(text)
    ours = read_logic(text)
    assert Expression.fromstring(write_logic(ours)) == theirs
    assert Expression.fromstring(write_logic(reduce_logic(ours))) == theirs.simplify()
    assert read_logic(write_logic(ours)) == ours


def test_free_variables_are_not_caught():
    body = read_logic(r"\y.see(?0, y)")
    assert write_logic(fill(body, {"?0": Name("y")})) == r"\z1.see(y,z1)"
    assert write_logic(fill(body, {"?0": Name("kim")})) == r"\y.see(kim,y)"


@pytest.mark.parametrize(
    "text", ["", "(", r"\.x", "a b", "f(a", "a &", "exists .x", "a > b", "f()"]
)
def test_what_is_no_expression_is_refused(text):
    with pytest.raises(LogicError):
        read_logic(text)


def test_deep_ones_are_refused():
    with pytest.raises(LogicError, match="deeply"):
        read_logic("(" * 200 + "a" + ")" * 200)


@pytest.mark.parametrize("text", [r"(\x.x(x))(\x.x(x))", r"(\x.(x(x) & x(x)))(\x.(x(x) & x(x)))"])
def test_reduction_without_end_is_refused(text):
    with pytest.raises(LimitError, match="too many steps"):
        reduce_logic(read_logic(text))
