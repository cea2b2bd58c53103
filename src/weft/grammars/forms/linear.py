"""Right-linear grammars: hidden Markov models and automata written as grammars, and back.

A *Mealy* machine moves from a state to another and says a word on the way; it is a weighted
acceptor (:class:`weft.automata.Transducer`). As a grammar,

    φ → x π   with the weight of the arc,      φ → ε   with the weight of stopping at φ.

In a *Moore* machine the word depends on the state that is reached alone. With a second symbol π̄ for
each state,

    φ → π̄   with the weight of going from φ to π,      π̄ → x π   with that of saying x at π.

With probabilities for weights these are hidden Markov models, and the grammar is probabilistic; the
trees are the paths.

Reference: Smith and Johnson (2007), section 4, where the Mealy rule should have the source state at
its left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft.arrays import FloatArray
from weft.automata.transducer import EPSILON, Arc, Transducer
from weft.errors import OptionError
from weft.structures.grammar import Grammar, Rule, Terminal, grammar, shown


@dataclass(frozen=True, slots=True, eq=False)
class Moore:
    """A chain whose states say words, as log-weights; −inf for what is impossible.

    Attributes:
        states: The names of the states.
        words: The words.
        begin: The weight of each state to be the first. [states]
        go: The weight of going from the state of the row to that of the column. [states, states]
        end: The weight of stopping after each state. [states]
        say: The weight of each word at each state. [states, words]
        empty: The weight of the empty string.
    """

    states: tuple[str, ...]
    words: tuple[str, ...]
    begin: FloatArray
    go: FloatArray
    end: FloatArray
    say: FloatArray
    empty: float = -np.inf

    def __post_init__(self) -> None:
        count = len(self.states)
        wanted = (("begin", (count,)), ("go", (count, count)), ("end", (count,)))
        for name, shape in (*wanted, ("say", (count, len(self.words)))):
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} must be {shape}, not {getattr(self, name).shape}")


def from_moore(machine: Moore, start: str = "^", mark: str = "~") -> Grammar:
    """Write a chain whose states say words as a right-linear grammar.

    >>> half = np.log(0.5)
    >>> coin = Moore(("X",), ("h", "t"), np.zeros(1), np.full((1, 1), half), np.full(1, half),
    ...     np.full((1, 2), half))
    >>> [shown(rule) for rule in from_moore(coin).rules()]
    ['^ -> X~', "X~ -> 'h' X", "X~ -> 't' X", 'X -> X~', 'X ->']

    Args:
        machine: The chain.
        start: The name of the start symbol.
        mark: What is appended to a state's name for the symbol π̄.

    Returns:
        The grammar, without rules of weight 0.

    Raises:
        OptionError: If names collide.
    """
    names = [start, *machine.states, *(state + mark for state in machine.states)]
    if len(set(names)) != len(names):
        raise OptionError(f"the names {start!r} and *{mark} collide with states; choose others")
    rules = [
        Rule(start, (f"{state}{mark}",), float(weight))
        for state, weight in zip(machine.states, machine.begin, strict=True)
    ]
    rules.append(Rule(start, (), machine.empty))
    for number, state in enumerate(machine.states):
        rules += [
            Rule(f"{state}{mark}", (Terminal(word), state), float(weight))
            for word, weight in zip(machine.words, machine.say[number], strict=True)
        ]
        rules += [
            Rule(state, (f"{other}{mark}",), float(weight))
            for other, weight in zip(machine.states, machine.go[number], strict=True)
        ]
        rules.append(Rule(state, (), float(machine.end[number])))
    return grammar((rule for rule in rules if rule.weight > -np.inf), start)


def to_moore(rules: Grammar, mark: str = "~") -> Moore:
    """Return the chain of a grammar that :func:`from_moore` could have written.

    >>> half = np.log(0.5)
    >>> coin = Moore(("X",), ("h", "t"), np.zeros(1), np.full((1, 1), half), np.full(1, half),
    ...     np.full((1, 2), half))
    >>> to_moore(from_moore(coin)).say
    array([[-0.69314718, -0.69314718]])

    Args:
        rules: The grammar; states are those that some π̄ → x π leads to.
        mark: What names of symbols π̄ end in.

    Raises:
        OptionError: At a rule that is of neither kind.
    """
    start = rules.nonterminals[rules.start]
    states = tuple(name for name in rules.nonterminals if name != start and not name.endswith(mark))
    numbers = {name: number for number, name in enumerate(states)}
    words = {word: number for number, word in enumerate(rules.terminals)}
    count = len(states)
    begin, end = np.full(count, -np.inf), np.full(count, -np.inf)
    go, say = np.full((count, count), -np.inf), np.full((count, len(words)), -np.inf)
    empty = -np.inf
    for rule in rules.rules():
        head = rule.head
        match rule.body:
            case () if head == start:
                empty = rule.weight
            case () if head in numbers:
                end[numbers[head]] = rule.weight
            case (str(name),) if name.removesuffix(mark) in numbers and name.endswith(mark):
                to = numbers[name.removesuffix(mark)]
                if head == start:
                    begin[to] = rule.weight
                elif head in numbers:
                    go[numbers[head], to] = rule.weight
                else:
                    raise _not_linear(rule, "a Moore machine")
            case (Terminal(word), str(name)) if head == f"{name}{mark}":
                say[numbers[name], words[word]] = rule.weight
            case _:
                raise _not_linear(rule, "a Moore machine")
    return Moore(states, rules.terminals, begin, go, end, say, empty)


def from_acceptor(machine: Transducer, names: Sequence[str] | None = None) -> Grammar:
    """Write an acceptor, or a Mealy machine, as a right-linear grammar.

    >>> from weft.automata import transducer
    >>> [shown(rule) for rule in from_acceptor(transducer([(0, "a", "a", 1)], [1])).rules()]
    ["q0 -> 'a' q1", 'q1 ->']

    Args:
        machine: The machine; arcs without a word become unary rules.
        names: The names of its states, q0, q1, … by default.

    Raises:
        ValueError: If it is not an acceptor, or the names are not as many as the states.
    """
    if not machine.acceptor:
        raise ValueError("a grammar is made of an acceptor, not a transducer; project it first")
    states = [f"q{n}" for n in range(machine.state_count)] if names is None else list(names)
    if len(set(states)) != machine.state_count:
        raise ValueError(f"{machine.state_count} states need as many different names")
    weights: dict[tuple[int, str, int], float] = {}
    for arc in machine.arcs:
        key = arc.source, arc.input, arc.target
        weights[key] = float(np.logaddexp(weights.get(key, -np.inf), arc.weight))
    rules = [
        Rule(states[source], (*([Terminal(word)] if word else []), states[target]), weight)
        for (source, word, target), weight in weights.items()
    ]
    ends = enumerate(machine.finals)
    rules += [Rule(states[state], (), weight) for state, weight in ends if weight > -np.inf]
    return grammar(rules, states[0])


def to_acceptor(rules: Grammar) -> Transducer:
    """Return the acceptor of a right-linear grammar; its paths are the grammar's trees.

    State n is the n-th nonterminal, the start symbol coming first; X → x ends in a further state.

    >>> from weft.grammars.forms.notation import parse_grammar
    >>> machine = to_acceptor(parse_grammar("S -> 'a' S [0.5] | 'b'"))
    >>> [(arc.source, arc.input, arc.target) for arc in machine.arcs], machine.finals
    ([(0, 'a', 0), (0, 'b', 1)], (-inf, 0.0))

    Raises:
        OptionError: At a rule that is not right-linear.
    """
    order = [rules.start, *(n for n in range(len(rules.nonterminals)) if n != rules.start)]
    states = {rules.nonterminals[number]: place for place, number in enumerate(order)}
    last = len(states)
    finals = [-np.inf] * last + [0.0]
    arcs: list[Arc] = []
    for rule in rules.rules():
        source = states[rule.head]
        match rule.body:
            case ():
                finals[source] = rule.weight
            case (Terminal(word),):
                arcs.append(Arc(source, word, word, last, rule.weight))
            case (str(name),):
                arcs.append(Arc(source, EPSILON, EPSILON, states[name], rule.weight))
            case (Terminal(word), str(name)):
                arcs.append(Arc(source, word, word, states[name], rule.weight))
            case _:
                raise _not_linear(rule, "an automaton")
    used = any(arc.target == last for arc in arcs)
    return Transducer(tuple(arcs), tuple(finals if used else finals[:-1]))


def _not_linear(rule: Rule, kind: str) -> OptionError:
    return OptionError(
        f"{shown(rule)} is no rule of {kind}, which have at most a word and then a symbol"
    )
