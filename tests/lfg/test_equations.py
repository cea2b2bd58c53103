"""Descriptions in XLE's notation: what each construct becomes."""

from __future__ import annotations

import pytest

from lfg.reading import described, read
from weft.errors import FormatError, LimitError
from weft.lfg.language import Contains, Either, Form, Not, Values
from weft.lfg.write import show_description

SAME = [
    "(^ NUM) = sg",
    "(^ NUM) =c sg",
    "(^ NUM) ~= sg",
    "! $ (^ ADJUNCT)",
    "! $c (^ ADJUNCT)",
    "! ~$ (^ ADJUNCT)",
    "(^ OBJ)",
    "~(^ OBJ)",
    "(^ CASE) = {acc nom}",
    "(^ CASE) =c {acc nom}",
    "{ (^ A) = b | (^ C) = d (^ E) = f }",
    "~[ (^ A) =c b (^ C) =c d ]",
    "(^ OBJ) = %x (%x NUM) = sg",
    "(^ [COMP]* OBJ) = !",
    "(^ [XCOMP]+ {OBJ|OBJ-TH}) = !",
    "(^ (XCOMP) OBJ) = !",
    "(^ [COMP]#1#2 OBJ) = !",
    "(COMP OBJ ^)",
    "((COMP OBJ ^) SUBJ) = (^ X)",
    "([GF]* ^) = %top",
    "(^ ADJUNCT $ PRED)",
    "(^ ? NUM) = sg",
    "(^ [{XCOMP: (-> TENSE) =c past;|COMP: ~(<- X);}]* OBJ) = !",
    "(^ PRED) = 'see<(^ SUBJ)(^ OBJ)>'",
    "(^ PRED) = 'rain<>(^ SUBJ)'",
    "(^ PRED) = 'seem<(^ XCOMP)>(^ SUBJ)'",
    "(^ PRED) = 'see<NULL (^ SUBJ)>'",
    "(^ PRED) = 'New` York'",
    "(^ PROG) = +_",
    "@(CAT (^ XCOMP) {AP VP[fin]})",
    "~@(CAT (^ XCOMP) {AP})",
    "dispreferred $ o::*",
    "{ (^ A) = b |  }",
]


@pytest.mark.parametrize("text", SAME)
def test_what_has_nothing_to_expand_is_read_as_it_is_written(text):
    assert described(text) == text


READ = {
    "(^NUM)=sg": "(^ NUM) = sg",
    "sg = (^ NUM)": "(^ NUM) = sg",
    "(^ SUBJ) $ {nom acc}": "(^ SUBJ) = {acc nom}",
    "(^ CASE) $c {nom acc}": "(^ CASE) =c {acc nom}",
    "(^ CASE) ~$ {nom acc}": "(^ CASE) ~= {acc nom}",
    "(^ CASE) = {nom|acc}": "{ (^ CASE) = nom | (^ CASE) = acc }",
    "(^ CASE) ~= {nom|acc}": "(^ CASE) ~= nom (^ CASE) ~= acc",
    "~(^ NUM)=sg": "(^ NUM) ~= sg",
    "~~(^ NUM)=sg": "(^ NUM) =c sg",
    "~~(^ NUM)": "(^ NUM)",
    "~~[(^ A)=b (^ C)=d]": "(^ A) =c b (^ C) =c d",
    "~{(^ A)=b|(^ C)}": "(^ A) ~= b ~(^ C)",
    "~{(^ A)=b|(^ C) (^ D)}": "(^ A) ~= b ~[ (^ C) (^ D) ]",
    "~ ! $ ^": "! ~$ ^",
    "[(^ A)=b (^ C)=d]": "(^ A) = b (^ C) = d",
    "{ (^ A)=b }": "{ (^ A) = b |  }",
    "{ (^ A)=b | (^ A)=b }": "(^ A) = b",
    "(^ {XCOMP|COMP}* OBJ)=!": "(^ [{XCOMP|COMP}]* OBJ) = !",
    "(^ COMP+ OBJ)=!": "(^ [COMP]+ OBJ) = !",
    "(^ COMP*: (-> A); OBJ)=!": "(^ [COMP: (-> A);]* OBJ) = !",
    "(^ {A: (-> X)=c +; |B: ~(-> X)})=!": "(^ {A: (-> X) =c +;|B: ~(-> X);}) = !",
    "a = a (^ B)": "(^ B)",
    "{ a = b (^ X) | (^ Y) }": "(^ Y)",
    "{ nom $ {nom acc} (^ X) | nom ~$ {nom acc} (^ Y) }": "(^ X)",
    "(^ X) = %stem (^ PRED)='%stem<(^ SUBJ)>'": "(^ X) = w (^ PRED) = 'w<(^ SUBJ)>'",
    "@(CAT (^ XCOMP) AP)": "@(CAT (^ XCOMP) {AP})",
    "@(OT-MARK bad)": "bad $ o::*",
    "@(CONCAT %stem `- up %f) (^ PRED)='%f<(^ SUBJ)>'":
        "%f = w-up (^ PRED) = 'w-up<(^ SUBJ)>'",
    "{ @(CONCAT a b %f) (^ P)='%f' | @(CONCAT c d %f) (^ P)='%f' } (^ Q) = %f":
        "{ %f = ab (^ P) = 'ab' | %f = cd (^ P) = 'cd' } (^ Q) = %f",
    "(^ X) = `_": "(^ X) = `_",
    "(^ X) = a`_": "(^ X) = a`_",
    "(↑ X) = y ¬(↑ Z) ↓ ∈ (↑ ADJ)": "(^ X) = y ~(^ Z) ! $ (^ ADJ)",
}  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_what_the_notation_stands_for(text):
    assert described(text) == READ[text]


def test_types_of_what_is_read():
    grammar = read(lexicon="w X * {(^ A)=b|! $ ^} ~[(^ A) (^ B)] (^ C)={a b} (^ D)='e'.")
    either, negated, values, form = grammar.entries["w"][0].notes
    assert isinstance(either, Either)
    assert isinstance(either.options[1][0], Contains)
    assert isinstance(negated, Not)
    assert values.right == Values(frozenset("ab"))
    assert form.right == Form("e")


TEMPLATES = """
    SG = (^ NUM)=sg.
    FEAT(F V) = (^ F)=V.
    AT(D F V) = (D F)=V.
    IF(P Q) = { ~P | Q }.
    IFF(P Q) = @(IF P Q) @(IF Q P).
    DEFAULT(D V) = { D D~=V | D=V }.
    TRANS(P) = (^ PRED)='P<(^ SUBJ)(^ OBJ)>'.
    CONTROL = (^ XCOMP SUBJ)=(^ OBJ).
    WHO = (^ SUBJ).
    PATH = COMP* OBJ.
    CASES = {nom acc}.
    PASS(_SCHEMATA) =
      { _SCHEMATA (^ PASSIVE)=-
      | _SCHEMATA (^ PASSIVE)=+ (^ OBJ)-->(^ SUBJ)
        { (^ SUBJ)-->NULL | (^ SUBJ)-->(^ OBL-AG) (^ OBL-AG CASE)=c by } }.
    OBJ-TO-SUBJ(S) = S (^ OBJ)-->(^ SUBJ) (^ SUBJ ANIM)=+.
    DEMOTE(S) = S (^ OBJ)-->(^ SUBJ) (^ SUBJ)-->(^ OBL) (^ SUBJ ANIM)=+ (^ X)='y<(^ SUBJ)>'.
    NOT(P) = ~P.
"""
CALLED = {
    "@SG": "(^ NUM) = sg",
    "@(SG)": "(^ NUM) = sg",
    "@(FEAT NUM sg)": "(^ NUM) = sg",
    "@(FEAT NUM {sg|pl})": "{ (^ NUM) = sg | (^ NUM) = pl }",
    "@(FEAT {SUBJ|OBJ} x)": "(^ {SUBJ|OBJ}) = x",
    "@(FEAT COMP* x)": "(^ [COMP]*) = x",
    "@(AT (^ OBJ) NUM sg)": "((^ OBJ) NUM) = sg",
    "@(AT ! NUM sg)": "(! NUM) = sg",
    "@(AT %x NUM sg)": "(%x NUM) = sg",
    "@(IF (^ A)=c b [(^ C)=d (^ E)=f])": "{ (^ A) ~= b | (^ C) = d (^ E) = f }",
    "@(IF ~ (^ A)= b (^ C)= d )": "{ (^ A) =c b | (^ C) = d }",
    "@(IFF (^ A) @SG)": "{ ~(^ A) | (^ NUM) = sg } { (^ NUM) ~= sg | (^ A) }",
    "@(DEFAULT (^ A) b)": "{ (^ A) (^ A) ~= b | (^ A) = b }",
    "@(NOT {(^ A)=b|(^ C)})": "(^ A) ~= b ~(^ C)",
    "@(NOT @(IF (^ A) (^ B)))": "(^ A) ~(^ B)",
    "@WHO = %x": "(^ SUBJ) = %x",
    "(@WHO NUM) = sg": "((^ SUBJ) NUM) = sg",
    "(^ @PATH) = !": "(^ [COMP]* OBJ) = !",
    "(^ CASE) = @CASES": "(^ CASE) = {acc nom}",
    "@(PASS @(TRANS see))":
        "{ (^ PRED) = 'see<(^ SUBJ)(^ OBJ)>' (^ PASSIVE) = -"
        " | (^ PRED) = 'see<NULL (^ SUBJ)>' (^ PASSIVE) = +"
        " | (^ PRED) = 'see<(^ OBL-AG)(^ SUBJ)>' (^ PASSIVE) = + (^ OBL-AG CASE) =c by }",
    # What comes by the argument is about functions before the change, what the body says is not.
    "@(DEMOTE [@(TRANS see) (^ SUBJ NUM)=sg])":
        "(^ PRED) = 'see<(^ OBL)(^ SUBJ)>' (^ OBL NUM) = sg (^ SUBJ ANIM) = +"
        " (^ X) = 'y<(^ OBL)>'",
    "@(OBJ-TO-SUBJ [@(TRANS see) @CONTROL (^ OBJ CASE)=acc])":
        "(^ PRED) = 'see<(^ SUBJ)(^ SUBJ)>' (^ XCOMP SUBJ) = (^ SUBJ) (^ SUBJ CASE) = acc"
        " (^ SUBJ ANIM) = +",
}  # fmt: skip


@pytest.mark.parametrize("text", CALLED)
def test_templates(text):
    assert described(text, TEMPLATES) == CALLED[text]


def test_statements_about_an_argument_that_becomes_nothing_are_left_out():
    templates = "DROP(S) = S (^ SUBJ)-->NULL. T = (^ PRED)='p<(^ SUBJ)>' (^ SUBJ NUM)=sg (^ X)=y."
    assert described("@(DROP @T)", templates) == "(^ PRED) = 'p<NULL>' (^ X) = y"


@pytest.mark.parametrize(
    ("text", "kept", "warning"),
    [
        ("(s::^ X)=y (^ A)=b", "(^ A) = b", "the projection s:: is not read"),
        ("(^ A)=b %x $ (s::^ GLUE)", "(^ A) = b", "the projection s:: is not read"),
        ("s::^ = (^ A) ~(s::^ X)", "", "the projection s:: is not read"),
        ("! << (^ A)", "", "subsumption is not read"),
        ("(^ PRED ARG1)=c um (^ A)", "(^ A)", "a part of a semantic form, PRED ARG1, is not"),
        ("(^ X)=(^ PRED FN) (^ A)", "(^ A)", "a definition by the name of a semantic form is not"),
        ("^/X = !", "", "restriction is not read"),
        ("! <h (^ A)", "", "precedence and scope is not read"),
        ("! $<h>s (^ ADJUNCT)", "! $ (^ ADJUNCT)", "the order of a set's elements is not read"),
        ("{ (* MOTHER) | ~(* MOTHER) } (^ A)", "(^ A)", "a node of the c-structure is not read"),
        ("@NONE ~@NONE (^ A)", "(^ A)", "there is no template NONE: the call says nothing"),
        ("@(CONCAT %a b %c) (^ PRED)='%c'", "", "CONCAT of what is not known"),
    ],
)
def test_what_is_not_read_is_left_out_with_a_warning_that_names_its_place(text, kept, warning):
    grammar = read(lexicon=f"\nw X * {text}.")
    assert show_description(grammar.entries["w"][0].notes) == kept
    message, place = grammar.warnings[0]
    assert message.startswith(warning)
    assert (place.path, place.line) == ("<stream>", 15)


def test_names_of_semantic_forms_are_tested():
    said = "(^ PRED FN)=um (^ SPEC PRED FN)~=dois (^ PRED FN)~={a b} (^ X)=c(^ PRED FN)"
    grammar = read(lexicon=f"w X * {said}.")
    assert not grammar.warnings
    assert show_description(grammar.entries["w"][0].notes) == (
        "(^ PRED FN) =c um (^ SPEC PRED FN) ~= dois (^ PRED FN) ~= {a b} (^ X) =c (^ PRED FN)"
    )


def test_a_call_with_the_wrong_number_of_arguments_is_left_out():
    grammar = read(lexicon="w X * @(T a b) (^ C)=d.", templates="T(A) = (^ A)=b.")
    assert len(grammar.entries["w"][0].notes) == 1
    assert "T has 1 parameters (<stream>:10), but 2 arguments are given" in grammar.warnings[0][0]


@pytest.mark.parametrize(
    "text",
    [
        "(NUM)=sg", "(^ A)=", "= b", "^", "a", "(^ A) b", "! $ a", "{ (^ A)", "(^ A) = {a b|c}",
        "(^ A&B)=c", "'x'", "(^ P)='<(^ A)>'", "(^ P)='x<a>'", "(^ A#2#1)=b", "(^ A#x)=b",
        "(^ A#1000)=b", "(^ %x)=b", "@(CAT (^ A))", "@(OT-MARK a b)", "(^ A)-->b", "@", "@(1", "~",
        "~(^ A)-->(^ B)", "(^ A)=@NONE", "(^ A}=b", "[(^ A)=b)", "(^ A)=b ] (^ C)", "(^ A)=b | c",
    ],
)  # fmt: skip
def test_an_entry_that_cannot_be_read_is_left_out_and_the_next_one_is_read(text):
    grammar = read(lexicon=f"w X * {text}.\nv X * (^ A)=b.")
    assert [word for word, entries in grammar.entries.items() if entries] == ["v"]
    assert grammar.warnings[0][0].startswith("the entry 'w' is left out: ")
    assert grammar.warnings[0][1].line == 14


def test_what_cannot_be_read_in_a_rule_is_refused_with_line_and_caret():
    with pytest.raises(FormatError) as error:
        read(rules="S --> A: (^ X)=;\n B.")
    assert str(error.value) == (
        "<stream>:6:16: expected a designator, such as (^ SUBJ), ! or a symbol\n"
        "    S --> A: (^ X)=;\n"
        "                   ^"
    )


def test_errors_in_templates_are_shown_where_they_stand():
    with pytest.raises(FormatError) as error:
        read(rules="S --> A: @T.", templates="T = (^ X) = .")
    assert (error.value.line, error.value.column) == (10, 11)


def test_hostile_templates_are_refused():
    doubling = "".join(f"T{n} = @T{n + 1} @T{n + 1}. " for n in range(60))
    with pytest.raises(LimitError, match="too many tokens once templates and macros are expanded"):
        read(lexicon="w X * @T0.", templates=doubling, limit=50_000)
    grammar = read(lexicon="w X * @T.", templates="T = @T.")
    assert "nested more than 100 deep" in grammar.warnings[0][0]
    for opening, closing in ("[]", "{}", ("(", " X)"), ("~", "")):
        middle = "^" if opening == "(" else "(^ A)"
        text = opening * 5000 + middle + closing * 5000
        assert "nested more than" in read(lexicon=f"w X * {text}.").warnings[0][0]
    with pytest.raises(FormatError, match="nested more than"):
        read(rules=f"S --> {'[' * 5000}A{']' * 5000}.")


def test_choices_among_lexical_rules_are_limited():
    rules = " ".join(f"{{ (^ A{n})-->NULL | (^ B{n})-->NULL }}" for n in range(12))
    grammar = read(lexicon=f"w X * {rules}.")
    assert "more than 256 choices among lexical rules" in grammar.warnings[0][0]
