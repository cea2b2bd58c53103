"""Chain models: which tag sequences agree with a piece of evidence, and how they are scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain as chain_together

import numpy as np

from weft.arrays import FloatArray, IndexArray, IntArray, are_numbers, offsets_of
from weft.derivations.chain.all_sentences import AllSentences
from weft.derivations.chain.layout import ChainMembers
from weft.derivations.chain.lengths import Lengths
from weft.derivations.chain.locally_normalised import ConditionallyNormalised, JointlyNormalised
from weft.derivations.chain.rows import RowTable
from weft.derivations.chain.scoring import LogLinear, Scoring
from weft.derivations.chain.tag_parts import PartRows
from weft.derivations.chain.tagsets import EVERY, TagSetReader
from weft.derivations.chain.topology import Topology
from weft.derivations.chain.trellis import Trellis
from weft.derivations.chain.vocabulary import Vocabulary
from weft.derivations.combine import derive_kinds, pool
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.known import Certain
from weft.derivations.threads import thread_count
from weft.errors import NotDefined
from weft.features.attributes import AttributeIndex, check_given, find_attributes, refuse_given
from weft.features.parameters import Parameters, parameters
from weft.features.signatures import Signatures
from weft.features.templates import templates
from weft.models.chain.first_pass import FirstPass, TokenTags
from weft.models.chain.names import chain_features
from weft.models.chain.neighbours import check_local, check_sentence, check_words, lattice_trellis
from weft.models.distributions import Distributions
from weft.models.explaining import Terms, terms_of
from weft.models.needs import check_lengths
from weft.models.options import Dictionary, Normalisation
from weft.reprs import Brief
from weft.structures.alternatives import FeatureName
from weft.structures.evidence import Evidence, OfLength, OneOf, Sentence
from weft.structures.lattice import Lattice
from weft.structures.occurrences import Occurrences, with_single

SHARING = templates("word[0] bias")
"""The templates of words that share a weight with the tags that they did not have."""


@dataclass(frozen=True, eq=False, repr=False)
class ChainModel(Brief):
    """Which tag sequences exist, and which features sit where on them.

    Attributes:
        tags: The tags, in the order of their numbers.
        topology: What may follow what, and the tag n-grams.
        index: The attributes.
        tag_rows: Weights of attribute × tag.
        pair_rows: Weights of attribute × pair of tags, if there are any.
        dictionary: The tags that words may have.
        open_tags: The tags that words outside the dictionary may have; None for every one.
        vocabulary: The words that sentences are made of where they are not observed.
        normalisation: What weights are normalised over.
        signatures: The classes of words outside the vocabulary, each an attribute that is the
            only one of such a word; None where attributes are all that is known of a word.
        shown: [states], the number of the tag that each state shows, where a chain has more
            states than tags; None where its states are the tags.
        part_rows: Weights of attribute × part of a tag, if there are any.
        first: What leaves out tags of tokens, given their sentence; None where nothing does.

    Raises:
        ValueError: If these do not fit together; kernels trust them.
    """

    tags: tuple[str, ...]
    topology: Topology
    index: AttributeIndex
    tag_rows: RowTable
    pair_rows: RowTable | None
    dictionary: Dictionary | None
    vocabulary: tuple[str, ...] = ()
    normalisation: Normalisation = Normalisation.NONE
    signatures: Signatures | None = None
    shown: tuple[int, ...] | None = None
    open_tags: frozenset[str] | None = None
    part_rows: PartRows | None = None
    first: FirstPass | None = None

    def __post_init__(self) -> None:
        topology, shown = self.topology, self.shown
        start = len(topology.bigrams) + len(topology.trigrams)
        if (topology.bigram_start, topology.trigram_start) != (0, len(topology.bigrams)):
            raise ValueError("the weights of bigrams come first, then those of trigrams")
        for rows, width in ((self.tag_rows, topology.width), (self.pair_rows, topology.width**2)):
            if rows is None:
                continue
            if len(rows.offsets) != len(self.index) + 1 or rows.width != width:
                raise ValueError(f"{len(self.index)} attributes need as many rows of {width}")
            if not all(
                are_numbers(each, topology.tags + 1)
                for each in np.divmod(rows.columns, topology.width)
            ):
                raise ValueError(f"columns are of {topology.tags} tags and the boundary")
            if rows.start != start:
                raise ValueError(f"the weights of attributes begin at {start}, not {rows.start}")
            start += len(rows)
        if (parts := self.part_rows) is not None:
            if parts.table.start != start or len(parts.table.offsets) != len(self.index) + 1:
                raise ValueError(f"the weights of parts begin at {start}, a row per attribute")
            if len(parts.matrix) != topology.width:
                raise ValueError(f"parts are of {topology.tags} tags")
        if topology.tags != len(self.tags if shown is None else shown):
            raise ValueError(f"there are {topology.tags} states, but not as many that show tags")
        if shown is not None and not 0 <= min(shown) <= max(shown) < len(self.tags):
            raise ValueError(f"states show tags, numbers below {len(self.tags)}")

    @property
    def chain(self) -> ChainModel:
        """Itself, where a chain with weights is asked for."""
        return self

    @property
    def states(self) -> tuple[str, ...]:
        """The tag that each state shows."""
        return self.tags if self.shown is None else tuple(self.tags[tag] for tag in self.shown)

    @property
    def attribute_count(self) -> int:
        """How many attributes tokens may have."""
        return len(self.index)

    @property
    def parameters(self) -> Parameters:
        """The layout of θ: tag n-grams, then tag, pair and part × attribute, by template."""
        topology = self.topology
        sizes = [("bigram", len(topology.bigrams)), ("trigram", len(topology.trigrams))]
        parts = None if self.part_rows is None else self.part_rows.table
        for family, rows in (("tag", self.tag_rows), ("pair", self.pair_rows), ("part", parts)):
            if rows is not None:
                counts = np.diff(rows.offsets[self.index.starts]).tolist()
                names = [f"{family}:{kind}" for kind in self.index.kinds]
                sizes += zip(names, counts, strict=True)
        return parameters((name, size) for name, size in sizes if size)

    def named(self, coordinates: IntArray) -> list[FeatureName]:
        """Return the kinds and names of some coordinates of θ, in the order given."""
        return [(each.kind, each.name) for each in chain_features(self, coordinates)]

    def derivations(
        self, evidences: Sequence[Evidence], threads: int | None = None
    ) -> DerivationSet:
        """Return the tag sequences that agree with each piece of evidence.

        Evidence about one and the same sentence shares everything that its tokens determine.

        Raises:
            NotDefined: If nothing is known of some sentence, and the model has no sum over all
                of them; the message says why.
        """
        kinds = np.array([self._kind(evidence) for evidence in evidences], np.int64)
        if (kinds == _LATTICE).any():  # then one sweep serves sentences, too
            kinds[kinds == _OBSERVED] = _LATTICE
        if (kinds == _OBSERVED).all():
            return self.trellis(evidences, threads)
        if (kinds == _SEVERAL).any():
            # Pairs of tags with a word go beyond what a lattice's states remember.
            spell = self.pair_rows is not None
            if spell:
                check_words(self)
            return pool(evidences, lambda each: self.derivations(each, threads), spell=spell)

        def derive(kind: int, members: IntArray) -> DerivationSet:
            chosen = [evidences[member] for member in members.tolist()]
            if kind in (_CERTAIN, _EVERYTHING):  # which all members share
                return Certain() if kind == _CERTAIN else self.everything()
            if kind == _CERTAIN_TAGS:
                return Certain(len(chosen), partial(self.trellis, chosen, threads))
            if kind == _OBSERVED:
                return self.trellis(chosen, threads)
            if kind == _LATTICE:
                return lattice_trellis(self, chosen, threads)
            lengths = [e.tokens.length for e in chosen if isinstance(e.tokens, OfLength)]
            return self._lengths(lengths)

        return derive_kinds(kinds, derive)

    def _lengths(self, lengths: Sequence[int]) -> DerivationSet:
        """All sentences of each length, over the vocabulary."""
        if self.signatures is not None and self.normalisation is not Normalisation.NONE:
            raise NotDefined(
                "a chain whose vocabulary was opened to unknown words does not know all sentences "
                "of a length: estimate it with rare=0"
            )
        normalised = self.normalisation is Normalisation.JOINT
        return Lengths(self.words, np.array(lengths, np.int64), normalised=normalised)

    def _kind(self, evidence: Evidence) -> int:
        """Which set of derivations a piece of evidence belongs to."""
        if not isinstance(evidence.tokens, Sentence):
            check_sentence(self)
            if self.normalisation is Normalisation.CONDITIONAL:
                raise NotDefined(
                    "a model whose steps are normalised given the sentence has no distribution "
                    "over sentences: use a criterion that compares 'complete' with 'input'"
                )
            if isinstance(evidence.tokens, Lattice):
                return _LATTICE if self.pair_rows is None else _SEVERAL
            if isinstance(evidence.tokens, OfLength):
                return _LENGTH
            if isinstance(evidence.tokens, OneOf):
                return _SEVERAL
            return _EVERYTHING if self.normalisation is Normalisation.NONE else _CERTAIN
        # Steps that are distributions over tags lose nothing, unless some lead nowhere.
        certain = (
            self.normalisation is Normalisation.CONDITIONAL
            and evidence.analysis is None
            and not self.topology.forbidden.any()
        )
        return _CERTAIN_TAGS if certain else _OBSERVED

    @property
    def free(self) -> ChainModel:
        """The same model with weights that are not normalised; itself, if they are free."""
        is_free = self.normalisation is Normalisation.NONE
        return self if is_free else replace(self, normalisation=Normalisation.NONE)

    @property
    def distributions(self) -> Distributions | None:
        """The distributions that the weights of an HMM are the logs of; None for features."""
        from weft.models.chain.multinomials import word_multinomials  # which imports chains

        joint = self.normalisation is Normalisation.JOINT
        return word_multinomials(self) if joint else None

    def terms(self, theta: FloatArray, evidence: Evidence) -> Terms:
        """Return what the score of a tagged sentence is a sum of, before steps are normalised."""
        return terms_of(self, theta, self.free.trellis([evidence], 1))

    def everything(self) -> AllSentences:
        """Return the sum over all sentences of the vocabulary."""
        return AllSentences(self.words)

    @cached_property
    def words(self) -> Vocabulary:
        """The words of the vocabulary with the weights that they have.

        Raises:
            NotDefined: If a feature or a first pass looks at more than one word: that has no
                meaning where the words vary.
        """
        check_local(self)
        words = find_attributes(self.index, [Sentence(((word,),)) for word in self.vocabulary])
        # A class of unknown words is one more word, which has itself as its only attribute.
        classes = np.array(list(self.index.given.values()), np.int32)
        attributes = Occurrences(
            np.append(words.offsets, words.offsets[-1] + 1 + np.arange(len(classes))),
            np.append(words.attributes, classes),
        )
        # Any tag: it also stands for those of the dictionary's words that are not in the corpus.
        bias = self.bias_of(self.vocabulary)
        if len(classes):
            every = self.reader().table(self.topology.width).bias[EVERY]
            bias = _with_rows(bias, every, len(classes))
        return Vocabulary(self._free(attributes), bias, thread_count(None))

    def bias_of(self, words: Sequence[str]) -> FloatArray:
        """[words, width]: 0 where a word may have a tag, else -inf."""
        reader = self.reader()
        numbers = list(reader.read(words, None))
        table = reader.table(self.topology.width).bias
        if self.dictionary is None:  # any tag goes with any word: one row serves all
            return np.broadcast_to(table[EVERY], (len(words), table.shape[1]))
        return table[numbers]

    def trellis(self, evidences: Sequence[Evidence], threads: int | None = None) -> Trellis:
        """Return the tag sequences of sentences that are known; see :meth:`derivations`."""
        of_member = [_observed(evidence) for evidence in evidences]
        sentences = list(dict.fromkeys(of_member))
        check_lengths(self.topology, self.pair_rows is not None, sentences)
        place = {sentence: number for number, sentence in enumerate(sentences)}
        reader = self.reader()
        within = {} if self.first is None else self.first.allowed(sentences, threads)
        sets = [
            reader.read(sentence.words, evidence.analysis, within.get(sentence))
            for sentence, evidence in zip(of_member, evidences, strict=True)
        ]
        members = ChainMembers(np.array([place[each] for each in of_member], np.int64), sets)
        free = self._free(self.attributes(sentences))
        return Trellis(
            self.topology,
            np.array([len(sentence) for sentence in sentences], np.int64),
            self._scoring(free, sentences, members, reader, within),
            members,
            reader.table(self.topology.width),
            thread_count(threads),
            reader,
        )

    def allowed(self, sentences: Sequence[Sentence]) -> list[TokenTags]:
        """Return the tags that the tokens of sentences may have."""
        if self.first is not None:
            found = self.first.allowed(sentences)
            return [found[each] for each in sentences]
        every = frozenset(self.tags)
        known, opened = self.dictionary or {}, self.open_tags or every
        return [tuple(known.get(word, opened) for word in each.words) for each in sentences]

    def reader(self) -> TagSetReader:
        """Return what numbers the tag sets of tokens."""
        numbers = {tag: n for n, tag in enumerate(self.tags)}
        return TagSetReader(numbers, self.dictionary, self.shown, self.open_tags)

    def attributes(self, sentences: Sequence[Sentence]) -> Occurrences:
        """The attributes of all tokens; those of an unknown word are its class alone."""
        if self.signatures is None:
            check_given(self.index, sentences)
            found = find_attributes(self.index, sentences)
            sharing = self.index.templates == SHARING
            if sharing and self.normalisation is Normalisation.JOINT:
                found = _known_words(found)
            return found
        refuse_given(sentences)
        found = find_attributes(self.index, sentences)
        words = list(chain_together.from_iterable(each.words for each in sentences))
        strange = np.flatnonzero([word not in self._known for word in words])
        classes = self.signatures.classes_of([words[place] for place in strange.tolist()])
        return with_single(found, strange, int(self.index.starts[-2]) + classes)

    def closed(self, sentences: Iterable[Sequence[str]]) -> bool:
        """Whether sentences are among those that "everything" sums over."""
        words = set(chain_together.from_iterable(sentences))
        return self.signatures is not None or words <= self._known

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.vocabulary)

    def _free(self, occurrences: Occurrences) -> LogLinear:
        return LogLinear(self.topology, occurrences, self.tag_rows, self.pair_rows, self.part_rows)

    def scoring_of(self, occurrences: Occurrences) -> Scoring:
        """Return how words with these attributes are scored, if not given their sentence."""
        free = self._free(occurrences)
        if self.normalisation is Normalisation.NONE:
            return free
        return JointlyNormalised(free, self.words)

    def _scoring(
        self,
        free: LogLinear,
        sentences: Sequence[Sentence],
        members: ChainMembers,
        reader: TagSetReader,
        within: Mapping[Sentence, TokenTags],
    ) -> Scoring:
        if self.normalisation is Normalisation.NONE:
            return replace(free, compact=True)
        if self.normalisation is Normalisation.JOINT:
            return self.scoring_of(free.occurrences)
        allowed = [reader.read(each.words, None, within.get(each)) for each in sentences]
        # Of a sentence with one member, only steps from its tags are ever taken.
        needed = members.sets if len(members.sets) == len(sentences) else allowed
        lengths = np.array([len(sentence) for sentence in sentences], np.int64)
        table = reader.table(self.topology.width)
        return ConditionallyNormalised(free, lengths, table, _numbers(needed), _numbers(allowed))


_OBSERVED, _CERTAIN, _EVERYTHING, _LATTICE, _LENGTH, _SEVERAL, _CERTAIN_TAGS = range(7)


def _numbers(several: Iterable[Sequence[int]]) -> IndexArray:
    return np.fromiter(chain_together.from_iterable(several), np.int32)


def _known_words(found: Occurrences) -> Occurrences:
    """Leave out what words outside the vocabulary would share: they have no probability."""
    lengths = np.diff(found.offsets)
    kept = np.where(lengths == len(SHARING), lengths, 0)
    return Occurrences(offsets_of(kept), found.attributes[np.repeat(kept > 0, lengths)])


def _with_rows(bias: FloatArray, row: FloatArray, count: int) -> FloatArray:
    """More rows that are alike, below others; nothing is copied where all are."""
    if bias.strides[0] == 0:
        return np.broadcast_to(row, (len(bias) + count, len(row)))
    return np.concatenate([bias, np.broadcast_to(row, (count, len(row)))])


def _observed(evidence: Evidence) -> Sentence:
    if not isinstance(evidence.tokens, Sentence):
        raise ValueError("a trellis needs a sentence; sums over several are of other kinds")
    return evidence.tokens
