"""Rules in XLE's notation: right sides, macros, categories with parameters, METARULEMACRO."""

from __future__ import annotations

import pytest

from lfg.reading import read, sided
from weft.errors import FormatError
from weft.lfg.language import (
    Category,
    Choice,
    Ignore,
    Nothing,
    Repeat,
    Sequence,
    Shuffle,
)
from weft.lfg.write import show_description, show_side

SIDES = {
    "A B": "A B",
    "A; B;": "A B",
    "(A) B": "(A) B",
    "{A|B C|}": "{ A | B C |  }",
    "[A B] C": "[A B] C",
    "A* B+ A#1#2 A#2 A#0#1 A#2#*": "[A]* [B]+ [A]#1#2 [A]#2#2 (A) [A]#2#*",
    "[A B]* {A|B}+": "[A B]* [{ A | B }]+",
    "A * B +": "[A]* [B]+",
    "[A, B C]": "A, [B C]",
    "A, B": "A, B",
    "A B/C": "A [B]/[C]",
    "A {B|C}#0#1 / D": "A [({ B | C })]/[D]",
    "A: (^ X)=!; B": "A: (^ X) = !; B",
    "A*: ! $ (^ ADJ); B": "[A: ! $ (^ ADJ);]* B",
    "(A: (^ X)=!) B": "(A: (^ X) = !;) B",
    "{A: (^ X)=! | B}: (! C)=d": "{ A: (^ X) = ! (! C) = d; | B: (! C) = d; }",
    "{A | e: (^ X)=y}": "{ A | e: (^ X) = y; }",
    "e: (^ X)=y; A": "e: (^ X) = y; A",
    "VP[fin] VP[+R -S] VP[a,b]": "VP[fin] VP[+R -S] VP[a b]",
    "C' V'": "C' V'",
    "{A: a=b | B}": "B",
    "(A: a=b) B": "[] B",
    "A*: a=b; B": "[] B",
}


@pytest.mark.parametrize("text", SIDES)
def test_right_sides(text):
    assert sided(text) == SIDES[text]


def test_types_of_right_sides():
    rules = read("S --> [A, B] C/D (E) F*: ! $ ^; e: (^ X)=y; VP[x].").rules
    shuffled, ignoring, optional, repeated, empty, category = rules["S"].parts
    assert isinstance(shuffled, Shuffle)
    assert isinstance(ignoring, Ignore)
    assert optional == Choice((optional.options[0], Sequence(())))
    assert isinstance(repeated, Repeat)
    assert isinstance(empty, Nothing)
    assert isinstance(category, Category)
    assert category.name == "VP[x]"


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("A", "^ = !"),
        ("A: (^ X)=y;", "^ = ! (^ X) = y"),
        ("A: (^ X)=!;", "(^ X) = !"),
        ("A: (! X)=y;", "(! X) = y"),
        ("A: { (^ X)=! | (^ Y) };", "{ (^ X) = ! | (^ Y) }"),
        ("A: (^ PRED)='x<(! X)>';", "(^ PRED) = 'x<(! X)>'"),
        ("A: (^ X: (-> Y)=!;)=z;", "(^ X: (-> Y) = !;) = z"),
        ("A: @T;", "(^ F) = !"),
    ],
)
def test_what_does_not_mention_the_daughter_is_the_head(text, notes):
    grammar = read(f"S --> {text}.", templates="T = (^ F)=!.")
    assert show_description(grammar.rules["S"].notes) == notes


MACROS = """
    DO = NP: (^ OBJ)=!.
    XP = { AP | PP }.
    TWO(C) = C: (^ ONE)=!; C: (^ TWO)=!.
    COORD(C) = C: ! $ ^; [COMMA C: ! $ ^;]* CONJ C: ! $ ^.
    AROUND(X) = LB X RB.
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("V DO", "V NP: (^ OBJ) = !;"),
        ("V @DO", "V NP: (^ OBJ) = !;"),
        ("V XP: (^ XCOMP)=!; Z", "V { AP: (^ XCOMP) = !; | PP: (^ XCOMP) = !; } Z"),
        ("V XP*", "V [{ AP | PP }]*"),
        ("V [DO, XP]", "V [NP: (^ OBJ) = !;, { AP | PP }]"),
        ("@(TWO NP)", "NP: (^ ONE) = !; NP: (^ TWO) = !;"),
        ("@(TWO VP[fin])", "VP[fin]: (^ ONE) = !; VP[fin]: (^ TWO) = !;"),
        ("@(AROUND @(TWO A))", "LB [A: (^ ONE) = !; A: (^ TWO) = !;] RB"),
        ("@(AROUND [A: (^ X)=!; B])", "LB [A: (^ X) = !; B] RB"),
        ("@(AROUND A: (^ X)=!)", "LB A: (^ X) = !; RB"),
        ("@(AROUND A*)", "LB [A]* RB"),
        (
            "@(COORD NP)",
            "NP: ! $ ^; [COMMA NP: ! $ ^;]* CONJ NP: ! $ ^;",
        ),
    ],
)
def test_macros(text, expected):
    assert sided(text, rules=MACROS) == expected


def test_rules_with_variables_are_made_for_the_values_that_are_asked_for():
    rules = """
        S --> NP: (^ SUBJ)=!; VP[fin].
        VP[_type] --> V[_type]: (^ VTYPE)=_type; (VP[inf]: (^ XCOMP)=!)
            { e: _type = fin (^ TENSE); | e: _type ~= fin; }.
        VP[ger] --> G.
        NP[_c $ {nom acc}, _n] --> N: (^ CASE)=_c @(NUM _n).
        X --> NP[nom,sg] NP[gen,sg] VP[ger].
    """
    grammar = read(rules, templates="NUM(N) = (^ NUM)=N.")
    shown = {name: show_side(side).replace(": ^ = !;", "") for name, side in grammar.rules.items()}
    assert shown["VP[fin]"] == "V[fin]: ^ = ! (^ VTYPE) = fin; (VP[inf]: (^ XCOMP) = !;) " + (
        "e: (^ TENSE);"
    )
    assert shown["VP[inf]"].endswith("(VP[inf]: (^ XCOMP) = !;) e")
    assert shown["VP[ger]"] == "G"
    assert shown["NP[nom,sg]"] == "N: ^ = ! (^ CASE) = nom (^ NUM) = sg;"
    assert set(grammar.rules) == {"S", "VP[ger]", "X", "VP[fin]", "VP[inf]", "NP[nom,sg]"}


def test_metarulemacro_applies_to_every_rule():
    rules = """
        S --> NP VP[fin].
        NP --> N.
        VP[_x] --> V.
        METARULEMACRO(_CAT _BASECAT _RHS) =
          { _RHS
          | e: _CAT $c { NP N }; _CAT: ! $ ^; CONJnp _CAT: ! $ ^;
          | e: _CAT ~$ { NP N }; _CAT: (^ B)=_BASECAT; CONJ _CAT }.
    """
    grammar = read(rules)
    shown = {name: show_side(side).replace(": ^ = !;", "") for name, side in grammar.rules.items()}
    assert shown["NP"] == "{ N | e NP: ! $ ^; CONJnp NP: ! $ ^; }"
    assert shown["VP[fin]"] == "{ V | e VP[fin]: ^ = ! (^ B) = VP; CONJ VP[fin] }"
    assert shown["S"] == "{ NP VP[fin] | e S: ^ = ! (^ B) = S; CONJ S }"


def test_a_later_definition_of_the_same_section_is_used_and_the_first_one_warned_of():
    grammar = read("S --> A.\nS --> B.\nM = C.\nM = D.", templates="T = (^ A).\nT = (^ B).")
    assert show_side(grammar.rules["S"]) == "B: ^ = !;"
    assert [(message, place.line) for message, place in grammar.warnings] == [
        ("the rule S is defined again later: this one is not used", 6),
        ("the macro M is defined again later: this one is not used", 8),
        ("the template T is defined again later: this one is not used", 13),
    ]


def test_places_are_kept():
    grammar = read("\n  S --> A\n    B: (^ X)=!.")
    assert (grammar.places["S"].line, grammar.places["S"].column) == (7, 3)
    second = grammar.rules["S"].parts[1]
    assert (second.place.line, second.place.column) == (8, 5)
    assert (second.notes[0].place.line, second.notes[0].place.column) == (8, 13)


@pytest.mark.parametrize(
    ("rules", "line", "message"),
    [
        ("S --> A B", 6, "expected a period at the end of the entry"),
        ("S A.", 6, "expected '-->' of a rule, or '=' of a macro or template"),
        ("S[a] = A.", 6, "expected '-->'"),
        (".", 6, "expected a definition before the period"),
        ("--> A.", 6, "expected the name of a category"),
        ("M(A A) = B.", 6, "two parameters have the same name"),
        ("S --> A & B.", 6, "expected a category; '&' is not read in rules"),
        ("S --> \\A.", 6, "expected a category; '\\' is not read in rules"),
        ("S --> {A|B.", 6, "'{' is not closed"),
        ("S --> A#2#1.", 6, "the second number of #m#n is less than the first"),
        ("S --> @(M a).\nM(A B) = A B.", 6, "M has 2 parameters"),
        ("S --> M.\nM(A B) = A B.", 6, "M has 2 parameters"),
        ("S --> A: (^ X).\nB: c.", 7, "expected '-->' of a rule"),
        ("S --> M.\nM = M.", 7, "nested more than 100 deep"),
        ("S --> A+ + + + + +.", 6, "more than 4 signs of repetition come together"),
        ("S --> A[.", 6, "'[' is not closed"),
        ("S --> A[(x)].", 6, "expected a parameter of the category"),
    ],
)
def test_what_cannot_be_read_is_refused(rules, line, message):
    with pytest.raises(FormatError) as error:
        read(rules)
    assert message in str(error.value)
    assert error.value.line == line
    assert error.value.text is not None


def test_a_macro_that_there_is_not_is_no_part_of_anything():
    grammar = read("S --> A (@NONE).\nX --> @(NONE y).")
    assert show_side(grammar.rules["S"]) == "A: ^ = !; []"
    assert list(grammar.rules) == ["S"]
    assert [place.line for _, place in grammar.warnings] == [6, 7]
