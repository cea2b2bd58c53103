"""What the commands print, and where."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

import weft as library
from weft.corpora import BUNDLED, CORPORA, bundled_folder
from weft.recipes import RECIPES, with_settings

Weft = Callable[..., Result]

ESCAPE = "\x1b"


def test_train_says_what_it_did_on_the_standard_error(weft: Weft) -> None:
    done = weft(
        "train", "m.weft", "--train", "train.tagged", "--dev", "train.tagged",
        "--set", "iterations=12", "--penalty", "gaussian:2.0", "--threads", "1",
    )  # fmt: skip
    assert done.exit_code == 0
    assert done.stdout == ""
    for part in (
        "iteration 0 ",
        "iteration 10 ",
        "3 sentences (10 tokens): 5 tags",
        "Stopped after 12 iterations",
        "Accuracy on train.tagged: 100.00 %",
        "Saved in m.weft",
    ):
        assert part in done.stderr
    assert ESCAPE not in done.stderr
    assert library.load("m.weft").notes["penalty"] == "gaussian:2"


def test_train_for_programs(weft: Weft) -> None:
    done = weft(
        "train", "m.weft", "--train", "train.txt", "--train", "train.txt", "--format", "columns",
        "--column", "2", "--inputs", "1", "--set", "iterations=2", "--json", "--quiet",
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert done.stderr == ""
    assert found["sentences"] == 4
    assert found["development_accuracy"] is None
    assert found["notes"]["column"] == "2"


def test_train_on_files_of_several_formats(weft: Weft) -> None:
    Path("more.tagged").write_text("the/B-NP dog/I-NP\n")
    done = weft(
        "train", "m.weft", "--train", "train.txt", "--train", "more.tagged",
        "--dev", "more.tagged", "--set", "iterations=9", "--json",
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert (found["sentences"], found["notes"]["format"]) == (3, "columns")


def test_partial_labels_and_a_dictionary(weft: Weft) -> None:
    Path("part.tagged").write_text("the/DT dog/NN|VB\na/? cat/NN\n")
    Path("words").write_text("the\tDT\n")
    done = weft(
        "train", "m.weft", "--train", "part.tagged", "--partial", "--dictionary", "words",
    )  # fmt: skip
    assert done.exit_code == 0
    assert weft("evaluate", "m.weft", "part.tagged", "--json").exit_code == 0


def test_predict_reads_and_writes_streams(weft: Weft, tagger: Path) -> None:
    assert weft("predict", tagger, given="the dog\n").stdout == "the/DT dog/NN\n"
    assert weft("predict", tagger, "-", given="the/X dog/Y\n").stdout == "the/DT dog/NN\n"
    assert weft("predict", tagger, "--posterior", given="the\n").stdout == "the/DT\n"
    nothing = weft("predict", tagger, given="")
    assert (nothing.exit_code, nothing.stdout, nothing.stderr) == (0, "", "")


def test_predict_in_another_format(weft: Weft, chunker: Path, tagger: Path) -> None:
    assert (
        weft("predict", chunker, given="the DT\ndog NN\n").stdout == "the DT B-NP\ndog NN I-NP\n\n"
    )
    columns = weft("predict", tagger, "train.txt", "--format", "columns", "--inputs", "1")
    assert columns.stdout.startswith("the DT DT\ndog NN NN\n")
    Path("x.gz").write_bytes(gzip.compress(b"the dog\n"))
    assert weft("predict", tagger, "x.gz", "--format", "text").stdout == "the/DT dog/NN\n"


def test_predict_into_a_file(weft: Weft, tagger: Path) -> None:
    assert weft("predict", tagger, "train.tagged", "--output", "out.gz").stdout == ""
    assert gzip.decompress(Path("out.gz").read_bytes()) == Path("train.tagged").read_bytes()
    weft("predict", tagger, "train.tagged", "-o", "train.tagged")
    assert "the/DT" in Path("train.tagged").read_text()


def test_a_bad_line_comes_after_what_stood_before_it(weft: Weft, tagger: Path) -> None:
    Path("bad").write_bytes(b"the/DT dog/NN\nthe/DT tea\xe9/NN\n")
    done = weft("predict", tagger, "bad")
    assert done.exit_code == 1
    assert done.stdout == "the/DT dog/NN\n"
    assert done.stderr.startswith("weft: error: bad:2:11: byte 0xE9 is not UTF-8")
    Path("out").write_text("as it was")
    assert weft("predict", tagger, "bad", "--output", "out").exit_code == 1
    assert Path("out").read_text() == "as it was"
    assert not [path for path in Path().iterdir() if path.suffix == ".tmp"]


def test_marginals_are_a_json_object_a_line(weft: Weft, tagger: Path) -> None:
    lines = weft("predict", tagger, "--marginals", given="the dog\nzebra é\n").stdout.splitlines()
    first, second = map(json.loads, lines)
    assert first["tokens"] == ["the", "dog"]
    assert first["tags"] == ["DT", "NN"]
    assert first["marginals"][0]["DT"] == first["probabilities"][0]
    assert first["log_probability"] < 0 < first["entropy"]
    assert "é" in lines[1]
    assert len(second["marginals"]) == 2


def test_evaluate_for_people(weft: Weft, tagger: Path, chunker: Path) -> None:
    Path("gold").write_text("the/DT dog/VBZ\nzebra/NEW\n")
    done = weft("evaluate", tagger, "gold")
    assert done.exit_code == 0
    for part in ("all words", "unknown words", "log p(tags | words)", "1 sentence", "mistakes"):
        assert part in done.stdout
    assert ESCAPE not in done.stdout
    chunks = weft("evaluate", chunker, "train.txt", "--posterior").stdout
    assert "all chunks" in chunks
    assert "mistakes" not in chunks


def test_evaluate_for_programs(weft: Weft, tagger: Path, chunker: Path) -> None:
    found = json.loads(weft("evaluate", tagger, "train.tagged", "--json").stdout)
    assert found["accuracy"] == found["ambiguous_accuracy"] == 1.0
    assert found["tokens"] == 10
    assert found["log_likelihood"] < 0
    assert found["f1"] is None
    assert found["unknown_accuracy"] is None
    assert json.loads(weft("evaluate", chunker, "train.txt", "--json").stdout)["f1"] == 1.0


def test_inspect_for_people(weft: Weft, tagger: Path) -> None:
    done = weft("inspect", tagger, "--top", "3", "--plot", "trace.svg")
    assert done.exit_code == 0
    for part in ("train.tagged", "Features by kind", "Strongest for", "Strongest against", "→"):
        assert part in done.stdout
    assert "DT NN PRP VBD VBZ" in done.stdout
    assert "Training" in done.stdout
    assert "drawn in trace.svg" in done.stderr
    assert Path("trace.svg").stat().st_size > 1000


def test_inspect_for_programs(weft: Weft, tagger: Path) -> None:
    done = weft("inspect", tagger, "--top", "2", "--tag", "NN", "--kind", "bigram", "--json")
    found = json.loads(done.stdout)
    assert [each["kind"] for each in found["positive"]] == ["bigram", "bigram"]
    assert all("NN" in each["tags"] for each in found["positive"])
    assert weft("inspect", tagger, "--top", "0").exit_code == 0


def test_recipes(weft: Weft) -> None:
    done = weft("recipes")
    for part in ("crf", "minimum_count", "observed", "suffix1"):
        assert part in done.stdout
    assert json.loads(weft("recipes", "--json").stdout)["recipes"].keys() == set(RECIPES)


def test_data_list_for_people(weft: Weft, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("ewt").mkdir()
    monkeypatch.setenv("WEFT_DATA", str(Path.cwd()))
    done = weft("data", "list")
    assert done.exit_code == 0
    assert ESCAPE not in done.stdout
    listed, below, place = done.stdout.strip().rsplit("\n\n", 2)
    lines = listed.partition("─\n")[2].splitlines()
    names = [line[:22].strip() for line in lines if line[:22].strip()]
    found = dict(zip(names[::2], names[1::2], strict=True))
    assert list(found) == [corpus.name for corpus in (BUNDLED, *CORPORA)]
    assert [name for name in found if found[name] != "not found"] == ["english", "ewt"]
    # What one copies stands on one line.
    addresses = {corpus.source.partition(",")[0] for corpus in CORPORA if "/" in corpus.source}
    assert all(f"from: {each}" in listed for each in addresses if each.startswith("github"))
    assert str(Path.cwd()) in below
    assert place.splitlines()[-1] == str(bundled_folder())


def test_data_list_for_programs(weft: Weft, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_DATA", "nowhere")
    assert "names 'nowhere', which is not a folder" in weft("data", "list").stdout
    found = json.loads(weft("data", "list", "--json").stdout)
    assert found["folder"] is None
    english, *others = found["corpora"]
    assert not any(row["found"] for row in others)
    train = Path(english["path"], "train.tagged")
    assert weft("train", "m.weft", "--train", train, "--set", "iterations=1").exit_code == 0


def test_demo(weft: Weft, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "weft.commands.demonstration.find_recipe",
        lambda name: with_settings(RECIPES[name], {"iterations": "4"}),
    )
    monkeypatch.setattr("weft.commands.demonstration.COMPARED", ("crf", "hmm"))
    done = weft("demo")
    assert done.exit_code == 0
    for part in ("ambiguous words", "Strongest for", "≠", "weft train model.weft --train TRAIN"):
        assert part in done.stdout
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line.strip()}
    assert rows["crf"].count("—") == 2
    assert float(rows["hmm"][3]) == pytest.approx(
        float(rows["hmm"][4]) + float(rows["hmm"][5]), abs=0.002
    )
    assert "iteration 0 " in done.stderr


def test_a_brief_demo_compares_nothing(weft: Weft, monkeypatch: pytest.MonkeyPatch) -> None:
    few = with_settings(RECIPES["crf"], {"iterations": "2"})
    monkeypatch.setattr("weft.commands.demonstration.find_recipe", {"crf": few}.__getitem__)
    done = weft("demo", "--brief", "--quiet")
    assert done.exit_code == 0
    assert done.stdout.startswith("Trained a conditional random field")
    assert "Accuracy" in done.stdout
    assert "Strongest" not in done.stdout
    assert "estimated in different ways" not in done.stdout


def test_taggers_of_trees_are_told_as_such(weft):
    Path("t.mrg").write_text("(S (NP (DT the) (NN dog)) (VP (VBZ barks)))\n")
    done = weft("train", "m.weft", "--train", "t.mrg", "--set", "iterations=2")
    assert "for a parser, give --recipe pcfg" in done.stderr
    parser = weft("train", "p.weft", "--train", "t.mrg", "--recipe", "pcfg")
    assert "for a parser" not in parser.stderr
    assert "Trained on 1 sentence (3 tokens)" in parser.stderr
    assert "Stopped after 1 iteration," in parser.stderr
    words = weft("evaluate", "p.weft", "t.mrg").stdout
    assert "log p(tree | sentence): 0.0000 per word" in words
