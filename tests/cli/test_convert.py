"""``weft convert``: what it prints, and where."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Weft = Callable[..., Result]

TRAIN = ("--train", "train.tagged", "--set", "templates=word[0] suffix1[0]", "--quiet")


def test_convert_says_what_it_did(weft: Weft) -> None:
    weft("train", "m.weft", *TRAIN)
    done = weft("convert", "m.weft", "--to", "hmm", "--mean-length", "7", "--check", "train.tagged")
    assert done.exit_code == 0
    assert done.stderr == "Saved in m-hmm.weft\n"
    for part in (
        "mrf to hmm",
        "growth rate",
        "mean length  7\n",
        "Largest difference of log p(tags | words)",
        "words of the vocabulary",
        "The same tags: 3 of 3 sentences",
    ):
        assert part in done.stdout
    assert "became" not in done.stdout
    assert "unknown" not in done.stdout
    assert Path("m-hmm.weft").exists()


def test_convert_for_programs(weft: Weft) -> None:
    weft("train", "m.weft", "--recipe", "memm", *TRAIN)
    done = weft("convert", "m.weft", "--to", "mrf", "--out", "free.weft", "--json")
    found = json.loads(done.stdout)
    assert (found["from"], found["to"], found["model"]) == ("memm", "mrf", "free.weft")
    assert found["scale"] is None
    assert found["check"] is None


def test_a_tagger_has_a_grammar(weft: Weft) -> None:
    weft("train", "m.weft", "--recipe", "johnson-7", *TRAIN[:2])
    done = weft("convert", "m.weft", "--to", "grammar", "--out", "-")
    assert done.exit_code == 0
    assert any("~ -> " in line for line in done.stdout.splitlines())


def test_what_has_changed_is_shown(weft: Weft) -> None:
    weft("train", "m.weft", "--recipe", "memm", *TRAIN)
    Path("new.txt").write_text("bee barks\n")
    done = weft(
        "convert", "m.weft", "--to", "hmm", "--check", "new.txt", "--format", "text",
    )  # fmt: skip
    assert done.exit_code == 0
    assert "some unknown word" in done.stdout
    assert " became " in done.stdout
    assert "bee/" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--to", "crf"], 2, "there is no form 'crf'"),
        (
            ["--to", "grammarr"],
            2,
            "did you mean grammar? There are hmm, memm, mrf, mealy, moore, grammar",
        ),
        (["--to", "mrf"], 2, "the model is an mrf already"),
        (["--to", "moore"], 2, "this is a Moore model"),
        (["--to", "hmm", "--scale", "1e-9"], 2, "it must be above the growth rate, which is"),
        (["--to", "hmm", "--scale", "9", "--mean-length", "9"], 2, "give one of them"),
        (["--to", "mealy", "--scale", "9"], 2, "is for conversion into an hmm, not mealy"),
        (["--to", "hmm", "--check", "absent"], 1, "absent"),
        (["--to", "hmm", "--out", "m.weft"], 2, "is what this command reads"),
    ],
)
def test_errors_are_one_line(weft: Weft, arguments: list[str], code: int, message: str) -> None:
    weft("train", "m.weft", *TRAIN)
    before = sorted(Path().iterdir())
    done = weft("convert", "m.weft", *arguments)
    assert done.exit_code == code
    assert done.stdout == ""
    assert done.stderr.startswith("weft: error: ")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert sorted(Path().iterdir()) == before


def test_templates_beyond_the_word_are_named(weft: Weft, tagger: Path) -> None:
    done = weft("convert", tagger, "--to", "hmm", "--out", "x.weft")
    assert done.exit_code == 2
    assert "template word[-1] looks at other words: train a model with" in done.stderr


def test_grammars_of_parsers(weft: Weft) -> None:
    Path("t.mrg").write_text("(S (NP dogs) (VP bark))\n")
    assert weft("train", "p.weft", "--recipe", "pcfg", "--train", "t.mrg").exit_code == 0
    done = weft("convert", "p.weft", "--to", "grammar")
    assert done.exit_code == 0
    assert "Saved in p.cfg" in done.stderr
    assert weft("convert", "p.weft", "--to", "grammar", "--out", "-").stdout == Path(
        "p.cfg"
    ).read_text(encoding="utf-8")
    found = json.loads(weft("convert", "p.weft", "--to", "grammar", "--json").stdout)
    assert found["grammar"]["start"] == "TOP"
    for options in (("--scale", "2"), ("--check", "t.mrg"), ("--out", "-", "--json")):
        assert weft("convert", "p.weft", "--to", "grammar", *options).exit_code == 2
