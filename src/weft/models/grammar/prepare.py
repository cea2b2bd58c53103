"""From what a grammar model looks at, and a corpus, to the model: its rules and features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import FloatArray, IndexArray
from weft.errors import OptionError
from weft.grammars.heads import HeadFinder
from weft.grammars.induce import grammar_of, relative_frequencies, rule_counts
from weft.models.grammar.model import GrammarModel, Shaping
from weft.models.grammar.names import head_of
from weft.models.grammar.phrases import phrase_tables
from weft.models.lexicon import Lexicon, lexicon_of
from weft.models.options import PhraseFeature, RulesOf, Shape
from weft.structures.grammar import Grammar, Rule, Symbol, Terminal, grammar
from weft.structures.stream import Corpus, through
from weft.structures.tree import Tree

if TYPE_CHECKING:
    from weft.models.grammar.spec import Cfg

START = "S"
"""The start symbol of grammars whose symbols have no names."""

UNKNOWN = 0.1
"""How often, beside the times that it was seen, a tag is said to have a class of unknown words."""

MOST_SYMBOLS = 200
"""More nonterminals, each with all rules, would have too many rules."""


def prepare_grammar(cfg: Cfg, corpus: Corpus, texts: Corpus = ()) -> GrammarModel:
    """Return the model of a corpus: the rules of its trees, or those that are given.

    >>> from weft.models.grammar.spec import Cfg
    >>> from weft.structures.evidence import Example, sentence
    >>> dogs = Example(sentence(["dogs", "bark"]), parse=Tree("S", (Tree("NP", ("dogs",)), "bark")))
    >>> prepare_grammar(Cfg(), [dogs]).grammar.nonterminals
    ('S', 'NP')

    Args:
        cfg: What the model looks at.
        corpus: The examples with what the criterion looks at.
        texts: The same examples with their trees, if these are not to be seen.

    Raises:
        OptionError: If nothing says what the rules are, or options do not go together.
    """
    hidden = not _has_trees(corpus)
    if hidden and cfg.rules is RulesOf.TREES and texts:
        corpus = texts
    if cfg.order is not None and cfg.binarise is Shape.NONE:
        raise OptionError(f"order={cfg.order} is of binary trees: say binarise=right, too")
    sentences = through(corpus, lambda some: [each.tokens.words for each in some])
    lexicon = lexicon_of(sentences, cfg.rare) if cfg.rare else None
    # Words stand in the second column where tags are the leaves.
    over_tags = all(len(each.tokens.columns) > 1 for each in corpus)
    shaping = Shaping(cfg.binarise, cfg.order, cfg.parents, over_tags, cfg.head_rules)
    if cfg.grammar is not None:
        return GrammarModel(cfg.grammar, cfg.normalisation, shaping, lexicon)
    if cfg.symbols:
        words = dict.fromkeys(
            word if lexicon is None else lexicon.terminal(word) for s in sentences for word in s
        )
        rules = every_rule(cfg.symbols, tuple(words))
        return GrammarModel(rules, cfg.normalisation, lexicon=lexicon)
    if not _has_trees(corpus):
        raise OptionError(_no_rules(texts))
    bare = GrammarModel(grammar([Rule(START, ())]), cfg.normalisation, shaping, lexicon)
    parsed = through(corpus, lambda some: [e for e in some if isinstance(e.parse, Tree)])
    shaped = through(parsed, lambda some: [bare.shaped(each.parse) for each in some])
    found, _ = grammar_of(shaped, start=_root(shaped))
    found, unknown = (found, 0) if lexicon is None else _with_unknown(found, lexicon)
    if hidden:  # how often rules are used is not to be seen
        found = relative_frequencies(found, np.ones(found.rule_count))
    read = through(parsed, lambda some: [tuple(bare.terminals(e.tokens.words)) for e in some])
    features = [each for each in cfg.features if each is not PhraseFeature.HEAD]
    heads, first = None, found.rule_count
    if PhraseFeature.HEAD in cfg.features:
        heads = _head_weights(found, shaping.heads)
        first = int(heads.max()) + 1
    tables = phrase_tables(features, shaped, read, found.nonterminals, first)
    return GrammarModel(
        found, cfg.normalisation, shaping, lexicon, tables, unknown, heads, cfg.canonical
    )


def _has_trees(corpus: Corpus) -> bool:
    return any(isinstance(each.parse, Tree) for each in corpus)


def _no_rules(texts: Corpus) -> str:
    others = "give a grammar, or say how many symbols an unlabelled grammar has (symbols=5)"
    if _has_trees(texts):
        return (
            "the criterion looks at sentences alone, and so no rule is read off their trees: say "
            f"rules=trees to take the rules of all trees, without their frequencies; or {others}"
        )
    return f"there is no tree to read rules off: train on a treebank, or {others}"


def _head_weights(found: Grammar, find: HeadFinder) -> IndexArray:
    """The coordinate of each rule's left side with the label of its head, after those of rules."""
    numbers: dict[tuple[str, str], int] = {}
    weights = []
    for rule in found.rules():
        pair = rule.head, head_of(rule, find)
        weights.append(numbers.setdefault(pair, found.rule_count + len(numbers)))
    return np.array(weights, np.int32)


def _root(trees: Iterable[Tree]) -> str:
    roots = dict.fromkeys(tree.label for tree in trees)
    if len(roots) > 1:
        raise OptionError(
            f"the trees have {len(roots)} labels at their roots, {', '.join(sorted(roots)[:3])} "
            "among them: put one root over all of them (the clean-up 'top')"
        )
    return next(iter(roots))


def _with_unknown(found: Grammar, lexicon: Lexicon) -> tuple[Grammar, int]:
    """The grammar with rules of every open tag for every class of words, and how many these are.

    Tags are open if they had a rare word. Rules for classes come last.
    """
    classes = {word for word in found.terminals if word not in lexicon.known}
    rules = found.rules()
    of_class = [
        rule
        for rule in rules
        if len(rule.body) == 1
        and isinstance(rule.body[0], Terminal)
        and rule.body[0].text in classes
    ]
    seen = {(rule.head, rule.body) for rule in of_class}
    tags = dict.fromkeys(rule.head for rule in of_class)
    bodies = [(Terminal(word),) for word in found.terminals if word in classes]
    others = [Rule(tag, body) for tag in tags for body in bodies if (tag, body) not in seen]
    last = [*of_class, *others]
    kept = [rule for rule in rules if (rule.head, rule.body) not in seen]
    return grammar([*kept, *last], found.nonterminals[found.start]), len(last)


def every_rule(symbols: int, words: Sequence[str]) -> Grammar:
    """Return the grammar of all rules X → Y Z and X → word, with equal weights.

    >>> every_rule(2, ["a"]).rule_count
    10

    Args:
        symbols: How many nonterminals there are; the first is the start symbol.
        words: The words.

    Raises:
        OptionError: If there are too many symbols.
    """
    if not 1 <= symbols <= MOST_SYMBOLS:
        raise OptionError(f"a grammar of all rules has 1 to {MOST_SYMBOLS} symbols, not {symbols}")
    names = [START, *(f"X{number}" for number in range(1, symbols))]
    bodies: list[tuple[Symbol, ...]] = [(left, right) for left in names for right in names]
    bodies += [(Terminal(word),) for word in words]
    weight = -float(np.log(len(bodies)))
    return grammar([Rule(name, body, weight) for name in names for body in bodies], START)


def start_weights(
    model: GrammarModel, cfg: Cfg, corpus: Corpus, pseudocount: float = 0.0
) -> FloatArray:
    """Return where estimation starts [θ]: at relative frequencies, or at the weights given.

    Args:
        model: The model.
        cfg: What it was made of.
        corpus: Examples; those with trees are counted.
        pseudocount: What is added to every count.

    Returns:
        The logs of relative frequencies, under which all trees sum to one; zeros for phrases.
    """
    weights = np.zeros(model.parameters.size)
    rules = model.grammar.rule_count
    if cfg.grammar is not None or not _has_trees(corpus):
        weights[:rules] = model.grammar.weights
        return weights
    counts = np.zeros(rules)
    counts[rules - model.unknown :] = UNKNOWN
    for each in corpus:
        if isinstance(each.parse, Tree):
            counts += each.weight * rule_counts(model.index, [model.shaped(each.parse)])
    weights[:rules] = relative_frequencies(model.grammar, counts, pseudocount).weights
    return weights
