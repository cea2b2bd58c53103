"""Table models: taggers whose probabilities are counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np

from weft.arrays import BoolArray, FloatArray, IndexArray, IntArray
from weft.derivations.chain.layout import ChainMembers
from weft.derivations.chain.tagsets import TagSetReader
from weft.derivations.chain.topology import Topology
from weft.derivations.chain.trellis import Trellis
from weft.derivations.combine import derive_kinds, pool
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.known import Certain
from weft.derivations.threads import thread_count
from weft.errors import NotDefined
from weft.models.counted import CountedModel
from weft.models.explaining import Terms
from weft.models.needs import check_lengths
from weft.models.tables.factors import Factors
from weft.models.tables.form import Form
from weft.models.tables.items import Items
from weft.models.tables.lengths import TableLengths
from weft.models.tables.scores import TableScoring
from weft.models.tables.sparse import SparseSteps
from weft.models.tables.terms import table_terms
from weft.models.tables.trellis import SparseTrellis
from weft.reprs import Brief
from weft.structures.evidence import Evidence, OfLength, OneOf, Sentence
from weft.structures.lattice import Lattice


@dataclass(frozen=True, eq=False, repr=False)
class TableModel(CountedModel, Brief):
    """Which tag sequences exist, and how probable they are with their sentences.

    Attributes:
        tags: The tags, in the order of their numbers.
        items: What stands for words.
        factors: The tables.
    """

    tags: tuple[str, ...]
    items: Items
    factors: Factors

    @property
    def states(self) -> tuple[str, ...]:
        """The tag that each state of a derivation shows: the states are the tags."""
        return self.tags

    @property
    def shown(self) -> None:
        """None: no tag is shown by several states."""
        return

    @property
    def dictionary(self) -> None:
        """None: every word may have every tag."""
        return

    @property
    def first(self) -> None:
        """None: no first pass leaves out tags."""
        return

    @property
    def pair_rows(self) -> None:
        """None: there are no weights of attributes with pairs of tags."""
        return

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """No words: what stands for them is an item."""
        return ()

    @property
    def chain(self) -> NoReturn:
        """Refuse.

        Raises:
            NotDefined: Always.
        """
        raise NotDefined(
            "this model is made of tables, which have no weights of features: train a chain, "
            "such as the recipes hmm and mrf"
        )

    def bias_of(self, words: Sequence[str]) -> FloatArray:
        """[words, tags]: 0, since a word may have any tag."""
        return np.zeros((len(words), len(self.tags)))

    @property
    def attribute_count(self) -> int:
        """0: tokens have no attributes."""
        return 0

    @property
    def weights(self) -> FloatArray:
        """θ, which is empty."""
        return np.zeros(0)

    @property
    def topology(self) -> Topology:
        """Any tag may follow any other."""
        size = len(self.tags) + 1
        forbidden: BoolArray = np.zeros((size, size), np.bool_)
        none: IndexArray = np.empty((0, 2), np.int32)
        order = self.factors.order
        return Topology(order, len(self.tags), forbidden, none, 0, none[:, [0, 0, 0]], 0)

    def derivations(
        self, evidences: Sequence[Evidence], threads: int | None = None
    ) -> DerivationSet:
        """Return the tag sequences that agree with each piece of evidence.

        Where nothing is known of a sentence the sum is over all sentences of items, and is one.
        The strings of a lattice are listed.

        Raises:
            NotDefined: If sentences vary, and the model has no distribution over words.
            LimitError: If a lattice has too many strings to list.
        """
        if self.factors.form is Form.CONDITIONAL and not all(map(_observed, evidences)):
            raise NotDefined(
                f"{Form.CONDITIONAL} has no distribution over words, so that a sum over several "
                f"sentences does not exist for it: use another form, such as {Form.HMM}"
            )
        if any(isinstance(each.tokens, Lattice | OneOf) for each in evidences):
            return pool(evidences, lambda each: self.derivations(each, threads), spell=True)
        kinds = np.array([_kind(evidence) for evidence in evidences], np.int64)
        if (kinds == _SENTENCE).all():
            return self.trellis(evidences, threads)

        def derive(kind: int, members: IntArray) -> DerivationSet:
            if kind not in (_SENTENCE, _LENGTH):  # everything, which all members share
                return Certain()
            mine = [evidences[member] for member in members.tolist()]
            if kind == _SENTENCE:
                return self.trellis(mine, threads)
            lengths = [each.tokens.length for each in mine if isinstance(each.tokens, OfLength)]
            return TableLengths(self.factors, lengths)

        return derive_kinds(kinds, derive)

    def closed(self, sentences: Iterable[Sequence[str]]) -> bool:  # noqa: ARG002
        """Whether sentences are among those that "everything" sums over: any word is an item."""
        return True

    def terms(self, theta: FloatArray, evidence: Evidence) -> Terms:  # noqa: ARG002
        """Return the factors of a tagged sentence, with the logs of their probabilities."""
        numbers = {tag: number for number, tag in enumerate(self.tags)}
        tags = [numbers[str(tag)] for tag in evidence.analysis or ()]
        items = self.items.numbers_of([_sentence(evidence)]).tolist()
        return table_terms(self.factors, self.items, self.tags, items, tags)

    def trellis(self, evidences: Sequence[Evidence], threads: int | None = None) -> Trellis:
        """Return the tag sequences of sentences that are known; see :meth:`derivations`."""
        topology = self.topology
        of_member = [_sentence(evidence) for evidence in evidences]
        sentences = list(dict.fromkeys(of_member))
        lengths = np.array([len(sentence) for sentence in sentences], np.int64)
        scoring = TableScoring(self.factors, self.items.numbers_of(sentences), lengths)
        check_lengths(topology, scoring.paired, sentences, triples=scoring.tripled)
        place = {sentence: number for number, sentence in enumerate(sentences)}
        reader = TagSetReader({tag: number for number, tag in enumerate(self.tags)}, None)
        sets = [
            reader.read(sentence.words, evidence.analysis)
            for sentence, evidence in zip(of_member, evidences, strict=True)
        ]
        members = ChainMembers(np.array([place[each] for each in of_member], np.int64), sets)
        table, count = reader.table(topology.width), thread_count(threads)
        if self.factors.order == 2:
            return Trellis(topology, lengths, scoring, members, table, count, reader)
        return SparseTrellis(topology, lengths, scoring, members, table, count, reader, self.sparse)

    @cached_property
    def sparse(self) -> SparseSteps:
        """The steps of order 1, with what was counted alone."""
        return SparseSteps(self.factors)


_SENTENCE, _EVERYTHING, _LENGTH = range(3)


def _kind(evidence: Evidence) -> int:
    if evidence.tokens is None:
        return _EVERYTHING
    return _LENGTH if isinstance(evidence.tokens, OfLength) else _SENTENCE


def _observed(evidence: Evidence) -> bool:
    return isinstance(evidence.tokens, Sentence)


def _sentence(evidence: Evidence) -> Sentence:
    if not isinstance(evidence.tokens, Sentence):
        raise ValueError("a trellis needs a sentence; sums over several are of other kinds")
    return evidence.tokens
