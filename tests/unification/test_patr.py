"""PATR-II: the same engine, another notation; what is read, what is left out, what is refused."""

from __future__ import annotations

import io
from collections import Counter

import pytest
from hypothesis import given, settings

from unification.oracle import TooMany, analyses, shape, strings
from unification.patr import as_patr
from unification.strategies import open_grammars, plain_grammars
from weft import unify
from weft.errors import FormatError, LimitError, OptionError
from weft.unification import FeatureParser, ParseLimits, read_fcfg, read_patr, resolve
from weft.unification.carried import carried_features

FEW = ParseLimits(edges=2000)


def read(text):
    return read_patr(io.BytesIO(text.encode()))


def counts(text, *sentences):
    parser = FeatureParser(read(text))
    return [len(parser.parse(sentence)) for sentence in sentences]


@settings(max_examples=40)
@given(plain_grammars())
def test_both_notations_say_the_same(text):
    theirs = read_fcfg(io.BytesIO(text.encode()))
    ours = read(as_patr(theirs))
    assert [rule.structure for rule in ours.rules] == [rule.structure for rule in theirs.rules]
    for words in strings(("u", "v"), 2):
        try:
            expected = FeatureParser(theirs).parse(words, FEW)
        except LimitError:
            continue
        found = FeatureParser(ours).parse(words, FEW)
        assert len(found) == len(expected)
        if len(found) < 50:
            assert list(map(shape, found)) == list(map(shape, expected))


@settings(max_examples=60)
@given(open_grammars())
@pytest.mark.slow
def test_forests_of_open_grammars_are_what_enumeration_finds(text):
    try:
        parser = FeatureParser(read(text))
    except FormatError:
        return  # equations that contradict each other
    for words in strings(("u", "v"), 2):
        try:
            expected = analyses(parser.grammar, words)
        except TooMany:
            continue
        found = parser.parse(words)
        assert Counter(map(shape, found)) == Counter(map(shape, expected))
        for tree in found:
            resolve(parser.grammar, tree)


SAMPLE = """
; Verbs say what they want, one thing after the other.
Parameter: Start symbol is S.

Let Verb be <cat> = VP <head form> = finite.
Let Sg be <head agreement> = singular.
Let Pl be <head agreement> = plural.
Let WantsSg be <head subject agreement> = singular.
Let Intransitive be <wants> = nothing.
Let Transitive be <wants first cat> = NP <wants rest> = nothing.
Let Ditransitive be
  <wants first cat> = NP
  <wants rest first cat> = PP
  <wants rest first head preposition> = to
  <wants rest rest> = nothing.

Rule {sentence} S -> NP VP:
  <S head> = <VP head>
  <S head form> = finite
  <VP wants> = nothing
  <S head subject> = <NP head>.

Rule {complement} VP_1 -> VP_2 X:
  <VP_1 head> = <VP_2 head>
  <VP_2 wants first> = <X>
  <VP_2 wants rest> = <VP_1 wants>.

Rule {prepositional} PP -> P NP: <PP head> = <P head>.

Word gardener: <cat> = NP Sg.
Word gardeners: <cat> = NP Pl.
Word roses: <cat> = NP Pl.
Word sleeps: Verb Intransitive WantsSg.
Word waters: Verb Transitive WantsSg.
Word sends: Verb Ditransitive WantsSg.
Word sent: Verb Ditransitive.
Word to: <cat> = P <head preposition> = to.
Word from: <cat> = P <head preposition> = from.
"""


def test_lists_of_what_verbs_want():
    sentences = [
        "gardener sleeps",
        "gardeners sleeps",
        "gardener sleeps roses",
        "gardener waters roses",
        "gardener waters",
        "gardener sends roses to gardeners",
        "gardener sends roses from gardeners",
        "gardener sends roses",
        "gardeners sent roses to gardener",
    ]
    assert counts(SAMPLE, *sentences) == [1, 0, 0, 1, 0, 1, 0, 0, 1]


def test_what_a_complement_is_asked_for_is_known_of_it():
    parser = FeatureParser(read(SAMPLE.replace("<wants first cat> = NP <", "<wants first cat> = NP "
                                               "<wants first case> = accusative <")))  # fmt: skip
    [tree] = parser.parse("gardener waters roses")
    whole = resolve(parser.grammar, tree)
    assert "(NP[case='accusative', head=[agreement='plural']] roses)" in str(whole)
    assert "accusative" not in str(tree.children[1].children[1])


def test_rules_without_categories():
    text = """
    Parameter: Start symbol is S.
    Rule X0 -> X1 X2: <X0 cat> = S <X1 cat> = NP <X2 cat> = VP <X1 num> = <X2 num>.
    Rule X_0 -> X_1 "and" X_2: <X_0 cat> = <X_1 cat> <X_0 cat> = <X_2 cat>.
    Word dog: <cat> = NP <num> = sg.
    Word dogs: <cat> = NP <num> = pl.
    Word barks: <cat> = VP <num> = sg.
    """
    sentences = ["dog barks", "dogs barks", "dog and dogs barks", "dog barks and barks"]
    assert counts(text, *sentences) == [1, 0, 1, 1]
    assert counts(text, "dog and barks", "dog barks and dog barks") == [0, 1]
    assert counts(text, "dog and dog and dog barks") == [2]


def test_what_no_rule_names_is_tested_where_a_constituent_is_a_value():
    text = """
    Rule S -> V X: <V wants> = <X>.
    Word sees: <cat> = V <wants cat> = NP <wants case> = accusative.
    Word him: <cat> = NP <case> = accusative.
    Word he: <cat> = NP <case> = nominative.
    """
    assert counts(text, "sees him", "sees he", "sees sees") == [1, 0, 0]
    assert not carried_features(read(text))


def test_constituents_of_which_nobody_knows_the_category():
    text = """
    Rule S -> A B: <A f> = <B f>.
    Rule S -> "not" S_1.
    Rule X -> "c": <X f> = p.
    Rule X -> "d": <X f> = q.
    Word a: <cat> = A <f> = p.
    Word b: <cat> = B <f> = p.
    """
    # Over c there is one that may be A, B and S; only the sentence says what it is.
    assert counts(text, "a b", "a c", "c b", "c c", "d c", "not a b", "not c") == [
        1,
        1,
        1,
        1,
        0,
        1,
        1,
    ]
    parser = FeatureParser(read(text))
    assert str(parser.parse("c b")[0]) == "(S[] ([f='p'] c) (B[f='p'] b))"


def test_brackets_and_alternatives_of_right_sides():
    text = """
    Rule S -> NP V ({NP_1 / "it" / PP}) (PP_1) <PP_1 x> = b <PP x> = a
    Rule NP -> {(D) N / PR} / "nobody"
    Rule V = "sees"
    Rule D -> "the"
    Rule N -> "dog"
    Rule PR -> "she"
    Rule PP -> "here" <PP x> = a
    Rule PP -> "there" <PP x> = b
    """
    grammar = read(text)
    assert len([rule for rule in grammar.rules if rule.line == 2]) == 8
    assert not grammar.left_out
    assert counts(text, "she sees", "the dog sees it", "nobody sees dog there") == [1, 1, 1]
    assert counts(text, "she sees here", "she sees there", "she sees there here") == [1, 1, 0]
    assert counts(text, "she sees here there", "she sees it there") == [1, 1]


def test_alternatives_of_equations_and_values():
    text = """
    Rule S -> N V:
      {<N num> = sg <V num> = {sg any} / <N num> = pl <V form> = {base}}
    Word a: <cat> = {N M} <num> = sg.
    Word b: <cat> = N <num> = pl.
    Word c: <cat> = V <num> = any <form> = finite.
    Word d: <cat> = V <form> = base.
    """
    assert len(read(text).rules) == 8
    assert counts(text, "a c", "b c", "a d", "b d") == [1, 0, 2, 1]


def test_templates_structures_defaults_and_lexical_rules():
    grammar = read("""
    Let sg be [num: sg, per: 3]
    Let finite be finite
    Let verb be <cat> = V <head> = [agr: [sg] form: [finite]]
    Let mark be <cat> = !V <head voice> = !active
    Define Passive as
      <out cat> = <in cat>
      <out head form> = participle
      <out subject> = <in object>
    Word sees: verb mark <object> = [case: "acc."].
    Word seen: [verb] <object case> = acc Passive <extra> = -
    Word late: [mark] <cat> = A
    """)
    assert [str(rule) for rule in grammar.rules] == [
        "V[head=[agr=[num='sg', per=3], form='finite', voice='active'], object=[case='acc.']]"
        " -> 'sees'",
        "V[-extra, head=[form='participle'], subject=[case='acc']] -> 'seen'",
        "A[head=[voice='active']] -> 'late'",
    ]


def test_other_files_and_lexicons(tmp_path):
    (tmp_path / "main.grm").write_text(
        "Include templates.patr\nParameter: Category feature is pos.\n"
        "Rule S -> N V <N num> = <V num>\nLexicon\nLexicon words.lex | as PC-PATR has it\n"
        "End\nnothing here is read\n"
    )
    (tmp_path / "templates.patr").write_text("Let pl be <num> = pl\nLet V be <pos> = !V [pl]\n")
    (tmp_path / "words.lex").write_text(
        "; comment\n\\w dogs\n\\c N\n\\g dog\n\\f pl\n  <x> = +\n\n"
        "\\w run away\n\\c V\n\\r passed over\n\\w cat\n\\c N\n\\f <num> = sg\n"
    )
    parser = unify.load(tmp_path / "main.grm")
    assert [len(parser.parse(words)) for words in ("dogs run away", "cat run away")] == [1, 0]
    [dogs] = [rule for rule in parser.grammar.rules if "dogs" in rule.words]
    assert str(dogs) == "N[gloss='dog', lex='dogs', num='pl', +x] -> 'dogs'"
    assert (dogs.path, dogs.line) == (str(tmp_path / "words.lex"), 2)


def test_a_lexicon_that_is_not_read_is_named(tmp_path):
    (tmp_path / "a.grm").write_text("Rule S -> N")
    assert not unify.load(tmp_path / "a.grm").grammar.left_out
    (tmp_path / "a.lex").write_text("\\w u\n\\c N\n")
    [note] = unify.load(tmp_path / "a.grm").grammar.left_out
    assert str(note) == f"{tmp_path / 'a.grm'}:1: no word is read; add a line: Lexicon a.lex"
    (tmp_path / "a.grm").write_text("Rule S -> N\nLexicon a.lex")
    parser = unify.load(tmp_path / "a.grm")
    assert (len(parser.parse("u")), parser.grammar.left_out) == (1, ())


def test_what_is_left_out_is_named():
    grammar = read("""Rule S -> N V
      <S a> <= <N a>
      <S> == ~[b: +] -> ([c: d] / [e: [f: g]])
      <P a> = b
      <N a> = <V a>
    Constraint big is
      <x> == [y: z]
    Word u: <cat> = N <a> = b.
    Word v: <cat> = V <a> = b.
    """)
    assert [(each.line, each.reason) for each in grammar.left_out] == [
        (2, "a priority union (<=) is left out"),
        (3, "a constraint (==) is left out"),
        (6, "the definition of a constraint is left out"),
        (4, "the rule has no 'P': the equation is left out"),
    ]
    assert len(FeatureParser(grammar).parse("u v")) == 1


def test_one_variable_has_one_name():
    [rule] = read("Rule S -> A B: <A f> = <S g> <B f> = <B h> <B k> = <S h>.").rules
    assert str(rule) == "S[g=?a, h=?b] -> A[f=?a] B[f=?c, h=?c, k=?b]"


def test_names_of_rules_and_their_places():
    grammar = read('Rule {S1 (core, "x)} S -> NP "on"\nrule NP -> "u"\n')
    assert [(rule.name, rule.line) for rule in grammar.rules] == [
        ('S1 (core, "x)', 1),
        ("NP → 'u'", 2),
    ]
    assert str(grammar.start) == "S[]"


def test_notations_by_name(tmp_path):
    for name in ("a.patr", "b.GRM"):
        (tmp_path / name).write_text('Rule S -> "u"')
        assert len(unify.load(tmp_path / name).parse("u")) == 1
    (tmp_path / "c.txt").write_text('Rule S -> "u"')
    assert len(unify.load(tmp_path / "c.txt", notation="patr").parse("u")) == 1
    with pytest.raises(OptionError, match="fcfg, patr"):
        unify.load(tmp_path / "c.txt", notation="lfg")
    with pytest.raises(FormatError, match=r"c.txt:1:6: expected '->'; names .* end in .patr"):
        unify.load(tmp_path / "c.txt")


def test_other_encodings(tmp_path):
    path = tmp_path / "old.patr"
    path.write_bytes('Rule S -> "été"'.encode("latin-1"))
    assert len(unify.load(path, encoding="latin-1").parse("été")) == 1
    with pytest.raises(FormatError, match="UTF-8"):
        unify.load(path)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("Rool S -> NP", "expected Rule, Word, Let", 1),
        ("Rule S => NP", "expected '->', not '=>'", 8),
        ("Rule S NP", "expected '->', not 'NP'", 8),
        ("Rule S -> (NP", "expected a category, '/' or ')', not the end", 14),
        ("Rule S -> NP: <S a> <NP a>", "expected '=', not '<'", 21),
        ("Rule S -> NP: <S a = b", "expected the name of a feature or '>'", 20),
        ("Rule S -> NP: <S a\nWord u", "or '>', not 'Word'", 1),
        ("Rule S -> NP: <S a> = ", "expected a value: an atom", 23),
        ("Rule S -> NP: <S a> = b <S a> = c", "'b' and 'c' cannot be equal", 25),
        ("Rule S -> NP: <S a> = b <S a b> = c", "'b' has no feature b", 25),
        ("Rule S -> NP: <S a> = <S>", "contain itself", 15),
        ("Rule S -> NP NP: <NP a> = b", "the rule has 2 of 'NP'; write NP_1", 18),
        ("Rule S -> NP: <> = b", "a path begins with a category", 15),
        ("Rule S -> NP: {<S a> = b", "expected '<', '/' or '}', not the end", 25),
        ("Rule S -> NP: <S a> = {}", "no value between the braces", 15),
        ("Rule S -> NP: <S a> == b c", "the next statement, not 'c'", 26),
        ('Rule S -> "NP', "no partner", 11),
        ("Word u: <num> = sg", "the word has no category; add <cat> = N", 1),
        ("Word u: <cat> = N Sg", "there is no template 'Sg'", 19),
        ("Let a be <b> = c\nLet a be <b> = d", "there is a template 'a' already", 5),
        ("Let a to <b> = c", "expected 'be', not 'to'", 7),
        ("Define a as <b> = c", "equations of <in …> and <out …> only", 8),
        ("Parameter: Starting symbol is S", "there is no parameter 'starting symbol'", 1),
        ("Parameter: Start symbol is S NP", "is' and one name", 1),
        ("Include more.patr", "only a file can include", 1),
    ],
)
def test_what_is_wrong_is_shown_with_line_and_caret(text, message, column):
    with pytest.raises(FormatError, match="<stream>:") as caught:
        read(f'Rule A -> "a".\n{text}')
    assert message in str(caught.value)
    assert (caught.value.line, caught.value.column) == (2 + text.count("\n"), column)
    *_, shown, caret = str(caught.value).split("\n")
    assert caret.index("^") == shown.index(text.split("\n")[-1]) + column - 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one rule, such as: Rule S -> NP VP"),
        ("Rule X -> NP", "Parameter: Start symbol is S"),
        ("Rule S -> " + "(A) " * 20, "more than 1,000 alternatives"),
        ("Rule S -> A: " + "{<S a> = b / <S a> = c} " * 20, "more than 1,000 alternatives"),
        ("Rule S -> " + "(" * 200, "nested more than"),
        ("\\w " + "u " * 2000 + "\n\\c N", "<stream>:1: a rule has 2,001 sides"),
        ("Let a be " + "[a: " * 200, "nested more than"),
        ("Rule S -> A: <S " + "a " * 60 + "> = b", "more than 50 features"),
        ("Rule S -> A: " + "".join(f"<S a{i} {'b ' * 48}> = <S a{i + 1}> " for i in range(9)),
         "nested more than 100 deep"),
        ("Let a be <b> = c\n" + "".join(f"Let a{i} be {f'a{i - 1 or str()} ' * 9}\n"
         for i in range(1, 9)), "more than 5,000 equations"),
        ("\\c N", "expected \\\\w and a word before \\\\c"),
        ("\\w u\n\\c N\n\\c V", "has a field \\\\c already"),
        ("\\w u\n\\c N V", "expected one category after \\\\c"),
        ("\\w u\n\\c N\n\\f <a> = b >", "the name of a template, or an equation"),
        ("\\w\n\\c N", "expected a word"),
    ],
)  # fmt: skip
def test_what_is_no_grammar_is_refused(text, message):
    with pytest.raises(FormatError, match=message):
        read(text)


def test_a_file_that_includes_itself_is_refused(tmp_path):
    (tmp_path / "a.patr").write_text('Include b.patr\nRule S -> "a"\n')
    (tmp_path / "b.patr").write_text("Include a.patr\n")
    with pytest.raises(FormatError, match="includes itself"):
        unify.load(tmp_path / "a.patr")
    (tmp_path / "c.patr").write_text("Include d.patr\n")
    with pytest.raises(FormatError, match=r"c.patr:1:1: there is no file '.*d.patr'"):
        unify.load(tmp_path / "c.patr")


def test_structures_side_by_side_in_braces_are_alternatives():
    rules = """
    Let some be {[n: sg] [n: pl p: 3] [n: du]}
    Rule {a name
      of two lines} S -> NP: <NP n> = {sg du}.
    Word a: <cat> = NP {[n: sg] [n: pl]}.
    Word b: <cat> = NP some.
    Word c: <cat> = NP {[n: pl] / [n: sg] <p> = 1}.
    """
    assert counts(rules, "a", "b", "c") == [1, 2, 1]
    assert read(rules).rules[0].name == "a name of two lines"
