"""Grammars as models: which trees agree with a piece of evidence, and how they are scored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from weft.arrays import BoolArray, FloatArray, IndexArray, IntArray
from weft.derivations.chart.all_trees import AllTrees
from weft.derivations.chart.chart import MEMORY
from weft.derivations.chart.grammar import ChartGrammar, chart_grammar
from weft.derivations.chart.room import too_large
from weft.derivations.combine import derive_kinds, pool
from weft.derivations.derivation_set import DerivationSet
from weft.derivations.feature_map import FeatureMap, from_columns, from_lists
from weft.derivations.known import Certain, Counted
from weft.derivations.reparametrise import Weighting
from weft.errors import EvidenceError, NotDefined, OptionError
from weft.features.parameters import Parameters, parameters
from weft.grammars.heads import HeadRules, find_head_rules
from weft.grammars.induce import RuleIndex, rule_index, rule_numbers
from weft.grammars.transforms import (
    annotate,
    binarise_by_head,
    binarise_left,
    binarise_right,
    head_outward,
    is_made,
    remove_annotation,
    unbinarise,
    with_leaves,
)
from weft.grammars.transforms.annotate import of_plain_labels
from weft.grammars.transforms.canonical_grammar import CanonicalGrammar, canonical_grammar
from weft.models.distributions import Distributions
from weft.models.grammar.charts import MOST_SCORES, Charts, spell_evidence
from weft.models.grammar.names import grammar_features
from weft.models.grammar.phrases import PhraseTable, phrase_coordinates
from weft.models.lexicon import Lexicon
from weft.models.options import Normalisation, Shape
from weft.models.tree_parser import Alphabet
from weft.reprs import Brief
from weft.structures.alternatives import FeatureName
from weft.structures.evidence import Evidence, Example, OfLength, OneOf, Sentence
from weft.structures.grammar import Grammar, Terminal, reweight
from weft.structures.lattice import Lattice
from weft.structures.sausage import Sausage
from weft.structures.tree import Tree

_TREE, _CHART, _EVERYTHING = range(3)

_OF_WORDS = (
    "features of phrases look at the words, and so there is no sum over all sentences, or all of a "
    "length: use a conditional or contrastive criterion, or features=none"
)


@dataclass(frozen=True, slots=True)
class Shaping:
    """How trees are changed before rules are read off them, and back.

    Attributes:
        binarise: How they are made binary.
        order: After how many children new nodes are named; None for all.
        parents: With how many ancestors' labels a phrase's own is annotated.
        over_tags: Whether leaves are tags, so that a label over a leaf is a phrase.
        head_rules: Which child of a phrase is its head; None for Collins's table.
    """

    binarise: Shape = Shape.NONE
    order: int | None = None
    parents: int = 0
    over_tags: bool = False
    head_rules: HeadRules | None = None

    @property
    def heads(self) -> HeadRules:
        """What finds the head of a phrase."""
        return self.head_rules or _heads()

    def __call__(self, tree: Tree) -> Tree:
        """Return a tree as the grammar has it.

        >>> Shaping(Shape.RIGHT, 0, 1)(Tree("S", (Tree("NP", ("a", "b", "c")),)))
        Tree('(S (NP^S a (@NP^S b c)))')
        """
        if self.parents:
            tree = annotate(tree, self.parents + 1, tags=self.over_tags)
        if self.binarise is Shape.LEFT:
            return binarise_left(tree, self.order)
        if self.binarise is Shape.RIGHT:
            return binarise_right(tree, self.order)
        if self.binarise is Shape.HEAD:
            return head_outward(tree, of_plain_labels(self.heads), self.order)
        if self.binarise is Shape.JOHNSON:
            return binarise_by_head(tree, of_plain_labels(self.heads))
        return tree

    def inverse(self, tree: Tree) -> Tree:
        """Return the tree that was shaped so.

        >>> Shaping(Shape.RIGHT, 0, 1).inverse(Tree("S", (Tree("NP^S", ("a", "b")),)))
        Tree('(S (NP a b))')
        """
        tree = tree if self.binarise is Shape.NONE else unbinarise(tree)
        return remove_annotation(tree) if self.parents else tree


@cache
def _heads() -> HeadRules:
    return find_head_rules("collins")


@dataclass(frozen=True, eq=False, repr=False)
class GrammarModel(Brief):
    """Which trees exist, and which features they have.

    Attributes:
        grammar: The rules; its weights do not matter.
        normalisation: What weights are normalised over.
        shaping: How trees are changed before rules are read off them.
        lexicon: What stands for words that are rare or unknown; None where all words are known.
        tables: The features of phrases.
        head_weights: The coordinate of θ for each rule's left side with its head; None where
            there are no such features. [rules]
        unknown: How many rules, the last ones, are of tags with classes of unknown words.
        canonical: Of trees that are binarised as Johnson's are, whether only those that
            binarisation makes are parses, so that every tree of the treebank's kind is one.
    """

    grammar: Grammar
    normalisation: Normalisation = Normalisation.NONE
    shaping: Shaping = Shaping()
    lexicon: Lexicon | None = None
    tables: tuple[PhraseTable, ...] = ()
    unknown: int = 0
    head_weights: IndexArray | None = None
    canonical: bool = False

    @property
    def parameters(self) -> Parameters:
        """The layout of θ: the rules, those of unknown words, then the features of phrases."""
        sizes = [("rule", self.grammar.rule_count - self.unknown), ("unknown", self.unknown)]
        if self.head_weights is not None:
            sizes.append(("head", int(self.head_weights.max()) + 1 - self.grammar.rule_count))
        sizes += [
            (f"phrase:{each.feature}", int((each.weights >= 0).sum())) for each in self.tables
        ]
        return parameters(sizes)

    @property
    def free(self) -> GrammarModel:
        """The same with weights that need not sum to one; itself, if they are free."""
        is_free = self.normalisation is Normalisation.NONE
        return self if is_free else replace(self, normalisation=Normalisation.NONE)

    @property
    def groups(self) -> IntArray:
        """[rules]: the distribution that each rule belongs to, that of its head."""
        return self.grammar.heads.astype(np.int64)

    @property
    def distributions(self) -> Distributions:
        """The distributions of a PCFG, one for each left side; features of phrases have none."""
        groups = np.full(self.parameters.size, -1, np.int64)
        groups[: self.grammar.rule_count] = self.groups
        return Distributions(groups, np.ones(len(groups), np.bool_))

    @cached_property
    def weighting(self) -> Weighting:
        """How the weights of rules are made of θ."""
        size = self.parameters.size
        if self.normalisation is not Normalisation.NONE:
            return Weighting(size, groups=self.groups)
        if size == self.grammar.rule_count:
            return Weighting(size)
        return Weighting(size, from_columns(self._columns, size))

    @property
    def _columns(self) -> IntArray:
        """The coordinates of θ whose sum is the weight of each rule, where it is free."""
        columns = np.arange(self.grammar.rule_count)
        if self.head_weights is None:
            return columns
        return np.stack([columns, self.head_weights], axis=1)

    @cached_property
    def product(self) -> CanonicalGrammar | None:
        """The grammar of canonical trees; None where all trees are parses."""
        if not self.canonical or self.shaping.binarise is not Shape.JOHNSON:
            return None
        return canonical_grammar(self.grammar, self.shaping.heads, self.shaping.parents)

    @cached_property
    def phrases(self) -> tuple[FeatureMap, ...]:
        """From values and labels to θ, row by row, for each table of features of phrases."""
        size = self.parameters.size
        return tuple(from_columns(each.weights.reshape(-1), size) for each in self.tables)

    @cached_property
    def index(self) -> RuleIndex:
        """The rules by what they look like in a tree."""
        return rule_index(self.grammar)

    @cached_property
    def alphabet(self) -> Alphabet:
        """The symbols of the grammar."""
        grammar, tags = self.grammar, dict[str, set[str]]()
        for rule in grammar.rules():
            if len(rule.body) == 1 and isinstance(rule.body[0], Terminal):
                tags.setdefault(rule.body[0].text, set()).add(rule.head)
        return Alphabet(
            grammar.nonterminals[grammar.start],
            frozenset(grammar.nonterminals),
            frozenset(grammar.terminals),
            {terminal: frozenset(some) for terminal, some in tags.items()},
        )

    @cached_property
    def labels(self) -> dict[str, int]:
        """The number of each nonterminal."""
        return {label: number for number, label in enumerate(self.grammar.nonterminals)}

    def named(self, coordinates: IntArray) -> list[FeatureName]:
        """Return the kinds and names of some coordinates of θ, in the order given."""
        return grammar_features(self, coordinates, self.shaping.heads)

    def rule_weights(self, theta: FloatArray) -> FloatArray:
        """[rules]: the log-weights of rules at θ."""
        return self.weighting.weights(theta)

    def grammar_at(self, theta: FloatArray) -> Grammar:
        """Return the grammar with its weights.

        Raises:
            OptionError: If the model has features of phrases, which are no weights of rules.
        """
        if self.tables:
            raise OptionError("features of phrases are not weights of rules: there is no grammar")
        return reweight(self.grammar, self.rule_weights(theta))

    def terminals(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return what stands for words in the grammar."""
        return tuple(words) if self.lexicon is None else self.lexicon.terminals(words)

    def shaped(self, tree: Tree) -> Tree:
        """Return a tree as the grammar has it: shaped, and with terminals for its words."""
        return self.shaping(tree if self.lexicon is None else self.lexicon.spelt(tree))

    def restored(self, tree: Tree, words: Sequence[str]) -> Tree:
        """Return a tree of the grammar as the corpus has it, with words at its leaves."""
        return self.shaping.inverse(with_leaves(tree, words))

    def restored_label(self, label: str) -> str | None:
        """Return a label as the corpus has it; None for a node that only makes trees binary."""
        if is_made(label) and self.shaping.binarise is not Shape.NONE:
            return None
        return self.shaping.inverse(Tree(label, ("",))).label

    def closed(self, sentences: Iterable[Sequence[str]]) -> bool:
        """Whether sentences are made of the words that the model knows."""
        known = set(self.grammar.terminals)
        return all(known.issuperset(self.terminals(words)) for words in sentences)

    def derivations(
        self, evidences: Sequence[Evidence], threads: int | None = None
    ) -> DerivationSet:
        """Return the trees that agree with each piece of evidence.

        Raises:
            EvidenceError: If a tree has a rule that the grammar does not have.
            NotDefined: If nothing is known of some sentence, and features of phrases look at it.
            LimitError: If the strings of a lattice must be listed, and are too many.
        """
        # Spans of a lattice have no first word and no last, and its words are no terminals.
        spell = bool(self.tables) or self.lexicon is not None
        listed = (OneOf, Lattice) if spell else OneOf
        if any(isinstance(evidence.tokens, listed) for evidence in evidences):
            return pool(evidences, lambda each: self.derivations(each, threads), spell=spell)
        evidences = [self._spelt_out(evidence) for evidence in evidences]

        def derive(kind: int, members: IntArray) -> DerivationSet:
            if kind == _EVERYTHING:  # which all members share
                return self.everything()
            chosen = [evidences[member] for member in members.tolist()]
            return self.trees(chosen) if kind == _TREE else self.chart(chosen, threads)

        return derive_kinds(np.array([_kind(each) for each in evidences], np.int64), derive)

    def _spelt_out(self, evidence: Evidence) -> Evidence:
        """All sentences of a length, as a lattice over the terminals."""
        if not isinstance(evidence.tokens, OfLength):
            return evidence
        if self.tables:
            raise NotDefined(_OF_WORDS)
        return Evidence(Sausage(self.grammar.terminals, evidence.tokens.length).lattice())

    def trees(self, evidences: Sequence[Evidence]) -> DerivationSet:
        """Return sets of one tree each, given trees."""
        return self.counted(
            [self._coordinates(evidence) for evidence in evidences],
            lambda member: self._tree(evidences[member])[0],
        )

    def _tree(self, evidence: Evidence) -> tuple[Tree, Sentence]:
        """An example's tree as the grammar has it, and its sentence."""
        if not isinstance(evidence.parse, Tree) or not isinstance(evidence.tokens, Sentence):
            raise TypeError("a set of one tree is made of a sentence and its tree")
        return self.shaped(evidence.parse), evidence.tokens

    def _coordinates(self, evidence: Evidence) -> list[int]:
        """The coordinates of θ that an example's tree has."""
        shaped, tokens = self._tree(evidence)
        try:
            return self.coordinates(shaped, self.terminals(tokens.words))
        except EvidenceError as error:
            raise EvidenceError(f"{tokens.source or 'a tree'}: {error}") from None

    def coordinates(self, tree: Tree, words: Sequence[str]) -> list[int]:
        """Return the coordinates of θ that a tree of the grammar has, once for every time.

        Args:
            tree: The tree, shaped as the grammar has it.
            words: Its terminals.

        Raises:
            EvidenceError: If the tree has a rule that the grammar does not have.
        """
        rules: list[int] = rule_numbers(self.index, tree).tolist()
        if self.head_weights is not None:
            rules += self.head_weights[rules].tolist()
        if not self.tables:
            return rules
        return [*rules, *phrase_coordinates(self.tables, tree, words, self.labels)]

    def tree_scores(
        self, theta: FloatArray, trees: Sequence[Tree], several: Sequence[Sequence[str]]
    ) -> FloatArray:
        """[trees]: the log-weights of trees of the grammar over words, a sentence each."""
        pairs = zip(trees, several, strict=True)
        found = [self.coordinates(tree, self.terminals(words)) for tree, words in pairs]
        return self.counted(found).log_partition(theta)

    def counted(
        self, coordinates: Sequence[Sequence[int]], shown: Callable[[int], Tree] | None = None
    ) -> Counted:
        """Return sets of one tree each, given the coordinates of θ that it has."""
        features = from_lists(coordinates, self.parameters.size)
        # A tree that shares coordinates with others has them itself.
        weighting = self.weighting if self.weighting.features is None else None
        return Counted(features, shown, weighting)

    def everything(self) -> DerivationSet:
        """Return the set of all trees of all sentences."""
        if self.normalisation is not Normalisation.NONE:
            return Certain()
        if self.tables:
            raise NotDefined(_OF_WORDS)
        if self.product is None:
            return AllTrees(self.grammar, self.weighting)
        columns = from_columns(self._columns[self.product.origins], self.parameters.size)
        return AllTrees(self.product.grammar, Weighting(self.parameters.size, columns))

    def chart(
        self,
        evidences: Sequence[Evidence],
        threads: int | None = None,
        most_scores: int = MOST_SCORES,
    ) -> Charts:
        """Return the trees of sentences, of which nothing is known or some constituents.

        Args:
            evidences: The evidence.
            threads: How many threads to use; no result depends on it.
            most_scores: How many scores of spans are made at a time.

        Raises:
            NotDefined: If words vary and the model looks at them.
        """
        return Charts(self, self._chart_grammar, evidences, threads, most_scores=most_scores)

    @cached_property
    def _chart_grammar(self) -> ChartGrammar:
        return chart_grammar(self.grammar if self.product is None else self.product.grammar)

    def too_large(
        self, evidences: Sequence[Evidence], threads: int | None = None, memory: int = MEMORY
    ) -> BoolArray:
        """[evidences]: whether the chart of a sentence would take more memory than it may."""
        spelt = [spell_evidence(self, Evidence(each.tokens)) for each in evidences]
        return too_large(self._chart_grammar, spelt, threads, memory)

    def covers(self, example: Example) -> bool:
        """Whether all rules of an example's tree, if it has one, are the grammar's."""
        if not isinstance(example.parse, Tree):
            return True
        try:
            self._coordinates(example.evidence())
        except EvidenceError:
            return False
        return True


def _kind(evidence: Evidence) -> int:
    if evidence.tokens is None:
        return _EVERYTHING
    return _TREE if isinstance(evidence.parse, Tree) else _CHART
