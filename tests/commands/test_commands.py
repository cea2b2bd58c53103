from __future__ import annotations

import gzip
import io
import json
import math
from pathlib import Path

import numpy as np
import pytest

import weft
from samples import COLUMNS, TAGGED
from weft import commands
from weft.commands import FileLayout
from weft.commands.catalogue import TEMPLATE_FUNCTIONS
from weft.corpora import bundled_folder
from weft.errors import FormatError, OptionError
from weft.features.templates import find_function, template
from weft.models import Scheme
from weft.models.progress import Outlook
from weft.models.storage import save_tagger
from weft.models.tagger import Decoder, Tagger
from weft.recipes import RECIPES, every_setting, with_settings
from weft.structures.evidence import example

CONLLU = "1\tAye\taye\tINTJ\tUH\t_\t0\troot\t_\t_\n2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\t_\n\n"
CRFSUITE = "NN\tw=time\tlength:0.4\nVBZ\tw=flies\n\n"
FEW = {"iterations": "15"}


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def stream(text: str) -> io.BytesIO:
    return io.BytesIO(text.encode())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("commands")


@pytest.fixture(scope="module")
def tagger(folder: Path) -> Tagger:
    source = written(folder, "shared.tagged", TAGGED)
    return commands.train(folder / "shared.weft", [source], settings=FEW).trained


@pytest.fixture(scope="module")
def chunker(folder: Path) -> Tagger:
    source = written(folder, "shared.txt", COLUMNS)
    return commands.train(folder / "chunks.weft", [source], settings=FEW).trained


class TestTrain:
    def test_what_is_reported_and_kept(self, tmp_path: Path) -> None:
        source, dev = written(tmp_path, "a.tagged", TAGGED), written(tmp_path, "d.tagged", TAGGED)
        out, seen = tmp_path / "m.weft", list[Outlook]()
        training = commands.train(
            out, [source, source], development=dev, settings=FEW, watch=seen.append
        )
        assert (training.sentences, training.tokens) == (6, 20)
        assert training.score == 1.0
        assert not training.interrupted
        assert training.trained.trace == tuple(step.progress for step in seen)
        notes = weft.load(out).notes
        expected = {
            "recipe": "crf",
            "format": "tagged",
            "files": "a.tagged, a.tagged",
            "development": "d.tagged",
            "sentences": "6",
            "tokens": "20",
            "settings": "iterations=15",
            "criterion": "conditional",
            "penalty": "gaussian:10",
        }
        assert expected.items() <= notes.items()
        assert notes["weft"]
        assert str(tmp_path) not in "".join(notes.values())
        assert json.loads(json.dumps(training.as_json(), allow_nan=False))["sentences"] == 6

    def test_penalty_and_dictionary(self, tmp_path: Path) -> None:
        source = written(tmp_path, "a.tagged", TAGGED)
        words = written(tmp_path, "words", "saw\tNN VBD\n")
        training = commands.train(
            tmp_path / "m.weft", [source], penalty="gaussian:0.5", dictionary=words, settings=FEW
        )
        assert training.trained.notes["penalty"] == "gaussian:0.5"
        loaded = weft.load(tmp_path / "m.weft")
        assert loaded.tag([["saw"], ["we", "saw"]])[1][1] in {"NN", "VBD"}
        assert loaded.marginals([["saw"]])[0][0].nonzero()[0].size == 2

    def test_an_interrupt_saves_the_best_weights(self, tmp_path: Path) -> None:
        def interrupt(step: Outlook) -> None:
            if step.iteration == 3:
                raise KeyboardInterrupt

        source = written(tmp_path, "a.tagged", TAGGED)
        training = commands.train(tmp_path / "m.weft", [source], watch=interrupt)
        assert training.interrupted
        loaded = weft.load(tmp_path / "m.weft")
        assert loaded.notes["stopped"] == "interrupted"
        assert np.array_equal(loaded.weights, training.trained.weights)

    def test_an_interrupt_ends_a_demonstration(self) -> None:
        def interrupt(_: Outlook) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            commands.demo(watch=interrupt)

    def test_an_interrupt_before_anything_is_known(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("weft.optimise.lbfgs._LBFGSRun.run", interrupted)
        source = written(tmp_path, "a.tagged", TAGGED)
        (tmp_path / "m.weft").touch()
        with pytest.raises(KeyboardInterrupt, match="nothing is saved"):
            commands.train(tmp_path / "m.weft", [source])
        assert not (tmp_path / "m.weft").read_bytes()

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"recipe": "none"}, "no recipe 'none'"),
            ({"settings": {"what": "1"}}, "no setting 'what'"),
            ({"settings": {"order": "3"}}, "order is 1 or 2"),
            ({"settings": {"templates": ""}}, "templates=: give at least one template, or 'bias'"),
            ({"settings": {"templates": " ,"}}, "give at least one template"),
            ({"penalty": "l0:1"}, "no penalty"),
            ({"layout": FileLayout("text")}, "plain text has no tags, and here they are needed"),
            ({"layout": FileLayout("foo")}, "no format 'foo'; there are conllu"),
            ({"layout": FileLayout(column=2)}, "'tagged' has no option 'column'"),
            ({"sources": []}, "no training corpus"),
        ],
    )
    def test_wrong_options(self, tmp_path: Path, options: dict[str, object], message: str) -> None:
        source = written(tmp_path, "a.tagged", TAGGED)
        arguments = {"sources": [source], **options}
        with pytest.raises(OptionError, match=message):
            commands.train(tmp_path / "m.weft", **arguments)  # type: ignore[arg-type]
        assert not (tmp_path / "m.weft").exists()

    def test_each_file_shows_its_format(self, tmp_path: Path) -> None:
        columns = written(tmp_path, "a.txt", COLUMNS)
        tagged = written(tmp_path, "b.tagged", "the/B-NP dog/I-NP\n")
        training = commands.train(
            tmp_path / "m.weft", [columns, tagged], development=tagged, settings=FEW
        )
        assert (training.sentences, training.tokens) == (3, 9)
        assert training.score == 1.0
        kept = {"format": "columns", "column": "-1", "inputs": "1,2"}
        assert kept.items() <= training.trained.notes.items()
        assert commands.evaluate(training.trained, columns).accuracy == 1.0
        other = commands.train(tmp_path / "m.weft", [tagged, columns], settings=FEW)
        assert other.trained.model.tags == training.trained.model.tags
        assert other.trained.notes["format"] == "tagged"

    def test_options_go_to_the_formats_that_have_them(self, tmp_path: Path) -> None:
        sources = [written(tmp_path, "a.conllu", CONLLU), written(tmp_path, "b.tagged", "Oh/UH\n")]
        training = commands.train(
            tmp_path / "m.weft", sources, layout=FileLayout(column="xpos"), settings=FEW
        )
        assert set(training.trained.model.tags) == {"UH", "."}
        with pytest.raises(OptionError, match="'tagged' has no option 'column'"):
            commands.train(tmp_path / "m.weft", sources[::-1], layout=FileLayout(column="xpos"))

    def test_a_named_format_is_that_of_every_file(self, tmp_path: Path) -> None:
        first, second = (written(tmp_path, name, TAGGED) for name in ("a.tagged", "b.conllu"))
        training = commands.train(
            tmp_path / "m.weft", [first, second], layout=FileLayout("tagged"), settings=FEW
        )
        assert training.sentences == 6

    def test_what_shows_no_format_is_like_the_first_file(self, tmp_path: Path) -> None:
        first, short = written(tmp_path, "a.txt", COLUMNS), written(tmp_path, "b.txt", "a DT O\n")
        training = commands.train(
            tmp_path / "m.weft", [first, stream(COLUMNS)], development=short, settings=FEW
        )
        assert training.sentences == 4

    @pytest.mark.parametrize("names", [("a.txt", "b.crfsuite"), ("b.crfsuite", "a.txt")])
    def test_attributes_in_every_file_or_in_none(
        self, tmp_path: Path, names: tuple[str, str]
    ) -> None:
        written(tmp_path, "a.txt", COLUMNS)
        written(tmp_path, "b.crfsuite", CRFSUITE)
        with pytest.raises(FormatError, match=f"{names[1]}: CRFsuite's format and others"):
            commands.train(tmp_path / "m.weft", [tmp_path / name for name in names])

    @pytest.mark.parametrize("name", ["nowhere/m.weft", "."])
    def test_the_place_is_checked_before_the_corpus_is_read(
        self, tmp_path: Path, name: str
    ) -> None:
        with pytest.raises(FormatError, match="folder"):
            commands.train(tmp_path / name, [tmp_path / "missing"])

    def test_a_folder_that_may_not_be_written_to(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("os.access", lambda *_: False)
        with pytest.raises(FormatError, match="may not be written to"):
            commands.train(tmp_path / "m.weft", [tmp_path / "missing"])

    def test_nothing_is_left_where_saving_fails(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> None:
            raise OSError("the disk is full")

        source = written(tmp_path, "a.tagged", TAGGED)
        monkeypatch.setattr("weft.archive._write_member", fail)
        with pytest.raises(OSError, match="full"):
            commands.train(tmp_path / "m.weft", [source], settings={"iterations": "1"})
        assert [path.name for path in tmp_path.iterdir()] == ["a.tagged"]


class TestLayout:
    @pytest.mark.parametrize(
        ("text", "layout", "kept"),
        [
            (TAGGED, FileLayout("tagged"), {"format": "tagged"}),
            (
                COLUMNS,
                FileLayout("columns"),
                {"format": "columns", "column": "-1", "inputs": "1,2"},
            ),
            (
                COLUMNS,
                FileLayout("columns", "2"),
                {"format": "columns", "column": "2", "inputs": "1"},
            ),
            (
                CONLLU,
                FileLayout("conllu", "xpos", ("lemma",)),
                {"column": "xpos", "inputs": "lemma"},
            ),
            (CRFSUITE, FileLayout("crfsuite"), {"format": "crfsuite"}),
            (TAGGED, FileLayout("tagged", partial=True), {"format": "tagged", "partial": "True"}),
        ],
    )
    def test_a_model_remembers_its_layout(
        self, tmp_path: Path, text: str, layout: FileLayout, kept: dict[str, str]
    ) -> None:
        source = written(tmp_path, "corpus", text)
        tagger = commands.train(
            tmp_path / "m.weft", [source], layout=layout, settings={"iterations": "2"}
        ).trained
        assert kept.items() <= tagger.notes.items()
        remembered = commands.layout_of(tagger)
        assert remembered.format_of("-").read(source)
        rendered = "".join(commands.predict(tagger, source))
        assert rendered.count("\n") == text.count("\n")

    def test_tags_in_the_first_column(self, tmp_path: Path) -> None:
        source = written(tmp_path, "a.txt", COLUMNS)
        for layout in (FileLayout(column=1), FileLayout(column="1"), FileLayout("columns", "1")):
            with pytest.raises(OptionError, match="such as --inputs 2"):
                layout.format_of(source)
        assert FileLayout(column="1", inputs=("2",)).format_of(source)

    def test_another_format_forgets_the_columns(self) -> None:
        assert FileLayout("text").or_else(FileLayout("columns", 3)) == FileLayout("text")


class TestPredict:
    def test_text_in_tags_out(self, tagger: Tagger) -> None:
        found = list(
            commands.predict(tagger, stream("the dog\n\nwe saw\n"), layout=FileLayout("text"))
        )
        assert "".join(found) == "the/DT dog/NN\n\nwe/PRP saw/VBD\n"

    def test_labels_are_replaced(self, tagger: Tagger) -> None:
        assert list(commands.predict(tagger, stream("the/XX dog/YY\n"))) == ["the/DT dog/NN\n"]

    @pytest.mark.parametrize("lines", [["the DT", "dog NN"], ["the DT X", "dog NN X"]])
    def test_columns_with_labels_and_without(self, chunker: Tagger, lines: list[str]) -> None:
        found = "".join(commands.predict(chunker, stream("\n".join(lines))))
        assert found == "the DT B-NP\ndog NN I-NP\n\n"

    def test_too_few_columns(self, chunker: Tagger) -> None:
        with pytest.raises(FormatError, match=r"at least 2 columns.*found 1"):
            list(commands.predict(chunker, stream("the\ndog\n")))

    def test_nothing_in_nothing_out(self, tagger: Tagger) -> None:
        assert list(commands.predict(tagger, stream(""))) == []

    @pytest.mark.parametrize("batch_tokens", [1, 4, 10_000])
    def test_batches_change_nothing(self, tagger: Tagger, batch_tokens: int) -> None:
        assert (
            "".join(commands.predict(tagger, stream(TAGGED), batch_tokens=batch_tokens)) == TAGGED
        )

    def test_what_stands_before_a_broken_line_comes_out(self, tagger: Tagger) -> None:
        found = commands.predict(tagger, stream(TAGGED + "tea\N{REPLACEMENT CHARACTER}/NN"))
        assert len(list(found)) == 4
        broken = commands.predict(tagger, io.BytesIO(TAGGED.encode() + b"tea\xe9\n"))
        assert [next(broken) for _ in range(3)] == TAGGED.splitlines(keepends=True)
        with pytest.raises(FormatError, match=":4:4: byte 0xE9"):
            next(broken)

    def test_an_impossible_sentence_has_the_closest_answer(self) -> None:
        corpus = [example(["a", "b"], ["B-X", "I-X"]), example(["c"], ["O"])]
        chain = weft.Chain(
            scheme=Scheme.CHUNKS,
            dictionary={"b": frozenset({"I-X"})},
        )
        model = weft.fit(chain, corpus, optimiser=weft.LBFGS(max_iterations=3))
        heard: list[str] = []
        text, layout = stream("a b\nc\nb\na\n"), FileLayout("text")
        found = list(commands.predict(model, text, layout=layout, told=heard.append))
        assert found[:2] == ["a/B-X b/I-X\n", "c/O\n"]
        # The forbidden transition holds, and the dictionary is broken.
        assert found[2] in ("b/B-X\n", "b/O\n")
        assert len(found) == 4
        [warning] = heard
        assert ":3: no tagging is possible at token 1, 'b'" in warning
        assert warning.endswith("; the closest answer is given")

    def test_it_is_lazy(self, tagger: Tagger) -> None:
        class Endless(io.RawIOBase):
            def readable(self) -> bool:
                return True

            def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
                line = b"the dog barks\n"
                buffer[: len(line)] = line
                return len(line)

        source = io.BufferedReader(Endless(), 64)
        found = commands.predict(tagger, source, layout=FileLayout("text"), batch_tokens=30)
        assert [next(found) for _ in range(100)] == ["the/DT dog/NN barks/VBZ\n"] * 100

    def test_files_may_be_compressed(self, tagger: Tagger, tmp_path: Path) -> None:
        path = tmp_path / "text.gz"
        path.write_bytes(gzip.compress(TAGGED.encode()))
        assert "".join(commands.predict(tagger, path)) == TAGGED

    def test_a_model_that_says_nothing_of_formats(self, tmp_path: Path) -> None:
        model = weft.fit(weft.Chain(), [example(["a"], ["X"])])
        save_tagger(tmp_path / "m.weft", model)
        with pytest.raises(FormatError, match="name it with --format"):
            commands.predict(tmp_path / "m.weft", stream("a\n"))

    def test_marginals(self, tagger: Tagger) -> None:
        ask = commands.Ask(marginals=True)
        [found, _] = commands.tag_file(tagger, stream("the dog\nsaw\n"), ask)
        first = found.prediction
        assert first.tokens == ("the", "dog")
        assert first.tags == ("DT", "NN")
        for tag, prob, likely in zip(first.tags, first.probabilities, first.marginals, strict=True):
            assert likely[tag] == prob
            probs = list(likely.values())
            assert probs == pytest.approx(sorted(probs, reverse=True), rel=1e-8)
            assert all(0.01 <= each <= 1 for each in likely.values())
        [log_prob] = tagger.log_probs([example(first.tokens, first.tags)])
        assert first.log_probability == pytest.approx(log_prob)
        assert first.entropy >= 0
        line = json.loads(json.dumps(first.as_json(), allow_nan=False))
        assert line["tags"] == ["DT", "NN"]

    def test_json_has_no_infinity(self) -> None:
        found = commands.Prediction(("a",), ("X",), (0.5,), ({"X": 0.5},), -math.inf, 0.1)
        assert found.as_json()["log_probability"] is None

    def test_posterior_tags_are_the_likeliest(self, tagger: Tagger) -> None:
        ask = commands.Ask(decoder=Decoder.POSTERIOR, marginals=True)
        for found in commands.tag_file(tagger, stream("saw dog the we\n"), ask):
            answer = found.prediction
            assert [next(iter(likely)) for likely in answer.marginals] == list(answer.tags)


class TestEvaluate:
    def test_a_perfect_tagger(self, tagger: Tagger, folder: Path) -> None:
        found = commands.evaluate(folder / "shared.weft", stream(TAGGED))
        corpus = commands.layout_of(tagger).format_of("-").read(stream(TAGGED))
        log_probs = tagger.log_probs([record.example for record in corpus])
        assert found.accuracy == 1.0
        assert found.log_likelihood == pytest.approx(log_probs.sum())
        assert found.f1 is None
        assert found.likely_tokens == found.scores.tokens == 10

    def test_json(self, tagger: Tagger) -> None:
        text = "the/DT dog/VBZ\nwe/PRP saw/VBD cats/NN\n"
        found = commands.evaluate(tagger, stream(text)).as_json()
        assert json.loads(json.dumps(found, allow_nan=False)) == found
        assert found["tokens"] == 5
        assert found["accuracy"] <= 0.8
        assert found["ambiguous_tokens"] == 1
        assert found["unknown_tokens"] == 1
        assert found["f1"] is None
        assert {"gold": "VBZ", "predicted": "NN", "count": 1} in found["confusions"]

    def test_tags_that_the_model_does_not_know(self, tagger: Tagger) -> None:
        found = commands.evaluate(tagger, stream("the/NEW dog/NN\nthe/DT dog/NN\n"))
        assert found.impossible_sentences == 1
        assert math.isfinite(found.log_likelihood)
        assert found.scores.tokens == 4
        alone = commands.evaluate(tagger, stream("the/NEW\n"))
        assert (alone.log_likelihood, alone.likely_tokens) == (0.0, 0)

    def test_chunks(self, chunker: Tagger) -> None:
        found = commands.evaluate(chunker, stream(COLUMNS))
        assert found.f1 == 1.0
        written = found.as_json()
        assert written["precision"] == written["recall"] == written["f1"] == 1.0
        assert written["chunks"]["NP"]["gold"] == 3

    def test_partial_labels(self, tagger: Tagger) -> None:
        layout = FileLayout(partial=True)
        found = commands.evaluate(tagger, stream("the/? dog/NN|VBZ\n"), layout=layout)
        assert found.scores.tokens == 1
        assert found.log_likelihood <= 0

    def test_plain_text_has_no_tags(self, tagger: Tagger) -> None:
        with pytest.raises(OptionError, match="no tags"):
            commands.evaluate(tagger, stream("the dog\n"), layout=FileLayout("text"))

    def test_an_empty_file(self, tagger: Tagger) -> None:
        with pytest.raises(FormatError, match="no sentence"):
            commands.evaluate(tagger, stream(""))


def test_inspect(tagger: Tagger, folder: Path) -> None:
    found = commands.inspect(folder / "shared.weft", count=4, tag="NN", kind="tag:word[0]")
    written = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert written["tags"] == list(tagger.model.tags)
    assert written["features"] == len(tagger.weights)
    assert written["positive"][0]["name"].startswith("tag:word[0]=")
    assert len(written["trace"]) == len(tagger.trace)
    assert written["notes"]["format"] == "tagged"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("text.weft", "not a file that Weft saved"),
        ("missing.weft", "no such file; train a model with `weft train`, or check the name"),
        ("text.weft/m.weft", "no such file; train a model"),
        (".", "this is a folder; give the path of a saved model"),
    ],
)
def test_a_file_that_is_no_model(tmp_path: Path, name: str, message: str) -> None:
    written(tmp_path, "text.weft", "no model")
    with pytest.raises(FormatError, match=f"{tmp_path / name}: {message}"):
        commands.inspect(tmp_path / name)


def test_corpora_below_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_DATA", str(tmp_path))
    (tmp_path / "ewt").mkdir()
    (tmp_path / "wsj-sample").mkdir()
    found = commands.corpora()
    paths = {each.corpus.name: each.path for each in found.corpora if each.path}
    assert paths == {"english": str(bundled_folder()), "ewt": str(tmp_path / "ewt")}
    assert (found.folder, found.problem) == (str(tmp_path), None)
    rows = {row["name"]: row for row in found.as_json()["corpora"]}
    assert (rows["ewt"]["found"], rows["craft"]["found"]) == (True, False)
    assert rows["ewt"]["licence"] == "CC BY-SA 4.0"


@pytest.mark.parametrize("folder", ["", "/nowhere"])
def test_corpora_without_a_folder(monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    monkeypatch.setenv("WEFT_DATA", folder)
    found = commands.corpora()
    assert [each.corpus.name for each in found.corpora if each.path] == ["english"]
    assert found.folder is None
    assert "WEFT_DATA" in (found.problem or "")


def test_recipes_and_settings_are_all_there() -> None:
    found = commands.recipes()
    assert set(found.recipes) == set(RECIPES)
    assert [each.name for each in found.settings] == list(every_setting())
    for recipe in RECIPES.values():
        for each in found.settings:
            default = each.default.get(recipe.name)
            if default is None:
                with pytest.raises(OptionError, match="no such setting"):
                    with_settings(recipe, {each.name: "1"})
            else:
                assert with_settings(recipe, {each.name: default})


def test_every_template_function_is_explained() -> None:
    for name in TEMPLATE_FUNCTIONS:
        template(f"{name}[0]")
    with pytest.raises(OptionError) as caught:
        find_function("?")
    known = str(caught.value).partition("there are ")[2].split(", ")
    plain = {name for name in known if name.isalpha()}
    assert plain <= set(TEMPLATE_FUNCTIONS)


def test_demo_shows_mistakes_and_what_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "weft.commands.demonstration.find_recipe",
        lambda name: with_settings(
            RECIPES[name], {"iterations": "25", "templates": "lower[0] suffix2[0]"}
        ),
    )
    monkeypatch.setattr("weft.commands.demonstration.COMPARED", ("crf", "memm"))
    found = commands.demo(count=3, sentences=1)
    (wrong, wrong_tags), (right, right_tags) = found.sentences
    assert wrong.analysis != wrong_tags
    assert right.analysis == right_tags
    assert len(found.inspection.positive) == 3
    assert 0 < (found.evaluation.accuracy or 0) < 1
    assert [each.recipe.name for each in found.compared] == ["crf", "memm"]


def test_a_neighbourhood_is_chosen_by_name(tmp_path: Path) -> None:
    (tmp_path / "raw.txt").write_text("the dog barks\na cat sleeps\n")
    (tmp_path / "tags.txt").write_text("the\tD\na\tD\ndog\tN V\ncat\tN\nbarks\tV N\n")
    asked = {
        "layout": commands.FileLayout("text"),
        "dictionary": tmp_path / "tags.txt",
        "neighbourhood": "trans1",
    }
    raw, out = [tmp_path / "raw.txt"], tmp_path / "out.weft"
    made = commands.train(out, raw, recipe="contrastive-tagger", **asked)
    assert made.trained.notes["criterion"] == "contrastive:trans1"
    with pytest.raises(OptionError, match="contrasts nothing with neighbours"):
        commands.train(out, raw, recipe="hmm-em", **asked)
    with pytest.raises(OptionError, match="trans1"):
        commands.train(out, raw, recipe="contrastive-tagger", **{**asked, "neighbourhood": "magic"})
