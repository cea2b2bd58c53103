"""Reading a chain model's alphabets off a corpus: tags, tag n-grams, attributes, features."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain as chain_several
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from weft.arrays import BoolArray, IndexArray, IntArray, offsets_of, ranges
from weft.derivations.chain.rows import RowTable
from weft.derivations.chain.tagsets import TagSets
from weft.derivations.chain.topology import Topology, pad
from weft.errors import EvidenceError, OptionError
from weft.features.attributes import (
    AttributeIndex,
    find_attributes,
    index_attributes,
    keep_attributes,
)
from weft.features.templates import Template, default_templates
from weft.models.chain.allowed import restrict
from weft.models.chain.labels import Labels, SectionLabels
from weft.models.chain.model import SHARING, ChainModel
from weft.models.chain.parts import Parts, shared_parts
from weft.models.options import Extent, Normalisation, Scheme, TagNgrams, TagParts
from weft.structures.chunking import forbidden_transitions, stray_tag
from weft.structures.evidence import Example, Sentence
from weft.structures.occurrences import Occurrences
from weft.structures.stream import Corpus, sections_of, through

if TYPE_CHECKING:
    from weft.models.chain.spec import Chain


def prepare(
    chain: Chain,
    corpus: Corpus,
    others: Sequence[Example] = (),
    tags: Iterable[str] = (),
    threads: int | None = None,
) -> ChainModel:
    """Return the model that a chain is on a corpus.

    Args:
        chain: What the model looks at.
        corpus: Where its tags, attributes and features come from.
        others: More sentences whose words are part of the vocabulary, and whose attributes are
            known too where all features exist.
        tags: Tags that the model has beside those of the corpus and of its dictionary.
        threads: How many a first pass has, all by default; no result depends on it.

    Returns:
        The model; its weights are what estimation finds.

    Raises:
        EvidenceError: If the corpus is empty or has no tags.
    """
    chain, first = restrict(chain, corpus, threads)
    survey = _Survey.of(corpus)
    tags = _tags(chain, survey.tags, tags)
    if chain.scheme is Scheme.CHUNKS:
        _check_chunks(tags, corpus)
    labels = Labels(chain, tags, corpus)
    if not (chain.shares and labels.certain):
        chain = chain.unshared()
    forbidden = _forbidden(chain, tags)
    bigrams, trigrams = (
        _ngrams(chain, labels, forbidden, size)
        if size in _sizes(chain)
        else np.empty((0, size), np.int32)
        for size in (2, 3)
    )
    width = pad(len(tags) + 1)
    single, paired = _templates(chain, survey)
    sentences = [through(corpus, _tokens), _tokens(others)]
    index = index_attributes(sentences, tuple(dict.fromkeys((*single, *paired))))
    more = find_attributes(index, sentences[1]) if chain.attributes is Extent.ALL else None
    parts = _parts(chain, tags)
    keys = (
        _tag_features(chain, index, labels, more, single, _Columns(len(tags), width, _whole)),
        _pair_features(chain, index, labels, more, paired, width),
        _tag_features(chain, index, labels, more, single, _columns_of(parts)),
    )
    widths = width, width**2, parts.width
    kept = np.zeros(len(index), np.bool_)
    for mine, columns in zip(keys, widths, strict=True):
        kept[mine // columns] = True
    starts = len(bigrams) + len(trigrams) + offsets_of(map(len, keys))
    tag_rows, pair_rows, part_rows = (
        _rows(mine, kept, int(start), columns)
        for mine, start, columns in zip(keys, starts[:-1], widths, strict=True)
    )
    return ChainModel(
        tags,
        Topology(chain.order, len(tags), forbidden, bigrams, 0, trigrams, len(bigrams)),
        keep_attributes(index, kept),
        tag_rows,
        pair_rows if len(pair_rows) else None,
        chain.dictionary,
        tuple({**survey.words, **dict.fromkeys(w for each in others for w in each.tokens.words)}),
        chain.normalisation,
        open_tags=chain.open_tags,
        part_rows=parts.rows(width, part_rows),
        first=first,
    )


def tags_of(corpus: Iterable[Example]) -> set[str]:
    """Return all tags of a corpus, those of partial labels too."""
    names: set[str] = set()
    for labels in {label for example in corpus for label in example.analysis or ()}:
        names.update({labels} if isinstance(labels, str) else labels or ())
    return names


def _tags(chain: Chain, seen: set[str], others: Iterable[str]) -> tuple[str, ...]:
    names = seen | set(others)
    names.update(*(chain.dictionary or {}).values(), chain.open_tags or ())
    if not names:
        raise EvidenceError(
            "the training corpus has no tags: give labelled sentences or a dictionary"
        )
    return tuple(sorted(names))


def _parts(chain: Chain, tags: Sequence[str]) -> Parts:
    """The parts of tags that have weights; an HMM's are of words with whole tags."""
    joint = chain.normalisation is Normalisation.JOINT
    return shared_parts(tags, TagParts.NONE if joint else chain.tag_parts)


class _Survey(NamedTuple):
    """What there is in a corpus.

    Attributes:
        tags: All tags, those of partial labels too.
        words: The words, in the order of their first appearance.
        columns: How many columns every sentence has.
        given: Whether attributes are given somewhere.
    """

    tags: set[str]
    words: dict[str, None]
    columns: int
    given: bool

    @classmethod
    def of(cls, corpus: Corpus) -> _Survey:
        tags, words, columns, given = set[str](), dict[str, None](), set[int](), False
        for section in sections_of(corpus):
            tags |= tags_of(section)
            words.update(dict.fromkeys(word for each in section for word in each.tokens.words))
            columns |= {len(each.tokens.columns) for each in section}
            given = given or any(each.tokens.attributes is not None for each in section)
        return cls(tags, words, min(columns, default=1), given)


def _tokens(examples: Sequence[Example]) -> list[Sentence]:
    return [example.tokens for example in examples]


def _check_chunks(tags: Sequence[str], corpus: Corpus) -> None:
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


def _first_place(tag: str, corpus: Corpus) -> str:
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


def _ngrams(chain: Chain, labels: Labels, forbidden: BoolArray, size: int) -> IndexArray:
    """[n, size]: the tag n-grams that have a weight, in ascending order.

    Where some token's tag is not known, any n-gram may occur.
    """
    boundary = labels.tags
    if chain.ngrams is Extent.OBSERVED and labels.certain:
        found = labels.windows(size)
    else:
        every = boundary + chain.boundaries
        found = np.stack(np.unravel_index(np.arange(every**size), (every,) * size), axis=1)
    possible = ~(forbidden[found[:, :-1], found[:, 1:]].any(axis=1))
    # The boundary stands at the ends only: B B t, B t u, t B, and never B alone.
    inside = ~((found[:, 1:-1] == boundary) & (found[:, :-2] != boundary)).any(axis=1)
    inside &= ~(found == boundary).all(axis=1)
    inside &= ~((found[:, -1] == boundary) & (found[:, -2] == boundary))
    return np.ascontiguousarray(found[possible & inside], np.int32)


def _templates(chain: Chain, survey: _Survey) -> tuple[tuple[Template, ...], tuple[Template, ...]]:
    if chain.attributes is Extent.SHARED:
        return SHARING, ()
    if chain.templates is not None:
        return chain.templates, chain.pair_templates
    return () if survey.given else default_templates(survey.columns), chain.pair_templates


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
    keys, counts = np.empty(0, np.int64), np.empty(0, np.int32)
    waiting: list[tuple[IntArray, IndexArray]] = []
    for part in parts:
        found, times = np.unique(part, return_counts=True)
        waiting.append((found, times.astype(np.int32)))
        # Neither one by one, which would take quadratic time, nor all at once, and so much memory.
        if sum(len(each) for each, _ in waiting) > max(_WAITING, len(keys) // 4):
            keys, counts = _added([(keys, counts), *waiting])
            waiting = []
    keys, counts = _added([(keys, counts), *waiting])
    return keys[counts >= minimum]


def _added(several: Sequence[tuple[IntArray, IndexArray]]) -> tuple[IntArray, IndexArray]:
    """The distinct keys, ascending, and the sums of their counts."""
    keys = np.concatenate([each for each, _ in several])
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    counts = np.concatenate([each for _, each in several])[order]
    del order
    first = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    return keys[first], np.add.reduceat(counts, first) if len(first) else counts


def _attributes(
    index: AttributeIndex, labels: Labels, more: Occurrences | None, chosen: BoolArray
) -> Iterator[IntArray]:
    """The chosen attributes of all tokens, those of more sentences among them."""
    several = (find_attributes(index, _tokens(each.examples)) for each in labels.sections())
    for occurrences in chain_several(several, () if more is None else (more,)):
        attributes = occurrences.attributes
        yield attributes[chosen[attributes]].astype(np.int64)


class _Columns(NamedTuple):
    """What attributes go with: whole tags, or parts of them.

    Attributes:
        size: How many there are.
        width: The same, padded.
        of_sets: From tag sets to the columns of each, as offsets and numbers.
    """

    size: int
    width: int
    of_sets: Callable[[TagSets], tuple[IntArray, IndexArray]]


def _whole(sets: TagSets) -> tuple[IntArray, IndexArray]:
    return sets.offsets, sets.tags


def _columns_of(parts: Parts) -> _Columns:
    return _Columns(len(parts.names), parts.width, parts.of_sets)


def _tag_features(
    chain: Chain,
    index: AttributeIndex,
    labels: Labels,
    more: Occurrences | None,
    wanted: Sequence[Template],
    columns: _Columns,
) -> IntArray:
    """The features attribute × tag or part, as ascending numbers ``attribute * width + column``."""
    if not columns.size:
        return np.empty(0, np.int64)
    chosen, width, every = _of_templates(index, wanted), columns.width, np.arange(columns.size)
    if chain.attributes is Extent.ALL:
        frequent = _frequent(_attributes(index, labels, more, chosen), chain.minimum_count)
        return (frequent[:, None] * width + every).reshape(-1)
    parts = (
        keys
        for section in labels.sections()
        for keys in _tag_keys(
            chosen, find_attributes(index, _tokens(section.examples)), section, columns
        )
    )
    found = _frequent(parts, chain.minimum_count)
    if chain.attributes is not Extent.SHARED:
        return found
    last = len(index) - 1  # the last attribute, which goes with every tag
    return np.append(found[found < last * width], last * width + every)


_PART = 4_000  # tokens at a time, so that counting takes less memory than training
_WAITING = 50_000  # keys that are put among the others at once


def _tag_keys(
    chosen: BoolArray, occurrences: Occurrences, labels: SectionLabels, columns: _Columns
) -> Iterator[IntArray]:
    """The features of some tokens after the other, one for each column that a token may have."""
    offsets, of_sets = columns.of_sets(labels.sets)
    for first in range(0, len(labels.numbers), _PART):
        some = _between(occurrences, first, first + _PART)
        used = chosen[some.attributes]
        numbers = labels.numbers[first + some.tokens[used]]
        sizes = np.diff(offsets)[numbers]
        found = of_sets[ranges(offsets[numbers], sizes)]
        yield np.repeat(some.attributes[used].astype(np.int64), sizes) * columns.width + found


def _pair_features(
    chain: Chain,
    index: AttributeIndex,
    labels: Labels,
    more: Occurrences | None,
    wanted: Sequence[Template],
    width: int,
) -> IntArray:
    """The features attribute × pair, as numbers ``(attribute * width + before) * width + tag``."""
    if not wanted:
        return np.empty(0, np.int64)
    chosen = _of_templates(index, wanted)
    chosen[index.starts[-2] :] = False
    if chain.attributes is Extent.ALL or not labels.certain:
        frequent = _frequent(_attributes(index, labels, more, chosen), chain.minimum_count)
        before = np.arange(labels.tags + chain.boundaries)
        pairs = (before[:, None] * width + np.arange(labels.tags)).reshape(-1)
        return (frequent[:, None] * width**2 + pairs).reshape(-1)
    last = labels.tags + chain.boundaries
    parts = (_pair_keys(index, chosen, each, last) for each in labels.sections())
    return _frequent(parts, chain.minimum_count)


def _pair_keys(
    index: AttributeIndex, chosen: BoolArray, labels: SectionLabels, last: int
) -> IntArray:
    """The features of pairs whose first tag is below ``last``."""
    width = pad(labels.tags + 1)
    occurrences = find_attributes(index, _tokens(labels.examples))
    of_pair = chosen[occurrences.attributes]
    tags = labels.padded(1, 0)
    pairs = np.concatenate([each[:-1].astype(np.int64) * width + each[1:] for each in tags])
    pairs = pairs[occurrences.tokens[of_pair]]
    keys: IntArray = occurrences.attributes[of_pair].astype(np.int64) * width**2 + pairs
    return keys[pairs // width < last]


def _rows(keys: IntArray, kept: BoolArray, start: int, width: int) -> RowTable:
    """The table of features with numbers ``attribute * width + column``, ascending."""
    owners = (np.cumsum(kept) - 1)[keys // width]
    offsets = np.searchsorted(owners, np.arange(kept.sum() + 1)).astype(np.int64)
    return RowTable(offsets, (keys % width).astype(np.int32), start, width)
