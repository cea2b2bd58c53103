"""A teacher who shows a class what a hidden Markov model, a CRF and a grammar are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

Weft = Callable[..., str]

GRAMMAR = """
S -> NP VP [1.0]
NP -> 'they' [0.4] | NP PP [0.2] | 'fish' [0.4]
VP -> V NP [0.7] | VP PP [0.3]
V -> 'eat' [1.0]
PP -> P NP [1.0]
P -> 'with' [1.0]
"""

TREES = """
(S (NP they) (VP (V eat) (NP fish)))
(S (NP they) (VP (VP (V eat) (NP fish)) (PP (P with) (NP fish))))
"""


def folder(weft: Weft) -> Path:
    """The corpus that comes with Weft, as `weft data list` names it."""
    return Path(weft("data", "list").splitlines()[-1])


def test_the_same_chain_estimated_in_two_ways(weft: Weft) -> None:
    train, test = folder(weft) / "train.tagged", folder(weft) / "test.tagged"
    found = {}
    for recipe in ("hmm", "memm"):
        settings = () if recipe == "hmm" else ("--set", "iterations=20")
        weft("train", f"{recipe}.weft", "--recipe", recipe, "--train", str(train), "-q", *settings)
        found[recipe] = json.loads(weft("evaluate", f"{recipe}.weft", str(test), "--json"))
    assert found["hmm"]["joint_log_likelihood"] is not None
    assert found["memm"]["joint_log_likelihood"] is None
    assert min(each["accuracy"] for each in found.values()) > 0.8


def test_an_hmm_for_openfst(weft: Weft) -> None:
    train = folder(weft) / "heldout.tagged"
    weft("train", "hmm.weft", "--recipe", "hmm", "--train", str(train), "-q")
    weft("convert", "hmm.weft", "--to", "att", "--out", "hmm.att")
    arcs = Path("hmm.att").read_text(encoding="utf-8").splitlines()
    assert all(len(line.split("\t")) in (1, 2, 4, 5) for line in arcs)


def test_a_grammar_on_the_board(weft: Weft) -> None:
    Path("g.cfg").write_text(GRAMMAR, encoding="utf-8")
    sentence = "they eat fish with fish\n"
    assert weft("grammar", "count", "g.cfg", given=sentence).split()[0] == "2"
    assert "(PP" in weft("grammar", "parse", "g.cfg", given=sentence)
    assert len(weft("grammar", "sample", "g.cfg", "-n", "3").splitlines()) == 3
    Path("t.mrg").write_text(TREES, encoding="utf-8")
    weft("train", "p.weft", "--recipe", "pcfg", "--train", "t.mrg", "-q")
    assert weft("predict", "p.weft", given="they eat fish\n").startswith("(")
