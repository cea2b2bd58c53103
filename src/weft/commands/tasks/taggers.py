"""Taggers from files: tagged sentences, raw ones with a dictionary, and how good a tagger is."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from weft.arrays import IntArray
from weft.commands.evaluation import Evaluation, assess
from weft.commands.files.inputs import (
    Layout,
    gold_map,
    is_plain_text,
    labelled_format,
    map_note,
    notes_of,
    other_format,
    read_map,
    with_tag_map,
)
from weft.commands.files.recognition import recognised
from weft.commands.prediction import UNBROKEN
from weft.commands.request import Request
from weft.commands.selecting import Chosen
from weft.commands.tasks.tallies import PER_TOKEN, judge_tags, tag_counts, tag_figures
from weft.commands.tasks.task import OWN, Materials, Question, Task, notes_of_files
from weft.corpora import (
    Format,
    coarse_dictionary,
    dictionary_of,
    diluted,
    guess_format,
    open_tags_of,
    read_dictionary,
    read_dilution,
    read_examples,
)
from weft.corpora.formats import SUFFIXES
from weft.corpora.tags.tagged import Text
from weft.criteria import input_only
from weft.errors import FormatError, OptionError, abbreviated
from weft.evaluate.significance import Statistic, accuracy
from weft.features.templates import templates
from weft.files import Source, name_of
from weft.models import Chain, Dictionary
from weft.models.tables import Tables
from weft.models.tagger import Tagger
from weft.recipes import Recipe
from weft.structures.evidence import Example
from weft.train.crossvalidation import Columns, Fold

SPELLING = templates("suffix1[0] suffix2[0] suffix3[0] capital[0] hyphen[0] digit[0]")
"""Spelling features: those of Smith and Eisner (2005), section 5.2."""


class TaggerTask(Task):
    """Chains and tables."""

    name = "tagger"
    kinds = (Chain, Tables, Tagger)
    takes = frozenset({"dictionary", "dictionary_from", "spelling", "tag_map"})

    def plan(self, request: Request, plan: Recipe) -> Recipe:
        """Return a recipe whose templates are those that are asked for."""
        chain, settings = plan.model, request.settings
        if not isinstance(chain, Chain):
            for name in ("dictionary", "dictionary_from", "spelling"):
                if getattr(request, name):
                    raise OptionError(f"the recipe {plan.name} takes no {OWN[name]}")
        elif "templates" in settings and not chain.templates:
            message = "give at least one template, or 'bias', which every token has"
            raise OptionError(f"--set templates={settings['templates']}: {message}")
        elif request.spelling:
            return replace(plan, model=_with_spelling(plan, chain))
        return plan

    def read(self, request: Request, plan: Recipe) -> Materials:
        """Read tagged sentences, or raw ones and a dictionary."""
        tag_map = read_map(request.tag_map)
        layout, sources = request.layout, request.sources
        first_format = _first_format(request, plan)
        first = read_examples(first_format, sources[0])
        others = [_read_other(layout, source, first_format) for source in sources[1:]]
        corpus = with_tag_map(list(itertools.chain(first, *others)), tag_map)
        held_out = None
        if request.development is not None:
            held_out = with_tag_map(_read_other(layout, request.development, first_format), tag_map)
        if request.has_dictionary:
            dictionary = _dictionary(request, corpus, tag_map, first_format)
            opened = _open_tags(request.open_tags, dictionary)
            chain: Any = plan.model
            chain = replace(chain, dictionary=dictionary, open_tags=opened)
            plan = replace(plan, model=chain)
        notes = {**_notes(request, corpus), **notes_of(first_format, first)}
        raw = [example for source in request.raw for example in _read_raw(source)]
        return Materials(plan, corpus, held_out, notes, raw)

    def assess(
        self, trained: Tagger, corpus: Sequence[Example], threads: int | None = None
    ) -> Evaluation:
        """Compare tags with those of a corpus."""
        return assess(trained, corpus, threads=threads)

    def score(self, assessed: Evaluation) -> float | None:
        """The accuracy."""
        return assessed.accuracy

    def training_json(
        self,
        trained: Tagger,
        given: Materials,  # noqa: ARG002
        assessed: Evaluation | None,
    ) -> dict[str, Any]:
        """The number of tags, and the accuracy on the development corpus."""
        return {
            "tags": len(trained.model.tags),
            "development_accuracy": None if assessed is None else assessed.accuracy,
        }

    main = "accuracy"
    columns = {  # noqa: RUF012
        "tokens": ("tokens", "count"),
        "accuracy": ("accuracy", "share"),
        "unknown_accuracy": ("unknown words", "share"),
        "sentence_accuracy": ("whole sentences", "share"),
        **PER_TOKEN,
    }

    def judge(
        self,
        trained: Tagger,
        seen: Sequence[Example],
        test: Sequence[Example],
        plan: Recipe,  # noqa: ARG002
    ) -> Fold:
        """Count right tags, beside the most frequent tags of words."""
        return judge_tags(trained, seen, test)

    def figures(self, columns: Columns) -> dict[str, Any]:
        """Accuracies and log-likelihoods."""
        return tag_figures(columns)

    def counts(self, columns: Columns) -> tuple[IntArray, Statistic]:
        """Right tags, for their accuracy."""
        return tag_counts(columns), accuracy

    def questions(
        self,
        trained: Tagger,
        source: Source,
        layout: Layout,
        chosen: Chosen,  # noqa: ARG002
    ) -> Iterator[Question]:
        """Yield sentences, with their tags where the format has them."""
        file = recognised(trained, source, layout)
        labelled = not isinstance(file.corpus_format, Text)
        tag_map = gold_map(trained)
        records = file.corpus_format.read(file.source, labelled=labelled)
        for number, record in enumerate(records, 1):
            [example] = with_tag_map([record.example], tag_map)
            tokens = example.tokens
            words = [word.translate(UNBROKEN) for word in tokens.words]
            shown = partial(_tagged_words, words)
            name, text = tokens.source, " ".join(words)
            yield Question(str(number), name, text, tokens, example, shown, list)

    def is_labelled(self, example: Example) -> bool:
        """Whether some token has a label."""
        return any(label is not None for label in example.analysis or ())


def _tagged_words(words: Sequence[str], tags: Sequence[str]) -> str:
    return " ".join(f"{word}/{tag}" for word, tag in zip(words, tags, strict=True))


def _read_raw(source: Source) -> list[Example]:
    """Sentences alone, a line each or as a file's name shows, whatever labels it has."""
    suffix = Path(name_of(source).removesuffix(".gz")).suffix
    layout = guess_format(source) if suffix in SUFFIXES else Text()
    return [replace(example, analysis=None) for example in read_examples(layout, source)]


def _first_format(request: Request, plan: Recipe) -> Format:
    """The format of the first file; plain text will do where no label is looked at."""
    blind = plan.criterion is not None and plan.criterion.numerator is input_only
    if not blind or not is_plain_text(request.layout, request.sources[0]):
        return labelled_format(request.layout, request.sources[0])
    if not request.has_dictionary:
        message = f"the recipe {plan.name} learns from plain text, but something must name the tags"
        raise OptionError(f"{message}; give --dictionary FILE")
    return request.layout.format_of(request.sources[0])


def _read_other(layout: Layout, source: Source, first: Format) -> list[Example]:
    """A file beside the first; where that is plain text, another's name may show its format."""
    suffix = Path(name_of(source).removesuffix(".gz")).suffix
    if layout.name == "text" and suffix in SUFFIXES:
        return read_examples(guess_format(source), source)
    return read_examples(other_format(layout, source, first), source)


def _dictionary(
    request: Request,
    corpus: Sequence[Example],
    tag_map: Mapping[str, str] | None,
    first: Format,
) -> Dictionary:
    if request.dictionary_from is not None:
        tagged = _read_other(request.layout, request.dictionary_from, first)
        found: Dictionary = dictionary_of(tagged)
        if not found:
            path = name_of(request.dictionary_from)
            message = "no word here has tags at all its places; give a tagged corpus"
            raise FormatError(message, path=path)
    else:
        found = read_dictionary(request.dictionary or "-")
    if tag_map is not None:
        found = coarse_dictionary(found, tag_map)
    if request.dilute is not None:
        found = diluted(found, corpus, read_dilution(request.dilute))
    if not found:
        raise OptionError("the dictionary has no word left; dilute it less, or give another")
    return found


def _open_tags(text: str | None, dictionary: Dictionary) -> frozenset[str] | None:
    if text is None:
        return None
    if re.fullmatch(r"[0-9]{1,18}", text):
        return open_tags_of(dictionary, int(text))
    named = frozenset(filter(None, (part.strip() for part in text.split(","))))
    known = frozenset[str]().union(*dictionary.values())
    for tag in sorted(named - known):
        raise OptionError(
            f"--open-tags: no word of the dictionary has the tag '{abbreviated(tag)}'"
        )
    if not named:
        raise OptionError("--open-tags: give tags, such as NN,VB,JJ, or a number of words")
    return named


def _notes(request: Request, corpus: Sequence[Example]) -> dict[str, str]:
    dictionary = request.dictionary if request.dictionary_from is None else request.dictionary_from
    said = {"dilution": request.dilute, "open_tags": request.open_tags}
    raw = ", ".join(Path(name_of(file)).name for file in request.raw)
    return {
        **notes_of_files(request, corpus),
        **({} if dictionary is None else {"dictionary": Path(name_of(dictionary)).name}),
        **{key: text for key, text in said.items() if text is not None},
        **({"spelling": "yes"} if request.spelling else {}),
        **({"raw": raw} if raw else {}),
        **({"neighbourhood": Path(request.neighbourhood).name} if request.neighbourhood else {}),
        **map_note(request.tag_map),
    }


def _with_spelling(plan: Recipe, chain: Chain) -> Chain:
    if chain.templates is None:
        raise OptionError(
            f"the recipe {plan.name} looks at spelling already; --spelling is for those whose only "
            "templates are of words, such as contrastive-tagger"
        )
    return replace(chain, templates=tuple(dict.fromkeys((*chain.templates, *SPELLING))))
