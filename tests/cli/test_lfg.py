"""``weft unify`` with a lexical-functional grammar."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Weft = Callable[..., Result]

GRAMMAR = """\
TOY ENGLISH CONFIG (1.0)
  ROOTCAT S.  RULES (TOY ENGLISH).  LEXENTRIES (TOY ENGLISH).
  GOVERNABLERELATIONS SUBJ OBJ.  SEMANTICFUNCTIONS ADJUNCT.
  OPTIMALITYORDER Rare.
----
TOY ENGLISH RULES (1.0)
  S --> NP: (^ SUBJ)=!; VP.
  VP --> V (NP: (^ OBJ)=!) PP*: ! $ (^ ADJUNCT).
  NP --> N PP*: ! $ (^ ADJUNCT).
  PP --> P NP: (^ OBJ)=!.
----
TOY ENGLISH LEXICON (1.0)
Kim    N * (^ PRED)='Kim' (^ NUM)=sg.
stars  N * (^ PRED)='star' (^ NUM)=pl; V * (^ PRED)='star<(^ SUBJ)>' Rare $ o::*.
sees   V * (^ PRED)='see<(^ SUBJ)(^ OBJ)>' (^ SUBJ NUM)=sg.
with   P * (^ PRED)='with<(^ OBJ)>'.
----
"""


@pytest.fixture
def toy(weft: Weft) -> Weft:
    Path("toy.lfg").write_text(GRAMMAR)
    lines = ["Kim sees stars", "Kim sees stars with Kim", "stars sees Kim", "Kim flies"]
    Path("some.txt").write_text("\n".join(lines) + "\n")
    return weft


def test_trees_and_structures(toy: Weft) -> None:
    done = toy("unify", "parse", "toy.lfg", given="Kim sees stars\n")
    assert [line.split("  ⎢")[0].rstrip() for line in done.stdout.splitlines()[1:4]] == [
        "  NP (3)",
        "    N (3)  Kim",
        "  VP (1)",
    ]
    assert "(1)⎡PRED  'see<(3)(2)>'" in done.stdout
    assert "⎢OBJ   (2)⎡PRED  'star'⎤" in done.stdout


def test_plain_trees_and_what_is_wrong(toy: Weft) -> None:
    done = toy("unify", "parse", "toy.lfg", "some.txt", "--plain")
    assert done.exit_code == 0
    first, blank, *two = done.stdout.splitlines()
    assert (first, blank) == ("(S (NP (N Kim)) (VP (V sees) (NP (N stars))))", "")
    assert sorted(two) == [
        "",
        "",
        "",
        "(S (NP (N Kim)) (VP (V sees) (NP (N stars) (PP (P with) (NP (N Kim))))))",
        "(S (NP (N Kim)) (VP (V sees) (NP (N stars)) (PP (P with) (NP (N Kim)))))",
    ]
    assert "some.txt:3: the grammar has no analysis" in done.stderr
    assert "some.txt:4: the lexicon has nothing for 'flies'" in done.stderr


def test_entries_that_cannot_be_read_are_named(toy: Weft) -> None:
    wrong = "flies  V * (^ PRED)='fly<(^ SUBJ)>' (^ NUM .\n"
    Path("wrong.lfg").write_text(GRAMMAR.replace("Kim    N", f"{wrong}Kim    N"))
    line = 1 + GRAMMAR[: GRAMMAR.index("Kim    N")].count("\n")
    done = toy("unify", "parse", "wrong.lfg", given="Kim Flies bees\n")
    assert "<stdin>:1: the lexicon has nothing for 'bees'; wrong.lfg:" in done.stderr
    assert f"wrong.lfg:{line}: the entry 'flies' is left out: '(' is not closed" in done.stderr
    done = toy("unify", "why", "wrong.lfg", "Kim flies")
    assert f"  wrong.lfg:{line}: the entry 'flies' is left out: '(' is not closed" in done.stdout


def test_counts_json_and_matrices(toy: Weft) -> None:
    assert toy("unify", "parse", "toy.lfg", "some.txt", "--count").stdout == "1\n2\n0\n0\n"
    assert toy("unify", "parse", "toy.lfg", "--count", given="Kim stars\n").stdout == "1\n"
    matrix = toy("unify", "parse", "toy.lfg", "--matrix", given="Kim stars\n").stdout
    assert matrix.startswith("(1)⎡PRED  'star<(2)>'")
    done = toy("unify", "parse", "toy.lfg", "some.txt", "--json", "-n", "1")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["optimal"], row["others"]) for row in rows] == [(1, 0), (2, 0), (0, 0), (0, 0)]
    assert [len(row["analyses"]) for row in rows] == [1, 1, 0, 0]
    whole = rows[0]["analyses"][0]
    assert whole["values"][whole["tree"]["value"]]["features"].keys() == {"PRED", "OBJ", "SUBJ"}
    assert rows[3]["unknown"] == ["flies"]


def test_pictures(toy: Weft) -> None:
    asked = ("unify", "parse", "toy.lfg", "some.txt", "--svg", "p", "--html", "p.html")
    assert toy(*asked, "--latex", "p.tex").exit_code == 0
    assert sorted(path.name for path in Path("p").iterdir()) == ["1-1.svg", "2-1.svg", "2-2.svg"]
    assert "see" in Path("p.tex").read_text()
    assert "Kim sees stars (1 of 1)" in Path("p.html").read_text()


@pytest.mark.parametrize(
    "asked",
    [
        ("parse", "toy.lfg", "some.txt", "--resolved"),
        ("check", "toy.lfg", "--encoding", "latin-1"),
        ("generate", "toy.lfg", "--encoding", "latin-1"),
        ("why", "toy.lfg", "Kim", "--encoding", "latin-1"),
    ],
)
def test_options_of_feature_grammars_are_refused(toy: Weft, asked: tuple[str, ...]) -> None:
    done = toy("unify", *asked)
    assert done.exit_code == 2
    assert "grammars .lfg" in done.stderr


@pytest.mark.parametrize("verb", ["parse", "export"])
def test_limits_end_a_search(toy: Weft, verb: str) -> None:
    done = toy("unify", verb, "toy.lfg", "some.txt", "--edges=3")
    assert done.exit_code == 1
    assert "some.txt:1: " in done.stderr
    assert "edges" in done.stderr
    whole = toy("unify", verb, "toy.lfg", "some.txt")
    long = toy("unify", verb, "toy.lfg", "some.txt", "--edges=100000", "--seconds=100")
    assert long.exit_code == 0
    assert long.stdout == whole.stdout


def test_a_depth_without_sentences(toy: Weft) -> None:
    done = toy("unify", "generate", "toy.lfg", "--depth", "1")
    assert done.exit_code == 1
    assert "see --depth" in done.stderr


def test_mistakes(toy: Weft) -> None:
    assert toy("unify", "check", "toy.lfg").exit_code == 0
    Path("bad.lfg").write_text(GRAMMAR.replace("--> P NP", "--> P DP"))
    done = toy("unify", "check", "bad.lfg")
    assert done.exit_code == 1
    assert "bad.lfg:10:12: DP: no rule and no entry is for this category" in done.stdout
    found = json.loads(toy("unify", "check", "bad.lfg", "--json").stdout)
    assert found["undefined_categories"][0]["text"] == "DP"


def test_suites_may_name_the_category(toy: Weft) -> None:
    for text in ("1: NP: Kim with stars\n1: Kim stars\n0: PP: Kim\n", "NP: Kim (1 0.1 2)\n"):
        done = toy("unify", "test", "toy.lfg", "-", given=text)
        assert done.exit_code == 0, done.stdout


def test_suites_of_our_own_and_of_xle(toy: Weft) -> None:
    Path("ours.txt").write_text("# ours\n1: Kim sees stars\n3: Kim sees stars with Kim\n0: Kim\n")
    done = toy("unify", "test", "toy.lfg", "ours.txt")
    assert done.exit_code == 1
    assert done.stdout == (
        "line 3: 2, not 3: Kim sees stars with Kim\n2 of 3 sentences as expected\n"
    )
    theirs = "# SENTENCE_ID: 001\n\nKim sees\nstars (1 0.02 5)\n\n"
    theirs += '"Kim voit"\n\nKim stars\n\nKim (0! 0 0)\n'
    Path("testfile.lfg").write_text(theirs)
    done = toy("unify", "test", "toy.lfg", "testfile.lfg")
    assert (done.exit_code, done.stdout) == (0, "3 of 3 sentences as expected\n")
    Path("testfile.lfg").write_text(
        theirs.replace("(1 ", "(1+1 ").replace("stars\n\nKim", "Kim\n\nKim")
    )
    rows = json.loads(toy("unify", "test", "toy.lfg", "testfile.lfg", "--json").stdout)
    assert [(row["line"], row["expected"], row["found"]) for row in rows["differences"]] == [
        (3, "1+1", "1"),
        (8, "some", "0"),
    ]


def test_why(toy: Weft) -> None:
    done = toy("unify", "why", "toy.lfg", "stars sees Kim")
    assert "over 'stars sees Kim': sg is not pl" in done.stdout or (
        "over 'stars sees Kim': pl is not sg" in done.stdout
    )
    assert "toy.lfg:7: ^ = !" in done.stdout
    lacks = toy("unify", "why", "toy.lfg", "Kim sees").stdout
    assert "over 'Kim sees': PRED 'see' lacks OBJ" in lacks
    more = toy("unify", "why", "toy.lfg", "Kim stars Kim").stdout
    assert "PRED 'star' governs no OBJ" in more
    pieces = toy("unify", "why", "toy.lfg", "Kim with flies").stdout
    assert "The lexicon has nothing for 'flies'." in pieces
    assert "  Kim: NP" in pieces
    assert json.loads(toy("unify", "why", "toy.lfg", "Kim sees", "--json").stdout)["whole"]
    done = toy("unify", "why", "toy.lfg", "Kim stars")
    assert (done.exit_code, done.stdout[:26]) == (0, "The sentence has 1 analysi")


def test_sentences_are_generated(toy: Weft) -> None:
    done = toy("unify", "generate", "toy.lfg", "--depth", "4", "--most", "3")
    lines = done.stdout.splitlines()
    assert len(set(lines)) == 3
    Path("made.txt").write_text(done.stdout)
    counts = toy("unify", "parse", "toy.lfg", "made.txt", "--count").stdout.split()
    assert all(int(each.split("+")[0]) for each in counts)
    drawn = ("unify", "generate", "toy.lfg", "--random", "--most", "5", "--trees")
    assert toy(*drawn).stdout == toy(*drawn).stdout
    assert toy(*drawn).stdout != toy(*drawn, "--seed", "3").stdout


def test_analyses_are_exported(toy: Weft) -> None:
    done = toy("unify", "export", "toy.lfg", "some.txt", "-o", "sets.jsonl")
    assert "analyses of 2 of 4 sentences, 3 in all" in done.stderr
    packed = [json.loads(line) for line in Path("sets.jsonl").read_text().splitlines()]
    assert [row["root"] for row in packed] == ["root", "root"]
    assert any("attachments: adjunct" in e.get("features", {}) for e in packed[1]["forest"])
    toy("unify", "export", "toy.lfg", "some.txt", "-o", "listed.jsonl", "--list")
    rows = [json.loads(line) for line in Path("listed.jsonl").read_text().splitlines()]
    assert [len(row["analyses"]) for row in rows] == [1, 2]
    assert all(row["right"] is None for row in rows + packed)


MARKS = """\
Kim sees stars with Kim
[S Kim [VP sees [NP stars] [PP with Kim]]]

Kim sees Kim with stars
[S Kim [VP sees [NP Kim] [PP with stars]]]
"""


def test_marks_say_which_packed_analysis_is_right(toy: Weft) -> None:
    Path("some.marks").write_text(MARKS)
    for name, listing in (("packed", ()), ("listed", ("--list",))):
        found = toy("unify", "export", "toy.lfg", "--marks", "some.marks", *listing)
        assert found.exit_code == 0
        Path(f"{name}.jsonl").write_text(found.stdout)
        toy(
            "train", f"{name}.weft", "--train", f"{name}.jsonl", "-q", "--recipe", "parse-selection"
        )
    scores = []
    for name in ("packed", "listed"):
        for file in ("packed", "listed"):
            given = ("evaluate", f"{name}.weft", f"{file}.jsonl", "--json")
            scores.append(json.loads(toy(*given).stdout)["neg_log_pl"])
            assert toy("predict", f"{name}.weft", f"{file}.jsonl").exit_code == 0
    assert scores == pytest.approx(scores[:1] * 4, rel=1e-4)


def test_marks_that_fit_nothing_are_told(toy: Weft) -> None:
    bad = "Kim sees stars\n[NP Kim sees] stars\n"
    Path("bad.marks").write_text(bad + "\nKim sees Kim\n[S Kim sees Kim]\n")
    done = toy("unify", "export", "toy.lfg", "--marks", "bad.marks")
    assert done.exit_code == 0
    assert "bad.marks:1: none of 1 analyses fit the mark" in done.stderr
    assert [json.loads(line)["text"] for line in done.stdout.splitlines()] == ["Kim sees Kim"]
    both = toy("unify", "export", "toy.lfg", "some.txt", "--marks", "bad.marks")
    assert (both.exit_code, "leave SENTENCES out" in both.stderr) == (2, True)
    Path("g.fcfg").write_text("S -> 'a'\n")
    for option in (("--marks", "bad.marks"), ("--list",)):
        refused = toy("unify", "export", "g.fcfg", *option)
        assert (refused.exit_code, "for grammars .lfg" in refused.stderr) == (2, True)


def test_the_best_analysis_by_a_model(toy: Weft) -> None:
    lines = ["Kim sees stars with Kim", "Kim sees Kim with stars"]
    Path("two.txt").write_text("\n".join(lines) + "\n")
    toy("unify", "export", "toy.lfg", "two.txt", "-o", "sets.jsonl", "--list")
    rows = [json.loads(line) for line in Path("sets.jsonl").read_text().splitlines()]
    for row in rows:
        high = [
            "(NP (N Kim)) (PP" in e["derivation"] or "(NP (N stars)) (PP" in e["derivation"]
            for e in row["analyses"]
        ]
        row["right"] = high.index(True)
    Path("sets.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows * 3))
    trained = toy("train", "m.weft", "--train", "sets.jsonl", "--recipe", "parse-selection", "-q")
    assert trained.exit_code == 0
    asked = ("unify", "parse", "toy.lfg", "--model", "m.weft", "-n", "1")
    done = toy(*asked, "--plain", given="Kim sees stars with stars\n")
    assert "(VP (V sees) (NP (N stars)) (PP (P with)" in done.stdout
    [row] = [json.loads(toy(*asked, "--json", given="Kim sees stars with stars\n").stdout)]
    assert row["probabilities"][0] > 0.5


def test_from_draws_to_a_joint_model(toy: Weft) -> None:
    assert (
        toy("unify", "export", "toy.lfg", "some.txt", "--list", "-o", "sets.jsonl").exit_code == 0
    )
    lines = Path("sets.jsonl").read_text().splitlines()
    right = [json.dumps({**json.loads(line), "right": [0]}) for line in lines]
    Path("train.jsonl").write_text("\n".join(right) + "\n")
    draw = ("unify", "propose", "toy.lfg", "-n", "60", "--words", "some.txt", "--depth", "6")
    first = toy(*draw, "-o", "universe.jsonl", "--like", "train.jsonl")
    assert first.exit_code == 0, first.output
    assert "of 60 trials came to an analysis" in first.stderr
    assert "a walk over them accepts" in first.stderr
    joint = ("--recipe", "parse-selection", "--criterion", "joint", "--penalty", "relative:1")
    walk = ("--optimiser", "sgd", "--set", "sampling=metropolis", "--set", "iterations=3")
    for more in ((), walk):
        given = ("--train", "train.jsonl", "--universe", "universe.jsonl", "--force")
        done = toy("train", "joint.weft", *joint, *given, *more)
        assert done.exit_code == 0, done.output
    again = toy(*draw, "-o", "u.jsonl", "--like", "universe.jsonl", "--model", "joint.weft")
    assert again.exit_code == 0, again.output
    assert "log Z has no known bound" in again.stderr
    assert "independent draws from the model" in again.stderr


def test_mistakes_in_drawing(toy: Weft) -> None:
    draw = ("unify", "propose", "toy.lfg", "-n", "5", "-o", "u.jsonl")
    low = toy(*draw, "--depth", "1")
    assert (low.exit_code, "see --depth" in low.stderr) == (2, True)
    Path("none.txt").write_text("zebra\n")
    none = toy(*draw, "--words", "none.txt")
    assert (none.exit_code, "no word has an entry" in none.stderr) == (2, True)
    Path("other.fcfg").write_text("S -> 'a'\n")
    other = toy("unify", "propose", "other.fcfg", "-o", "u.jsonl", "--words", "some.txt")
    assert (other.exit_code, "only the words of a grammar .lfg" in other.stderr) == (2, True)
    Path("strange.jsonl").write_text(
        '{"id": "1", "text": "x", "right": [0], "analyses": [{"derivation": "(FOO (BAR x))"}]}\n'
    )
    strange = toy(*draw, "--like", "strange.jsonl")
    assert (strange.exit_code, "no node of the given analyses" in strange.stderr) == (2, True)
    Path("empty.jsonl").write_text("")
    assert toy(*draw, "--like", "empty.jsonl").exit_code == 2
    assert toy(*draw, "--encoding", "latin-1").exit_code == 2
    assert not Path("u.jsonl").exists()
