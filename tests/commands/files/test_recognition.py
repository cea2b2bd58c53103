"""Files in another format than the model's are recognised, or refused; nothing is guessed."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from samples import COLUMNS, TAGGED
from weft import commands
from weft.commands import FileLayout
from weft.commands.files.trees import TreeReader
from weft.corpora.beginnings import beginning
from weft.errors import EvidenceError, FormatError
from weft.models.tagger import Tagger
from weft.structures.evidence import Sentence

CONLLU = (
    "# sent_id = 1\n"
    "1\tthe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n"
    "2\tdog\tdog\tNOUN\tNN\t_\t0\troot\t_\t_\n\n"
)
TREE = "( (NP (DT the) (NN dog)) )\n"
CRFSUITE = "NN\tw=time\tlength:0.4\nVBZ\tw=flies\n\n"
FEW = {"iterations": "15"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("recognition")


def trained(folder: Path, name: str, text: str, **options) -> Tagger:
    (folder / name).write_text(text)
    model = folder / f"{name}.weft"
    return commands.train(model, [folder / name], settings=FEW, **options).trained


@pytest.fixture(scope="module")
def tagger(folder: Path) -> Tagger:
    return trained(folder, "a.tagged", TAGGED)


@pytest.fixture(scope="module")
def of_attributes(folder: Path) -> Tagger:
    return trained(folder, "a.crfsuite", CRFSUITE)


def asked(tagger: Tagger, source, **options) -> tuple[str, list[str]]:
    told: list[str] = []
    text = "".join(commands.predict(tagger, source, told=told.append, **options))
    return text, told


@pytest.mark.parametrize("name", ["k.conllu", "k.txt", "k.txt.gz", "stream"])
def test_conllu_given_to_a_tagger_of_another_format(tagger, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(CONLLU.encode()) if name.endswith("gz") else CONLLU.encode())
    source = io.BytesIO(CONLLU.encode()) if name == "stream" else path
    text, [message] = asked(tagger, source, layout=FileLayout(column="xpos"))
    assert text == CONLLU
    assert message.endswith(": read as conllu; the model was trained on tagged")


def test_a_compressed_stream(tagger):
    text, [message] = asked(tagger, io.BytesIO(gzip.compress(CONLLU.encode() * 1000)))
    assert text.count("# sent_id = 1") == 1000
    assert "read as conllu" in message


@pytest.mark.parametrize(
    ("content", "name"), [(TREE, "brackets"), (TREE * 200, "brackets"), (CONLLU, "conllu")]
)
def test_a_model_of_text_recognises_markup(folder, content, name):
    (folder / "raw.txt").write_text("the dog\nthe cat\n")
    (folder / "words").write_text("the\tDT\ndog\tNN\ncat\tNN\n")
    model = commands.train(
        folder / "t.weft",
        [folder / "raw.txt"],
        recipe="hmm-em",
        layout=FileLayout("text"),
        dictionary=folder / "words",
        settings=FEW,
    ).trained
    text, [message] = asked(model, io.BytesIO(content.encode()))
    assert message == f"<stream>: read as {name}; the model was trained on text"
    assert text.count("dog") == content.count("dog")


@pytest.mark.parametrize("text", ["the dog\nthe saw\n", "the/DT dog/NN\n", "1/2 and 3/4\n", "#\n"])
def test_a_models_own_format_is_never_given_up(tagger, tmp_path, text):
    (tmp_path / "k.txt").write_text(text)
    for source in (tmp_path / "k.txt", io.BytesIO(text.encode())):
        rendered, told = asked(tagger, source)
        assert told == []
        assert rendered.count("\n") == text.count("\n")


def test_a_named_format_is_taken(tagger):
    text, told = asked(tagger, io.BytesIO(TREE.encode()), layout=FileLayout("text"))
    assert text.startswith("(/")
    assert told == []


def test_a_file_named_as_in_training_is_read_as_in_training(folder):
    (folder / "odd.conllu").write_text(COLUMNS)
    layout = FileLayout("columns")
    model = commands.train(folder / "o.weft", [folder / "odd.conllu"], settings=FEW, layout=layout)
    text, told = asked(model.trained, folder / "odd.conllu")
    assert told == []
    assert text == COLUMNS


SPACED = "the DT B-NP\ndog NN I-NP\n\nit PRP B-NP\n"
OTHERS = {
    "the\tDT\ndog\tNN\n": "looks like columns.* say --format columns --inputs 1",
    SPACED: "looks like columns.* if not, say --format text",
    SPACED * 9 + "dog NN\n": "looks like columns",
    "the_DT dog_NN\nit_PRP barks_VBZ\n": "say --format tagged --separator _;",
    "the|DT dog|NN\n": r"say --format tagged --separator '\|';",
    '{"id": "s1", "analyses": []}\n': "JSON.* --recipe parse-selection",
}


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_no_sentence_per_line_is_refused(tagger, tmp_path, text):
    (tmp_path / "k.txt").write_text(text)
    (tmp_path / "k.tagged").write_text(text)
    for source in (tmp_path / "k.txt", tmp_path / "k.tagged", io.BytesIO(text.encode())):
        with pytest.raises(FormatError, match=OTHERS[text]):
            commands.predict(tagger, source)
    assert asked(tagger, tmp_path / "k.txt", layout=FileLayout("text"))[0]


@pytest.mark.parametrize("text", [*OTHERS, TREE])
def test_parsers_refuse_it_too(text, tmp_path):
    expected = OTHERS.get(text, "looks like brackets.* say --format brackets")
    path = tmp_path / "k.txt"
    path.write_text(text)
    with pytest.raises(FormatError, match=expected):
        TreeReader().read(path)
    assert TreeReader(layout=FileLayout("text")).read(path)


@pytest.mark.parametrize(
    "text",
    [
        "e_mail and/or\n",
        "MAX_SIZE\n",
        "the dog\n\nthe saw\n",
        "dog/N_SG saw/V_3\n",
        "{ the dog }\n",
    ],
)
def test_words_with_marks_are_words(tagger, text):
    assert asked(tagger, io.BytesIO(text.encode()))[1] == []
    assert TreeReader().read(io.BytesIO(text.encode()))


def test_the_models_own_separator_is_no_other(folder):
    model = trained(folder, "u.txt", TAGGED.replace("/", "_"), layout=FileLayout(separator="_"))
    assert asked(model, io.BytesIO(b"the_DT dog_NN\n"))[0] == "the_DT dog_NN\n"


def test_evaluation_recognises_formats_too(tagger, tmp_path):
    (tmp_path / "k.conllu").write_text(CONLLU)
    told: list[str] = []
    done = commands.evaluate(
        tagger, tmp_path / "k.conllu", layout=FileLayout(column="xpos"), told=told.append
    )
    assert done.accuracy == 1.0
    assert len(told) == 1


@pytest.mark.parametrize(
    ("text", "name"), [("time flies\n", "text"), (CONLLU, "conllu"), ("a/X b/Y\n", "text")]
)
def test_words_given_to_a_model_of_attributes_are_refused(of_attributes, text, name):
    with pytest.raises(FormatError, match=f"attributes that were given, and this .* as {name}"):
        commands.predict(of_attributes, io.BytesIO(text.encode()))


def test_words_named_as_such_are_refused_by_the_model(of_attributes):
    with pytest.raises(EvidenceError, match=r"<stream>:1: there are words alone, .* CRFsuite's"):
        list(commands.predict(of_attributes, io.BytesIO(b"time\n"), layout=FileLayout("text")))
    with pytest.raises(EvidenceError, match="sentence 1: there are words alone"):
        of_attributes.tag([["time", "flies"]])
    assert of_attributes.tag([Sentence((("time",),), ((),)), []])[1] == ()


def test_a_model_of_attributes_reads_its_files(of_attributes):
    for source in (io.BytesIO(CRFSUITE.encode()), io.BytesIO(b"\tw=time\n_\n\n")):
        _, told = asked(of_attributes, source)
        assert told == []


class TestStreams:
    def test_an_answer_comes_before_the_second_line(self, tagger: Tagger) -> None:
        """Whoever waits for the first answer before writing on is answered."""
        reading, writing = os.pipe()
        with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb", 0) as sink:
            sink.write(b"the dog barks\n")
            answers = commands.predict(tagger, source, batch_tokens=1)
            assert next(answers) == "the/DT dog/NN barks/VBZ\n"
            sink.write(b"the saw\n")
            assert next(answers) == "the/DT saw/NN\n"

    def test_a_named_pipe_is_opened_once(self, tagger: Tagger, tmp_path: Path) -> None:
        path = tmp_path / "pipe"
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_bytes, args=(CONLLU.encode(),))
        writer.start()
        text, told = asked(tagger, path)
        writer.join()
        assert text.startswith("# sent_id = 1\n1\tthe\t")
        assert told == [f"{path}: read as conllu; the model was trained on tagged"]

    @pytest.mark.parametrize("size", [1, 7, 100_000])
    def test_nothing_is_lost(self, size: int) -> None:
        data = b"".join(b"%d\n" % number for number in range(30_000))
        lines, stream = beginning(Slow(data, size))
        assert lines[:2] == ["0", "1"][: len(lines)]
        assert b"".join(iter(stream.read1, b"")) == data

    def test_a_cut_line_is_not_looked_at(self) -> None:
        lines, _ = beginning(Slow(b"one\ntwo\n", 6))
        assert lines == ["one"]

    def test_a_closed_stream_is_refused_when_it_is_read(self, tagger: Tagger) -> None:
        source = io.BytesIO()
        source.close()
        with pytest.raises(FormatError, match="cannot be read"):
            list(commands.predict(tagger, source))


class Slow(io.BytesIO):
    """A stream that has only so much at once."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self.size = size

    def read1(self, size: int | None = -1, /) -> bytes:
        return super().read1(self.size if size is None or size < 0 else min(size, self.size))

    def __iter__(self) -> Iterator[bytes]:
        raise AssertionError("only read1 is used")


def test_ragged_lines_given_to_a_tagger_of_columns_are_told(folder):
    tagger = trained(folder, "c.txt", COLUMNS, layout=FileLayout("columns"))
    told: list[str] = []
    with contextlib.suppress(FormatError):  # since lines have other numbers of columns
        list(commands.predict(tagger, io.BytesIO(b"we saw it\n\nit barks\n"), told=told.append))
    [message] = told
    assert message.endswith("if these are lines of text, give --format text")
    for text in (COLUMNS, "dog NN\n\n", "we\tPRP\tB\tC\tNN\n\n", ""):
        assert asked(tagger, io.BytesIO(text.encode()))[1] == []
    assert asked(tagger, io.BytesIO(b"dog NN\n"), layout=FileLayout("columns"))[1] == []


@pytest.mark.parametrize("column", ["4", "-1", "-2"])
@pytest.mark.parametrize("more", ["", "the the the the the\n"])
def test_words_are_not_replaced_by_tags_unasked(folder, column, more):
    rows = "the the a DT DT\ndog dog b NN NN\n\n"
    layout = FileLayout("columns", column, ("1", "3") if column == "-2" else ("1", "2"))
    tagger = trained(folder, f"wide{column}.txt", rows, layout=layout)
    words = f"{more}it barks at me today\n".encode()
    with pytest.raises(FormatError, match=r"or sentences: .*--format columns or --format text"):
        commands.predict(tagger, io.BytesIO(words))
    assert asked(tagger, io.BytesIO(words), layout=FileLayout("columns"))[0]
    for text in ("dog b b NN NN\n", "it it it it it\n\nshe she she she she\n", "a b c _ _\n"):
        assert asked(tagger, io.BytesIO(text.encode()))[1] == []
