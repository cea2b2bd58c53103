"""What training is asked for, and what becomes of it: a recipe, corpora and a dictionary."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import TypedDict

from weft.automata import Transduced, read_transducer
from weft.commands.inputs import (
    UNSAID,
    Layout,
    StrPath,
    is_plain_text,
    labelled_format,
    map_note,
    notes_of,
    other_format,
    read_map,
    with_tag_map,
)
from weft.corpora import (
    TAG_MAPS,
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
from weft.corpora.tagged import Text
from weft.criteria import contrastive, input_only, read_penalty
from weft.criteria.neighbours import NEIGHBOURHOOD_NAMES
from weft.errors import FormatError, OptionError, abbreviated
from weft.features.templates import templates
from weft.files import Source, name_of
from weft.models import Chain, Dictionary
from weft.models.cfg import Cfg
from weft.models.tables import Tables
from weft.recipes import RECIPES, Recipe, recipe_named, with_settings
from weft.structures.evidence import Example

SPELLING = templates("suffix1[0] suffix2[0] suffix3[0] capital[0] hyphen[0] digit[0]")
"""Spelling features: those of Smith and Eisner (2005), section 5.2."""


@dataclass(frozen=True, slots=True)
class Request:
    """All that training is asked for, as text and files.

    Attributes:
        sources: The files of the training corpus.
        recipe: The recipe's name.
        development: A file to watch training with, and to choose models by.
        layout: What is said about the format of these files.
        penalty: What large weights cost, if not what the recipe says.
        settings: Settings of the recipe.
        criterion: The name of the criterion, if not what the recipe says. This and the next two
            are the settings of the same names, and among them once a request is made.
        optimiser: The name of the optimiser, likewise.
        patience: After how many iterations without a gain on the development file training ends,
            likewise.
        dictionary: A file with the tags that words may have.
        dictionary_from: A tagged corpus whose words with their tags are the dictionary.
        dilute: Which words are left out of it, as :func:`~weft.corpora.read_dilution` reads it.
        open_tags: The tags of words outside it, with commas between them; or how many different
            words a tag must have to be one.
        spelling: Whether the model looks at the spelling of words, too.
        neighbourhood: What sentences are contrasted with, if not what the recipe says; a name, or
            the file of a transducer.
        tag_map: A map that makes all tags coarse, by name or file.
        raw: Files of raw text to learn from beside the training corpus.
        only: A flag of parse sets: only those of which it is true are taken.
        skip_broken: Whether parse sets that are broken are left out.
        terminals: What the sentences of a grammar are made of: words or tags.
        clean: The clean-ups of trees, with commas between them.
        grammar: A file of rules, where they are not read off trees.
    """

    sources: Sequence[Source]
    recipe: str = "crf"
    development: Source | None = None
    layout: Layout = UNSAID
    penalty: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    criterion: str | None = None
    optimiser: str | None = None
    patience: int | None = None
    dictionary: Source | None = None
    dictionary_from: Source | None = None
    dilute: str | None = None
    open_tags: str | None = None
    spelling: bool = False
    neighbourhood: str | None = None
    tag_map: StrPath | None = None
    raw: Sequence[Source] = ()
    only: str | None = None
    skip_broken: bool = False
    terminals: str | None = None
    clean: str | None = None
    grammar: Source | None = None

    def __post_init__(self) -> None:
        if not self.sources:
            raise OptionError("there is no training corpus; give a file")
        if self.dictionary is not None and self.dictionary_from is not None:
            raise OptionError("give one dictionary: --dictionary or --dictionary-from, not both")
        for name in ("dilute", "open_tags"):
            if getattr(self, name) is not None and not self.has_dictionary:
                option = name.replace("_", "-")
                raise OptionError(f"--{option} needs a dictionary: give --dictionary FILE")
        self._fold_flags()
        if self.settings.get("patience", "never") != "never" and self.development is None:
            raise OptionError("--patience looks at held-out examples: give --dev FILE, too")

    def _fold_flags(self) -> None:
        """Make settings of the options that are settings with a name of their own."""
        for name in ("criterion", "optimiser", "patience"):
            value = getattr(self, name)
            if value is None:
                continue
            if name in self.settings:
                raise OptionError(f"give --{name} or --set {name}=, not both")
            object.__setattr__(self, "settings", {**self.settings, name: str(value)})
            object.__setattr__(self, name, None)

    @property
    def has_dictionary(self) -> bool:
        """Whether words may have some tags only."""
        return self.dictionary is not None or self.dictionary_from is not None

    @property
    def files(self) -> list[Source]:
        """All files that training reads."""
        several: list[Source | None] = [*self.sources, *self.raw]
        several += [self.development, self.dictionary, self.dictionary_from, self.grammar]
        if self.tag_map is not None and os.fspath(self.tag_map) not in (*TAG_MAPS, "none"):
            several.append(self.tag_map)
        if self.neighbourhood is not None and self.neighbourhood not in NEIGHBOURHOOD_NAMES:
            several.append(self.neighbourhood)
        return [each for each in several if each is not None]


class Options(TypedDict, total=False):
    """The same, but for the training corpus, as keyword arguments."""

    recipe: str
    development: Source | None
    layout: Layout
    penalty: str | None
    settings: Mapping[str, str]
    criterion: str | None
    optimiser: str | None
    patience: int | None
    dictionary: Source | None
    dictionary_from: Source | None
    dilute: str | None
    open_tags: str | None
    spelling: bool
    neighbourhood: str | None
    tag_map: StrPath | None
    raw: Sequence[Source]
    only: str | None
    skip_broken: bool
    terminals: str | None
    clean: str | None
    grammar: Source | None


@dataclass(frozen=True, slots=True, eq=False)
class Materials:
    """What a request comes to.

    Attributes:
        plan: The recipe, with its dictionary.
        corpus: The training corpus.
        held_out: The development corpus; None where there is none.
        notes: What the model keeps about its making.
        raw: The raw text beside the training corpus.
    """

    plan: Recipe
    corpus: list[Example]
    held_out: list[Example] | None
    notes: Mapping[str, str]
    raw: Sequence[Example] = ()


def plan_of(request: Request) -> Recipe:
    """Return the recipe that is meant, without its dictionary.

    Raises:
        OptionError: If a name, a setting or a value does not exist.
    """
    settings = request.settings
    plan = with_settings(recipe_named(request.recipe), settings)
    chain = plan.model
    if not isinstance(chain, Chain):
        for name in ("dictionary", "dictionary_from", "spelling"):
            if getattr(request, name):
                kind = name.partition("_")[0]
                raise OptionError(f"the recipe {plan.name} takes no {kind}")
    elif "templates" in settings and not chain.templates:
        message = "give at least one template, or 'bias', which every token has"
        raise OptionError(f"--set templates={settings['templates']}: {message}")
    elif request.spelling:
        plan = replace(plan, model=_with_spelling(plan, chain))
    for name in ("terminals", "clean", "grammar"):
        if getattr(request, name) is not None and not isinstance(chain, Cfg):
            raise OptionError(f"the recipe {plan.name} takes no --{name}, which is for parsers")
    _check_raw(plan, bool(request.raw))
    if request.neighbourhood is not None:
        plan = _with_neighbours(plan, request.neighbourhood)
    if request.penalty is not None:
        plan = replace(plan, penalty=read_penalty(request.penalty))
    if request.dilute is not None:
        read_dilution(request.dilute)  # lest a mistake be found after reading the files
    return plan


def _check_raw(plan: Recipe, given: bool) -> None:
    if given and plan.raw is None:
        able = [each.name for each in RECIPES.values() if each.raw is not None]
        raise OptionError(
            f"the recipe {plan.name} takes no raw text beside its corpus; --raw is for "
            f"{', '.join(able)}"
        )
    if plan.raw is not None and not given:
        raise OptionError(f"the recipe {plan.name} learns from raw text, too: give --raw FILE")


def _with_neighbours(plan: Recipe, name: str) -> Recipe:
    own = name not in NEIGHBOURHOOD_NAMES and os.path.isfile(name)
    criterion = contrastive(Transduced(read_transducer(name)) if own else name)
    if plan.raw is not None:
        return replace(plan, raw=replace(plan.raw, criterion=criterion))
    if (
        plan.criterion is None
        or plan.criterion.denominator.breadth != criterion.denominator.breadth
    ):
        raise OptionError(
            f"the recipe {plan.name} contrasts nothing with neighbours; --neighbourhood is for "
            "contrastive-tagger and semi-supervised"
        )
    return replace(plan, criterion=criterion)


def _with_spelling(plan: Recipe, chain: Chain) -> Chain:
    if chain.templates is None:
        raise OptionError(
            f"the recipe {plan.name} looks at spelling already; --spelling is for those whose only "
            "templates are of words, such as contrastive-tagger"
        )
    return replace(chain, templates=tuple(dict.fromkeys((*chain.templates, *SPELLING))))


def materials(request: Request) -> Materials:
    """Read all files of a request.

    Raises:
        OptionError: If an option, a setting or its value does not exist.
        FormatError: If a file cannot be read.
        EvidenceError: If a tag map does not have a tag.
    """
    plan = plan_of(request)
    if not isinstance(plan.model, Chain | Tables):
        raise OptionError(f"the recipe {plan.name} trains no tagger, and only those have grids")
    tag_map = read_map(request.tag_map)
    layout, sources = request.layout, request.sources
    first_format = _first_format(request, plan)
    first = read_examples(first_format, sources[0])
    others = [_read_other(layout, source, first_format) for source in sources[1:]]
    corpus = with_tag_map(list(itertools.chain(first, *others)), tag_map)
    held_out = None
    if request.development is not None:
        held_out = with_tag_map(_read_other(layout, request.development, first_format), tag_map)
    if isinstance(plan.model, Chain) and request.has_dictionary:
        dictionary = _dictionary(request, corpus, tag_map, first_format)
        opened = _open_tags(request.open_tags, dictionary)
        chain = replace(plan.model, dictionary=dictionary, open_tags=opened)
        plan = replace(plan, model=chain)
    notes = {**_notes(request, corpus), **notes_of(first_format, first)}
    raw = [example for source in request.raw for example in _read_raw(source)]
    return Materials(plan, corpus, held_out, notes, raw)


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
    files = {"development": request.development, "dictionary": dictionary}
    said = {"dilution": request.dilute, "open_tags": request.open_tags}
    return {
        "settings": ", ".join(f"{key}={value}" for key, value in request.settings.items()),
        "files": ", ".join(Path(name_of(source)).name for source in request.sources),
        "development": "",
        "sentences": str(len(corpus)),
        "tokens": str(sum(len(example.tokens) for example in corpus)),
        "weft": version("weft"),
        **{key: Path(name_of(file)).name for key, file in files.items() if file is not None},
        **{key: text for key, text in said.items() if text is not None},
        **({"spelling": "yes"} if request.spelling else {}),
        **(
            {"raw": ", ".join(Path(name_of(file)).name for file in request.raw)}
            if request.raw
            else {}
        ),
        **({"neighbourhood": Path(request.neighbourhood).name} if request.neighbourhood else {}),
        **map_note(request.tag_map),
    }
