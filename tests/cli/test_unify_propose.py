"""``weft unify propose``, and the joint likelihood of selection models."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

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


@pytest.fixture
def toy(weft: Weft) -> Weft:
    Path("toy.fcfg").write_text(GRAMMAR)
    Path("some.txt").write_text("Kim sees stars\nKim sees stars with Kim\n" * 3)
    assert weft("unify", "export", "toy.fcfg", "some.txt", "-o", "packed.jsonl").exit_code == 0
    lines = []
    for line in Path("packed.jsonl").read_text().splitlines():
        record = json.loads(line)
        vertices: dict[str, int] = {}
        for number, edge in enumerate(record["forest"]):
            vertices.setdefault(edge["node"], number)
        waiting, right = [record["root"]], []
        while waiting:
            number = vertices[waiting.pop()]
            right.append(number)
            waiting.extend(record["forest"][number].get("children", []))
        lines.append(json.dumps({**record, "right": sorted(set(right))}))
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
