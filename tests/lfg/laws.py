"""What is true of every solver of lexical-functional grammars, on any grammar.

A solver is a function of a grammar and a sentence that returns the list of analyses.
"""

from collections import Counter
from dataclasses import fields, is_dataclass, replace

from lfg.small import SAME
from lfg.strategies import texts
from weft.lfg.analysis import Analysis
from weft.lfg.language import (
    UP,
    At,
    Attribute,
    Category,
    CheckExists,
    Either,
    Entry,
    Equal,
    Mark,
    Not,
    Symbol,
)


def rewrite(thing, change):
    """A grammar's part with every description changed."""
    if isinstance(thing, Entry) or (is_dataclass(thing) and hasattr(thing, "notes")):
        return replace(thing, notes=_rewrite_description(thing.notes, change))
    if isinstance(thing, tuple):
        return tuple(rewrite(each, change) for each in thing)
    if is_dataclass(thing):
        return replace(
            thing, **{f.name: rewrite(getattr(thing, f.name), change) for f in fields(thing)}
        )
    return thing


def _rewrite_description(description, change):
    inner = []
    for each in description:
        if isinstance(each, Either):
            options = tuple(_rewrite_description(option, change) for option in each.options)
            each = replace(each, options=options)
        inner.append(each)
    return change(tuple(inner))


def rewrite_grammar(grammar, change):
    return replace(
        grammar,
        rules={name: rewrite(side, change) for name, side in grammar.rules.items()},
        entries={word: rewrite(entries, change) for word, entries in grammar.entries.items()},
    )


def with_top(grammar, *notes):
    """A grammar with one more node at the top, which says this of the whole."""
    rules = {**grammar.rules, "TOP": Category("S", (SAME, *notes))}
    return replace(grammar, root="TOP", rules=rules)


def count_all(solve, grammar):
    return {text: Counter(solve(grammar, text)) for text in texts()}


def law_of_order(solve, grammar):
    """The order of statements and of options does not matter."""
    backwards = rewrite_grammar(grammar, lambda description: description[::-1])
    assert count_all(solve, backwards) == count_all(solve, grammar)


def law_of_repetition(solve, grammar):
    """A statement said twice is said once; a choice given twice may be made twice."""
    twice = rewrite_grammar(
        grammar, lambda said: said + tuple(e for e in said if not isinstance(e, Either))
    )
    assert count_all(solve, twice) == count_all(solve, grammar)


def law_of_tests(solve, grammar, test):
    """A test takes the analyses for which it holds, its negation all others."""
    for text in texts():
        everything = Counter(solve(with_top(grammar), text))
        holds = Counter(solve(with_top(grammar, test), text))
        fails = Counter(solve(with_top(grammar, Not((test,))), text))
        assert holds + fails == everything


def law_of_known_equations(solve, grammar):
    """An equation that holds in all analyses changes nothing."""
    for text in texts():
        everything = solve(with_top(grammar), text)
        for name, atom in common_atoms(everything):
            said = Equal(At(UP, Attribute(name)), Symbol(atom))
            assert Counter(solve(with_top(grammar, said), text)) == Counter(everything)


def law_of_existence(solve, grammar, name):
    """What is tested to exist is in every analysis; what is tested not to exist, in none."""
    at = At(UP, Attribute(name))
    for text in texts():
        for analysis in solve(with_top(grammar, CheckExists(at)), text):
            assert name in attributes(analysis)
        for analysis in solve(with_top(grammar, CheckExists(at, positive=False)), text):
            assert name not in attributes(analysis)


def law_of_marks(solve, grammar):
    """Without marks there are as many analyses."""
    bare = rewrite_grammar(
        grammar, lambda description: tuple(e for e in description if not isinstance(e, Mark))
    )
    # An option that was only a mark is none, and may be like another one.
    if not any(isinstance(each, Mark) for each in _options(grammar)):
        for text in texts():
            without = Counter(replace(each, marks=()) for each in solve(grammar, text))
            assert Counter(solve(bare, text)) == without


def _options(thing):
    if isinstance(thing, Either):
        for option in thing.options:
            yield from option
    if isinstance(thing, (tuple, list)):
        for each in thing:
            yield from _options(each)
    elif isinstance(thing, dict):
        yield from _options(list(thing.values()))
    elif is_dataclass(thing):
        for f in fields(thing):
            yield from _options(getattr(thing, f.name))


def common_atoms(analyses: list[Analysis]) -> list[tuple[str, str]]:
    """Attributes of the whole that have the same plain atom in all analyses."""
    found = [_atoms(analysis) for analysis in analyses]
    return sorted(set.intersection(*found)) if found else []


def _atoms(analysis):
    whole = analysis.values[0]
    pairs = ((name, analysis.values[number].atom) for name, number in whole.features)
    return {(name, atom) for name, atom in pairs if atom in ("x", "y")}


def attributes(analysis: Analysis) -> set[str]:
    """The attributes of the whole; of a set, also those of its elements."""
    found, agenda = set(), [0]
    while agenda:
        value = analysis.values[agenda.pop()]
        found |= {name for name, _ in value.features}
        agenda += value.elements or ()
    return found
