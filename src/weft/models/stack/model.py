"""Shift-reduce parsers as models: which parses agree with a piece of evidence, and their scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from weft.arrays import BoolArray, IntArray
from weft.derivations.combine import derive_kinds, pool
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.feature_map import FeatureMap
from weft.derivations.forest import Weighted
from weft.derivations.known import Certain
from weft.derivations.stack.canonical import canonical_filter, canonical_parses
from weft.derivations.stack.chains import Chains
from weft.derivations.stack.chunks import Chunks
from weft.derivations.stack.forest import Chained, ParseDerivation, StackForest
from weft.derivations.stack.observed import (
    Steps,
    edges_of_labels,
    edges_of_spans,
    edges_of_steps,
    kept_items,
    parses_of_steps,
    steps_of,
)
from weft.derivations.stack.parses import EXACT, EndlessError, Limits, Parses, find_parses
from weft.derivations.stack.rounds import chains_of
from weft.derivations.stack.spans import number_spans
from weft.derivations.stack.table import MoveTable
from weft.derivations.stack.terminals import Terminals, terminals_of
from weft.derivations.threads import thread_count
from weft.errors import DivergenceError, EvidenceError, NotDefined
from weft.grammars.heads import HeadRules
from weft.grammars.transforms import (
    binarise_by_head,
    is_made,
    moves_of,
    rebuilt,
    states_of,
    unbinarise,
    with_leaves,
)
from weft.grammars.transforms.canonical import CanonicalTrees
from weft.kernels import CanonicalFilter
from weft.models.counted import CountedModel
from weft.models.lexicon import Lexicon
from weft.models.stack.counts import number_of
from weft.models.stack.words import Choices
from weft.models.tree_parser import Alphabet, words_of
from weft.ranking import by_value
from weft.reprs import Brief
from weft.structures.constituents import Constituents, Span
from weft.structures.evidence import Evidence, Example, OfLength, OneOf, Sentence
from weft.structures.lattice import Lattice
from weft.structures.moves import Move, Shift
from weft.structures.tree import Tree, leaves

COUNTED = (
    "moves are counted, not climbed to: their tables have no gradient; for criteria that are "
    "climbed, use features of moves, such as the recipe shift-reduce-maxent"
)
"""Why tables have no gradient."""

OF_SENTENCES = (
    "a parser whose moves are given the words has no distribution over sentences: use a "
    "conditional criterion, or the joint parser"
)
"""Why what looks ahead is never summed over several sentences."""

_ENDLESS = (
    "the sum over parses is infinite: reduce moves that lead from {} back to it keep all of their "
    "weight in each round, or gain some; lower their scores"
)

Built = Mapping[Sentence, Parses]
"""Forests by their sentences."""

_KERNELS = ("filter", "scorer")

_SENTENCE, _EVERYTHING, _LENGTH = range(3)


@dataclass(frozen=True, eq=False, repr=False)
class StackModel(CountedModel, Brief):
    """Which parses exist, and how probable moves are.

    Attributes:
        labels: The labels of the stack, by their numbers; the first is ⋆.
        root: The start symbol.
        table: The moves.
        looks: The terminals that are looked ahead to, by their numbers, ⋆ first; none for a joint
            parser, which does not look ahead.
        choices: By terminal, what it may come on the stack as.
        heads: The head rules by which trees are made binary.
        lexicon: What stands for rare and unknown words; None where the leaves are tags.
        limits: What a search may take.
        canonical: Whether only the binary trees that head binarisation makes are parses, so that
            every tree of the treebank's kind is one parse.
    """

    labels: tuple[str, ...]
    root: str
    table: MoveTable
    looks: tuple[str, ...]
    choices: Mapping[str, Choices]
    heads: HeadRules
    lexicon: Lexicon | None = None
    limits: Limits = EXACT
    canonical: bool = False

    @property
    def joint(self) -> bool:
        """Whether there is a distribution over sentences with their trees."""
        return not self.looks

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each label."""
        return {label: number for number, label in enumerate(self.labels)}

    @cached_property
    def binary_trees(self) -> CanonicalTrees:
        """Which binary trees head binarisation makes."""
        terminals = self.choices if self.lexicon is None else ()
        return CanonicalTrees(self.labels, self.heads, terminals)

    @cached_property
    def filter(self) -> CanonicalFilter:
        """What takes other trees out of forests."""
        return canonical_filter(self.binary_trees)

    def __getstate__(self) -> dict[str, Any]:
        # What the kernels keep is made again where it is asked for.
        return {name: each for name, each in self.__dict__.items() if name not in _KERNELS}

    @cached_property
    def look_numbers(self) -> dict[str, int]:
        """The number of each terminal that is looked ahead to."""
        return {terminal: number for number, terminal in enumerate(self.looks)}

    @cached_property
    def alphabet(self) -> Alphabet:
        """The symbols of the parser."""
        tags = {
            terminal: frozenset(self.labels[number] for number, _ in some)
            for terminal, some in self.choices.items()
        }
        known = frozenset(self.labels[1:])
        return Alphabet(self.root, known, frozenset(self.choices), tags if self.lexicon else {})

    def terminals(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return what stands for words."""
        return tuple(words) if self.lexicon is None else self.lexicon.terminals(words)

    def closed(self, sentences: Iterable[Sequence[str]]) -> bool:
        """Whether sentences are made of the words that the model knows."""
        return all(
            terminal in self.choices for words in sentences for terminal in self.terminals(words)
        )

    # Trees and moves

    def moves(self, tree: Tree) -> list[Move]:
        """Return the moves of a tree as treebanks have it.

        Raises:
            EvidenceError: If it has no moves.
        """
        return moves_of(binarise_by_head(tree, self.heads), words=self.lexicon is not None)

    def restored(self, tree: Tree, words: Sequence[str]) -> Tree:
        """Return a binary tree of labels as the corpus has it, with words at its leaves."""
        if is_made(tree.label):  # as tables that no trees were counted for may allow
            tree = Tree(self.root, (tree,))
        if self.lexicon is None:
            return unbinarise(with_leaves(tree, words))
        return unbinarise(with_leaves(_over_words(tree), words))

    def partial(self, tree: Tree, words: Sequence[str]) -> Tree:
        """Return the nodes of a stack as a tree of the corpus, with the words that it lacks."""
        nodes = [unbinarise(Tree(self.root, (node,))) for node in tree.children]
        below = [child for node in nodes for child in node.children]
        whole = Tree(self.root, tuple(below))
        rest = words[len(list(leaves(whole))) :]
        if self.lexicon is None:
            return with_leaves(Tree(self.root, (*below, *rest)), words)
        ends = [Tree(self.usual_tag(word), (word,)) for word in rest]
        return with_leaves(Tree(self.root, (*_over_words(whole).children, *ends)), words)

    def usual_tag(self, word: str) -> str:
        """Return the likeliest tag of a word."""
        [terminal] = self.terminals([word])
        some = self.choices.get(terminal, ())
        return self.labels[by_value(some, lambda pair: pair[1])[0][0]] if some else "X"

    def restored_label(self, label: str) -> str | None:
        """Return a label as the corpus has it; None for a node that only makes trees binary."""
        return None if is_made(label) else unbinarise(Tree(label, ("",))).label

    def covers(self, example: Example) -> bool:
        """Whether all moves of an example's tree are possible."""
        try:
            return self._has_moves(example)
        except (EvidenceError, KeyError):
            return False

    def _has_moves(self, example: Example) -> bool:
        if not isinstance(example.parse, Tree):
            return True
        moves, table = self.moves(example.parse), self.table
        for move, state in zip(moves, states_of(moves), strict=True):
            look = self.look_numbers[state.next.label] if self.looks and state.next else 0
            where = table.context(self.numbers[state.top], self.numbers[state.below], look)
            if (
                number_of(move, self.numbers)
                not in table.moves[where][table.scores[where] > -np.inf]
            ):
                return False
        tags = [move.label for move in moves if isinstance(move, Shift)]
        chosen = zip(self.terminals(example.tokens.words), tags, strict=False)
        known = self.alphabet.tags if self.lexicon else {tag: {tag} for tag in self.choices}
        return all(tag in known.get(terminal, ()) for terminal, tag in chosen)

    # Derivations

    def derivations(
        self, evidences: Sequence[Evidence], threads: int | None = None
    ) -> DerivationSet:
        """Return the parses that agree with each piece of evidence.

        Where the tree of a sentence is known, no beam takes out what it is made of, from what else
        is asked about that sentence at the same time.

        Raises:
            NotDefined: If sentences vary, and the model has no distribution over them.
            LimitError: If the strings of a lattice are too many to list.
        """
        if not self.joint and not all(isinstance(each.tokens, Sentence) for each in evidences):
            raise NotDefined(OF_SENTENCES)
        if any(isinstance(each.tokens, Lattice | OneOf) for each in evidences):
            return pool(evidences, lambda each: self.derivations(each, threads), spell=True)
        kinds = np.array([_kind(each) for each in evidences], np.int64)

        def derive(kind: int, members: IntArray) -> DerivationSet:
            if kind == _EVERYTHING:  # which all members share
                return self.everything()
            chosen = [evidences[member] for member in members.tolist()]
            if self.flat is not None and kind == _SENTENCE:  # each is asked about once or twice
                return self.chunks(chosen, threads)
            return self.forest(chosen, threads)

        return derive_kinds(kinds, derive)

    def chunks(self, evidences: Sequence[Evidence], threads: int | None = None) -> Chunks:
        """Return the parses of sentences, which are made whenever they are asked for."""
        trees = {each.tokens: each for each in evidences if isinstance(each.parse, Tree)}

        def build(some: Sequence[Evidence]) -> StackForest:
            beside = [trees[each.tokens] for each in some if each.tokens in trees]
            return self.forest(some, threads, beside)

        return Chunks(evidences, [len(words_of(each)) + 1 for each in evidences], build)

    def everything(self) -> DerivationSet:
        """Return the set of all trees of all sentences, which sum to one."""
        return Certain()

    def forest(
        self,
        evidences: Sequence[Evidence],
        threads: int | None = None,
        beside: Sequence[Evidence] = (),
    ) -> StackForest:
        """Return the parses of sentences, or of all sentences of a length.

        Args:
            evidences: The evidence.
            threads: How many threads to use, all by default; no result depends on it.
            beside: What else is known of the same sentences: their trees, which no beam takes out.
        """
        every = [*evidences, *beside]
        built = self._build([_key(each) for each in every], every, threads)
        derive = partial(self._member, built)
        return StackForest(
            [derive(each) for each in evidences],
            self.parameters.size,
            derive,
            [built[_key(each)] for each in evidences],
            self.labels,
            self.parts,
            self.flat,
        )

    @property
    def flat(self) -> str | None:
        """Why there is no gradient; None where there is."""
        return COUNTED

    def _build(
        self, keys: Sequence[Any], evidences: Sequence[Evidence], threads: int | None
    ) -> dict[Any, Parses]:
        """The forests of all sentences, each once."""
        read = {key: self._read(each) for key, each in zip(keys, evidences, strict=True)}
        kept: dict[Any, list[Any]] = {key: [] for key in read}
        for key, evidence in zip(keys, evidences, strict=True):
            if self.limits.beam and isinstance(evidence.parse, Tree):
                steps = self._steps(evidence, read[key])
                kept[key] += [] if steps is None else kept_items(steps)
        several, some = list(read.values()), list(kept.values())
        try:
            found = find_parses(self.table, several, self.limits, some, thread_count(threads))
        except EndlessError as endless:
            raise DivergenceError(_ENDLESS.format(self.labels[endless.args[0]])) from None
        if self.canonical:
            found = [canonical_parses(each, self.filter, self.table) for each in found]
        return dict(zip(read, found, strict=True))

    def _read(self, evidence: Evidence) -> Terminals:
        """The terminals of a sentence, or all of a length."""
        if isinstance(evidence.tokens, OfLength):
            every = [choice for some in self.choices.values() for choice in some]
            together: dict[int, float] = {}
            for number, score in every:
                together[number] = float(np.logaddexp(together.get(number, -np.inf), score))
            return terminals_of([list(together.items())] * evidence.tokens.length)
        ahead = self.terminals(words_of(evidence))
        choices = [self.choices.get(terminal, ()) for terminal in ahead]
        if not self.looks:
            return terminals_of(choices)
        looks = [[self.look_numbers[self.labels[label]] for label, _ in some] for some in choices]
        return terminals_of(choices, [*looks, [0]])

    def _steps(self, evidence: Evidence, terminals: Terminals) -> Steps | None:
        """The edges of an example's tree; None where the parser does not have its labels."""
        if not isinstance(evidence.parse, Tree):
            raise TypeError("the edges of a derivation are those of a whole tree")
        try:
            moves = self.moves(evidence.parse)
            return steps_of(moves, self.numbers, self.table, terminals)
        except (EvidenceError, KeyError):
            return None

    def gold(self, evidence: Evidence) -> Parses | None:
        """Return the forest of a tree alone; None where the parser does not have its labels."""
        terminals = self._read(evidence)
        steps = self._steps(evidence, terminals)
        return None if steps is None else parses_of_steps(steps, terminals, len(self.labels))

    def _member(self, built: dict[Any, Parses], evidence: Evidence) -> Weighted:
        """The forest of a sentence, without what does not agree with what is known of it."""
        key = _key(evidence)
        if key not in built:
            built.update(self._build([key], [evidence], 1))
        member = self.weighted(built[key], evidence)
        right = self._right(built[key], evidence)
        if right is None:
            return member
        edges, chains = right
        base = member.base.copy()
        base[: len(edges)][~edges] = -np.inf
        return replace(member, base=base, chains=chains or member.chains)

    def weighted(self, parses: Parses, evidence: Evidence) -> Chained:  # noqa: ARG002
        """Return the forest of a sentence with its weights."""
        empty = np.zeros(len(parses.row_moves) + 1, np.int64)
        features = FeatureMap(empty, np.zeros(0, np.int32), None, 0)
        chains = chains_of(parses, self.labels)
        return Chained(parses.hypergraph, parses.row_scores, features, chains=chains)

    def _right(self, parses: Parses, evidence: Evidence) -> tuple[BoolArray, Chains | None] | None:
        """Which edges [edges] and chains agree with what is known; None where nothing is."""
        if isinstance(evidence.parse, Tree):
            steps = self._steps(evidence, parses.terminals)
            none = np.zeros(len(parses.moves), np.bool_)
            return (none, None) if steps is None else edges_of_steps(parses, steps, self.labels)
        if not isinstance(evidence.parse, Constituents) and evidence.analysis is None:
            return None
        spans = evidence.parse.spans if isinstance(evidence.parse, Constituents) else ()
        tagged = self.lexicon is not None
        right, chains = edges_of_spans(parses, spans, self.table, self.labels, tagged=tagged)
        if evidence.analysis is not None:
            right &= edges_of_labels(parses, evidence.analysis, self.numbers)
        return right, chains

    # Answers

    def answer(self, evidence: Evidence, derivation: ParseDerivation) -> Tree:
        """Return the tree of a derivation as treebanks have it."""
        return self.restored(derivation.tree, words_of(evidence))

    def parts(self, parses: Parses) -> tuple[IntArray, list[Span]]:
        """Return the number of the label over a span that each row [rows] makes, and these."""
        names = [self.restored_label(label) for label in self.labels]
        return number_spans(parses, names, tagged=self.lexicon is not None)


def _over_words(tree: Tree) -> Tree:
    """A tree of labels with a place for a word under each of its leaves."""
    return rebuilt(tree, lambda node, below: Tree(node.label, below), _tag)


def _kind(evidence: Evidence) -> int:
    if evidence.tokens is None:
        return _EVERYTHING
    return _LENGTH if isinstance(evidence.tokens, OfLength) else _SENTENCE


def _key(evidence: Evidence) -> Any:
    """What evidence with the same forest has in common."""
    return evidence.tokens


def _tag(leaf: str) -> Tree:
    return Tree(leaf, ("",))
