"""``weft grammar``: sums, checks, conversions, samples, and sentences a line at a time."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import Result

from weft import example, fit
from weft.grammars import parse_grammar, read_grammar
from weft.models import Chain
from weft.models.storage import save_model
from weft.recipes import find_recipe

Weft = Callable[..., Result]

TOY = """\
S -> NP VP [0.9] | VP [0.1]
NP -> 'the' 'dog' [0.5] | 'cats' [0.5]
VP -> V [0.6] | V NP [0.4]
V -> 'barks' [0.5] | 'sees' [0.5]
"""
EVERY = "A -> A A | 'a'\n"


@pytest.fixture
def toy(weft: Weft) -> Weft:
    Path("toy").write_text(TOY)
    Path("every").write_text(EVERY)
    return weft


def answered(done: Result) -> dict[str, object]:
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_sums(toy: Weft) -> None:
    Path("lossy").write_text("S -> S S [0.6] | 'a' [0.4]")
    found = answered(toy("grammar", "partition", "lossy", "--json", "--lengths", "2"))
    assert found["partition"] == {"S": pytest.approx(2 / 3)}
    assert (found["convergent"], found["tight"], found["proper"]) == (True, False, True)
    assert found["lengths"] == [0.0, pytest.approx(0.4), pytest.approx(0.096)]
    text = toy("grammar", "partition", "lossy").stdout
    assert "0.666666666667" in text
    assert "radius 1.2" in text
    whole = answered(toy("grammar", "partition", "toy", "--json"))
    assert whole["partition"]["S"] == pytest.approx(1.0)
    assert whole["tight"] is True
    assert whole["mean_length"] == pytest.approx(2.95)


def test_logarithms_are_shown_by_the_errors_of_their_own_sums(toy: Weft) -> None:
    """At the limit of convergence the sum of S is known to 1e-8 only, that of C to the last bit."""
    rules = "S -> S S [0.5] | A [0.5]\nA -> 'a' [1]\nC -> 'c' [0.999999999]\n"
    Path("limit").write_text(rules)
    lines = toy("grammar", "partition", "limit").stdout.splitlines()
    shown = {line.split()[0]: line.split()[-1] for line in lines if line.split()}
    assert float(shown["C"]) == pytest.approx(-1e-9)
    assert (shown["S"], shown["A"]) == ("0", "0")


def test_a_divergent_sum_is_named(toy: Weft) -> None:
    found = answered(toy("grammar", "partition", "every", "--json"))
    assert found["partition"] == {"A": "inf"}
    assert (found["convergent"], found["cycle"], found["tight"]) == (False, ["A"], None)
    assert found["growth_rate"] is None  # nobody asked
    asked = answered(toy("grammar", "partition", "every", "--growth", "--json"))
    assert asked["growth_rate"] == pytest.approx(4.0)
    assert "A -> A" in toy("grammar", "partition", "every").stdout
    Path("huge").write_text("S -> A A [1e300]\nA -> 'a' [1e300]")
    huge = answered(toy("grammar", "partition", "huge", "--json"))
    assert huge["convergent"] is True
    assert huge["log_partition"]["S"] == pytest.approx(900 * math.log(10))
    assert float(huge["partition"]["S"].split("E+")[1]) in (899, 900)


def test_a_grammar_from_the_standard_input(toy: Weft) -> None:
    found = answered(toy("grammar", "partition", "-", "--json", given=TOY))
    assert found["start"] == "S"


def test_checks(toy: Weft) -> None:
    fine = toy("grammar", "check", "toy")
    assert fine.exit_code == 0
    assert "undefined" not in fine.stdout
    Path("bad").write_text("S -> NP 'x' | 'a' | L\nL -> L 'b'\nR -> 'c'\nS -> 'd' [0]")
    bad = toy("grammar", "check", "bad")
    assert bad.exit_code == 1
    for line in ("undefined: NP has no rule", "unproductive: no string", "unreachable: no tree"):
        assert line in bad.stdout
    found = json.loads(toy("grammar", "check", "bad", "--json").stdout)
    assert found["undefined"] == ["NP"]
    assert found["unproductive"] == ["L"]
    assert found["unreachable"] == ["R"]
    assert found["impossible"] == ["S -> 'd'"]
    assert found["improper"] == {"S": pytest.approx(3.0)}
    Path("none").write_text("S -> S")
    assert "no tree at all" in toy("grammar", "check", "none").stdout


def test_comparisons(toy: Weft) -> None:
    toy("grammar", "normalise", "every", "--conditional", "-o", "some")
    assert toy("grammar", "check", "every", "some", "--conditional").exit_code == 0
    other = toy("grammar", "check", "every", "some")
    assert other.exit_code == 1
    assert "(A a)" in other.stdout
    found = json.loads(toy("grammar", "check", "every", "some", "--json").stdout)
    assert found["same"] is False
    assert len(found["trees"]) == 2
    wrong = toy("grammar", "check", "every", "toy")
    assert wrong.exit_code == 2
    assert "every and toy: the two grammars must have the same rules" in wrong.stderr


def test_normalising(toy: Weft) -> None:
    done = toy("grammar", "normalise", "every", "--scale", "8")
    rules = parse_grammar(done.stdout)
    assert [math.exp(weight) for weight in rules.weights] == pytest.approx(
        [0.146447, 0.853553], abs=1e-6
    )
    assert "divided by 8" in done.stderr
    paper = toy("grammar", "normalise", "every", "--scale", "paper")
    assert parse_grammar(paper.stdout).weights == pytest.approx(rules.weights)
    toy("grammar", "normalise", "every", "--mean-length", "3", "-o", "three.json")
    assert answered(toy("grammar", "partition", "three.json", "--json"))[
        "mean_length"
    ] == pytest.approx(3.0)
    same = parse_grammar(toy("grammar", "normalise", "toy").stdout)
    assert same.weights == pytest.approx(read_grammar("toy").weights, abs=1e-12)
    as_json = answered(toy("grammar", "normalise", "toy", "--json"))
    assert as_json["start"] == "S"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("normalise", "every"), 1, "cycle A -> A gains"),
        (("normalise", "cycle", "--conditional"), 1, "cycle A -> A can be gone round"),
        (("normalise", "every", "--scale", "much"), 2, "'much' is no scale"),
        (("normalise", "every", "--scale", "3", "--mean-length", "3"), 2, "exclude each other"),
        (("normalise", "every", "--mean-length", "1"), 2, "shortest string has 1 words"),
        (("partition", "wrong"), 1, "wrong:1:8: 'x' is no weight"),
        (("partition", "missing"), 1, "missing: cannot be read"),
        (("sample", "every"), 1, "sum over all trees is infinite"),
        (("sample", "none"), 1, "no tree at all"),
        (("parse", "-", "-"), 2, "only one of"),
        (("prefix", "every", "-"), 1, "sum over all trees is infinite"),
    ],
)
def test_errors(toy: Weft, arguments: tuple[str, ...], code: int, message: str) -> None:
    Path("cycle").write_text("A -> A A | A | 'a'")
    Path("wrong").write_text("S -> A [x]")
    Path("none").write_text("S -> S")
    done = toy("grammar", *arguments, given="")
    assert done.exit_code == code
    assert message in done.stderr
    assert done.stdout == ""


def test_samples(toy: Weft) -> None:
    one, other = (
        toy("grammar", "sample", "toy", "-n", "20", "--seed", "3").stdout for _ in range(2)
    )
    assert one == other
    assert len(one.splitlines()) == 20
    assert all(line.startswith("(S (") for line in one.splitlines())
    words = toy("grammar", "sample", "toy", "-n", "2", "--words").stdout.splitlines()
    assert {word for line in words for word in line.split()} <= {
        "the",
        "dog",
        "cats",
        "barks",
        "sees",
    }
    drawn = json.loads(toy("grammar", "sample", "toy", "--json").stdout)
    assert set(drawn) == {"tree", "words"}
    assert toy("grammar", "sample", "toy", "-n", "0").stdout == ""


SENTENCES = "the dog sees cats\n\nthe fish barks\nbarks the\n" + "cats " * 500 + "\ncats barks\n"


def test_parses(toy: Weft) -> None:
    done = toy("grammar", "parse", "toy", "-", "--json", given=SENTENCES)
    assert done.exit_code == 0
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0] == {
        "tree": "(S (NP the dog) (VP (V sees) (NP cats)))",
        "log_prob": pytest.approx(math.log(0.9 * 0.5 * 0.4 * 0.5 * 0.5)),
    }
    assert lines[1:5] == [{"tree": None, "log_prob": None}] * 4
    assert lines[5]["tree"] == "(S (NP cats) (VP (V barks)))"
    assert done.stderr.splitlines() == [
        "weft: <stdin>:2: the grammar has no tree for this sentence",
        "weft: <stdin>:3: word 2, 'fish', is not in the grammar",
        "weft: <stdin>:4: the grammar has no tree for this sentence",
        "weft: <stdin>:5: 500 words are more than 200; see --longest",
    ]
    plain = toy("grammar", "parse", "toy", given="cats barks\nno\n").stdout
    assert plain == "(S (NP cats) (VP (V barks)))\n\n"
    # What has no answer at all is a failure; what begins no string is an answer.
    for command, given, code in (("parse", "no\n", 1), ("parse", "", 0), ("prefix", "no\n", 0)):
        assert toy("grammar", command, "toy", given=given).exit_code == code
    assert toy("grammar", "count", "toy", given="cats " * 500).exit_code == 1


@pytest.mark.parametrize("command", ["parse", "count", "prefix"])
def test_a_file_without_sentences_is_told(toy: Weft, command: str) -> None:
    Path("none").touch()
    done = toy("grammar", command, "toy", "none")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "weft: none: there is no sentence\n"
    assert toy("grammar", command, "toy").stderr == ""


def test_the_empty_sentence_and_odd_names(toy: Weft) -> None:
    Path("odd").write_text("S -> 'a' S | | {X (y)}\n{X (y)} -> 'b'")
    done = toy("grammar", "parse", "odd", given="\na\nb\na a\n")
    assert done.stdout == "(S)\n(S a (S))\n\n(S a (S a (S)))\n"
    assert "<stdin>:3: the label 'X (y)' cannot be written in brackets" in done.stderr


def test_a_best_tree_that_does_not_exist(toy: Weft) -> None:
    Path("gain").write_text("S -> S [2] | 'a' | B\nB -> 'b'")
    done = toy("grammar", "parse", "gain", "--json", given="a\n")
    assert done.exit_code == 1
    assert json.loads(done.stdout) == {"tree": None, "log_prob": None}
    assert "<stdin>:1" in done.stderr


def test_counts(toy: Weft) -> None:
    Path("cycle").write_text("S -> S | 'a' | 'b' 'b'")
    given = "a\na a a a\nb\n\n" + "a " * 60 + "\n" + "a " * 300
    done = toy("grammar", "count", "every", given=given)
    assert done.stdout.splitlines() == ["1", "5", "0", "0", str(math.comb(118, 59) // 60), ""]
    assert done.stderr == "weft: <stdin>:6: 300 words are more than 200; see --longest\n"
    assert toy("grammar", "count", "cycle", given="a\nc\n").stdout == "inf\n0\n"
    lines = toy("grammar", "count", "cycle", "--json", given="a\nc\n").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [{"count": "inf"}, {"count": 0}]


def test_counts_of_more_digits_than_python_writes_are_text(toy: Weft) -> None:
    squares = "".join(f"A{n} -> A{n + 1} A{n + 1}\n" for n in range(14))
    Path("squares").write_text(f"{squares}A14 -> | B\nB -> \n")
    digits = f"{Decimal(2**2**14):f}"
    assert toy("grammar", "count", "squares", given="\n").stdout == f"{digits}\n"
    assert answered(toy("grammar", "count", "squares", "--json", given="\n")) == {"count": digits}


def test_prefixes(toy: Weft) -> None:
    done = toy("grammar", "prefix", "toy", "--json", given="the\nthe dog sees\nthe cats\n\n")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[0]["next"] == {"dog": pytest.approx(1.0)}
    assert lines[0]["log_sentence_prob"] is None
    assert lines[1]["log_prob"] == pytest.approx(math.log(0.45 * 0.5))
    assert lines[1]["end"] == pytest.approx(0.6)
    assert lines[1]["next"] == {"the": pytest.approx(0.2), "cats": pytest.approx(0.2)}
    assert lines[2] == {"log_prob": None, "log_sentence_prob": None, "next": {}, "end": 0.0}
    assert lines[3]["log_prob"] == 0.0
    assert "<stdin>:3: word 2, 'cats', cannot follow after 'the'" in done.stderr
    text = toy("grammar", "prefix", "toy", "--top", "1", given="the dog sees\n").stdout
    assert text == f"{math.log(0.225):.9g} </s>:0.6\n"


UNEVEN = """\
S -> B 'a' A [7.34559e-5]
A -> A 'a' [0.0567215] | B [3.04109e-10]
B -> 'a' [2.78817e-6] | S [9.85796e-5] | A [2.36883e-7]
"""


def test_the_least_scale_is_raised_until_the_result_is_right(toy: Weft) -> None:
    Path("uneven").write_text(UNEVEN)
    done = toy("grammar", "normalise", "uneven", "--conditional", "-o", "proper")
    assert done.exit_code == 0
    assert "times the growth rate: at the growth rate the sums are known to" in done.stderr
    assert toy("grammar", "check", "uneven", "proper", "--conditional").exit_code == 0
    sums = answered(toy("grammar", "partition", "proper", "--json"))
    assert sums["log_partition"]["S"] == pytest.approx(0.0, abs=1e-8)
    assert sums["certain"] is True
    found = answered(toy("grammar", "normalise", "uneven", "--conditional", "--json"))
    about = found["conversion"]
    assert about["scale"] > about["growth_rate"]
    assert "known to" in about["raised"]
    assert about["error"] < 1e-8


def test_a_grammar_that_cannot_be_converted_for_certain_is_not_written(toy: Weft) -> None:
    Path("uneven").write_text(UNEVEN)
    rate = answered(toy("grammar", "partition", "uneven", "--growth", "--json"))["growth_rate"]
    scale = ("--scale", repr(rate))
    done = toy("grammar", "normalise", "uneven", *scale, "-o", "proper")
    assert done.exit_code == 1
    assert "rounding decides" in done.stderr
    assert not Path("proper").exists()


def test_prefixes_less_likely_than_a_number_can_be(toy: Weft) -> None:
    Path("rare").write_text("S -> 'a' B [1e-300] | 'c'\nB -> 'b'\n")
    done = toy("grammar", "prefix", "rare", given="a\na b\n")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == ["-690.775528 b:1", "-690.775528 </s>:1"]
    Path("rarer").write_text("S -> 'a' B [1e-200] | 'c'\nB -> 'b' [1e-200] | 'd'\n")
    found = answered(toy("grammar", "prefix", "rarer", "--json", given="a b\n"))
    parsed = answered(toy("grammar", "parse", "rarer", "--json", given="a b\n"))
    assert found["log_prob"] == pytest.approx(parsed["log_prob"])
    assert toy("grammar", "prefix", "rarer", given="a a\n").stdout == "-inf\n"


SUBCOMMANDS = ("partition", "check", "normalise", "sample", "parse", "count", "prefix")


@pytest.mark.parametrize("command", SUBCOMMANDS)
def test_files_that_are_no_grammars(toy: Weft, command: str) -> None:
    save_model("tagger.weft", fit(Chain(), [example(["a", "b"], ["A", "B"])]))
    Path("binary").write_bytes(bytes(range(256)))
    none = "this is a saved tagger, which has no grammar (this conversion goes over the vocabulary"
    for name, message in (
        ("tagger.weft", f"tagger.weft: {none}"),
        ("binary", "binary: this is a binary file, and not a grammar: rules such as"),
    ):
        done = toy("grammar", command, name, given="")
        assert done.exit_code == 1
        assert message in done.stderr
        assert "LATIN1" not in done.stderr


@pytest.mark.parametrize("command", ["parse", "count", "prefix"])
def test_files_that_are_no_sentences(toy: Weft, command: str) -> None:
    save_tagger("tagger.weft")
    done = toy("grammar", command, "toy", "tagger.weft")
    assert done.exit_code == 1
    assert "this is a saved model" in done.stderr
    assert "not a file with a sentence per line" in done.stderr


def save_tagger(path: str) -> None:
    hmm = find_recipe("hmm")
    examples = [example(["a", "b"], ["A", "B"])]
    tagger = fit(hmm.model, examples, criterion=hmm.criterion, optimiser=hmm.optimiser)
    save_model(path, tagger)


@pytest.mark.parametrize("command", ["parse", "count", "prefix"])
def test_a_start_symbol_without_rules(toy: Weft, command: str) -> None:
    Path("q").write_text(f"% start Q\n{TOY}")
    Path("some.txt").write_text("cats barks\n")
    done = toy("grammar", command, "q", "some.txt")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "weft: error: q: the start symbol 'Q' has no rule" in done.stderr


def test_the_grammar_of_a_saved_tagger(toy: Weft) -> None:
    save_tagger("tagger.weft")
    found = answered(toy("grammar", "partition", "tagger.weft", "--json"))
    assert (found["proper"], found["tight"]) == (True, True)
    [parsed] = toy("grammar", "parse", "tagger.weft", given="a b\n").stdout.splitlines()
    assert "(A~ a (A (B~ b" in parsed


def test_the_grammar_of_a_saved_parser(toy: Weft) -> None:
    trees = "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))\n(S (NP (NNS cats)) (VP (VBZ bark)))\n"
    Path("trees.mrg").write_text(trees)
    assert toy("train", "p.weft", "--train", "trees.mrg", "--recipe", "pcfg").exit_code == 0
    found = answered(toy("grammar", "partition", "p.weft", "--json"))
    assert (found["proper"], found["tight"]) == (True, True)
    assert {"S", "NP", "VP"} <= set(found["partition"])
    toy("grammar", "normalise", "p.weft", "-o", "rules")
    assert toy("grammar", "check", "p.weft", "rules").exit_code == 0


HOSTILE = {
    "empty": "",
    "comments": "# only\n# comments\n",
    "twice": "S -> 'a' [0.5]\nS -> 'a' [0.5]\n",
    "zero": "S -> 'a' [0]\n",
    "huge": "S -> S S [1e308] | 'a' [1e308]\n",
    "huger": "S -> 'a' S [1e+100000] | 'a' [1e-100000]\n",
    "hugest": "S -> S S [1e-999999999] | 'a' [1e999999999]\n",
    "cycle": "S -> T [2] | 'a'\nT -> S [3]\n",
    "critical cycle": "S -> T | 'a'\nT -> S\n",
    "nearly": "S -> T [0.999999999999] | 'a'\nT -> S\n",
    "critical": "S -> E S 'a' [0.5] | 'a' [0.5]\nE -> E E [0.5] | [0.5]\n",
    "deep": "".join(f"N{n} -> N{n + 1} N{n + 1}\n" for n in range(60)) + "N60 -> | 'a'\n",
    "long name": "S" * 100_000 + " -> 'a'\n",
    "long line": "S -> " + " ".join(["'a'"] * 4_000) + "\n",
    "far.json": json.dumps(
        {
            "rules": [
                {"head": "S", "body": [{"terminal": "a"}], "log_weight": -1e308},
                {"head": "S", "body": ["S", "S"], "log_weight": -1e308},
            ]
        }
    ),
    "nested.json": "[" * 100_000,
}
QUESTIONS = (
    ("partition", "--lengths", "4"),
    ("check",),
    ("normalise",),
    ("normalise", "--conditional"),
    ("normalise", "--scale", "paper"),
    ("normalise", "--mean-length", "5"),
    ("sample",),
    ("parse",),
    ("count",),
    ("prefix",),
)


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=pytest.mark.slow if each == "deep" else ()) for each in HOSTILE],
)
def test_hostile_grammars(toy: Weft, name: str, question: tuple[str, ...]) -> None:
    """An answer or a message: no traceback, no warning, which is an error here, and an end."""
    Path(name).write_text(HOSTILE[name])
    command, *options = question
    done = toy("grammar", command, name, *options, given="a\n\na a\nx a\n")
    assert done.exit_code in (0, 1, 2)
    assert "nan" not in done.stdout
    if done.exit_code and command != "check":
        assert done.stderr.startswith(("weft: error: ", "weft: <stdin>:"))
        assert len(done.stderr) < 2000
