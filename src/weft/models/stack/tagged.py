"""Parsers over tags that read words: each may have several tags, with a tagger's probabilities.

The tags of a word are alternatives for the parser, log P(tag | words) being added to the score of
the shift. Where a parser looks ahead, every alternative is a terminal of its own to look ahead to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weft.arrays import FloatArray
from weft.errors import NotDefined, OptionError, abbreviate
from weft.models.lexicon import Lexicon, lexicon_of
from weft.models.stack.feature_model import FeatureModel
from weft.models.stack.parser import StackParser
from weft.models.stack.words import Choices
from weft.ranking import reaching
from weft.structures.evidence import Sentence

LEAST = 0.01
"""How probable an alternative must be, if nothing is said."""


def check_tags(parser: StackParser, tags: Sequence[str]) -> None:
    """Refuse a tagger whose tags a parser does not read.

    Raises:
        OptionError: If the parser reads words, or no tag is one of its terminals.
        NotDefined: If the parser's features look at the one tag that each word has.
    """
    if parser.model.lexicon is not None:
        raise OptionError(
            "this parser reads words, and gives them tags itself: --tagger is for one that reads "
            "tags, after weft train --terminals tags"
        )
    if isinstance(parser.model, FeatureModel):
        raise NotDefined(
            "features of moves look at the tags around, of which a lattice has several: use a "
            "parser of tables, shift-reduce-joint or shift-reduce-conditional"
        )
    if not set(tags) & parser.model.choices.keys():
        some = abbreviate(", ".join(sorted(parser.model.choices)), 60)
        raise OptionError(f"the tagger has none of the tags that the parser reads: {some}")


def read_alternatives(
    parser: StackParser,
    sentences: Sequence[Sentence],
    probs: Sequence[FloatArray],
    tags: Sequence[str],
    least: float = LEAST,
) -> tuple[StackParser, list[Sentence]]:
    """Return a parser of these sentences alone, and the sentences as it reads them.

    Args:
        parser: A parser over tags.
        sentences: Words.
        probs: The probabilities of each sentence's tags. [words, tags]
        tags: The tags.
        least: How probable an alternative must be; the likeliest one is always there.

    Raises:
        OptionError: If the parser reads words, or other tags.
        NotDefined: If the parser's features look at tags.
    """
    check_tags(parser, tags)
    numbers = [parser.model.numbers.get(tag, 0) for tag in tags]
    usable = np.array([tag in parser.model.choices for tag in tags])
    choices: dict[str, Choices] = {}
    found = []
    for place, (words, mine) in enumerate(zip(sentences, probs, strict=True)):
        names = [f"{word} {place} {position}" for position, word in enumerate(words.words)]
        for name, row in zip(names, np.where(usable, mine, 0.0), strict=True):
            kept = np.flatnonzero(reaching(row, least))
            choices[name] = tuple(
                (numbers[tag], float(np.log(row[tag]))) for tag in kept.tolist() if row[tag] > 0
            )
        found.append(Sentence((tuple(names),), source=words.source))
    known: Lexicon = replace(lexicon_of([list(choices)], 1), known=frozenset(choices))
    return replace(parser, model=replace(parser.model, choices=choices, lexicon=known)), found
