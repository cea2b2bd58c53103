"""Treebanks as examples: sentences with their trees, after the usual clean-ups.

The leaves of an example's tree are its tokens: the words, with their tags as labels; or, where
the step ``words`` is among the clean-ups, the tags, and the words stand in the second column.

Corpora whose parts experiments use:

    wsj-sample    files 0001–0159 / 0160–0179 / 0180–0199
    wsj-tenths    all its files, the first eight tenths of the trees / the ninth / the last
    craft         the articles that its folder ``ids`` lists
    redwoods-vm   of the profile vm6 the first 1,088 trees / the next 294, of vm32 the first 294:
                  as many as the trees of ATIS in Johnson (2001, section 2); trees of rule names
                  over parts of speech, see :mod:`weft.corpora.trees.redwoods`
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from weft.corpora.locate import corpus_folder
from weft.corpora.parts import PARTS, part_files, tenth_of
from weft.corpora.trees.brackets import Skip, TreeRecord, read_trees
from weft.corpora.trees.cleaning import USUAL, Step, with_top, without_text
from weft.corpora.trees.redwoods import read_redwoods
from weft.errors import FormatError, OptionError, no_such
from weft.files import Source
from weft.grammars.transforms.words import without_words
from weft.structures.evidence import Example, Sentence
from weft.structures.tree import leaves, preterminals

SUFFIXES = (".mrg", ".tree", ".trees", ".ptb", ".psd")
"""The names of files with trees, perhaps with ``.gz`` behind them, that are read from folders."""

REDWOODS = "redwoods-vm"
TREEBANKS = ("wsj-sample", "wsj-tenths", "craft", REDWOODS)
"""The treebanks with parts."""

_REDWOODS_PARTS = {
    "train": ("vm6", 0, 1_088),
    "dev": ("vm6", 1_088, 1_382),
    "test": ("vm32", 0, 294),
}


def read_treebank(
    source: Source,
    *,
    clean: Sequence[Step] = USUAL,
    unescape: bool = False,
) -> list[Example]:
    r"""Read the trees of a file, or of all files of a folder, as examples.

    Args:
        source: A path, ``-`` for the standard input, or a binary stream; or a folder, of which
            all files whose names end as ``SUFFIXES`` say are read, in the order of their names.
        clean: The clean-ups, in their order.
        unescape: Whether to read brackets, slashes and asterisks in words as they are meant.

    Returns:
        The examples; trees of which nothing is left are left out.

    Raises:
        FormatError: If a file is broken, a folder has no trees, or a tree cannot be cleaned so.

    >>> import io
    >>> text = b"( (S (NP-SBJ (-NONE- *)) (VP (VB Run)) (. !)))"
    >>> [example] = read_treebank(io.BytesIO(text))
    >>> example.parse, example.tokens.words, example.analysis
    (Tree('(TOP (S (VP (VB Run)) (. !)))'), ('Run', '!'), ('VB', '.'))
    >>> [example] = read_treebank(io.BytesIO(text), clean=(*USUAL, without_words))
    >>> example.parse, example.tokens.columns
    (Tree('(TOP (S (VP VB) .))'), (('VB', '.'), ('Run', '!')))
    """
    return list(examples_of(read_tree_files(source, clean=clean, unescape=unescape), clean))


def read_tree_files(
    source: Source,
    *,
    clean: Sequence[Step] = USUAL,
    unescape: bool = False,
    skip: Skip | None = None,
) -> Iterator[TreeRecord]:
    """Read the trees of a file, or of all files of a folder, as they are, one at a time.

    Args:
        source: A path, ``-`` for the standard input, or a binary stream; or a folder.
        clean: The clean-ups that will follow; with ``text`` among them, lines between trees that
            do not begin with a bracket are left out.
        unescape: Whether to read brackets, slashes and asterisks in words as they are meant.
        skip: Told the lines between trees that are left out.

    Raises:
        FormatError: If a file is broken, or a folder has no trees.
    """
    text = without_text in clean
    for file in _tree_files(source):
        yield from read_trees(file, unescape=unescape, text=text, skip=skip)


def read_tree_part(
    corpus: str, part: str, *, clean: Sequence[Step] | None = None, unescape: bool = False
) -> list[Example]:
    """Return the trees of a part of a corpus as examples.

    Args:
        corpus: One of ``TREEBANKS``, below the folder that ``WEFT_DATA`` names.
        part: ``train``, ``dev`` or ``test``.
        clean: The clean-ups, in their order; by default the usual ones, but for ``redwoods-vm``,
            whose labels have no functions, ``top`` alone.
        unescape: Whether to read brackets, slashes and asterisks in words as they are meant.

    Raises:
        OptionError: If there is no such treebank or part.
        FormatError: If a file is absent or broken, or a tree cannot be cleaned so.
        WeftError: If ``WEFT_DATA`` names no folder, or one without the corpus.
    """
    if corpus not in TREEBANKS:
        raise OptionError(no_such("treebank", corpus, TREEBANKS))
    if part not in PARTS:
        raise OptionError(no_such("part", part, PARTS))
    if corpus == REDWOODS:
        return list(examples_of(_redwoods_part(part), (with_top,) if clean is None else clean))
    records = [
        record
        for file in part_files(corpus, part)
        for record in read_trees(file, unescape=unescape)
    ]
    steps = USUAL if clean is None else clean
    return list(examples_of(tenth_of(corpus, part, records), steps))


def examples_of(records: Iterable[TreeRecord], clean: Sequence[Step] = USUAL) -> Iterator[Example]:
    """Return trees as examples, after clean-ups; trees of which nothing is left are left out.

    Raises:
        FormatError: If a tree cannot be cleaned so, with its source.

    >>> from weft.structures.tree import Tree
    >>> record = TreeRecord(Tree("NP-1", (Tree("NN", ("dog",)),)), "trees.mrg:1")
    >>> [example.parse for example in examples_of([record])]
    [Tree('(TOP (NP (NN dog)))')]
    """
    for record in records:
        try:
            found = _example(record, clean)
        except ValueError as problem:
            raise FormatError(str(problem), path=record.source) from None
        if found is not None:
            yield found


def _example(record: TreeRecord, clean: Sequence[Step]) -> Example | None:
    tree, words = record.tree, None
    for step in clean:
        if step is without_words:
            words = tuple(leaves(tree))
        left = step(tree)
        if left is None:
            return None
        tree = left
    tokens = tuple(leaves(tree))
    if words is not None:
        return Example(Sentence((tokens, words), None, record.source), parse=tree)
    tags = tuple([each.label for each in preterminals(tree)])
    # Words without tags of their own are in no preterminal.
    analysis = tags if len(tags) == len(tokens) else None
    return Example(Sentence((tokens,), None, record.source), analysis, parse=tree)


def _tree_files(source: Source) -> list[Source]:
    if not isinstance(source, str | os.PathLike) or not Path(source).is_dir():
        return [source]
    files = sorted(
        path
        for path in Path(source).rglob("*")
        if path.name.removesuffix(".gz").endswith(SUFFIXES) and path.is_file()
    )
    if not files:
        message = f"there are no trees in this folder: no name ends in {', '.join(SUFFIXES)}"
        raise FormatError(f"{message}; name the files themselves", path=os.fspath(source))
    return list(files)


def _redwoods_part(part: str) -> Iterator[TreeRecord]:
    profile, first, last = _REDWOODS_PARTS[part]
    return itertools.islice(read_redwoods(corpus_folder(REDWOODS) / profile), first, last)
