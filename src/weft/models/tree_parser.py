"""What all parsers have in common: models whose answers are trees, with their weights."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from weft.grammars.transforms import with_words
from weft.models.analyser import Analyser
from weft.models.answers import Decoder
from weft.models.examples import tree_example
from weft.models.too_large import TooLarge
from weft.structures.constituents import Span
from weft.structures.evidence import (
    Analysis,
    Evidence,
    Example,
    Sentence,
    Tokens,
    as_evidence,
    check_sentences,
)
from weft.structures.tree import Tree


class Parse(NamedTuple):
    """A tree of a sentence.

    Attributes:
        tree: The tree, as treebanks have it.
        score: The logarithm of its weight.
        log_prob: Its log-probability among the sentence's trees.
    """

    tree: Tree
    score: float
    log_prob: float


@dataclass(frozen=True, slots=True, eq=False)
class Alphabet:
    """The symbols of a parser.

    Attributes:
        root: The label of whole sentences.
        labels: All labels.
        terminals: What sentences are made of: words, classes of words, or tags.
        tags: By terminal, the labels that it may have as its tag.
    """

    root: str
    labels: frozenset[str]
    terminals: frozenset[str]
    tags: Mapping[str, frozenset[str]]


def put_words(tree: Tree, tokens: Sentence) -> Tree:
    """Return a tree with its words, where its leaves are tags and the second column has words.

    >>> put_words(Tree("NP", ("DT", "NN")), Sentence((("DT", "NN"), ("the", "dog"))))
    Tree('(NP (DT the) (NN dog))')
    """
    return with_words(tree, tokens.columns[1]) if len(tokens.columns) > 1 else tree


def words_of(evidence: Evidence) -> tuple[str, ...]:
    """Return the words of a sentence; none where they vary."""
    tokens = evidence.tokens
    return tokens.words if isinstance(tokens, Sentence) else ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TreeParser(Analyser[Tokens | Evidence, Tree]):
    """A model of trees with weights. The model has an :class:`Alphabet`, and covers examples.

    Attributes:
        model: Which trees exist and which features they have.
        weights: [θ].
        trace: How training went; accuracies are F-scores of labelled brackets.
        notes: How the parser was made (recipe, criterion, penalty, ...), for people and tools.
        decoder: How trees are chosen if nothing else is asked for.
    """

    decoder: Decoder = Decoder.POSTERIOR

    made_of: ClassVar[str] = "rules that the grammar does not have"
    """What trees have that the model excludes."""

    closest_is: ClassVar[str] = "all trees have a probability of zero, and the closest one is given"
    """What is said of a sentence without a tree, where another stands for it."""

    @property
    def usual(self) -> Decoder:
        """How trees are chosen if nothing else is asked for: the parser's decoder."""
        return self.decoder

    def parse(
        self,
        sentences: Sequence[Tokens],
        threads: int | None = None,
        *,
        analyses: Sequence[Analysis | None] | None = None,
        decoder: Decoder | None = None,
    ) -> list[Parse | None]:
        """Return the tree of each sentence that the decoder chooses; None where it has none.

        >>> from weft import Cfg, fit
        >>> from weft.structures.evidence import Example, sentence
        >>> tree = Tree("S", (Tree("NP", ("dogs",)), Tree("VP", ("bark",))))
        >>> corpus = [Example(sentence(["dogs", "bark"]), parse=tree)]
        >>> parser = fit(Cfg(normalisation="joint"), corpus)
        >>> parser.parse([["dogs", "bark"], ["cats"]])[0].tree == tree
        True

        Args:
            sentences: Sentences, or just their words.
            threads: How many threads to use, all by default; no result depends on it.
            analyses: What is known of the tags of each sentence, where the leaves are words: only
                trees that have them are looked at, and ``log_prob`` is given them.
            decoder: How trees are chosen, if not as the parser usually does.
        """
        check_sentences(sentences)
        known = [None] * len(sentences) if analyses is None else analyses
        asked = [
            Evidence(as_evidence(each).tokens, tags)
            for each, tags in zip(sentences, known, strict=True)
        ]
        return [
            None if each is None else Parse(each.answer, each.score, each.log_prob)
            for each in self.best(asked, decoder, threads)
        ]

    def examples(self, given: Iterable[Any]) -> list[Example]:
        """Return examples; of a tree, ours, a file's or NLTK's, that of its leaves."""
        return list(map(tree_example, given))

    def says_answer(self, example: Example) -> bool:
        """Whether an example has a tree, or some of its constituents."""
        return example.parse is not None

    def agrees(self, example: Example, answer: Tree) -> bool | None:
        """Whether a tree is the example's; None where that is not a whole tree."""
        return answer == example.parse if isinstance(example.parse, Tree) else None

    def covers(self, example: Example) -> bool:
        """Whether the model has all that an example's tree is made of."""
        able: bool = self.model.covers(example)
        return able

    def too_large(self, corpus: Sequence[Example], threads: int | None = None) -> TooLarge | None:  # noqa: ARG002
        """Return the examples whose trees cannot be kept in memory; None where all can."""
        return None

    @abstractmethod
    def marginals(
        self, inputs: Sequence[Any], threads: int | None = None
    ) -> list[dict[Span, float]]:
        """Return, for each sentence, how often labels are expected over spans of its words.

        Labels are those of treebanks. Where a label stands over a span twice, one below the other,
        it counts twice; otherwise this is a probability. Labels of probability 0 are left out, and
        a sentence without a tree has none.
        """


def no_tree(example: Example, place: int, position: int) -> str:
    """Say that an example has no tree, and at which token that is certain.

    Args:
        example: The example.
        place: Its number, from 0.
        position: The token that no tree gets past, at the latest.
    """
    tokens = example.tokens
    name = tokens.source or f"example {place + 1}"
    if not len(tokens):
        return f"{name}: there is no word, and the grammar does not allow that"
    return (
        f"{name}: the grammar has no tree for this sentence, at the latest from token "
        f"{position + 1}, '{tokens.words[position]}', on; add rules, or leave the sentence out"
    )
