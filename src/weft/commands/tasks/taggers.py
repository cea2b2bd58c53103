"""Taggers from files: tagged sentences, raw ones with a dictionary, and how good a tagger is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from weft.automata import Transducer
from weft.commands.evaluation import Evaluation, assess, evaluate
from weft.commands.files.inputs import (
    is_plain_text,
    labelled_format,
    map_note,
    read_map,
    with_tag_map,
)
from weft.commands.how import Found, How
from weft.commands.inspection import inspect
from weft.commands.prediction import write_answers
from weft.commands.request import Request
from weft.commands.tasks.looks import TAGS
from weft.commands.tasks.reading import stream_other
from weft.commands.tasks.task import LAYOUT, Materials, Task
from weft.conversions.grammars import tagger_to_grammar, tagger_to_transducer
from weft.corpora import (
    Format,
    coarse_dictionary,
    dictionary_of,
    dilute,
    open_tags_of,
    read_dictionary,
    read_dilution,
)
from weft.corpora.tags.crfpp import read_template_file
from weft.criteria import input_only
from weft.errors import FormatError, OptionError, abbreviate
from weft.features.templates import templates
from weft.files import Source, name_of
from weft.models import Chain, Dictionary
from weft.models.chain.model import ChainModel
from weft.models.tables import TableModel, Tables
from weft.models.tagger import Decoder, Tagger
from weft.recipes import Recipe
from weft.structures.evidence import Example
from weft.structures.grammar import Grammar

SPELLING = templates("suffix1[0] suffix2[0] suffix3[0] capital[0] hyphen[0] digit[0]")
"""Spelling features: those of Smith and Eisner (2005), section 5.2."""


class TableTask(Task):
    """Tables."""

    name = "tagger made of tables"
    looks = TAGS
    kinds: ClassVar[tuple[type, ...]] = (Tables, TableModel)
    takes: ClassVar[Mapping[str, frozenset[str]]] = {
        **Task.takes,
        "train": frozenset({"tag_map"}),
        "evaluate": Task.takes["evaluate"] | {"--tag-map"},
        "inspect": frozenset(),
    }

    def read(self, request: Request, plan: Recipe) -> Materials:
        """Read tagged sentences, or raw ones and a dictionary."""
        tag_map = read_map(request.tag_map)
        given = Task.read(self, request, plan)
        return replace(
            given,
            corpus=with_tag_map(given.corpus, tag_map),
            held_out=given.held_out and with_tag_map(given.held_out, tag_map),
            notes={**given.notes, **_notes(request)},
        )

    def assess(
        self,
        trained: Tagger,
        corpus: Sequence[Example],
        threads: int | None = None,
        decoder: Decoder | None = None,
    ) -> Evaluation:
        """Compare tags with those of a corpus."""
        return assess(trained, corpus, decoder=decoder, threads=threads)

    def check_labels(self, trained: Tagger, examples: Sequence[Example], name: str) -> None:
        """Compare the tags of the model with those of sentences."""
        known = trained.model.tags
        gold = {tag for each in examples for tag in each.analysis or () if isinstance(tag, str)}
        if gold and gold.isdisjoint(known):
            raise OptionError(
                f"{name} has none of the tags that are right here: it has {_some(known)}, and "
                f"right are {_some(gold)}; give a model of these tags, or --column"
            )

    def contents(self, trained: Tagger) -> str:
        """The number of tags."""
        return f"{len(trained.model.tags)} tags"

    def training_json(
        self,
        trained: Tagger,
        given: Materials,  # noqa: ARG002
        assessed: Evaluation | None,
    ) -> dict[str, Any]:
        """The number of tags, and the accuracy and the F1 of chunks on the development corpus."""
        return {
            "tags": len(trained.model.tags),
            "development_accuracy": None if assessed is None else assessed.accuracy,
            "development_f1": None if assessed is None else assessed.f1,
        }

    def predict(self, trained: Tagger, source: Source, how: How) -> Iterator[str]:
        """Yield tagged sentences."""
        return write_answers(trained, source, how, trained.model.tags)

    def evaluate(self, trained: Tagger, source: Source, how: How) -> Found:
        """Compare tags with those of a file."""
        return evaluate(
            trained,
            source,
            layout=how.layout,
            decoder=how.decoder,
            threads=how.threads,
            tag_map=how.tag_map,
            strict=how.strict,
            told=how.told,
        )

    def inspect(self, trained: Tagger, count: int, tag: str | None, kind: str) -> Found:
        """List the strongest features."""
        return inspect(trained, count=count, tag=tag, kind=kind)

    def grammar(self, trained: Tagger) -> Grammar:
        """Return the probabilistic grammar that says the same."""
        return tagger_to_grammar(trained)

    def transducer(self, trained: Tagger) -> Transducer:
        """Return the HMM that says the same, from words to tags."""
        return tagger_to_transducer(trained)


class TaggerTask(TableTask):
    """Chains."""

    name = "tagger"
    kinds = (Chain, ChainModel)
    takes: ClassVar[Mapping[str, frozenset[str]]] = {
        "train": frozenset({"dictionary", "dictionary_from", "spelling", "tag_map", "template"}),
        "predict": LAYOUT,
        "explain": LAYOUT,
        "evaluate": TableTask.takes["evaluate"] | {"--strict"},
        "inspect": frozenset({"--top", "--tag", "--kind"}),
    }

    def plan(self, request: Request, plan: Recipe) -> Recipe:
        """Return a recipe whose templates are those that are asked for."""
        chain: Any = plan.model
        if "templates" in request.settings and not chain.templates:
            message = "give at least one template, or 'bias', which every token has"
            raise OptionError(f"--set templates={request.settings['templates']}: {message}")
        if request.template is not None:
            chain = _with_template(request, request.template, chain)
            plan = replace(plan, model=chain)
        return replace(plan, model=_with_spelling(plan, chain)) if request.spelling else plan

    def read(self, request: Request, plan: Recipe) -> Materials:
        """Read tagged sentences, or raw ones and a dictionary."""
        given = TableTask.read(self, request, plan)
        if not request.has_dictionary:
            return given
        dictionary = _dictionary(request, given)
        opened = _open_tags(request.open_tags, dictionary)
        chain: Any = plan.model
        chain = replace(chain, dictionary=dictionary, open_tags=opened)
        return replace(given, plan=replace(plan, model=chain))

    def first_format(self, request: Request, plan: Recipe) -> Format:
        """Return the format of the first file; plain text will do where no label is looked at."""
        blind = plan.criterion is not None and plan.criterion.numerator is input_only
        if not blind or not is_plain_text(request.layout, request.sources[0]):
            return labelled_format(request.layout, request.sources[0])
        if not request.has_dictionary:
            message = (
                f"the recipe {plan.name} learns from plain text, but something must name the tags"
            )
            raise OptionError(f"{message}; give --dictionary FILE")
        return request.layout.format_of(request.sources[0])

    def contents(self, trained: Tagger) -> str:
        """The numbers of tags and features."""
        return f"{TableTask.contents(self, trained)}, {Task.contents(self, trained)}"


def _with_template(request: Request, source: Source, chain: Any) -> Any:
    for name in ("templates", "pair_templates"):
        if name in request.settings:
            raise OptionError(f"give --template FILE or --set {name}=, not both")
    found = read_template_file(source)
    return replace(chain, templates=found.templates, pair_templates=found.pair_templates)


def _dictionary(request: Request, given: Materials) -> Dictionary:
    assert given.corpus_format is not None  # noqa: S101
    if request.dictionary_from is not None:
        tagged = stream_other(request.layout, request.dictionary_from, given.corpus_format)
        found: Dictionary = dictionary_of(tagged)
        if not found:
            path = name_of(request.dictionary_from)
            message = "no word here has tags at all its places; give a tagged corpus"
            raise FormatError(message, path=path)
    else:
        found = read_dictionary(request.dictionary or "-")
    tag_map = read_map(request.tag_map)
    if tag_map is not None:
        found = coarse_dictionary(found, tag_map)
    if request.dilute is not None:
        found = dilute(found, given.corpus, read_dilution(request.dilute))
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
        raise OptionError(f"--open-tags: no word of the dictionary has the tag '{abbreviate(tag)}'")
    if not named:
        raise OptionError("--open-tags: give tags, such as NN,VB,JJ, or a number of words")
    return named


def _notes(request: Request) -> dict[str, str]:
    dictionary = request.dictionary if request.dictionary_from is None else request.dictionary_from
    said = {"dilution": request.dilute, "open_tags": request.open_tags}
    files = {"dictionary_from": request.dictionary_from, "template": request.template}
    raw = ", ".join(Path(name_of(file)).name for file in request.raw)
    return {
        **({} if dictionary is None else {"dictionary": Path(name_of(dictionary)).name}),
        **{key: text for key, text in said.items() if text is not None},
        **{key: Path(name_of(file)).name for key, file in files.items() if file is not None},
        **({"spelling": "yes"} if request.spelling else {}),
        **({"raw": raw} if raw else {}),
        **({"neighbourhood": Path(request.neighbourhood).name} if request.neighbourhood else {}),
        **map_note(request.tag_map),
    }


def _some(tags: Collection[str]) -> str:
    """A few tags, those of words before those of punctuation."""
    first = sorted(tags, key=lambda tag: (not tag[:1].isalpha(), tag))[:5]
    return ", ".join(first) + (", ..." if len(tags) > 5 else "")


def _with_spelling(plan: Recipe, chain: Chain) -> Chain:
    if chain.templates is None or set(SPELLING) <= set(chain.templates):
        raise OptionError(
            f"the recipe {plan.name} looks at spelling already; --spelling is for templates of "
            "words alone, such as --set templates=word[0]"
        )
    return replace(chain, templates=tuple(dict.fromkeys((*chain.templates, *SPELLING))))
