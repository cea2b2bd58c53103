"""A family of one's own in one file: semi-Markov CRFs, which label whole segments of a sentence.

A derivation cuts the sentence into labelled segments (Sarawagi and Cohen 2004).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import product

import pytest
from typer.testing import CliRunner

import weft
from contracts import laws
from contracts.models import Subject, listing_of
from weft.cli.app import app
from weft.commands.family import Family, registered
from weft.commands.tasks import Task
from weft.models.forest_model import Edge, LabellingModel
from weft.models.instances import Instance, labelled_data
from weft.models.model import Spec
from weft.models.packing import field_storage
from weft.recipes import Recipe
from weft.settings import setting
from weft.train.grid import cells


def tags_of(label, length):
    return ("O",) if label == "O" else (f"B-{label}", *[f"I-{label}"] * (length - 1))


@dataclass(frozen=True, eq=False)
class SegmentModel(LabellingModel):
    """Which segments there are, and which features each has."""

    names: tuple[tuple[str, str], ...]
    labels: tuple[str, ...]
    longest: int

    def edges(self, words):
        for end in range(1, len(words) + 1):
            for label in self.labels:
                for start in range(max(0, end - (1 if label == "O" else self.longest)), end):
                    for before in self.labels if start else [""]:
                        features = self.features(words[start:end], label, before)
                        head = (end, label) if end < len(words) else "sentence"
                        tails, tags = [(start, before)] * (start > 0), tags_of(label, end - start)
                        yield Edge(head, tails, features, start, tags)

    def features(self, words, label, before):
        yield from (("word", f"{label} {word}") for word in words)
        yield "phrase", f"{label} {' '.join(words)}"
        yield "length", f"{label} {len(words)}"
        yield "bigram", f"{before} {label}"


@dataclass(frozen=True)
class Segments(Spec):
    """What a semi-CRF looks at, before a corpus is seen."""

    longest: int = setting(3, "the length of the longest segment")

    def prepare(self, seen, texts=(), others=()):  # noqa: ARG002
        tags = {str(tag) for each in (*seen, *texts) for tag in each.analysis or ()}
        labels = ("O", *sorted({tag[2:] for tag in tags if tag.startswith("B-")}))
        empty = SegmentModel((), labels, self.longest)
        return replace(empty, names=empty.feature_names(seen))


class SegmentTask(Task):
    name, kinds = "segmenter", (Segments, SegmentModel)


def instances():
    """A small instance, on complete, partial and raw data."""
    some = [
        ("u v w", ("B-X", "I-X", "O"), ("B-X", None, None), 1.0),
        ("w u", ("O", "B-Y"), (None, frozenset({"B-X", "B-Y"})), 2.0),
        ("v", ("B-X",), ("B-X",), 0.5),
    ]
    spec, data = Segments(longest=2), labelled_data(some)
    return [Instance("semi-CRF", "segments", spec, spec.prepare(data["complete"]), data)]


RECIPE = Recipe("semi-crf", "labels whole segments of a sentence", Segments())
STORAGE = field_storage("segmenter", SegmentModel)
SEGMENTS = Family(SegmentTask(), STORAGE, (RECIPE,), instances)

TEXT = """Ann/B-PER Lee/I-PER left/O Oslo/B-LOC ./O
Lee/B-PER met/O Ann/B-PER Bo/I-PER Lee/I-PER in/O New/B-LOC York/I-LOC ./O
in/O Oslo/B-LOC Bo/B-PER left/O ./O\n"""


def segmentations(length, start=0, before=""):
    """All segments (label, label before, start, end) from a token on, by brute force."""
    if start == length:
        yield []
    for label, end in product("OXY", range(start + 1, min(length, start + 2) + 1)):
        if label != "O" or end == start + 1:
            for rest in segmentations(length, end, label):
                yield [(label, before, start, end), *rest]


def listing(model, example, theta):
    words, every = example.tokens.words, []
    for found in segmentations(len(words)):
        names = [n for a, b, i, j in found for n in model.features(words[i:j], a, b)]
        tags = [tag for a, _, i, j in found for tag in tags_of(a, j - i)]
        score = sum(theta[model.index[name]] for name in names if name in model.index)
        every.append((tags, found, score))
    return listing_of(example, every)


def parts_of(tags):
    starts = [place for place, tag in enumerate(tags) if not tag.startswith("I-")]
    return [(i, tags[i:j]) for i, j in zip(starts, [*starts[1:], len(tags)], strict=True)]


@pytest.mark.parametrize("law", laws.ALL)
def test_every_law_holds_with_every_criterion(law, rng):
    with registered(SEGMENTS):
        laws.check(law, Subject(instances()[0], listing, parts_of), rng)


def test_every_command_knows_it(tmp_path):
    model, text = tmp_path / "m.weft", tmp_path / "a.tagged"
    text.write_text(TEXT)

    def run(*options):
        done = CliRunner().invoke(app, [str(each) for each in options], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    with registered(SEGMENTS):
        assert "semi-CRF" in {each.family for each in cells(criteria=[weft.conditional])}
        assert "longest" in run("recipes", "semi-crf")
        options = ("--recipe", "semi-crf", "--penalty", "gaussian:100", "--dev", text)
        assert json.loads(run("train", model, "--train", text, *options, "--json"))["features"] > 50
        assert run("predict", model, text) == TEXT
        for option in ("--posterior", "--kbest=2", "--sample=2", "--marginals", "--json"):
            assert len(run("predict", model, text, option).splitlines()) >= 3
        found = json.loads(run("evaluate", model, text, "--json"))
        assert found["accuracy"] == found["f1"] == 1 > found["most_frequent_label_accuracy"]
        assert "word: LOC Oslo" in run("inspect", model)
        assert "bigram" in run("explain", model, text)
        run("train", tmp_path / "n.weft", "--train", text, *options, "--start", model)
        for kind in ("confusion", "calibration", "marginals"):
            run("plot", kind, model, text, "--out", tmp_path / f"{kind}.svg", "--force")
        found = json.loads(run("report", model, text, "--out", tmp_path / "r.html", "--json"))
        assert found["models"][0]["score"] == 1
        found = json.loads(run("compare", model, text, tmp_path / "n.weft", "--json"))
        assert (found["measure"], found["comparisons"][0]["p_value"]) == ("F1", 1)
        assert "accuracy" in run("crossvalidate", text, "--recipe", "semi-crf", "--folds", "3")
    assert CliRunner().invoke(app, ["predict", str(model), str(text)]).exit_code != 0
