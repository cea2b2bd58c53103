"""A dictionary and raw text in, a tagger out; and what training may be told beside."""

from __future__ import annotations

from pathlib import Path

import pytest

import weft
from weft import commands
from weft.commands import FileLayout
from weft.commands.request import Request
from weft.commands.tasks import plan_request, read_materials
from weft.commands.tasks.taggers import SPELLING
from weft.errors import EvidenceError, FormatError, OptionError
from weft.optimise.em import EM
from weft.optimise.frank_wolfe import FrankWolfe
from weft.optimise.lbfgs import LBFGS
from weft.optimise.subgradient import Subgradient

TAGGED = "the/DT dog/NN barks/VBZ\nthe/DT walk/NN\ndogs/NNS walk/VBP\n"
RAW = "the dog barks\nthe walk\ndogs walk quickly\n"
DICTIONARY = "the\tDT\ndog\tNN\nbarks\tVBZ NNS\nwalk\tNN VBP\ndogs\tNNS\n"
TEXT = FileLayout("text")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in [("raw.txt", RAW), ("gold.tagged", TAGGED), ("tags", DICTIONARY)]:
        Path(name).write_text(text)
    return tmp_path


@pytest.mark.usefixtures("files")
class TestRawText:
    @pytest.mark.parametrize("recipe", ["hmm-em", "hmm-vb", "contrastive-tagger"])
    def test_a_dictionary_and_raw_text_in_a_tagger_out(self, recipe):
        training = commands.train(
            "m.weft",
            ["raw.txt"],
            recipe=recipe,
            layout=TEXT,
            dictionary="tags",
            development="gold.tagged",
            settings={"iterations": "5"},
        )
        assert (training.sentences, training.tokens) == (3, 8)
        assert training.score > 0.5
        tagger = weft.load("m.weft")
        assert tagger.tag([["the", "dog", "barks"]])[0][:2] == ("DT", "NN")
        evaluation = commands.evaluate("m.weft", "gold.tagged")  # which is no plain text
        assert evaluation.scores.ambiguous_tokens == 3
        assert evaluation.scores.known_tokens == 7
        assert list(commands.predict("m.weft", "raw.txt"))[1].startswith("the/DT walk/")

    def test_labels_are_still_needed_elsewhere(self):
        with pytest.raises(OptionError, match="plain text has no tags"):
            commands.train("m.weft", ["raw.txt"], layout=TEXT, dictionary="tags")
        with pytest.raises(OptionError, match="something must name the tags; give --dictionary"):
            commands.train("m.weft", ["raw.txt"], recipe="hmm-em", layout=TEXT)
        assert not Path("m.weft").exists()

    def test_a_development_file_may_be_raw_too(self):
        training = commands.train(
            "m.weft",
            ["raw.txt"],
            recipe="hmm-em",
            layout=TEXT,
            dictionary="tags",
            development="raw.txt",
            settings={"iterations": "2"},
        )
        assert training.score is None


@pytest.mark.usefixtures("files")
class TestDictionaries:
    def chain(self, **options):
        default = {"recipe": "hmm-em", "layout": TEXT, "dictionary": "tags"}
        given = read_materials(Request(["raw.txt"], **{**default, **options}))
        return given.plan.model, given.notes

    def test_from_a_tagged_corpus(self):
        chain, notes = self.chain(dictionary=None, dictionary_from="gold.tagged")
        assert chain.dictionary["walk"] == {"NN", "VBP"}
        assert chain.dictionary["barks"] == {"VBZ"}
        assert notes["dictionary"] == "gold.tagged"

    def test_diluted(self):
        chain, notes = self.chain(dilute="count<2")
        assert set(chain.dictionary) == {"the", "walk"}
        assert notes["dilution"] == "count<2"
        assert set(self.chain(dilute="1")[0].dictionary) == {"the", "dog", "barks"}
        with pytest.raises(OptionError, match="no word left"):
            self.chain(dilute="count<9")

    def test_open_tags(self):
        assert self.chain()[0].open_tags is None
        assert self.chain(open_tags="NN, VBP")[0].open_tags == {"NN", "VBP"}
        assert self.chain(open_tags="2")[0].open_tags == {"NN", "NNS"}
        # What is left of the dictionary counts: of the walk and the, no tag has two words.
        with pytest.raises(OptionError, match="no tag has 2 different words"):
            self.chain(open_tags="2", dilute="count<2")
        with pytest.raises(OptionError, match="no word of the dictionary has the tag 'XX'"):
            self.chain(open_tags="NN,XX")
        with pytest.raises(OptionError, match="give tags"):
            self.chain(open_tags=",")

    def test_coarse_tags(self):
        chain, notes = self.chain(tag_map="penn-17")
        assert chain.dictionary["barks"] == {"V", "N"}
        assert notes["tag_map"] == "penn-17"
        given = read_materials(
            Request(["gold.tagged"], tag_map="penn-universal", development="gold.tagged")
        )
        assert given.corpus[0].analysis == given.held_out[0].analysis == ("DET", "NOUN", "VERB")
        Path("mine").write_text("N\tNN NNS\n")
        with pytest.raises(EvidenceError, match=r"gold.tagged:1: token 1, 'the', has the tag DT"):
            read_materials(Request(["gold.tagged"], tag_map="mine"))

    def test_spelling(self):
        words = {"templates": "word[0]"}
        asked = Request(["raw.txt"], recipe="contrastive-tagger", spelling=True, settings=words)
        chain = plan_request(asked).model
        assert chain.templates[0] not in SPELLING
        assert chain.templates[1:] == SPELLING
        usual = plan_request(Request(["raw.txt"], recipe="contrastive-tagger")).model
        assert set(SPELLING) < set(usual.templates)
        with pytest.raises(OptionError, match="crf looks at spelling already"):
            plan_request(Request(["raw.txt"], spelling=True))
        with pytest.raises(OptionError, match="contrastive-tagger looks at spelling already"):
            plan_request(Request(["raw.txt"], recipe="contrastive-tagger", spelling=True))
        with pytest.raises(OptionError, match="only template must be word"):
            commands.train(
                "m.weft",
                ["raw.txt"],
                recipe="hmm-em",
                layout=TEXT,
                dictionary="tags",
                spelling=True,
            )

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"dilute": "1"}, "--dilute needs a dictionary"),
            ({"open_tags": "NN"}, "--open-tags needs a dictionary"),
            ({"dictionary": "tags", "dictionary_from": "gold.tagged"}, "not both"),
            ({"dictionary": "tags", "dilute": "many"}, "is no dilution"),
            ({"recipe": "johnson-4", "dictionary_from": "gold.tagged"}, "takes no dictionary"),
            ({"recipe": "johnson-4", "spelling": True}, "takes no spelling"),
            ({"tag_map": "penn-18"}, "no tag map 'penn-18'"),
        ],
    )
    def test_refusals(self, options, message):
        with pytest.raises(OptionError, match=message):
            commands.train("m.weft", ["gold.tagged"], **options)

    def test_a_dictionary_from_raw_text(self):
        with pytest.raises(FormatError, match=r"raw\.txt: no word here has tags"):
            self.chain(dictionary=None, dictionary_from="raw.txt")

    def test_a_broken_dictionary_corpus(self):
        with pytest.raises(FormatError, match=r"raw\.txt"):
            commands.train(
                "m.weft", ["gold.tagged"], layout=FileLayout("tagged"), dictionary_from="raw.txt"
            )


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"criterion": "expected-accuracy"}, "gaussian:1000"),
        ({"criterion": "expected-accuracy", "penalty": "gaussian:10"}, "gaussian:10"),
        ({"criterion": "expected-accuracy", "recipe": "parse-selection"}, "relative:7"),
        ({"criterion": "expected-accuracy", "recipe": "hmm"}, "gaussian:1000"),
        ({"criterion": "conditional", "recipe": "pcfg"}, "gaussian:10"),
        ({"criterion": "marginal", "recipe": "hmm"}, "dirichlet:0.1,tag:*=0.001"),
        ({"optimiser": "lbfgs", "recipe": "hmm"}, "gaussian:10"),
        ({"recipe": "hmm"}, "dirichlet:0.1,tag:*=0.001"),
        ({"criterion": "margin"}, "gaussian:10"),
        ({}, "gaussian:10"),
    ],
)
def test_a_penalty_suits_its_criterion_unless_it_is_named(asked, expected):
    assert str(plan_request(Request(["a.tagged"], **asked)).penalty) == expected


@pytest.mark.parametrize(
    ("recipe", "criterion", "expected"),
    [
        ("hmm", "expected-accuracy", LBFGS),
        ("hmm", "margin", Subgradient),
        ("hmm", "marginal", EM),
        ("pcfg", "conditional", LBFGS),
        ("crf", "margin", FrankWolfe),
        ("crf", "joint", LBFGS),
    ],
)
def test_an_optimiser_suits_its_criterion(recipe, criterion, expected):
    plan = plan_request(Request(["a.tagged"], recipe=recipe, criterion=criterion))
    assert isinstance(plan.optimiser, expected)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("criterion", ["expected-accuracy", "conditional", "margin", "perceptron"])
def test_what_em_does_not_maximise_is_trained_by_other_means(criterion):
    training = commands.train("m.weft", ["gold.tagged"], recipe="hmm", criterion=criterion)
    assert weft.load("m.weft").tag([["the", "dog", "barks"]]) == [("DT", "NN", "VBZ")]
    assert training.trained.notes["criterion"] == criterion
