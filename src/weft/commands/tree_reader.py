"""How a parser's sentences and trees are read from files."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from weft.commands.inputs import UNSAID, Layout
from weft.corpora import read_examples
from weft.corpora.cleaning import USUAL, Step, steps_named
from weft.corpora.formats import SUFFIXES as FORMAT_SUFFIXES
from weft.corpora.treebanks import SUFFIXES, read_treebank
from weft.errors import FormatError
from weft.files import Source, name_of
from weft.grammars.transforms import without_words
from weft.models.parser import Parser
from weft.structures.evidence import Example, Sentence


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
    """

    terminals: Terminals = Terminals.WORDS
    clean: str | None = None
    layout: Layout = UNSAID

    @property
    def steps(self) -> tuple[Step, ...]:
        """The clean-ups, the removal of words among them.

        Raises:
            OptionError: If there is no clean-up of a name.
        """
        steps = USUAL if self.clean is None else steps_named(self.clean)
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

    def read(self, source: Source, *, trees: bool = False) -> list[Example]:
        """Read a file.

        Args:
            source: A treebank, or a file in another format; of its tags, examples have those that
                are not their tokens as analysis.
            trees: Whether nothing but trees will do.

        Raises:
            FormatError: If it cannot be read, or has no trees where they are needed.
        """
        if self.has_trees(source):
            found = read_treebank(source, clean=self.steps)
            if not found:
                message = "there is no tree in the file; check that it is the right one"
                raise FormatError(message, path=name_of(source))
            return found
        if trees:
            message = "there are no trees here; give a treebank in brackets, such as *.mrg"
            raise FormatError(f"{message}, or say --format brackets", path=name_of(source))
        # What does not say that it is something else is plain text.
        suffix = Path(name_of(source).removesuffix(".gz")).suffix
        layout = replace(self.layout, name=self.layout.name or FORMAT_SUFFIXES.get(suffix, "text"))
        return [self._sentence(each) for each in read_examples(layout.format_of(source), source)]

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


def reader_of(parser: Parser, layout: Layout = UNSAID) -> TreeReader:
    """Return how a parser's training corpus was read, so that other files are read likewise."""
    clean = parser.notes.get("clean")
    return TreeReader(Terminals(parser.notes.get("terminals", "words")), clean, layout)
