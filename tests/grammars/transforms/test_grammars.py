"""Transforms of grammars: sums of every string, and weights of every tree, stay as they were."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_grammars import small_grammars
from strategies import quick
from trees import TREES
from weft.corpora import read_tree_part
from weft.corpora.trees.cleaning import USUAL
from weft.errors import DivergenceError, LimitError
from weft.grammars.induce import grammar_of, rule_numbers
from weft.grammars.transforms import (
    add_root,
    binarise_left,
    empty_weights,
    epsilons,
    factor_rules,
    merge,
    normal_form,
    unary_closure,
    unbinarise,
    without_epsilons,
    without_unaries,
    without_words,
)
from weft.structures.grammar import Grammar, Rule, Terminal, grammar, reweight
from weft.structures.tree import Tree

ROUNDS = 400


def string_sums(rules: Grammar, words: tuple[str, ...]) -> float:
    """The sum of the weights of all trees of a string, by repeating its equations."""
    size = len(words) + 1
    values = np.zeros((len(rules.nonterminals), size, size))
    steps = {
        ~number: np.diag([float(word == text) for word in words], 1)
        for number, text in enumerate(rules.terminals)
    }
    for _ in range(ROUNDS):
        new = np.zeros_like(values)
        for number in range(rules.rule_count):
            product = np.eye(size)
            for symbol in rules.body(number).tolist():
                product = product @ (values[symbol] if symbol >= 0 else steps[symbol])
            new[rules.heads[number]] += np.exp(rules.weights[number]) * product
        if np.array_equal(new, values):
            break
        values = new
    return float(values[rules.start, 0, -1])


def strings(rules: Grammar, most: int = 3) -> list[tuple[str, ...]]:
    letters = rules.terminals or ("a",)
    return [x for n in range(most + 1) for x in itertools.product(letters, repeat=n)]


SAME_SUMS = {
    "factored": factor_rules,
    "factored, terminals kept": lambda rules: factor_rules(rules, terminals=False),
    "without ε": without_epsilons,
    "without unaries": without_unaries,
    "normal form": normal_form,
}


@st.composite
def dense_grammars(draw: st.DrawFn) -> Grammar:
    """Many rules of few symbols, so that most strings have many trees."""
    symbols = st.sampled_from(["S", "A", Terminal("a"), Terminal("b")])
    bodies = st.lists(symbols, max_size=3).map(tuple)
    keys = st.tuples(st.sampled_from(["S", "A"]), bodies)
    rules = draw(st.lists(keys, min_size=5, max_size=9, unique=True))
    weights = st.integers(-200, -120).map(lambda k: k / 64)
    return grammar([Rule(head, body, draw(weights)) for head, body in rules], "S")


@pytest.mark.parametrize("name", SAME_SUMS)
@quick
@given(rules=small_grammars(heaviest=-64) | dense_grammars() | dense_grammars())
def test_every_string_keeps_its_sum(name: str, rules: Grammar) -> None:
    after = SAME_SUMS[name](rules)
    for words in strings(rules):
        before = string_sums(rules, words)
        assert string_sums(after, words) == pytest.approx(before, rel=1e-9, abs=1e-300), words


@quick
@given(rules=small_grammars(heaviest=-64))
def test_forms(rules: Grammar) -> None:
    for rule in factor_rules(rules).rules():
        kinds = [isinstance(symbol, Terminal) for symbol in rule.body]
        assert len(kinds) <= 2
        assert kinds == [True] or not any(kinds)
    epsilon_free = without_epsilons(rules)
    start = epsilon_free.nonterminals[epsilon_free.start]
    for rule in epsilon_free.rules():
        assert rule.body or (rule.head == start and start not in rules.nonterminals)
        assert start not in rule.body or start in rules.nonterminals
    assert not any(
        len(rule.body) == 1 and isinstance(rule.body[0], str)
        for rule in without_unaries(rules).rules()
    )
    normal = normal_form(rules)
    start = normal.nonterminals[normal.start]
    for rule in normal.rules():
        kinds = [isinstance(symbol, Terminal) for symbol in rule.body]
        assert kinds in ([True], [False, False]) or (not kinds and rule.head == start)


@quick
@given(trees=st.lists(TREES, min_size=1, max_size=4))
def test_trees_of_factored_grammars_are_binarised_trees(trees: list[Tree]) -> None:
    trees = [add_root(each, "the root") for each in trees]
    plain, _ = grammar_of(trees, pseudocount=0.5)
    short = factor_rules(plain, terminals=False)
    for each in trees:
        binary = binarise_left(each, parent=False)
        expected = plain.weights[rule_numbers(plain, each)].sum()
        assert short.weights[rule_numbers(short, binary)].sum() == pytest.approx(expected)
        wrapped = _wrapped(binary)
        cnf_like = factor_rules(plain)
        assert cnf_like.weights[rule_numbers(cnf_like, wrapped)].sum() == pytest.approx(expected)
        assert unbinarise(wrapped) == each


def _wrapped(tree: Tree) -> Tree:
    """A tree with a new node over each word that is not alone, by recursion."""
    children = tuple(
        _wrapped(child)
        if isinstance(child, Tree)
        else Tree(f"@'{_escaped(child)}", (child,))
        if len(tree.children) > 1
        else child
        for child in tree.children
    )
    return Tree(tree.label, children)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("~", "\\~")


def test_an_infinitely_ambiguous_grammar_worked_by_hand() -> None:
    half = math.log(0.5)
    rules = grammar(
        [
            Rule("S", ("S", "S"), math.log(0.1)),
            Rule("S", ("A",), half),
            Rule("A", ("S",), math.log(0.25)),
            Rule("A", (Terminal("a"),), 0.0),
            Rule("S", (), math.log(0.2)),
        ]
    )
    # e = 0.1 e² + 0.5 · 0.25 e + 0.2, the smaller root.
    empty = ((1 - 0.125) - math.sqrt((1 - 0.125) ** 2 - 4 * 0.1 * 0.2)) / 0.2
    found = empty_weights(rules)
    assert math.exp(found["S"]) == pytest.approx(empty, rel=1e-12)
    assert math.exp(found["A"]) == pytest.approx(empty / 4, rel=1e-12)
    # s = 2 · 0.1 e s + 0.5 (1 + 0.25 s), the sum of the string a.
    alone = 0.5 / (1 - 0.125 - 0.2 * empty)
    normal = normal_form(rules)
    by_rule = {(rule.head, rule.body): math.exp(rule.weight) for rule in normal.rules()}
    assert by_rule["S'", (Terminal("a"),)] == pytest.approx(alone, rel=1e-12)
    assert by_rule["S'", ()] == pytest.approx(empty, rel=1e-12)


def test_rules_that_become_the_same_add_up() -> None:
    rules = grammar(
        [
            Rule("S", (Terminal("a"),), -1.0),
            Rule("S", ("A",), -2.0),
            Rule("A", (Terminal("a"),), -3.0),
            Rule("S", ("A", "E", "E"), -4.0),
            Rule("E", (), -1.0),
            Rule("E", (Terminal("e"),)),
        ]
    )
    [alone] = [r.weight for r in without_unaries(rules).rules() if r.body == (Terminal("a"),)][:1]
    assert alone == pytest.approx(math.log(math.exp(-1) + math.exp(-5)))
    kept = {(r.head, r.body): r.weight for r in without_epsilons(rules).rules()}
    assert kept["S", ("A", "E")] == pytest.approx(math.log(2 * math.exp(-5)))
    assert kept["S", ("A",)] == pytest.approx(math.log(math.exp(-2) + math.exp(-6)))


def test_closures() -> None:
    weights = {("A", "B"): 0.5, ("B", "C"): 0.25, ("C", "A"): 0.5, ("B", "B"): 0.125}
    rules = grammar([Rule(x, (y,), math.log(w)) for (x, y), w in weights.items()])
    matrix = np.zeros((4, 4))
    names = ["A", "B", "C", "D"]
    for (x, y), weight in weights.items():
        matrix[names.index(x), names.index(y)] = weight
    inverse = np.linalg.inv(np.eye(4) - matrix)
    found = unary_closure(grammar([*rules.rules(), Rule("C", ("D",), 1.0)]))
    inverse = np.linalg.inv(np.eye(4) - matrix - math.e * np.outer(np.eye(4)[2], np.eye(4)[3]))
    for x, y in itertools.product(names, names):
        value = math.exp(found[x].get(y, -math.inf))
        assert value == pytest.approx(inverse[names.index(x), names.index(y)], rel=1e-12)


@pytest.mark.parametrize("transform", [without_unaries, normal_form])
def test_cycles_that_gain_weight(transform: object) -> None:
    rules = grammar([Rule("S", ("A",)), Rule("A", ("S",)), Rule("A", (Terminal("a"),))])
    with pytest.raises(DivergenceError, match=r"chains of unary rules from S to S sum to infinity"):
        transform(rules)  # type: ignore[operator]
    damped = reweight(rules, np.array([0.0, -1e-9, 0.0]))
    after = transform(damped)  # type: ignore[operator]
    assert max(rule.weight for rule in after.rules()) == pytest.approx(math.log(1e9), rel=1e-6)


def test_empty_strings_that_gain_weight() -> None:
    rules = grammar([Rule("S", ("S", "S")), Rule("S", ()), Rule("S", (Terminal("a"),))])
    with pytest.raises(DivergenceError, match="from S to the empty string sum to infinity"):
        without_epsilons(rules)


def test_weights_beyond_the_range_of_numbers() -> None:
    rules = grammar(
        [
            Rule("S", ("A",), -1e6),
            Rule("S", ("A", "B", "B"), 1e6),
            Rule("A", ("S",), -2e6),
            Rule("A", (Terminal("a"),), 1e6),
            Rule("B", (), -1e6),
            Rule("B", (Terminal("b"),), 2e6),
        ]
    )
    normal = {(rule.head, rule.body): rule.weight for rule in normal_form(rules).rules()}
    assert normal["S", (Terminal("a"),)] == pytest.approx(np.logaddexp(0.0, 0.0))
    assert normal["S", ("@A~B", "B")] == pytest.approx(1e6)


def test_rules_without_weight_go_and_labels_are_protected() -> None:
    rules = grammar([Rule("@S", ("@S~x",)), Rule("@S~x", ()), Rule("X", (), -math.inf)])
    after = factor_rules(rules)
    assert [rule.head for rule in after.rules()] == ["\\@S", "\\@S~x"]
    primed = without_epsilons(grammar([*rules.rules(), Rule("@S'", ())]))
    assert [(rule.head, rule.body) for rule in primed.rules()] == [
        ("@S''", ("@S",)),
        ("@S''", ()),
        ("@S", ("@S~x",)),
    ]
    none = without_unaries(grammar([Rule("S", ("A",))]))
    assert (none.rule_count, none.nonterminals[none.start]) == (0, "S")


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    alike = grammar([Rule("S", ("A",) * 30), Rule("A", ()), Rule("A", (Terminal("a"),))])
    assert without_epsilons(alike).rule_count == 30 + 2 + 1
    names = [f"A{number}" for number in range(12)]
    different = grammar([Rule("S", tuple(names)), *(Rule(name, ()) for name in names)])
    monkeypatch.setattr(epsilons, "MOST_RULES", 1_000)
    with pytest.raises(LimitError, match="with 12 symbols would become over 1,000; apply factored"):
        without_epsilons(different)
    assert without_epsilons(factor_rules(different)).rule_count == 11 * 3 + 2
    monkeypatch.setattr(merge, "MOST_RULES", 10)
    with pytest.raises(LimitError, match="would have over 10 rules"):
        factor_rules(different)


def test_the_wsj_sample(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_DATA", str(data_folder))
    steps = (*USUAL, without_words)
    trees = [each.parse for each in read_tree_part("wsj-sample", "dev", clean=steps)]
    plain, _ = grammar_of([each for each in trees if isinstance(each, Tree)])
    short = factor_rules(plain, terminals=False)
    induced, _ = grammar_of(
        [binarise_left(each, parent=False) for each in trees if isinstance(each, Tree)]
    )
    assert {(r.head, r.body) for r in short.rules()} == {(r.head, r.body) for r in induced.rules()}
    normal = normal_form(plain)
    assert {len(normal.body(number)) for number in range(normal.rule_count)} == {1, 2}
