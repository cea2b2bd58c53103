"""Training from files that are read anew for every pass, as a user asks for it."""

from __future__ import annotations

import gzip
import json
import os
import threading

import numpy as np
import pytest
from typer.testing import CliRunner

import weft
from test_new_family import SEGMENTS, TEXT
from weft import commands
from weft.cli.app import app
from weft.commands.family import registered
from weft.corpora.bundled import bundled_folder
from weft.errors import FormatError, OptionError

TRAIN = bundled_folder() / "train.tagged"
SMALL = {"optimiser": "arow", "criterion": "margin", "settings": {"iterations": "3"}}
TREES = """(S (NP (DT the) (NN dog)) (VP (VBZ barks)))
(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))
(S (NP (DT a) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))))
"""


def first_lines(path, count, start=0):
    return "\n".join(path.read_text().splitlines()[start : start + count]) + "\n"


@pytest.fixture
def files(tmp_path):
    """A corpus in two files of different formats, one of them compressed."""
    tagged, columns = tmp_path / "a.tagged.gz", tmp_path / "b.columns"
    with gzip.open(tagged, "wt") as stream:
        stream.write(first_lines(TRAIN, 30))
    rows = [line.split() for line in first_lines(TRAIN, 20, 30).splitlines()]
    blocks = ["\n".join(token.replace("/", "\t") for token in row) for row in rows]
    columns.write_text("\n\n".join(blocks) + "\n")
    return [tagged, columns]


def test_a_buffer_of_everything_gives_the_model_of_memory(files, tmp_path):
    models = []
    for number, options in enumerate(({}, {"stream": True, "buffer": 50})):
        training = commands.train(tmp_path / f"{number}.weft", files, **options, **SMALL)
        assert (training.sentences, training.tokens) == (50, int(training.as_json()["tokens"]))
        models.append(weft.load(tmp_path / f"{number}.weft"))
    one, other = models
    assert one.weights.tobytes() == other.weights.tobytes()
    assert one.lexicon == other.lexicon
    assert {**one.notes} == {**other.notes}


def test_a_checkpoint_goes_on_with_a_stream(files, tmp_path):
    options = {**SMALL, "settings": {"iterations": "4"}, "stream": True, "buffer": 20}
    whole = commands.train(tmp_path / "whole.weft", files, **options)
    kept = tmp_path / "kept"

    def stop(step):
        if step.iteration == 2:
            raise MemoryError  # the program dies

    with pytest.raises(MemoryError):
        commands.train(tmp_path / "m.weft", files, checkpoint=kept, watch=stop, **options)
    with pytest.raises(OptionError, match="buffer was 20, and is 25"):
        commands.train(tmp_path / "m.weft", files, checkpoint=kept, **{**options, "buffer": 25})
    rest = commands.train(tmp_path / "m.weft", files, checkpoint=kept, **options)
    assert rest.trained.weights.tobytes() == whole.trained.weights.tobytes()
    assert not kept.exists()


def test_a_broken_line_is_named(files, tmp_path):
    broken = tmp_path / "broken.tagged"
    broken.write_text(first_lines(TRAIN, 7) + "this/DT line is/VBZ broken/JJ\n")
    with pytest.raises(FormatError, match=r"broken.tagged:8:9: .*'line' has no '/'"):
        commands.train(tmp_path / "m.weft", [*files, broken], stream=True, **SMALL)
    assert not (tmp_path / "m.weft").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stream": True}, "one of sgd, adagrad"),
        ({"stream": True, "optimiser": "frank-wolfe", "criterion": "margin"}, "one of sgd"),
        ({"stream": True, "recipe": "hmm"}, "one of sgd"),
        ({"stream": True, "recipe": "johnson-4"}, "counts in memory"),
        ({"stream": True, "optimiser": "sgd", "penalty": "auto"}, "--penalty gaussian"),
        ({"buffer": 7}, "--stream, too"),
    ],
)
def test_what_does_not_go_with_a_stream_is_refused_before_files_are_read(options, message):
    with pytest.raises(OptionError, match=message):
        commands.train("m.weft", ["there-is-no-such-file.tagged"], **options)


def test_what_can_be_read_only_once_is_refused(tmp_path):
    pipe = tmp_path / "pipe.tagged"
    os.mkfifo(pipe)
    before = threading.active_count()  # those of other tests
    for source in (pipe, "-"):
        with pytest.raises(OptionError, match="only once"):
            commands.train(tmp_path / "m.weft", [source], stream=True, **SMALL)
    assert threading.active_count() == before


def test_trees_and_parse_sets_are_streamed(tmp_path):
    trees = tmp_path / "t.mrg"
    trees.write_text(f"between trees\n{TREES}")
    options = {"recipe": "wcfg-crf", "optimiser": "adagrad", "settings": {"iterations": "2"}}
    options["clean"] = "traces,functions,top,text"
    one, other = (
        commands.train(tmp_path / "p.weft", [trees], force=True, **options, **more)
        for more in ({}, {"stream": True, "buffer": 3})
    )
    assert one.trained.weights.tobytes() == other.trained.weights.tobytes()
    assert one.given.messages == other.given.messages != ()
    sets = bundled_folder().parent / "parses" / "attachments.jsonl"
    options = {"recipe": "parse-selection", "optimiser": "adagrad", "penalty": "relative:1"}
    one, other = (
        commands.train(tmp_path / "s.weft", [sets], force=True, **options, **more)
        for more in ({}, {"stream": True, "buffer": 100})
    )
    assert one.trained.weights.tobytes() == other.trained.weights.tobytes()
    options["penalty"] = None
    with pytest.raises(OptionError, match="--penalty relative:7"):
        commands.train(tmp_path / "s.weft", [sets], stream=True, force=True, **options)


def test_tag_maps_and_dictionaries_go_with_a_stream(files, tmp_path):
    options = {**SMALL, "tag_map": "penn-17", "dictionary_from": TRAIN, "dilute": "count<2"}
    one, other = (
        commands.train(tmp_path / "m.weft", files, force=True, **options, **more).trained
        for more in ({}, {"stream": True, "buffer": 50})
    )
    assert one.model.tags == other.model.tags
    assert np.array_equal(one.weights, other.weights)


def test_the_command_line_streams_any_family(tmp_path):
    text = tmp_path / "a.tagged"
    text.write_text(TEXT)
    asked = ["train", str(tmp_path / "m.weft"), "--train", str(text), "--recipe", "semi-crf"]
    asked += ["--optimiser", "sgd", "--stream", "--buffer", "2", "--json"]
    with registered(SEGMENTS):
        done = CliRunner().invoke(app, asked, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["sentences"] == 3
