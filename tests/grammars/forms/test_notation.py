"""The grammar notation: what is read, what is written, and where something is wrong."""

import io
import math
from pathlib import Path

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_grammars import small_grammars
from strategies import quick
from weft.errors import FormatError
from weft.grammars.forms.notation import format_grammar, parse_grammar, read_grammar, write_grammar
from weft.structures.grammar import Grammar, Rule, Terminal, grammar

SENTENCES = """
    # A grammar of NLTK's book, with an empty right side and a weight of 0.
    S -> NP VP [1.0]
    VP -> TV NP [0.4] | IV [0.3]
    VP -> DatV NP NP [0.3]
    TV -> 'saw' [1.0]
    IV -> 'ate' [1.0]
    DatV -> "gave" [1.0]
    NP -> 'telescopes' [0.8] \\
        | 'Jack' [0.2]
"""


def test_everything_there_is() -> None:
    rules = parse_grammar(
        "S->NP 'x' VP[.5] | \n# a comment\nVP  ->  \"it's\" [1e-400] # and a comment\n"
        "{NP|<DT-NN>} -> {a 'b'} [0]\n%start VP"
    )
    assert [(rule.head, rule.body) for rule in rules.rules()] == [
        ("S", ("NP", Terminal("x"), "VP")),
        ("S", ()),
        ("VP", (Terminal("it's"),)),
        ("NP|<DT-NN>", ("a 'b'",)),
    ]
    assert rules.weights.tolist() == pytest.approx(
        [math.log(0.5), 0.0, -400 * math.log(10), -math.inf]
    )
    assert rules.nonterminals[rules.start] == "VP"


def test_nltk_files_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "toy.pcfg"
    path.write_text(SENTENCES)
    ours, theirs = read_grammar(path), nltk.PCFG.fromstring(SENTENCES)
    assert ours.nonterminals[ours.start] == theirs.start().symbol()
    assert [
        (production.lhs().symbol(), tuple(map(str, production.rhs())))
        for production in theirs.productions()
    ] == [
        (rule.head, tuple(s.text if isinstance(s, Terminal) else s for s in rule.body))
        for rule in ours.rules()
    ]
    probs = [production.prob() for production in theirs.productions()]
    assert [math.exp(weight) for weight in ours.weights] == pytest.approx(probs)
    # And what we write is what NLTK reads.
    again = nltk.PCFG.fromstring(format_grammar(ours))
    assert [str(p) for p in again.productions()] == [str(p) for p in theirs.productions()]


@pytest.mark.parametrize(
    ("text", "log"),
    [
        ("1e300", 300),
        ("1e-300", -300),
        ("10e999999", 1_000_000),
        ("0.1e-999999", -1_000_000),
        ("1e999999999", 999_999_999),
        ("+1.e2", 2),
        (".1", -1),
        ("0e99", -math.inf),
        ("0.000", -math.inf),
    ],
)
def test_weights_of_any_size(text: str, log: float) -> None:
    rules = parse_grammar(f"S -> 'a' [{text}]")
    assert rules.weights[0] == pytest.approx(log * math.log(10), rel=1e-15)
    assert parse_grammar(format_grammar(rules)).weights[0] == pytest.approx(rules.weights[0])


def test_a_grammar_without_weights_has_weights_of_one() -> None:
    rules = parse_grammar("S -> NP VP | VP\nNP -> 'a'")
    assert rules.weights.tolist() == [0.0, 0.0, 0.0]


@quick
@given(small_grammars(), st.sampled_from([1.0, 300.0]))
def test_what_is_written_is_read_back(rules: Grammar, factor: float) -> None:
    rules = grammar((rule._replace(weight=rule.weight * factor) for rule in rules.rules()), "S")
    again = parse_grammar(format_grammar(rules))
    assert again.nonterminals[again.start] == "S"
    for one, other in zip(rules.rules(), again.rules(), strict=True):
        assert (one.head, one.body) == (other.head, other.body)
        assert other.weight == pytest.approx(one.weight, rel=1e-15, abs=1e-15)


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)


@quick
@given(names, names)
def test_odd_names_are_read_back_or_refused(name: str, word: str) -> None:
    rules = grammar([Rule(name, (name, Terminal(word)))])
    if set(name) & set("{}") or not name.strip() or {"'", '"'} <= set(word):
        with pytest.raises(FormatError, match="cannot be written"):
            format_grammar(rules)
    else:
        assert parse_grammar(format_grammar(rules)).rules() == rules.rules()


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("S -> A [x]", 1, 8, "'x' is no weight"),
        ("S -> A [-0.5]", 1, 8, "'-0.5' is no weight"),
        ("S -> A [nan]", 1, 8, "'nan' is no weight"),
        ("S -> A [inf]", 1, 8, "'inf' is no weight"),
        ("S -> A []", 1, 8, "'' is no weight"),
        ("S -> NP[NUM=sg] VP", 1, 8, "'NUM=sg' is no weight"),
        ("S -> A [0.5", 1, 8, "no closing ]"),
        ("S -> A [0.5] B", 1, 14, "expected | or the line's end"),
        ("S -> 'a", 1, 6, "no closing '"),
        ("S -> {a", 1, 6, "no closing }"),
        ("S -> a }", 1, 8, "'}' has no meaning here"),
        ("S -> ''", 1, 6, "a terminal cannot be empty"),
        ("S -> { }", 1, 6, "a nonterminal cannot be empty"),
        ("S A B", 1, 3, "expected -> after the nonterminal S"),
        ("S", 1, 2, "expected -> after the nonterminal S"),
        ("'a' -> S", 1, 1, "expected a nonterminal"),
        ("S -> A\n\nS -> A -> B", 3, 8, "a second ->"),
        ("%stop S", 1, 1, "'%stop' is no instruction"),
        ("% stop S", 1, 1, "'%' is no instruction"),
        ("  % start", 1, 3, "expected one nonterminal after %start"),
        ("%start 'a'", 1, 1, "expected one nonterminal after %start"),
        ("S -> A \\\n  B \\\n C [y]", 3, 4, "'y' is no weight"),
        ("S -> A | B\nT -> C\nS -> B [2]", 3, 3, "comes a second time, after line 1"),
    ],
)
def test_errors_name_the_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_grammar(text)
    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).splitlines()[-1].endswith("^")


def test_no_rule_and_too_many() -> None:
    with pytest.raises(FormatError, match="there is no rule"):
        parse_grammar("# nothing\n")
    with pytest.raises(FormatError, match="more than 2 rules"):
        read_grammar(io.BytesIO(b"S -> A | B | C"), limit=2)


def test_nothing_is_written_of_what_cannot_be(tmp_path: Path) -> None:
    path = tmp_path / "grammar.txt"
    with pytest.raises(FormatError, match="cannot be written"):
        write_grammar(path, grammar([Rule("S", (Terminal("'\""),))]))
    assert not path.exists()
