"""Trees in brackets through the program: trained on, tagged and judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Weft = Callable[..., Result]

TREES = """\
( (S (NP-SBJ (DT the) (NN dog))
     (VP (VBZ barks)) (. .)) )
( (S (NP-SBJ (-NONE- *)) (VP (VB see) (NP (DT the) (NN saw)))) ) (X (UH no))
"""
RETAGGED = """\
( (S (NP-SBJ (DT the) (NN saw))
   (VP (VBZ barks)) (-NONE- *)))
"""


@pytest.mark.parametrize("options", [[], ["--format", "brackets"]])
def test_train_predict_and_evaluate(weft: Weft, options: list[str]) -> None:
    Path("trees.txt").write_text(TREES)
    done = weft("train", "m.weft", "--train", "trees.txt", *options, "--json")
    assert done.exit_code == 0
    assert '"sentences": 3' in done.stdout
    assert '"tokens": 8' in done.stdout
    wrong = RETAGGED.replace("(NN saw", "(XX saw").replace("(VBZ ", "(YY ")
    assert weft("predict", "m.weft", given=wrong).stdout == RETAGGED
    judged = weft("evaluate", "m.weft", "trees.txt", "--json")
    assert judged.exit_code == 0
    assert '"accuracy": 1.0' in judged.stdout
    plain = weft("predict", "m.weft", "--format", "text", given="the dog\n")
    assert plain.stdout == "the/DT dog/NN\n"


def test_what_precedes_a_broken_tree_is_tagged(weft: Weft) -> None:
    Path("trees.txt").write_text(TREES)
    assert weft("train", "m.weft", "--train", "trees.txt").exit_code == 0
    done = weft("predict", "m.weft", given="(X (UH no))\n(X (UH\n")
    assert done.exit_code == 1
    assert done.stdout == "(X (UH no))\n"
    assert "weft: error: <stdin>:2: the file ends inside the tree" in done.stderr
    assert "close 2 brackets of it" in done.stderr
