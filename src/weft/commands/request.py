"""What training is asked for, and what becomes of it: a recipe, corpora and a dictionary."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypedDict

from weft.automata import Transduced, read_transducer
from weft.commands.files.inputs import (
    UNSAID,
    FileLayout,
    StrPath,
)
from weft.commands.files.opening import as_files
from weft.corpora import (
    TAG_MAPS,
    read_dilution,
)
from weft.criteria import contrastive
from weft.criteria.neighbours import NEIGHBOURHOOD_NAMES
from weft.errors import OptionError, no_such
from weft.files import Source, check_read_again, encoded, name_of
from weft.recipes import RECIPES, Recipe, is_patience, plan_recipe
from weft.reprs import Brief
from weft.train.start import STARTS


@dataclass(frozen=True, slots=True, repr=False)
class Request(Brief):
    """All that training is asked for, as text and files.

    Attributes:
        sources: The files of the training corpus, or its file.
        recipe: The recipe's name.
        development: A file to watch training with, and to choose models by.
        layout: What is said about the format of these files.
        penalty: What large weights cost, if not what the recipe says; with ``auto``, its scale is
            chosen by cross-validation.
        settings: Settings of the recipe.
        criterion: The name of the criterion, if not what the recipe says. This and the next two
            are the settings of the same names, and among them once a request is made.
        optimiser: The name of the optimiser, likewise.
        patience: After how many iterations without a gain on the development file training ends,
            likewise; 0 for never.
        dictionary: A file with the tags that words may have.
        dictionary_from: A tagged corpus whose words with their tags are the dictionary.
        dilute: Which words are left out of it, as :func:`~weft.corpora.read_dilution` reads it.
        open_tags: The tags of words outside it, with commas between them; or how many different
            words a tag must have to be one.
        spelling: Whether the model looks at the spelling of words, too.
        neighbourhood: What sentences are contrasted with, if not what the recipe says; a name, or
            the file of a transducer.
        tag_map: A map that makes all tags coarse, by name or file.
        raw: Files, or a file, of raw text to learn from beside the training corpus.
        only: A flag of parse sets: only those of which it is true are taken.
        skip_broken: Whether parse sets that are broken are left out.
        terminals: What the sentences of a grammar are made of: words or tags.
        clean: The clean-ups of trees, with commas between them.
        grammar: A file of rules, where they are not read off trees.
        stream: Whether the training corpus is read anew for every pass, and not kept in memory.
        encoding: The encoding of text files, if that is not UTF-8.
        template: A template file of CRF++, or a pattern file of Wapiti.
        buffer: How many of its examples are then in memory at a time; None for the usual number.
        reference: The file of a model that scores the analyses of parse sets beforehand.
        universe: A file of analyses of all sentences, for criteria that compare with everything.
        start: The file of a model of the same family, whose weights estimation starts from; or
            ``zeros``, ``uniform`` or ``counts``. What has a folder or a suffix is a file.
    """

    sources: Sequence[Source]
    recipe: str = "crf"
    development: Source | None = None
    layout: FileLayout = UNSAID
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
    reference: StrPath | None = None
    universe: StrPath | None = None
    start: StrPath | None = None
    stream: bool = False
    buffer: int | None = None
    encoding: str | None = None
    template: Source | None = None

    def __post_init__(self) -> None:
        for name in ("sources", "raw"):
            object.__setattr__(self, name, as_files(getattr(self, name)))
        if not self.sources:
            raise OptionError("there is no training corpus; give a file")
        if self.dictionary is not None and self.dictionary_from is not None:
            raise OptionError("give one dictionary: --dictionary or --dictionary-from, not both")
        for name in ("dilute", "open_tags"):
            if getattr(self, name) is not None and not self.has_dictionary:
                option = name.replace("_", "-")
                raise OptionError(f"--{option} needs a dictionary: give --dictionary FILE")
        if self.start_name is not None and self.start_name not in STARTS:
            raise OptionError(
                f"--start: {no_such('start', self.start_name, STARTS)}; or give a model"
            )
        self._check_stream()
        self._fold_flags()
        self._encode()
        if is_patience(self.settings.get("patience")) and self.development is None:
            raise OptionError("--patience looks at held-out examples: give --dev FILE, too")
        if self.settings.get("watched") == "score" and self.development is None:
            raise OptionError("watched=score looks at held-out examples: give --dev FILE, too")

    def _check_stream(self) -> None:
        if self.buffer is not None and not self.stream:
            raise OptionError("--buffer is how much of a stream is in memory: give --stream, too")
        for source in self.sources if self.stream else ():
            check_read_again(source, "--stream reads its files for every pass")

    def _encode(self) -> None:
        """Let every text file know its encoding."""
        for name in ("sources", "raw"):
            files = [encoded(each, self.encoding) for each in getattr(self, name)]
            object.__setattr__(self, name, files)
        for name in _TEXTS:
            object.__setattr__(self, name, encoded(getattr(self, name), self.encoding))

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

    def as_json(self) -> dict[str, Any]:
        """Return all fields, ready for JSON; files are paths."""
        several = {
            "sources": [name_of(source) for source in self.sources],
            "raw": [name_of(source) for source in self.raw],
        }
        found = {**asdict(self), **several}
        given = {name: os.fspath(found[name]) for name in _FILES if found[name] is not None}
        return {**found, **given}

    @property
    def start_name(self) -> str | None:
        """The start if it is a name, not a file: it has neither a folder nor a suffix."""
        if self.start is None or not _is_name(self.start):
            return None
        return os.fspath(self.start)

    @property
    def files(self) -> list[Source]:
        """All files that training reads."""
        several: list[Source | None] = [*self.sources, *self.raw]
        several += [
            self.development,
            self.dictionary,
            self.dictionary_from,
            self.grammar,
            self.template,
            self.reference,
            self.universe,
            None if self.start_name else self.start,
        ]
        if self.tag_map is not None and os.fspath(self.tag_map) not in (*TAG_MAPS, "none"):
            several.append(self.tag_map)
        if self.neighbourhood is not None and self.neighbourhood not in NEIGHBOURHOOD_NAMES:
            several.append(self.neighbourhood)
        return [each for each in several if each is not None]


_TEXTS = ("development", "dictionary", "dictionary_from", "tag_map", "grammar", "template")
_FILES = (*_TEXTS, "reference", "universe", "start")


class Options(TypedDict, total=False):
    """The same, but for the training corpus, as keyword arguments."""

    recipe: str
    development: Source | None
    layout: FileLayout
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
    reference: StrPath | None
    universe: StrPath | None
    start: StrPath | None
    stream: bool
    buffer: int | None
    encoding: str | None
    template: Source | None


def plan_of(request: Request) -> Recipe:
    """Return the recipe that is meant, before what only its family takes.

    Raises:
        OptionError: If a name, a setting or a value does not exist.
    """
    plan = plan_recipe(request.recipe, request.penalty, request.settings)
    _check_raw(plan, bool(request.raw))
    if request.neighbourhood is not None:
        plan = _with_neighbours(plan, request.neighbourhood)
    if request.dilute is not None:
        read_dilution(request.dilute)  # so that a mistake is found before files are read
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


def _is_name(start: StrPath) -> bool:
    """Whether a start is a name: no model file, whatever files there are, unless it looks so."""
    path = Path(start)
    return os.fspath(start) in STARTS or not (
        path.suffix or path.name != os.fspath(start) or path.is_file()
    )
