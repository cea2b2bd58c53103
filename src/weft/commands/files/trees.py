"""How a parser's sentences and trees are read from files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from weft.commands.files.inputs import UNSAID, FileLayout
from weft.corpora.beginnings import beginning
from weft.corpora.formats import SUFFIXES as FORMAT_SUFFIXES
from weft.corpora.formats import check_sentences, suffix_of
from weft.corpora.records import stream_examples
from weft.corpora.trees.brackets import TreeRecord
from weft.corpora.trees.cleaning import USUAL, Step, find_steps
from weft.corpora.trees.historical import (
    is_historical,
    lemma_share,
    without_historical,
    without_lemmas,
)
from weft.corpora.trees.treebanks import SUFFIXES, examples_of, read_tree_files
from weft.errors import FormatError, OptionError, quote
from weft.files import Source, is_read_once, name_of, read_lines
from weft.grammars.transforms import without_words
from weft.models.tree_parser import TreeParser
from weft.structures.evidence import Example, Sentence

_LEMMA_SHARE = 0.75  # of the words; hyphens are that frequent in no text
_LOOKED_AT = 100_000  # of which many


class Terminals(StrEnum):
    """What the sentences of a grammar are made of."""

    WORDS = "words"
    """Words, whose tags are part of the tree."""

    TAGS = "tags"
    """Tags; words are put below them again when a tree is printed."""


@dataclass(frozen=True, slots=True)
class TreeReader:
    """How sentences and trees are read from files.

    Attributes:
        terminals: What sentences are made of.
        clean: The names of clean-ups, with commas between them; None for the usual ones.
        layout: What is said about the format of files without trees.
        messages: What to tell the user, once files have been read.
    """

    terminals: Terminals = Terminals.WORDS
    clean: str | None = None
    layout: FileLayout = UNSAID
    messages: list[str] = field(default_factory=list, compare=False)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The clean-ups, the removal of words among them.

        Raises:
            OptionError: If there is no clean-up of a name.
        """
        steps = USUAL if self.clean is None else find_steps(self.clean)
        steps = tuple(step for step in steps if step is not without_words)
        return (*steps, without_words) if self.terminals is Terminals.TAGS else steps

    def has_trees(self, source: Source) -> bool:
        """Whether a file is a treebank, by its name or by what is said."""
        if self.layout.name is not None:
            return self.layout.name == "brackets"
        name = name_of(source).removesuffix(".gz")
        return name.endswith(SUFFIXES) or (
            isinstance(source, str | os.PathLike) and Path(source).is_dir()
        )

    def check_options(self, source: Source) -> None:
        """Refuse what is said of words and tags in a file, if it has trees.

        Raises:
            OptionError: With the option to leave out.
        """
        if self.layout.options and self.has_trees(source):
            raise OptionError(
                f"{self.layout.options[0]} is for files of sentences, and {name_of(source)} has "
                "trees: leave it out"
            )

    def read(self, source: Source, *, trees: bool = False) -> list[Example]:
        """Read a file.

        Args:
            source: A treebank, or a file in another format; of its tags, examples have those that
                are not their tokens as analysis.
            trees: Whether nothing but trees will do.

        Raises:
            FormatError: If it cannot be read, or has no trees where they are needed.
        """
        return list(self.stream(source, trees=trees))

    def stream(self, source: Source, *, trees: bool = False) -> Iterator[Example]:
        """Read a file, a sentence at a time; see :meth:`read`."""
        if self.has_trees(source):
            found = None
            for found in self._stream_trees(source):
                yield found
            if found is None:
                message = "there is no tree in the file; check that it is the right one"
                raise FormatError(message, path=name_of(source))
            return
        if trees:
            if not is_read_once(source):
                next(read_lines(source), None)  # a file that is missing is no other format
            message = "there are no trees here; give a treebank in brackets, such as *.mrg"
            raise FormatError(f"{message}, or say --format brackets", path=name_of(source))
        name = self.layout.name or FORMAT_SUFFIXES.get(suffix_of(source))
        if name is None:
            # What does not say that it is something else is plain text.
            lines, source = beginning(source)
            check_sentences(lines, name_of(source), self.layout.separator)
            name = "text" if self.layout.separator is None else "tagged"
        layout = replace(self.layout, name=name)
        for example in stream_examples(layout.format_of(source), source):
            yield self._sentence(example)

    def _stream_trees(self, source: Source) -> Iterator[Example]:
        steps, skipped, historical = self.steps, list[str](), list[bool]()
        words: list[str] = []

        def skip(path: str, line: int) -> None:
            skipped.append(f"{path}:{line}")

        def look(records: Iterable[TreeRecord]) -> Iterator[TreeRecord]:
            for record in records:
                if not historical and is_historical(record.tree):
                    historical.append(True)
                yield record

        records = read_tree_files(source, clean=steps, skip=skip)
        if without_historical in steps:
            records = look(records)
        for each in examples_of(records, steps):
            if len(words) < _LOOKED_AT:
                words += each.tokens.columns[-1]
            yield each
        if skipped:
            more = f", and {len(skipped) - 1:,} more" if len(skipped) > 1 else ""
            message = f"this line between trees was left out, since it is no tree{more}"
            self.messages.append(f"{skipped[0]}: {message}")
        if historical:
            self._tell_historical(name_of(source), words)

    def _tell_historical(self, name: str, words: Sequence[str]) -> None:
        message = f"{name}: trees with ID, CODE or METADATA, as in the Penn parsed corpora of"
        message += " historical English: these are left out, and so are 0 and *con*"
        if without_lemmas not in self.steps and lemma_share(words) >= _LEMMA_SHARE:
            message += "; words seem to be followed by their lemmas, which the clean-up 'lemmas' "
            message += "removes: --clean historical,lemmas,traces,functions,repeats,top"
        self.messages.append(message)

    def _sentence(self, example: Example) -> Example:
        tokens = example.tokens
        words = tokens.words
        if self.terminals is Terminals.TAGS and example.analysis is not None:
            tags = example.analysis
            if not all(isinstance(tag, str) for tag in tags):
                message = "every word needs one tag, since the grammar's sentences are made of tags"
                raise FormatError(message, path=tokens.source)
            return Example(Sentence((tuple(map(str, tags)), words), source=tokens.source))
        return Example(Sentence((words,), source=tokens.source), example.analysis)


def reader_of(parser: TreeParser, layout: FileLayout = UNSAID) -> TreeReader:
    """Return how a parser's training corpus was read, so that other files are read likewise.

    Raises:
        FormatError: If the parser's file does not say what its sentences are made of.
    """
    clean, terminals = parser.notes.get("clean"), parser.notes.get("terminals", "words")
    if terminals not in list(Terminals):
        raise FormatError(
            f"this model cannot be used: its notes have terminals {quote(terminals)}, not words or "
            "tags; train it again"
        )
    return TreeReader(Terminals(terminals), clean, layout)
