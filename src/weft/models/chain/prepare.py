"""Reading a chain model's alphabets off a corpus: tags, tag n-grams, attributes, features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import BoolArray, IndexArray, IntArray, offsets_of, ranges
from weft.derivations.chain.rows import RowTable
from weft.derivations.chain.tagsets import TagSetReader, TagSets
from weft.derivations.chain.topology import Topology, pad
from weft.errors import EvidenceError, OptionError
from weft.features.attributes import AttributeIndex, index_attributes, keep_attributes
from weft.features.templates import Template, default_templates
from weft.models.chain.model import ChainModel
from weft.models.options import Extent, Scheme, TagNgrams
from weft.structures.chunking import forbidden_transitions, stray_tag
from weft.structures.evidence import Example
from weft.structures.occurrences import Occurrences

if TYPE_CHECKING:
    from weft.models.chain.spec import Chain


def prepare(
    chain: Chain,
    corpus: Sequence[Example],
    others: Sequence[Example] = (),
    tags: Iterable[str] = (),
) -> ChainModel:
    """Return the model that a chain is on a corpus.

    Args:
        chain: What the model looks at.
        corpus: Where its tags, attributes and features come from.
        others: More sentences whose words are part of the vocabulary, and whose attributes are
            known too where all features exist.
        tags: Tags that the model has beside those of the corpus and of its dictionary.

    Returns:
        The model; its weights are what estimation finds.

    Raises:
        EvidenceError: If the corpus is empty or has no tags.
    """
    tags = _tags(chain, corpus, tags)
    labels = _Labels.read(chain, tags, corpus)
    if chain.scheme is Scheme.CHUNKS:
        _check_chunks(tags, corpus)
    forbidden = _forbidden(chain, tags)
    bigrams, trigrams = (
        _ngrams(chain, labels, forbidden, size)
        if size in _sizes(chain)
        else np.empty((0, size), np.int32)
        for size in (2, 3)
    )
    width = pad(len(tags) + 1)
    single, paired = _templates(chain, corpus)
    sentences = [example.tokens for example in (*corpus, *others)]
    index, occurrences = index_attributes(sentences, tuple(dict.fromkeys((*single, *paired))))
    if chain.attributes is Extent.OBSERVED:
        occurrences = _between(occurrences, 0, len(labels.numbers))
    tag_keys = _tag_features(chain, index, occurrences, labels, single, width)
    pair_keys = _pair_features(chain, index, occurrences, labels, paired, width)
    kept = np.zeros(len(index), np.bool_)
    kept[tag_keys // width] = True
    kept[pair_keys // width**2] = True
    renumbered = np.cumsum(kept) - 1
    start = len(bigrams) + len(trigrams)
    tag_rows = _rows(tag_keys, renumbered, int(kept.sum()), start, width)
    pair_rows = _rows(pair_keys, renumbered, int(kept.sum()), start + len(tag_keys), width**2)
    return ChainModel(
        tags,
        Topology(chain.order, len(tags), forbidden, bigrams, 0, trigrams, len(bigrams)),
        keep_attributes(index, kept),
        tag_rows,
        pair_rows if len(pair_keys) else None,
        chain.dictionary,
        tuple(dict.fromkeys(word for sentence in sentences for word in sentence.words)),
        chain.normalisation,
        open_tags=chain.open_tags,
    )


def tags_of(corpus: Iterable[Example]) -> set[str]:
    """Return all tags of a corpus, those of partial labels too."""
    names: set[str] = set()
    for labels in {label for example in corpus for label in example.analysis or ()}:
        names.update({labels} if isinstance(labels, str) else labels or ())
    return names


def _tags(chain: Chain, corpus: Sequence[Example], others: Iterable[str]) -> tuple[str, ...]:
    names = tags_of(corpus) | set(others)
    names.update(*(chain.dictionary or {}).values(), chain.open_tags or ())
    if not names:
        raise EvidenceError(
            "the training corpus has no tags: give labelled sentences or a dictionary"
        )
    return tuple(sorted(names))


@dataclass(frozen=True, slots=True)
class _Labels:
    """What the corpus says of its tokens' tags: a tag set per token, sentence after sentence."""

    tags: int
    lengths: IntArray
    numbers: IntArray  # [tokens], of sets
    sets: TagSets

    @classmethod
    def read(cls, chain: Chain, tags: Sequence[str], corpus: Sequence[Example]) -> _Labels:
        numbering = {tag: n for n, tag in enumerate(tags)}
        reader = TagSetReader(numbering, chain.dictionary, open_tags=chain.open_tags)
        numbers = [reader.read(e.tokens.words, e.analysis) for e in corpus]
        flat = np.fromiter((number for several in numbers for number in several), np.int64)
        lengths = np.array([len(example.tokens) for example in corpus], np.int64)
        return cls(len(tags), lengths, flat, reader.table(pad(len(tags) + 1)))

    @property
    def sizes(self) -> IntArray:
        """[tokens]: how many tags each may have."""
        return np.diff(self.sets.offsets)[self.numbers]

    @property
    def certain(self) -> bool:
        """Whether every token has exactly one tag."""
        return bool((self.sizes == 1).all())

    def padded(self, before: int, after: int) -> list[IntArray]:
        """The tags of a fully labelled corpus, each sentence between boundaries."""
        tags = self.sets.tags[self.sets.offsets[self.numbers]]
        return [
            np.pad(each, (before, after), constant_values=self.tags)
            for each in np.split(tags, offsets_of(self.lengths)[1:-1])
        ]


def _check_chunks(tags: Sequence[str], corpus: Sequence[Example]) -> None:
    """Refuse tags of which the chunk scheme could forbid nothing, with the place of one."""
    stray = stray_tag(tags)
    if stray is None:
        return
    _, _, kind = stray.partition("-")
    continues = stray == f"I-{kind}"
    reason = f", but B-{kind}, which begins what it continues, is nowhere" if continues else ""
    advice = f"write B-{kind} there" if continues else "mend it"
    raise EvidenceError(
        f"{_first_place(stray, corpus)} the tag {stray}{reason}: so the tags are no chunks in BIO, "
        f"BIOES or BILOU, and scheme=chunks can forbid nothing; {advice}, or leave the setting out"
    )


def _first_place(tag: str, corpus: Sequence[Example]) -> str:
    for number, example in enumerate(corpus, 1):
        for place, label in enumerate(example.analysis or ()):
            if label == tag or (isinstance(label, frozenset) and tag in label):
                tokens = example.tokens
                where = tokens.source or f"example {number}"
                return f"{where}: token {place + 1}, '{tokens.words[place]}', has"
    return "the dictionary has"


def _forbidden(chain: Chain, tags: Sequence[str]) -> BoolArray:
    forbidden = np.zeros((len(tags) + 1, len(tags) + 1), np.bool_)
    number: dict[str | None, int] = {tag: place for place, tag in enumerate(tags)}
    number[None] = len(tags)
    chunks = forbidden_transitions(tags) if chain.scheme is Scheme.CHUNKS else ()
    for before, after in (*chunks, *chain.forbidden):
        for tag in (before, after):
            if tag not in number:
                raise OptionError(f"a transition of '{tag}' is forbidden, and there is no such tag")
        forbidden[number[before], number[after]] = True
    for place in np.flatnonzero(forbidden.all(axis=1)).tolist():
        name = f"'{tags[place]}'" if place < len(tags) else "the beginning"
        raise OptionError(f"all transitions from {name} are forbidden: allow one")
    return forbidden


def _sizes(chain: Chain) -> range:
    """The lengths of the tag n-grams that have weights."""
    longest = chain.order + 1
    return range(longest if chain.tag_ngrams is TagNgrams.LONGEST else 2, longest + 1)


def _ngrams(chain: Chain, labels: _Labels, forbidden: BoolArray, size: int) -> IndexArray:
    """[n, size]: the tag n-grams that have a weight, in ascending order.

    Where some token's tag is not known, any n-gram may occur.
    """
    boundary = labels.tags
    if chain.ngrams is Extent.OBSERVED and labels.certain:
        ends = (size - 1, 1) if chain.boundaries else (0, 0)
        runs = [tags for tags in labels.padded(*ends) if len(tags) >= size]
        windows = [np.lib.stride_tricks.sliding_window_view(tags, size) for tags in runs]
        found = np.unique(np.concatenate([np.empty((0, size), np.int32), *windows]), axis=0)
    else:
        found = np.array(list(product(range(boundary + chain.boundaries), repeat=size)))
    possible = ~(forbidden[found[:, :-1], found[:, 1:]].any(axis=1))
    # The boundary stands at the ends only: B B t, B t u, t B, and never B alone.
    inside = ~((found[:, 1:-1] == boundary) & (found[:, :-2] != boundary)).any(axis=1)
    inside &= ~(found == boundary).all(axis=1)
    inside &= ~((found[:, -1] == boundary) & (found[:, -2] == boundary))
    return np.ascontiguousarray(found[possible & inside], np.int32)


def _templates(
    chain: Chain, corpus: Sequence[Example]
) -> tuple[tuple[Template, ...], tuple[Template, ...]]:
    if chain.templates is not None:
        return chain.templates, chain.pair_templates
    if any(example.tokens.attributes is not None for example in corpus):
        return (), chain.pair_templates
    columns = min((len(example.tokens.columns) for example in corpus), default=1)
    return default_templates(columns), chain.pair_templates


def _between(occurrences: Occurrences, first: int, last: int) -> Occurrences:
    """The occurrences of the tokens ``first … last - 1``."""
    offsets = occurrences.offsets[first : last + 1]
    run = slice(int(offsets[0]), int(offsets[-1]))
    values = None if occurrences.values is None else occurrences.values[run]
    return Occurrences(offsets - offsets[0], occurrences.attributes[run], values)


def _of_templates(index: AttributeIndex, wanted: Sequence[Template]) -> BoolArray:
    """Which attributes belong to the wanted templates; the ones users give always do."""
    chosen = [each in wanted for each in index.templates]
    return np.repeat([*chosen, True], np.diff(index.starts))


def _frequent(parts: Iterable[IntArray], minimum: int) -> IntArray:
    """The distinct keys, ascending, that occur so often in all parts together."""
    counted = [np.unique(part, return_counts=True) for part in parts]
    nothing = np.empty(0, np.int64)
    keys = np.concatenate([nothing, *(distinct for distinct, _ in counted)])
    counts = np.concatenate([nothing, *(counts for _, counts in counted)])
    distinct, places = np.unique(keys, return_inverse=True)
    return distinct[np.bincount(places, counts, len(distinct)) >= minimum]


def _tag_features(
    chain: Chain,
    index: AttributeIndex,
    occurrences: Occurrences,
    labels: _Labels,
    wanted: Sequence[Template],
    width: int,
) -> IntArray:
    """The features attribute × tag, as ascending numbers ``attribute * width + tag``."""
    chosen = _of_templates(index, wanted)
    if chain.attributes is Extent.ALL:
        attributes = occurrences.attributes[chosen[occurrences.attributes]]
        frequent = _frequent([attributes.astype(np.int64)], chain.minimum_count)
        return (frequent[:, None] * width + np.arange(labels.tags)).reshape(-1)
    tokens = len(labels.numbers)
    parts = (
        _tag_keys(chosen, _between(occurrences, first, first + _PART), labels, first, width)
        for first in range(0, tokens, _PART)
    )
    return _frequent(parts, chain.minimum_count)


_PART = 20_000  # tokens at a time, so that counting takes less memory than training


def _tag_keys(
    chosen: BoolArray, occurrences: Occurrences, labels: _Labels, first: int, width: int
) -> IntArray:
    """The features of some tokens from ``first`` on, one for each tag that a token may have."""
    used = chosen[occurrences.attributes]
    numbers = labels.numbers[first + occurrences.tokens[used]]
    sizes = np.diff(labels.sets.offsets)[numbers]
    tags = labels.sets.tags[ranges(labels.sets.offsets[numbers], sizes)]
    keys: IntArray = np.repeat(occurrences.attributes[used].astype(np.int64), sizes) * width + tags
    return keys


def _pair_features(
    chain: Chain,
    index: AttributeIndex,
    occurrences: Occurrences,
    labels: _Labels,
    wanted: Sequence[Template],
    width: int,
) -> IntArray:
    """The features attribute × pair, as numbers ``(attribute * width + before) * width + tag``."""
    if not wanted:
        return np.empty(0, np.int64)
    chosen = _of_templates(index, wanted)
    chosen[index.starts[-2] :] = False
    of_pair = chosen[occurrences.attributes]
    attributes = occurrences.attributes[of_pair].astype(np.int64)
    if chain.attributes is Extent.ALL or not labels.certain:
        frequent = _frequent([attributes], chain.minimum_count)
        before = np.arange(labels.tags + chain.boundaries)
        pairs = (before[:, None] * width + np.arange(labels.tags)).reshape(-1)
        return (frequent[:, None] * width**2 + pairs).reshape(-1)
    tags = labels.padded(1, 0)
    pairs = np.concatenate([each[:-1].astype(np.int64) * width + each[1:] for each in tags])
    pairs = pairs[occurrences.tokens[of_pair]]
    inside = pairs // width < labels.tags + chain.boundaries
    return _frequent([(attributes * width**2 + pairs)[inside]], chain.minimum_count)


def _rows(
    keys: IntArray, renumbered: IntArray, attributes: int, start: int, width: int
) -> RowTable:
    """The table of features with numbers ``attribute * width + column``, ascending."""
    owners = renumbered[keys // width]
    offsets = np.searchsorted(owners, np.arange(attributes + 1)).astype(np.int64)
    return RowTable(offsets, (keys % width).astype(np.int32), start, width)
