"""The component for spaCy: with documents that stand in for spaCy's, and with spaCy where it is."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import weft
from weft.errors import OptionError
from weft.interfaces.spacy import NAME, WeftTagger, make_tagger

SENTENCES = [
    (["the", "dog", "barks"], ["DT", "NN", "VBZ"]),
    (["a", "cat", "sleeps"], ["DT", "NN", "VBZ"]),
]
NAMED = [
    (["Ann", "Lee", "saw", "Rome"], ["B-PER", "I-PER", "O", "B-LOC"]),
    (["Ann", "left"], ["B-PER", "O"]),
]


@pytest.fixture(scope="module")
def tagger() -> weft.Tagger:
    return weft.fit(weft.Chain(), [weft.example(*each) for each in SENTENCES])


@pytest.fixture(scope="module")
def chunker() -> weft.Tagger:
    return weft.fit(weft.Chain(), [weft.example(*each) for each in NAMED])


@dataclass
class Token:
    text: str
    i: int
    tag_: str = ""
    pos_: str = ""

    @property
    def is_space(self) -> bool:
        return self.text.isspace()


@dataclass
class Span:
    start: int
    end: int
    label_: str = ""


@dataclass
class Doc:
    """What the component needs of spaCy's documents."""

    tokens: list[Token]
    ends: list[int] | None = None
    ents: list[Span] = field(default_factory=list)
    default: str | None = None

    def has_annotation(self, name: str) -> bool:
        assert name == "SENT_START"
        return self.ends is not None

    @property
    def sents(self) -> list[list[Token]]:
        ends = self.ends or []
        return [self.tokens[a:b] for a, b in zip([0, *ends], ends, strict=False)]

    def __iter__(self) -> Any:
        return iter(self.tokens)

    def __getitem__(self, place: slice) -> Span:
        return Span(place.start, place.stop)

    def set_ents(self, entities: list[Span], default: str) -> None:
        self.ents, self.default = entities, default


def doc(text: str, ends: list[int] | None = None) -> Doc:
    return Doc([Token(word, place) for place, word in enumerate(text.split(" "))], ends)


def test_words_get_tags_and_white_space_none(tagger: weft.Tagger) -> None:
    found = WeftTagger(tagger)(doc("the dog \n barks"))
    assert [each.tag_ for each in found] == ["DT", "NN", "", "VBZ"]
    assert [each.pos_ for each in found] == [""] * 4


def test_sentences_are_tagged_one_by_one(tagger: weft.Tagger) -> None:
    text = "the dog barks a cat sleeps"
    by_sentence = WeftTagger(tagger)(doc(text, ends=[3, 6]))
    assert [each.tag_ for each in by_sentence] == ["DT", "NN", "VBZ"] * 2
    given = [text.split()[:3], text.split()[3:]]
    assert [tag for tags in tagger.tag(given) for tag in tags] == ["DT", "NN", "VBZ"] * 2


def test_tags_may_be_parts_of_speech(tagger: weft.Tagger) -> None:
    found = WeftTagger(tagger, "pos")(doc("a dog"))
    assert [each.pos_ for each in found] == ["DT", "NN"]


def test_chunks_may_be_entities(chunker: weft.Tagger) -> None:
    found = WeftTagger(chunker, "entities")(doc("Ann \n Lee saw Rome"))
    assert found.ents == [Span(0, 3, "PER"), Span(4, 5, "LOC")]
    assert found.default == "outside"


def test_entities_of_all_sentences_are_set_at_once(chunker: weft.Tagger) -> None:
    component = WeftTagger(chunker, "entities")
    found = component(doc("Ann left Ann left", ends=[2, 4]))
    assert found.ents == [Span(0, 1, "PER"), Span(2, 3, "PER")]
    without = component(doc("left left"))
    assert (without.ents, without.default) == ([], "outside")


def test_streams_are_cut_into_batches(tagger: weft.Tagger) -> None:
    docs = [doc("the dog"), doc("\n"), doc("a cat sleeps")]
    found = list(WeftTagger(tagger).pipe(docs, batch_size=2))
    assert found == docs
    assert [[each.tag_ for each in one] for one in found] == [
        ["DT", "NN"], [""], ["DT", "NN", "VBZ"],
    ]  # fmt: skip


def test_the_model_goes_with_the_component(tagger: weft.Tagger, tmp_path: Path) -> None:
    made = WeftTagger(tagger)
    made.to_disk(tmp_path / NAME)
    assert WeftTagger(None).from_disk(tmp_path / NAME)(doc("a dog")).tokens[1].tag_ == "NN"
    assert WeftTagger(None).from_bytes(WeftTagger(None).to_bytes()).tagger is None
    assert WeftTagger(None).from_bytes(made.to_bytes())(doc("a dog")).tokens[1].tag_ == "NN"


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no attribute 'tags': did you mean tag"):
        WeftTagger(None, "tags")
    with pytest.raises(OptionError, match="has no model: give"):
        WeftTagger(None)(doc("a dog"))
    absent = make_tagger(None, NAME, str(tmp_path / "absent.weft"), "tag", None)
    with pytest.raises(OptionError, match=r"has no file '.*absent.weft'"):
        absent(doc("a dog"))


def test_a_pipeline_of_spacy(tagger: weft.Tagger, chunker: weft.Tagger, tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed: weft-nlp[spacy]")
    weft.save(tmp_path / "pos.weft", tagger)
    weft.save(tmp_path / "ner.weft", chunker)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe(NAME, config={"model": str(tmp_path / "pos.weft")})
    entities = {"model": str(tmp_path / "ner.weft"), "attribute": "entities"}
    nlp.add_pipe(NAME, name="entities", config=entities)
    found = nlp("the dog barks")
    assert [token.tag_ for token in found] == ["DT", "NN", "VBZ"]
    [other] = nlp.pipe(["Ann Lee saw Rome"])
    assert [(each.text, each.label_) for each in other.ents] == [
        ("Ann Lee", "PER"),
        ("Rome", "LOC"),
    ]
    nlp.to_disk(tmp_path / "nlp")
    (tmp_path / "pos.weft").unlink()
    again = spacy.load(tmp_path / "nlp")
    assert [token.tag_ for token in again("the dog barks")] == ["DT", "NN", "VBZ"]


def test_spacy_finds_the_component_without_an_import() -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed: weft-nlp[spacy]")
    program = f"import spacy; spacy.blank('en').add_pipe({NAME!r})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_entry_point_leads_to_the_component() -> None:
    project = Path(__file__).parents[2] / "pyproject.toml"
    points = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["entry-points"]
    assert (
        EntryPoint(NAME, points["spacy_factories"][NAME], "spacy_factories").load() is make_tagger
    )


def test_annotations_are_types_that_spacy_checks_a_config_by() -> None:
    """They are texts in the source, and spaCy looks them up."""
    found = get_type_hints(make_tagger)
    assert found["model"] == str | None
    assert (found["attribute"], found["threads"]) == (str, int | None)


@pytest.mark.parametrize("wrong", [{"model": 3}, {"threads": "two"}, {"kind": "tag"}])
def test_spacy_refuses_a_config_of_other_types(wrong: dict[str, Any]) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed: weft-nlp[spacy]")
    with pytest.raises(ValueError, match=next(iter(wrong))):
        spacy.blank("en").add_pipe(NAME, config=wrong)
