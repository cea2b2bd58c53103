"""Converting a model into one of another kind that says the same."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.commands.files.inputs import (
    UNSAID,
    FileLayout,
    StrPath,
    finite,
    open_tagger,
)
from weft.commands.files.outputs import check_output
from weft.commands.files.recognition import recognise
from weft.conversions.check import Difference, same_conditional
from weft.conversions.convert import Target, kind_of
from weft.conversions.convert import convert as converted
from weft.files import Source
from weft.models.options import option
from weft.models.storage import save_tagger
from weft.models.tagger import Tagger
from weft.reprs import Brief
from weft.structures.evidence import Sentence


@dataclass(frozen=True, slots=True, repr=False)
class Agreement(Brief):
    """What a model and its conversion make of the same sentences.

    Attributes:
        sentences: How many there are.
        same_tags: How many of them get the same tags from both.
        known: The difference of log p(tags | words) in sentences whose words are all in the
            vocabulary.
        unknown: Likewise in the others.
        unknown_sentences: How many others there are.
    """

    sentences: int
    same_tags: int
    known: Difference
    unknown: Difference
    unknown_sentences: int

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return {
            "sentences": self.sentences,
            "unknown_sentences": self.unknown_sentences,
            "same_tags": self.same_tags,
            "known": _difference_json(self.known),
            "unknown": _difference_json(self.unknown),
        }


def _difference_json(difference: Difference) -> dict[str, Any]:
    where = difference.where
    return {
        "largest": finite(difference.largest),
        "compared": difference.compared,
        "tokens": None if where is None else list(where.tokens.words),
        "tags": None if where is None else list(where.analysis or ()),
        "log_probabilities": difference.log_probs and [finite(p) for p in difference.log_probs],
    }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConvertedModel(Brief):
    """A model that was made from another.

    Attributes:
        tagger: The new one.
        path: Where it was saved.
        kind: What the other was: mrf, hmm or memm, or the form of tables.
        form: What it has become.
        check: How the two compare, if there was something to compare them on.
    """

    tagger: Tagger
    path: str
    kind: str
    form: Target
    check: Agreement | None

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON; what does not apply is null."""
        return {
            "model": self.path,
            "from": self.kind,
            "to": str(self.form),
            "features": len(self.tagger.weights),
            "states": len(self.tagger.model.states),
            "growth_rate": self.figure("growth rate"),
            "scale": self.figure("scale"),
            "mean_length": self.figure("mean length"),
            "check": self.check and self.check.as_json(),
        }

    def figure(self, name: str) -> float | None:
        """A number of this conversion's notes; None if it is not there or beyond all floats."""
        if self.form is not Target.HMM:
            return None
        try:
            return finite(float(self.tagger.notes[name]))
        except (KeyError, ValueError):
            return None


def convert(
    model: StrPath,
    form: Target,
    *,
    out: StrPath | None = None,
    scale: float | None = None,
    mean_length: float | None = None,
    check: Source | None = None,
    layout: FileLayout = UNSAID,
    force: bool = False,
    max_bytes: int | None = None,
) -> ConvertedModel:
    """Convert a model, and save what it becomes.

    Args:
        model: The model's file.
        form: What it shall become.
        out: Where the new model is saved; by default beside the other, with the form in its name.
        scale: What each step is divided by on the way to an HMM; see
            :func:`~weft.conversions.convert.mrf_to_hmm`.
        mean_length: How long sentences of the HMM shall be on average, instead of the scale.
        check: Sentences on which the two are compared before the new one is saved.
        layout: What is said about the format of these sentences; the rest is as in training.
        force: Replace whatever file is there, also one that is read.
        max_bytes: How much memory the model may take; see
            :func:`~weft.models.storage.load_model`.

    Raises:
        OptionError: If the model cannot be converted, saying why; or if the file that is there is
            one of those that are read, or is no model.
        FormatError: If a file cannot be read or written.
        EvidenceError: If a sentence of ``check`` has no possible tagging.
    """
    form = option(Target, form)
    tagger = open_tagger(model, max_bytes=max_bytes)
    path = beside(model, form) if out is None else out
    check_output(path, [model, check], model=True, force=force)
    sentences = None if check is None else _sentences(tagger, check, layout)
    made = converted(tagger, form, scale=scale, mean_length=mean_length)
    comparison = None if sentences is None else compare(tagger, made, sentences)
    save_tagger(path, made, force=True)
    return ConvertedModel(made, os.fspath(path), kind_of(tagger), form, comparison)


def beside(model: StrPath, form: Target) -> Path:
    """Return the name of a model with a form before its suffix.

    >>> beside("models/pos.weft", Target.HMM).name
    'pos-hmm.weft'
    """
    path = Path(model)
    return path.with_name(f"{path.stem}-{form}{path.suffix}")


def _sentences(tagger: Tagger, source: Source, layout: FileLayout) -> list[Sentence]:
    file = recognise(tagger, source, layout)
    records = file.corpus_format.read(file.source, labelled=False)
    return [record.example.tokens for record in records if len(record.example.tokens)]


def compare(first: Tagger, second: Tagger, sentences: Sequence[Sentence]) -> Agreement:
    """Compare two taggers on sentences that are not empty.

    >>> from weft import Chain, example, fit
    >>> corpus = [example(["the", "dog"], ["DT", "NN"])]
    >>> tagger = fit(Chain(), corpus)
    >>> compare(tagger, tagger, [each.tokens for each in corpus]).same_tags
    1
    """
    vocabulary = frozenset(second.chain.vocabulary)  # tables have items in its place
    known = [each for each in sentences if vocabulary.issuperset(each.words)]
    unknown = [each for each in sentences if not vocabulary.issuperset(each.words)]
    pairs = zip(first.tag(sentences), second.tag(sentences), strict=True)
    return Agreement(
        len(sentences),
        sum(one == other for one, other in pairs),
        same_conditional(first, second, known),
        same_conditional(first, second, unknown),
        len(unknown),
    )
