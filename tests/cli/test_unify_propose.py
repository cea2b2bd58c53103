"""``weft unify propose``, and the joint likelihood of selection models."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

Weft = Callable[..., Result]

GRAMMAR = """\
% start S
# s
S -> NP[N=?n] VP[N=?n]
# np
NP[N=?n] -> N[N=?n]
# adjunct
NP[N=?n] -> NP[N=?n] PP
# pp
PP -> 'with' NP
# vp
VP[N=?n] -> V[N=?n] NP
# instrument
VP[N=?n] -> VP[N=?n] PP
# sees
V[N=sg] -> 'sees'
# kim
N[N=sg] -> 'Kim'
# stars
N[N=pl] -> 'stars'
"""


def right_edges(record: dict[str, Any]) -> list[int]:
    """The edges of a forest's first analysis."""
    vertices: dict[str, int] = {}
    for number, edge in enumerate(record["forest"]):
        vertices.setdefault(edge["node"], number)
    waiting, right = [record["root"]], set()
    while waiting:
        number = vertices[waiting.pop()]
        right.add(number)
        waiting.extend(record["forest"][number].get("children", []))
    return sorted(right)


@pytest.fixture
def toy(weft: Weft) -> Weft:
    Path("toy.fcfg").write_text(GRAMMAR)
    Path("some.txt").write_text("Kim sees stars\nKim sees stars with Kim\n" * 3)
    assert weft("unify", "export", "toy.fcfg", "some.txt", "-o", "packed.jsonl").exit_code == 0
    lines = []
    for line in Path("packed.jsonl").read_text().splitlines():
        record = json.loads(line)
        lines.append(json.dumps({**record, "right": right_edges(record)}))
    Path("train.jsonl").write_text("\n".join(lines) + "\n")
    return weft


def propose(weft: Weft, *more: str, trials: int = 150) -> Result:
    return weft("unify", "propose", "toy.fcfg", "-n", str(trials), "--depth", "9", *more)


def train(weft: Weft, *more: str) -> Result:
    joint = ("--recipe", "parse-selection", "--criterion", "joint", "--penalty", "relative:1")
    return weft("train", "joint.weft", "--train", "train.jsonl", *joint, *more)


def test_from_draws_to_a_model_and_to_better_draws(toy: Weft) -> None:
    first = propose(toy, "-o", "universe.jsonl", "--like", "train.jsonl")
    assert first.exit_code == 0, first.output
    assert "of 150 trials came to an analysis" in first.stderr
    done = train(toy, "--universe", "universe.jsonl")
    assert done.exit_code == 0, done.output
    assert "Universe: " in done.stderr
    assert "independent ones" in done.stderr
    assert toy("evaluate", "joint.weft", "train.jsonl").exit_code == 0
    again = propose(
        toy, "-o", "second.jsonl", "--like", "universe.jsonl", "--model", "joint.weft", "--json"
    )
    found = json.loads(again.stdout)
    assert found["analyses"] == len(json.loads(Path("second.jsonl").read_text())["analyses"])
    assert isinstance(found["bound"], float)
    assert 3 < found["effective"] <= found["analyses"]


def test_the_walk_trains_too(toy: Weft) -> None:
    assert propose(toy, "-o", "universe.jsonl", "--like", "train.jsonl").exit_code == 0
    walk = ("--optimiser", "sgd", "--set", "sampling=metropolis", "--set", "iterations=5")
    done = train(toy, "--universe", "universe.jsonl", *walk)
    assert done.exit_code == 0, done.output


def test_the_same_seed_draws_the_same(toy: Weft) -> None:
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        assert propose(toy, "-o", f"{name}.jsonl", "--seed", seed, trials=40).exit_code == 0
    a, b, c = (Path(f"{name}.jsonl").read_text() for name in "abc")
    assert a == b != c


UNNAMED = """\
S -> NP VP
NP -> 'kim' | NP 'with' NP | NP/NP
NP/NP ->
VP -> 'sleeps' | V NP | VP 'with' NP
V -> 'sees (it)'
"""
PATR = """\
Rule S -> NP VP: <NP n> = <VP n>.
Rule VP_1 -> VP_2 ADV: <VP_1 n> = <VP_2 n>.
Word kim: <cat> = NP <n> = sg.
Word sleeps: <cat> = VP <n> = sg.
Word often: <cat> = ADV.
"""


@pytest.mark.parametrize(
    ("name", "rules", "sentences"),
    [
        ("some.fcfg", UNNAMED, "kim sleeps with kim\nkim with kim with kim sleeps with kim\n"),
        ("some.patr", PATR, "kim sleeps\nkim sleeps often often\n"),
    ],
)
def test_rules_without_names(weft: Weft, name: str, rules: str, sentences: str) -> None:
    Path(name).write_text(rules)
    Path("some.txt").write_text(sentences)
    assert weft("unify", "export", name, "some.txt", "-o", "packed.jsonl").exit_code == 0
    drawn = weft("unify", "propose", name, "-n", "30", "-o", "u.jsonl", "--like", "packed.jsonl")
    assert drawn.exit_code == 0, drawn.output
    [universe] = map(json.loads, Path("u.jsonl").read_text().splitlines())
    packed = [json.loads(line) for line in Path("packed.jsonl").read_text().splitlines()]
    known = {edge["rule"] for each in packed for edge in each["forest"]}
    used = {label for each in universe["analyses"] for label in labels(each["derivation"])}
    assert used & known > {"root"}
    assert "S → NP VP" in used
    walk = ("--optimiser", "sgd", "--set", "sampling=metropolis", "--set", "iterations=2")
    rows = [{**each, "right": right_edges(each)} for each in packed]
    Path("train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert train(weft, "--universe", "u.jsonl", *walk).exit_code == 0
    assert weft("evaluate", "joint.weft", "train.jsonl").exit_code == 0
    assert weft("predict", "joint.weft", "u.jsonl").exit_code == 0
    again = ("-o", "v.jsonl", "--like", "u.jsonl", "--model", "joint.weft", "--json")
    found = weft("unify", "propose", name, "-n", "30", *again)
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["analyses"] == 30


def labels(derivation):
    items = [derivation]
    while items:
        label, *below = items.pop()
        yield label
        items += [each for each in below if isinstance(each, list)]


def test_no_deeper_than_trees_can_be_walked(weft: Weft) -> None:
    Path("endless.fcfg").write_text("S -> 'a' S\n")
    found = weft("unify", "propose", "endless.fcfg", "-o", "u.jsonl", "-n", "1", "--depth", "3000")
    assert found.exit_code == 2
    assert "from 1 to 200" in found.stderr


def test_mistakes(toy: Weft) -> None:
    assert "give analyses of all sentences" in train(toy).stderr
    several = train(toy, "--universe", "train.jsonl")
    assert several.exit_code == 1
    assert "a universe is one parse set" in several.stderr
    alone = propose(toy, "-o", "u.jsonl", "--model", "joint.weft")
    assert alone.exit_code == 2 or "--like" in alone.stderr
    Path("other.jsonl").write_text(
        json.dumps({"id": "1", "text": "x", "analyses": [{"tree": "(zz (x x))"}], "right": [0]})
        + "\n"
    )
    other = propose(toy, "-o", "u.jsonl", "--like", "other.jsonl")
    assert other.exit_code != 0
    assert not Path("u.jsonl").exists()
