"""Maps from fine tags to coarse ones, as lines ``COARSE<TAB>FINE FINE …``.

Two maps of the Penn Treebank's tags come with the package:

    penn-17         the 17 tags that Smith and Eisner (2005, section 5.2) count; their paper does
                    not print the map, and this one is ours
    penn-universal  the 12 universal tags of Petrov, Das and McDonald (2012), "A Universal
                    Part-of-Speech Tagset", LREC

Both also have the five tags that later treebanks add (HYPH, AFX, NFP, ADD and GW), which neither
paper knows: hyphens and other marks go with punctuation, the rest is our choice.

A tag that a map does not have is never guessed at: it is refused by name.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path

from weft.corpora.blocks import read_single_lines
from weft.corpora.fields import split_fields
from weft.errors import EvidenceError, OptionError, abbreviate, no_such
from weft.files import Source
from weft.structures.evidence import Example, Label

TagMap = Mapping[str, str]
"""The coarse tag of each fine one."""

TAG_MAPS = ("penn-17", "penn-universal")
"""The maps that come with the package."""


def find_tag_map(name: str) -> dict[str, str]:
    """Return a map that comes with the package.

    >>> find_tag_map("penn-17")["VBZ"], find_tag_map("penn-universal")["VBZ"]
    ('V', 'VERB')

    Raises:
        OptionError: If there is none of that name.
    """
    if name not in TAG_MAPS:
        message = no_such("tag map", name, TAG_MAPS)
        raise OptionError(f"{message}, or give a file with lines 'COARSE<TAB>FINE FINE …'")
    path = Path(str(resources.files("weft.corpora").joinpath("maps", f"{name}.map")))
    return read_tag_map(io.BytesIO(path.read_bytes()))


def read_tag_map(source: Source) -> dict[str, str]:
    r"""Read a map of tags.

    >>> read_tag_map(io.BytesIO(b"N\tNN NNS\nV\tVB\n"))
    {'NN': 'N', 'NNS': 'N', 'VB': 'V'}

    Raises:
        FormatError: At a line without a tab, a coarse tag or a fine one, or where a fine tag has
            a coarse one already.
    """
    found: dict[str, str] = {}
    for block in read_single_lines(source):
        coarse, tab, text = block.lines[0].partition("\t")
        fine = list(filter(None, split_fields(text.replace("\t", " "))))
        if not tab or not coarse or not fine:
            missing = "tab" if not tab else "fine tag" if coarse else "coarse tag"
            message = f"expected a coarse tag, a tab and fine tags, but there is no {missing}"
            raise block.error(0, f"{message}; write 'COARSE<TAB>FINE FINE …'")
        for tag in fine:
            if found.setdefault(tag, coarse) != coarse:
                message = f"the tag '{abbreviate(tag)}' has the coarse tag {found[tag]} already"
                raise block.error(0, f"{message}; leave it in one line")
    return found


def tag_map_text(tag_map: TagMap) -> str:
    r"""Return a map as the text of its file.

    >>> tag_map_text({"NN": "N", "NNS": "N", "VB": "V"})
    'N\tNN NNS\nV\tVB\n'
    """
    several: dict[str, list[str]] = {}
    for fine, coarse in tag_map.items():
        several.setdefault(coarse, []).append(fine)
    return "".join(f"{coarse}\t{' '.join(fine)}\n" for coarse, fine in several.items())


def coarse_examples(corpus: Iterable[Example], tag_map: TagMap) -> list[Example]:
    """Return a corpus with coarse tags; a set of tags becomes the set of their coarse ones.

    >>> from weft.structures.evidence import example
    >>> [mapped] = coarse_examples([example(["it", "rains"], ["PRP", None])], {"PRP": "N"})
    >>> mapped.analysis
    ('N', None)

    Raises:
        EvidenceError: At a tag that the map does not have, with its token.
    """
    return [_coarse_example(example, tag_map) for example in corpus]


def _coarse_example(example: Example, tag_map: TagMap) -> Example:
    if example.analysis is None:
        return example
    try:
        labels = tuple(_coarse(label, tag_map) for label in example.analysis)
    except KeyError as error:
        place = next(
            number
            for number, label in enumerate(example.analysis)
            if error.args[0] in ({label} if isinstance(label, str) else label or ())
        )
        tokens = example.tokens
        message = (
            f"token {place + 1}, '{abbreviate(tokens.words[place])}', has the tag {error.args[0]}"
        )
        raise EvidenceError(
            f"{tokens.source or 'a sentence'}: {message}, which the tag map does not have; add it "
            "to the map, or mend the tag"
        ) from None
    return replace(example, analysis=labels)


def _coarse(label: Label, tag_map: TagMap) -> Label:
    if label is None:
        return None
    if isinstance(label, str):
        return tag_map[label]
    # Sorted, so that of several missing tags always the same one is named.
    return frozenset([tag_map[tag] for tag in sorted(label)])


def coarse_dictionary(
    dictionary: Mapping[str, Collection[str]], tag_map: TagMap
) -> dict[str, frozenset[str]]:
    """Return a tagging dictionary with coarse tags.

    >>> coarse_dictionary({"walk": {"VB", "VBP"}}, {"VB": "V", "VBP": "V"})["walk"]
    frozenset({'V'})

    Raises:
        EvidenceError: At a tag that the map does not have, with its word.
    """
    coarse = {}
    for word, tags in dictionary.items():
        for tag in sorted(tags):
            if tag not in tag_map:
                raise EvidenceError(
                    f"the dictionary gives '{abbreviate(word)}' the tag {tag}, which the tag "
                    "map does not "
                    "have; add it to the map, or mend the dictionary"
                )
        coarse[word] = frozenset(tag_map[tag] for tag in tags)
    return coarse
