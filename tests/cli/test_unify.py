"""``weft unify``: analyses, parse sets, mistakes and test suites of a feature grammar."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Weft = Callable[..., Result]

GRAMMAR = """\
% start S
S[SEM=<?v(?n)>] -> NP[NUM=?n1, SEM=?n] VP[NUM=?n1, SEM=?v]
NP[NUM=?n, SEM=?s] -> N[NUM=?n, SEM=?s] | NP[NUM=?n, SEM=?s] PP
PP -> 'with' NP
VP[NUM=?n, SEM=<\\x.?v(x,?o)>] -> V[NUM=?n, SEM=?v] NP[SEM=?o]
VP[NUM=?n, SEM=?v] -> VP[NUM=?n, SEM=?v] PP
V[NUM=sg, SEM=<see>] -> 'sees'
N[NUM=sg, SEM=<kim>] -> 'Kim'
N[NUM=pl, SEM=<stars>] -> 'stars'
"""


@pytest.fixture
def toy(weft: Weft) -> Weft:
    Path("toy.fcfg").write_text(GRAMMAR)
    lines = ["Kim sees stars", "Kim sees stars with Kim", "stars sees Kim", "Kim flies"]
    Path("some.txt").write_text("\n".join(lines) + "\n")
    return weft


def test_trees(toy: Weft) -> None:
    done = toy("unify", "parse", "toy.fcfg", "some.txt", "--plain")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "(S (NP (N Kim)) (VP (V sees) (NP (N stars))))",
        "",
        "(S (NP (N Kim)) (VP (V sees) (NP (NP (N stars)) (PP with (NP (N Kim))))))",
        "(S (NP (N Kim)) (VP (VP (V sees) (NP (N stars))) (PP with (NP (N Kim)))))",
        "",
        "",
        "",
    ]
    assert "some.txt:3: the grammar has no analysis" in done.stderr
    assert "some.txt:4: no rule has the words 'flies'" in done.stderr


def test_counts_and_the_meaning(toy: Weft) -> None:
    assert toy("unify", "parse", "toy.fcfg", "some.txt", "--count").stdout == "1\n2\n0\n0\n"
    whole = toy("unify", "parse", "toy.fcfg", given="Kim sees stars\n").stdout
    assert whole.startswith("(S[SEM=<see(kim,stars)>] (NP[NUM='sg', SEM=<kim>]")
    matrix = toy("unify", "parse", "toy.fcfg", "--matrix", given="Kim sees stars\n").stdout
    assert matrix == "⎡S                    ⎤\n⎣SEM  <see(kim,stars)>⎦\n\n"


def test_pictures_latex_and_pages(toy: Weft) -> None:
    asked = ("unify", "parse", "toy.fcfg", "some.txt")
    done = toy(*asked, "--svg", "pics", "--latex", "m.tex", "--html", "p.html")
    assert done.exit_code == 0, done.output
    assert done.stdout == toy(*asked).stdout
    assert sorted(each.name for each in Path("pics").iterdir()) == ["1-1.svg", "2-1.svg", "2-2.svg"]
    assert "&lt;see(kim,stars)&gt;</text>" in Path("pics/1-1.svg").read_text()
    document = Path("m.tex").read_text()
    assert document.count(r"\mbox{SEM} & \mbox{\textit{\textless{}see(kim") == 3
    page = Path("p.html").read_text()
    # A tree and the matrix of each of its nodes: 6 of the first analysis, 10 of each of the others.
    assert page.count("<svg") == 3 + 7 + 11 + 11
    assert "Kim sees stars with Kim (2 of 2)" in page
    assert toy(*asked, "--svg", "whole", "--matrix").exit_code == 0
    assert "Kim</text>" not in Path("whole/1-1.svg").read_text()
    assert toy(*asked, "--svg", "bare", "--plain").exit_code == 0
    assert "SEM</text>" not in Path("bare/1-1.svg").read_text()


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        (("--html", "-"), 2, "name a file"),
        (("--html", "p.html", "--latex", "p.html"), 2, "name two files"),
        (("--latex", "nowhere/m.tex"), 1, "there is no folder 'nowhere'"),
        (("--latex", "toy.fcfg"), 2, "is what this command reads"),
        (("--svg", "some.txt"), 1, "file exists"),
        (("--count", "--html", "p.html"), 2, "--count"),
    ],
)
def test_pictures_that_cannot_be(
    toy: Weft, given: tuple[str, ...], code: int, message: str
) -> None:
    before = Path("toy.fcfg").read_text(), Path("some.txt").read_text()
    done = toy("unify", "parse", "toy.fcfg", "some.txt", *given)
    assert (done.exit_code, message in done.stderr) == (code, True)
    assert (Path("toy.fcfg").read_text(), Path("some.txt").read_text()) == before
    assert done.stdout == ""
    assert not Path("p.html").exists()


def test_json_and_few_trees(toy: Weft) -> None:
    done = toy("unify", "parse", "toy.fcfg", "some.txt", "--json", "--kbest", "1")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["count"] for row in rows] == [1, 2, 0, 0]
    assert [len(row["trees"]) for row in rows] == [1, 1, 0, 0]
    assert rows[3]["unknown"] == ["flies"]
    assert "1 of 2 analyses" in toy("unify", "parse", "toy.fcfg", "some.txt", "-n", "1").stderr


def test_resolved_features(toy: Weft) -> None:
    Path("n.fcfg").write_text("S -> A[F=?x] A[F=?x]\nA[F=a] -> 'u'\nA[F=?y] -> 'v'\n")
    plain = toy("unify", "parse", "n.fcfg", given="u v\n").stdout
    resolved = toy("unify", "parse", "n.fcfg", "--resolved", given="u v\n").stdout
    assert plain == "(S[] (A[F='a'] u) (A[F=?a] v))\n\n"
    assert resolved == "(S[] (A[F='a'] u) (A[F='a'] v))\n\n"


def test_no_analysis_at_all_is_a_failure(toy: Weft) -> None:
    done = toy("unify", "parse", "toy.fcfg", given="stars sees Kim\n")
    assert (done.exit_code, done.stdout) == (1, "\n")


@pytest.fixture
def ranker(toy: Weft) -> str:
    """A model that has learnt that phrases with stars belong to verbs."""
    done = toy("unify", "export", "toy.fcfg", "some.txt", "-o", "sets.jsonl")
    assert done.exit_code == 0
    assert "analyses of 2 of 4 sentences, 3 in all" in done.stderr
    rows = [json.loads(line) for line in Path("sets.jsonl").read_text().splitlines()]
    # Every edge but those that make the phrase part of a noun.
    edges = rows[1]["forest"]
    nouns = {edge["node"] for edge in edges if edge["rule"] == "NP → NP PP"}
    rows[1]["right"] = [
        number
        for number, edge in enumerate(edges)
        if edge["node"] not in nouns and nouns.isdisjoint(edge.get("children", []))
    ]
    Path("marked.jsonl").write_text(json.dumps(rows[1]) + "\n")
    trained = toy(
        "train", "m.weft", "--recipe", "parse-selection", "--train", "marked.jsonl",
        "--set", "properties=rules grandparents", "--quiet",
    )  # fmt: skip
    assert trained.exit_code == 0, trained.output
    return "m.weft"


def test_from_a_grammar_to_a_ranker(toy: Weft, ranker: str) -> None:
    asked = ("unify", "parse", "toy.fcfg", "some.txt", "--plain")
    first, best = (toy(*asked, "--kbest", "1", *more).stdout for more in ((), ("--model", ranker)))
    assert "(NP (NP (N stars)) (PP with" in first
    assert "(VP (VP (V sees) (NP (N stars))) (PP with" in best
    # All analyses of a new sentence: each once, the likeliest first, as the ranker itself says.
    Path("new.txt").write_text("Kim sees stars with Kim with stars with Kim\n")
    ask = ("unify", "parse", "toy.fcfg", "new.txt", "--plain", "--json", "--kbest", "99")
    row, plain = (json.loads(toy(*ask, *more).stdout) for more in (("--model", ranker), ()))
    assert row["count"] == 14
    assert sorted(row["trees"]) == sorted(plain["trees"])
    assert "probabilities" not in plain
    expected = sorted(row["probabilities"], reverse=True)
    assert row["probabilities"] == pytest.approx(expected, rel=1e-8)
    assert sum(row["probabilities"]) == pytest.approx(1)
    assert toy("unify", "export", "toy.fcfg", "new.txt", "-o", "new.jsonl").exit_code == 0
    told = json.loads(toy("predict", ranker, "new.jsonl", "--kbest", "99").stdout)
    said = [each["probability"] for each in told["ranking"]]
    assert row["probabilities"] == pytest.approx(said)
    few = json.loads(toy(*ask[:-1], "3", "--model", ranker).stdout)
    assert few["trees"] == row["trees"][:3]


def test_models_that_cannot_rank(toy: Weft, ranker: str) -> None:
    asked = ("unify", "parse", "toy.fcfg", "some.txt", "--model")
    Path("tags").write_text("a/X b/Y\n")
    assert toy("train", "t.weft", "--train", "tags", "--format", "tagged", "-q").exit_code == 0
    done = toy(*asked, "t.weft")
    assert (done.exit_code, "is no model for parse sets" in done.stderr) == (2, True)
    done = toy(*asked, "toy.fcfg")
    assert (done.exit_code, done.stdout) == (1, "")
    done = toy(*asked, ranker, "--count")
    assert (done.exit_code, "--count" in done.stderr) == (2, True)
    done = toy(*asked, ranker, "--html", ranker)
    assert (
        done.exit_code,
        "which this command reads" in done.stderr or "reads" in done.stderr,
    ) == (2, True)


def test_mistakes(toy: Weft) -> None:
    done = toy("unify", "check", "toy.fcfg")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "0 likely mistakes.")
    assert "No rule tests SEM." in done.stdout
    Path("bad.fcfg").write_text("S -> NP[+WH] VQ\nNP[-WH] -> 'Kim'\nVP -> 'sleeps'\nS -> S\n")
    done = toy("unify", "check", "bad.fcfg")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "bad.fcfg:1: VQ[]: there is no rule for this category",
        "bad.fcfg:1: NP[+WH]: no rule's left side unifies with this",
        "bad.fcfg:3: VP: no sentence has this category in it",
        "bad.fcfg:4: S[]: may be what it is part of, over the same words, unless features end the "
        "cycle",
        "3 likely mistakes.",
    ]
    found = json.loads(toy("unify", "check", "bad.fcfg", "--json").stdout)
    assert found["unreachable"] == ["VP"]
    Path("vain.fcfg").write_text(
        "S -> NP[NMU=?n, AGR=[PRE=?p]] VP[NUM=?n]\nNP[NUM=sg, AGR=[PER=3]] -> 'Kim'\n"
        "VP[NUM=sg] -> Adv VP 'on' | 'flies'\nAdv ->\nVP -> W\nW -> W 'on'\n"
    )
    done = toy("unify", "check", "vain.fcfg")
    assert done.stdout.splitlines() == [
        "vain.fcfg:1: NP[AGR=[PRE=?p], NMU=?n]: no rule for NP ever has NMU, AGR PRE",
        "vain.fcfg:6: W: no rule for this category ever comes to words",
        "vain.fcfg:3: VP[]: may begin with what it is part of, after empty categories only",
        "2 likely mistakes.",
    ]
    found = json.loads(toy("unify", "check", "vain.fcfg", "--json").stdout)
    assert found["unmet"][0]["features"] == [["NMU"], ["AGR", "PRE"]]
    assert found["endless"] == ["W"]


def test_suites(toy: Weft) -> None:
    lines = ["# a comment", "1: Kim sees stars", "", "3: Kim sees stars with Kim", "0: Kim"]
    Path("suite").write_text("\n".join(lines) + "\n")
    done = toy("unify", "test", "toy.fcfg", "suite")
    assert done.exit_code == 1
    assert done.stdout.splitlines() == [
        "line 4: 2, not 3: Kim sees stars with Kim",
        "2 of 3 sentences as expected",
    ]
    Path("suite").write_text("2: Kim sees stars with Kim\n")
    assert toy("unify", "test", "toy.fcfg", "suite").exit_code == 0
    found = json.loads(toy("unify", "test", "toy.fcfg", "suite", "--json").stdout)
    assert found == {"sentences": 1, "as_expected": 1, "differences": []}
    Path("suite").write_text("Kim sees stars\n")
    done = toy("unify", "test", "toy.fcfg", "suite")
    assert (done.exit_code, "suite:1:1: expected a number" in done.stderr) == (1, True)


def test_limits_and_refusals(toy: Weft) -> None:
    done = toy("unify", "parse", "toy.fcfg", "some.txt", "--edges", "5")
    assert done.exit_code == 1
    assert "takes more than 5 edges" in done.stderr
    done = toy("unify", "parse", "toy.fcfg", "some.txt", "--edges", "5", "--truncate", "--count")
    assert "analyses are missing" in done.stderr
    for verb, file in (("parse", "some.txt"), ("export", "some.txt"), ("test", "-"), ("why", "a")):
        done = toy("unify", verb, "toy.fcfg", file, "--seconds=0", given="1: Kim\n")
        assert done.exit_code == 1
        assert "compiling the grammar takes longer than 0 seconds" in done.stderr
    assert toy("unify", "parse", "-", "-").exit_code == 2
    assert toy("unify", "parse", "toy.fcfg", "--encoding", "utf-99").exit_code == 2
    assert toy("unify", "export", "toy.fcfg", "some.txt", "-o", "some.txt").exit_code == 2


def test_why_not(toy: Weft) -> None:
    done = toy("unify", "why", "toy.fcfg", "stars sees Kim")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "The largest pieces:",
        "  stars: NP[NUM='pl']",
        "  sees Kim: VP[NUM='sg']",
        "What failed, last first:",
        "  toy.fcfg:2: S → NP VP over 'stars sees Kim':",
        "    NUM of side 2 is 'pl' by the rule, 'sg' in the part",
    ]
    found = json.loads(toy("unify", "why", "toy.fcfg", "zzz sees Kim", "--json").stdout)
    assert found["unknown"] == ["zzz"]
    assert [(each["start"], each["end"]) for each in found["pieces"]] == [(1, 3)]
    done = toy("unify", "why", "toy.fcfg", "Kim sees stars")
    said = "The sentence has 1 analysis: see 'weft unify parse'.\n"
    assert (done.exit_code, done.stdout) == (0, said)
    found = json.loads(toy("unify", "why", "toy.fcfg", "Kim sees stars", "--json").stdout)
    assert found["analyses"] == 1


@pytest.mark.parametrize("name", ["toy.fcfg", "toy.patr", "toy.GRM.gz", "toy.lfg"])
def test_grammar_names_unify_for_files_of_unification_grammars(toy: Weft, name: str) -> None:
    Path(name).write_text("S -> NP[NUM=?n]\n")
    done = toy("grammar", "parse", name, "some.txt")
    assert (done.exit_code, "'weft unify' reads unification grammars" in done.stderr) == (1, True)
    given = ("--recipe", "pcfg-em", "--grammar", name, "--train", "some.txt", "--format", "text")
    assert "'weft unify' reads unification grammars" in toy("train", "p.weft", *given).stderr
    Path("toy.txt").write_text("S -> NP[NUM=?n]\n")
    assert "weft unify" not in toy("grammar", "parse", "toy.txt", "some.txt").stderr


def test_generated_sentences(toy: Weft) -> None:
    done = toy("unify", "generate", "toy.fcfg", "--depth", "4")
    assert done.stdout.splitlines() == ["Kim sees Kim", "Kim sees stars"]
    some = [
        toy("unify", "generate", "toy.fcfg", "--random", "--seed", "3", "-n", "5") for _ in "ab"
    ]
    assert some[0].stdout == some[1].stdout
    assert len(some[0].stdout.splitlines()) == 5
    Path("made.txt").write_text(some[0].stdout)
    assert "0" not in toy("unify", "parse", "toy.fcfg", "made.txt", "--count").stdout.splitlines()
    assert toy("unify", "generate", "toy.fcfg", "--trees", "-n", "1").stdout.startswith("(S[SEM=")


def test_no_sentence_of_this_depth(toy: Weft) -> None:
    for more in ((), ("--random",)):
        done = toy("unify", "generate", "toy.fcfg", "--depth", "3", *more)
        assert (done.exit_code, done.stdout) == (1, "")
        assert "no sentence has a tree of at most depth 3" in done.stderr
    assert toy("unify", "generate", "toy.fcfg", "--depth", "3", "-n", "0").exit_code == 0


@pytest.mark.parametrize(
    ("asked", "code", "message"),
    [
        (("generate", "toy.fcfg", "--depth", "999"), 2, "from 1 to 200"),
        (("parse", "toy.fcfg", "some.txt", "--count", "--plain"), 2, "--count"),
        (("parse", "toy.fcfg", "some.txt", "--matrix", "--json"), 2, "--matrix"),
        (("generate", "toy.fcfg", "--seed", "3"), 2, "it is for --random"),
        (("why", "toy.fcfg", " "), 1, "no word in the sentence"),
        (("why", "toy.fcfg", "some.txt"), 2, "some.txt is a file, and here the words"),
        (("test", "toy.fcfg", "empty"), 1, "empty: there is no sentence here"),
    ],
)
def test_what_would_be_ignored_is_refused(
    toy: Weft, asked: tuple[str, ...], code: int, message: str
) -> None:
    Path("empty").write_text("# nothing\n")
    Path("some.txt").write_text("Kim sees stars\n")
    done = toy("unify", *asked)
    assert (done.exit_code, message in done.stderr) == (code, True)


PATR = """\
Parameter: Start symbol is S.
Rule {main} S -> NP VP:
  <NP num> = <VP num>
  <S sem> <= <VP sem>.
Rule VP -> V X: <V object> = <X> <VP num> = <V num>.
Rule X_0 -> X_1 "and" X_2: <X_0 cat> = <X_1 cat> <X_0 cat> = <X_2 cat>.
Word Kim: <cat> = NP <num> = sg.
Word stars: <cat> = NP <num> = pl.
Word sees: <cat> = V <num> = sg <object cat> = NP.
"""


def test_every_verb_reads_patr(toy: Weft) -> None:
    Path("toy.patr").write_text(PATR)
    Path("some.txt").write_text("Kim sees stars\nKim sees Kim and stars\nstars sees Kim\n")
    done = toy("unify", "parse", "toy.patr", "some.txt", "--plain")
    assert done.stdout.splitlines()[:3] == [
        "(S (NP Kim) (VP (V sees) (NP stars)))",
        "",
        "(S (NP Kim) (VP (V sees) (NP (NP Kim) and (NP stars))))",
    ]
    assert "weft: 1 line of the grammar left out; see 'weft unify check'" in done.stderr
    done = toy("unify", "check", "toy.patr")
    assert done.stdout.splitlines() == [
        "toy.patr:4: a priority union (<=) is left out",
        "0 likely mistakes.",
    ]
    assert done.exit_code == 0
    done = toy("unify", "why", "toy.patr", "stars sees Kim")
    assert done.stdout.splitlines()[-2:] == [
        "  toy.patr:2: main over 'stars sees Kim':",
        "    num of side 2 is 'pl' by the rule, 'sg' in the part",
    ]
    Path("suite").write_text("1: Kim sees stars\n2: Kim sees Kim and stars and Kim\n")
    assert toy("unify", "test", "toy.patr", "suite").exit_code == 0
    assert toy("unify", "export", "toy.patr", "some.txt", "-o", "sets.jsonl").exit_code == 0
    rules = [edge["rule"] for edge in json.loads(Path("sets.jsonl").read_text().split("\n")[0])[
        "forest"]]  # fmt: skip
    assert "main" in rules
    made = toy("unify", "generate", "toy.patr", "--depth", "3")
    assert made.exit_code == 2
    assert "toy.patr: sentences are generated only where" in made.stderr
    Path("named.patr").write_text('Rule S -> NP "flies": <NP n> = sg.\nWord Kim: <cat> = NP.\n')
    assert toy("unify", "generate", "named.patr").stdout == "Kim flies\n"


def test_sentences_in_another_encoding(toy: Weft) -> None:
    Path("old.fcfg").write_bytes("% start S\nS -> 'naïve'\n".encode("latin-1"))
    Path("old.txt").write_bytes("1: naïve\n".encode("latin-1"))
    assert toy("unify", "test", "old.fcfg", "old.txt", "--encoding", "latin-1").exit_code == 0
    assert toy("unify", "test", "old.fcfg", "old.txt").exit_code == 1


def test_accents_that_are_apart_are_told(toy: Weft) -> None:
    Path("one.fcfg").write_text("% start S\nS -> 'ñandú'\n")
    apart = unicodedata.normalize("NFD", "ñandú\n")
    done = toy("unify", "parse", "one.fcfg", given=apart)
    assert "write them as one character (NFC)" in done.stderr
    assert "NFC" not in toy("unify", "parse", "one.fcfg", given="pingüino\n").stderr


def test_unknown_words_without_accents_are_not_told_of_them(toy: Weft) -> None:
    """Other words of the sentence are known, which says nothing of the unknown one."""
    told = toy("unify", "parse", "toy.fcfg", given="Kim sees Sandy\n").stderr
    assert "no rule has the words 'Sandy'" in told
    assert "NFC" not in told


def test_a_suite_with_a_number_beyond_all_numbers(toy: Weft) -> None:
    Path("suite.txt").write_text(f"{'9' * 5000}: Kim sees stars\n")
    done = toy("unify", "test", "toy.fcfg", "suite.txt")
    assert done.exit_code == 1
    assert "suite.txt:1" in done.stderr
    assert "expected a number of analyses" in done.stderr
