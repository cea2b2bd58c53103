"""Context-free grammars as models of trees: what they look at, before a corpus is seen.

A derivation is a tree. Its features are its rules; and, of each phrase, its label with its length,
its first or its last word. :class:`Cfg` says which of them a model has;
:func:`~weft.models.grammar.prepare.prepare_grammar` reads the rules off trees, and gives a
:class:`~weft.models.grammar.model.GrammarModel`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from weft.arrays import FloatArray
from weft.errors import OptionError
from weft.grammars.forms.nltk import from_nltk, is_nltk_grammar
from weft.grammars.heads import HeadRules, choose_head_rules
from weft.models.answers import Decoder
from weft.models.distributions import Distributions
from weft.models.examples import tree_example
from weft.models.grammar.model import GrammarModel
from weft.models.grammar.parser import Parser
from weft.models.grammar.prepare import prepare_grammar, start_weights
from weft.models.grammar.room import large_charts
from weft.models.grammar.scores import bracket_judge
from weft.models.model import Judge, Outcome, Penalties, Spec
from weft.models.options import (
    RARE,
    Normalisation,
    PhraseFeature,
    RulesOf,
    Shape,
    option,
    phrase_features,
)
from weft.models.too_large import TooLarge
from weft.models.tree_parser import no_tree
from weft.reprs import Brief
from weft.settings import setting
from weft.structures.evidence import Evidence, Example
from weft.structures.grammar import Grammar


@dataclass(frozen=True, slots=True, repr=False)
class Cfg(Brief, Spec[Parser]):
    """What a grammar of trees looks at; the corpus then fills in its rules.

    Attributes:
        normalisation: ``joint`` for a PCFG, whose rules of one head sum to one; ``none`` for free
            weights.
        binarise: How trees are made binary first.
        order: After how many children the new nodes of binary trees are named; None for all.
        head_rules: Which child of a phrase is its head; None for Collins's table.
        parents: With how many ancestors' labels a phrase's own is annotated.
        features: What of a phrase goes with its label.
        rare: Words that occur at most so often are what unknown words are like; 0 where there
            are none, as with tags for words.
        grammar: The rules, where they are given, with weights to start from; one of NLTK's will
            do, too.
        symbols: Without labels and without a grammar: how many nonterminals a grammar of all
            rules X → Y Z and X → word has.
        rules: Which trees the rules are read off, where they are not given: those that the
            criterion looks at, or all, so that raw estimation begins with equal probabilities of
            the rules of a treebank.
        canonical: With ``binarise=johnson``, whether only the binary trees that it makes are
            parses. Otherwise several parses may be the same tree.

    Raises:
        OptionError: If these do not go together.
    """

    normalisation: Normalisation = setting(
        Normalisation.NONE, "what rules are normalised over: none, or joint (a PCFG)"
    )
    binarise: Shape = setting(
        Shape.NONE, "how trees are made binary: none, left, right, head or johnson"
    )
    order: int | None = setting(
        None,
        "the number of children that the new nodes of binary trees are named after, or all",
        read=int,
        unsaid="all",
    )
    head_rules: HeadRules | None = setting(
        None,
        "which child is the head of a phrase: collins, or a file of rules",
        read=choose_head_rules,
        unsaid="collins",
    )
    parents: int = setting(0, "with how many ancestors' labels those of phrases are annotated")
    features: tuple[PhraseFeature, ...] = setting(
        (), "what goes with a phrase's label: head length first last", read=phrase_features
    )
    rare: int = setting(0, RARE)
    grammar: Grammar | None = None
    symbols: int = setting(0, "how many symbols a grammar of all rules has, for raw text")
    rules: RulesOf = setting(
        RulesOf.SEEN,
        "the trees that rules are read off: those seen by the criterion, or all trees, also where "
        "it looks at sentences alone",
    )
    canonical: bool = setting(
        True, "with binarise=johnson, whether only the binary trees that it makes are parses"
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "normalisation", option(Normalisation, self.normalisation))
        object.__setattr__(self, "binarise", option(Shape, self.binarise))
        object.__setattr__(self, "rules", option(RulesOf, self.rules))
        if is_nltk_grammar(self.grammar):
            object.__setattr__(self, "grammar", from_nltk(self.grammar))
        several = tuple(dict.fromkeys(option(PhraseFeature, each) for each in self.features))
        object.__setattr__(self, "features", several)
        if self.normalisation is Normalisation.CONDITIONAL:
            raise OptionError("a grammar's normalisation is joint (a PCFG) or none")
        if self.features and self.normalisation is not Normalisation.NONE:
            raise OptionError("features of phrases need free weights: normalisation=none")
        for name in ("parents", "rare", "symbols"):
            if getattr(self, name) < 0:
                raise OptionError(f"{name} is at least 0, not {getattr(self, name)}")
        if self.order is not None and self.order < 0:
            raise OptionError(f"order is at least 0, not {self.order}")
        if self.order is not None and self.binarise is Shape.JOHNSON:
            raise OptionError(
                "binarise=johnson names new nodes after the head alone: leave order out, or say "
                "binarise=head"
            )
        if self.grammar is not None and self.symbols:
            raise OptionError("give a grammar, or a number of symbols, not both")

    analyser = Parser
    decoders = (Decoder.POSTERIOR, Decoder.VITERBI)
    files = unlabelled_files = "--train trees.mrg"

    def compile(self, corpus: Sequence[Any]) -> list[Example]:
        """Return a corpus as examples; of a tree, ours or NLTK's, that of its leaves."""
        return list(map(tree_example, corpus))

    def prepare(
        self,
        seen: Sequence[Example],
        texts: Sequence[Example] = (),
        others: Sequence[Example] = (),  # noqa: ARG002
    ) -> GrammarModel:
        """Return the grammar of a corpus: the rules of its trees, or those that are given."""
        return prepare_grammar(self, seen, texts)

    @property
    def linear(self) -> bool:
        """Whether weights are free."""
        return self.normalisation is Normalisation.NONE

    @property
    def is_joint(self) -> bool:
        """Whether it is a PCFG."""
        return self.normalisation is Normalisation.JOINT

    @property
    def has_closed_form(self) -> bool:
        """Whether it is a PCFG."""
        return self.is_joint

    @property
    def penalties(self) -> Penalties:
        """Nothing is added to the counts of rules, and little to those of unknown words."""
        read = self.rare and self.grammar is None and not self.symbols
        return Penalties(counts="dirichlet:0,unknown=0.1" if read else "dirichlet:0")

    def start(
        self,
        model: GrammarModel,
        seen: Sequence[Example],
        *,
        generative: bool,  # noqa: ARG002
        closed_form: bool,  # noqa: ARG002
    ) -> FloatArray:
        """[θ]: relative frequencies; at weights of one, sums over trees may diverge."""
        return start_weights(model, self, seen)

    def counts(self, model: GrammarModel, seen: Sequence[Example]) -> FloatArray:
        """[θ]: relative frequencies of rules."""
        return start_weights(model, self, seen)

    def perturb(self, model: GrammarModel, start: FloatArray, noise: FloatArray) -> FloatArray:
        """[θ]: another start, of probabilities where the first one is of nothing else."""
        if len(start) > model.grammar.rule_count:  # features of phrases are no probabilities
            return start + noise
        return model.distributions.perturbed(start, noise)

    def alike(self, model: GrammarModel, seen: Sequence[Example]) -> bool:  # noqa: ARG002
        """Whether the nonterminals are told apart by nothing."""
        return self.symbols > 1

    def distributions(self, model: GrammarModel) -> Distributions:
        """Return the distributions of a PCFG, one for each left side."""
        if self.normalisation is not Normalisation.JOINT:
            raise OptionError("EM needs a grammar with normalisation=joint: a PCFG")
        return model.distributions

    def free(self, model: GrammarModel) -> GrammarModel:
        """Return the same grammar with weights that need not sum to one."""
        return model.free

    def uncertainty(
        self, model: GrammarModel, seen: Sequence[Example], threads: int | None
    ) -> Callable[[FloatArray], float]:
        """Return the entropy of all trees of the sentences."""
        evidences = [Evidence(example.tokens) for example in seen]
        return lambda weights: float(model.chart(evidences, threads).entropy(weights).sum())

    def too_large(
        self, model: GrammarModel, corpus: Sequence[Example], threads: int | None = None
    ) -> TooLarge | None:
        """Return the sentences whose charts would take too much memory."""
        return large_charts(model, corpus, threads)

    def covers(self, model: GrammarModel, example: Example) -> bool:
        """Whether all rules of an example's tree are the grammar's."""
        return model.covers(example)

    def judge(
        self,
        model: GrammarModel,
        corpus: Sequence[Example],
        threads: int | None = None,
        decoder: Decoder | None = None,
    ) -> Judge | None:
        """Return the F-score of the chosen trees' labelled brackets."""
        return bracket_judge(
            lambda theta: self.trained(model, Outcome(theta, decoder=decoder)),
            model,
            corpus,
            threads,
        )

    def why_impossible(self, example: Example, place: int, position: int) -> str:
        """Say that a sentence has no tree."""
        return no_tree(example, place, position)
