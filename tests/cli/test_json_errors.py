"""With ``--json``, errors are an object on one line of the standard error, with the same code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import Result

from cli.conftest import Weft
from weft.cli.app import app

KEYS = ["error", "message", "file", "line", "column", "hint", "code"]


def failure(done: Result) -> dict[str, Any]:
    """The object of the last line."""
    found: dict[str, Any] = json.loads(done.stderr.splitlines()[-1])
    assert list(found) == KEYS
    assert found["code"] == done.exit_code
    assert done.stdout == ""
    return found


def test_a_line_of_a_file_is_named(weft: Weft, tagger: Path) -> None:
    Path("broken.tagged").write_text("the/DT dog/NN\nthe dog/NN\n")
    command = ("evaluate", tagger, "broken.tagged")
    plain, done = weft(*command), weft(*command, "--json")
    found = failure(done)
    assert (found["error"], found["code"]) == ("FormatError", plain.exit_code)
    assert (found["file"], found["line"], found["column"]) == ("broken.tagged", 2, 1)
    assert plain.stderr == f"weft: error: {found['message']}\n"
    assert found["hint"] is not None
    assert found["message"].partition("\n")[0].endswith(f"; {found['hint']}")


def test_wrong_options_are_told_likewise(weft: Weft, tagger: Path) -> None:
    found = failure(weft("recipes", "cfr", "--json"))
    assert (found["error"], found["code"], found["file"]) == ("OptionError", 2, None)
    found = failure(weft("evaluate", tagger, "train.tagged", "--json", "--no-such"))
    assert (found["error"], found["code"]) == ("NoSuchOption", 2)
    assert "--no-such" in found["message"]
    found = failure(weft("convert", tagger, "--to", "weights", "--scale", "3", "--json"))
    assert (found["error"], found["code"]) == ("BadParameter", 2)
    found = failure(weft("no-such", "--json"))
    assert found["code"] == 2
    found = failure(weft("--bogus", "--json"))
    assert (found["error"], found["code"]) == ("NoSuchOption", 2)
    assert "Usage: " in weft("--bogus").stderr


def test_absent_files_are_named(weft: Weft) -> None:
    found = failure(weft("inspect", "absent.weft", "--json"))
    assert (found["file"], found["line"], found["code"]) == ("absent.weft", None, 1)


def test_advice_after_a_colon_is_a_hint(weft: Weft) -> None:
    found = failure(weft("inspect", "train.tagged", "--json"))
    assert found["hint"] == "give the path of a saved model"
    assert found["message"].endswith(f": {found['hint']}")


def test_what_follows_two_dashes_is_no_option(weft: Weft) -> None:
    done = weft("inspect", "--", "--json")
    assert done.stderr.startswith("weft: error: --json: no such file")


def commands_of(command: Any, name: str = "weft") -> list[tuple[str, set[str]]]:
    if hasattr(command, "commands"):
        several = command.commands.items()
        return [pair for word, each in several for pair in commands_of(each, f"{name} {word}")]
    return [(name, {option for each in command.params for option in each.opts})]


@pytest.mark.parametrize("command", commands_of(typer.main.get_command(app)), ids=lambda c: c[0])
def test_every_command_has_json(command: tuple[str, set[str]]) -> None:
    assert "--json" in command[1]


def test_neighbours_as_json(weft: Weft) -> None:
    lines = weft("neighbours", "trans1", "--json", given="a b\nc\n").stdout.splitlines()
    first, second = map(json.loads, lines)
    assert first == {"words": ["a", "b"], "count": 2, "strings": [["a", "b"], ["b", "a"]]}
    assert second["strings"] == [["c"]]
    counted = json.loads(weft("neighbours", "trans1", "a b", "--count", "--json").stdout)
    assert (counted["count"], counted["strings"]) == (2, None)
    words = " ".join(map(str, range(20)))
    many = json.loads(weft("neighbours", "length", words, "--count", "--json").stdout)
    assert many["count"] == str(20**20)
    assert failure(weft("neighbours", "trans1", "a b", "--svg", "--json"))["code"] == 2


GRAMMAR = "% start S\nS -> NP V\nNP -> 'we'\nV -> 'sleep'\n"


def test_sentences_of_a_feature_grammar_as_json(weft: Weft) -> None:
    Path("g.fcfg").write_text(GRAMMAR)
    [line] = weft("unify", "generate", "g.fcfg", "--json").stdout.splitlines()
    assert json.loads(line)["words"] == ["we", "sleep"]
    Path("s.txt").write_text("we sleep\nsleep we\n")
    done = weft("unify", "export", "g.fcfg", "s.txt", "-o", "a.jsonl", "--json")
    found = json.loads(done.stdout)
    assert found == {"output": "a.jsonl", "sentences": 2, "written": 1, "analyses": 1}
    assert len(Path("a.jsonl").read_text().splitlines()) == 1
    assert failure(weft("unify", "export", "g.fcfg", "s.txt", "--json"))["code"] == 2


def test_options_of_words_and_tags_are_not_for_trees(weft: Weft) -> None:
    Path("t.mrg").write_text("(S (NP (DT the) (NN dog)) (VP (VBZ barks)))\n" * 5)
    weft("train", "p.weft", "--recipe", "pcfg", "--train", "t.mrg")
    for option in ("--separator", "--column", "--inputs"):
        for command in (("predict", "p.weft", "t.mrg"), ("explain", "p.weft", "t.mrg", "1")):
            done = weft(*command, option, "1")
            assert done.exit_code == 2
            assert f"{option} is for files of sentences, and t.mrg has trees" in done.stderr
    tagged = weft("predict", "p.weft", "--separator", "_", given="the_DT dog_NN barks_VBZ\n")
    assert tagged.stdout.count("(") == 7
