"""Limits hold wherever the work on a sentence goes: the kernel, the plain solver, and listing."""

from itertools import count

import pytest

from lfg.kernels import make_kernels
from lfg.small import SAME, entry, grammar, head, is_, words
from weft.commands.lfg.checks import explain_lfg_sentence
from weft.commands.lfg.sentences import ask
from weft.errors import LimitError
from weft.lfg import branches
from weft.lfg.analyses import ListedAnalyses
from weft.lfg.forest import LfgForest
from weft.lfg.language import (
    UP,
    AnyAttribute,
    At,
    Attribute,
    Category,
    Choice,
    Either,
    Equal,
    Repeat,
    Steps,
    Symbol,
)
from weft.lfg.parser import LfgParser
from weft.lfg.solve import solve_block
from weft.unification import ParseLimits, limits
from weft.unification.limits import TOO_LONG, Allowance, Spent

EITHER = [Either(((is_(f"A{n}", "x"),), (is_(f"A{n}", "y"),))) for n in range(40)]

CHOICES = f"""TOY E CONFIG (1.0)
  ROOTCAT S.  RULES (TOY E).  LEXENTRIES (TOY E).
----
TOY E RULES (1.0)
  S --> {{ P | X }}.
  P --> {{ S | X }}.
----
TOY E LEXICON (1.0)
a X * {" ".join(f"{{ (^ A{n})=x | (^ A{n})=y }}" for n in range(40))}.
----"""


@pytest.fixture
def _ticking(monkeypatch):
    """Every look at the clock takes a second."""
    ticks = count()
    monkeypatch.setattr(limits, "clock", lambda: next(ticks))


@pytest.fixture
def choices(monkeypatch):
    """A word with 2^40 branches, which the kernel leaves to the plain solver."""
    monkeypatch.setattr(branches, "MOST_BRANCHES", 10)
    return LfgParser(grammar({"S": head("X")}, [entry("a", "X", *EITHER), entry("b", "X")]))


def test_edges_bound_the_plain_solver(choices):
    with pytest.raises(LimitError, match="takes more than 1,000 edges"):
        choices.parse("a", limits=ParseLimits(edges=1000))
    assert choices.parse("b", limits=ParseLimits(edges=10)).count == 1


FEW_EDGES = 30_000
"""Steps that are over in seconds where nothing else ends the work."""


def cyclic(*notes, above=()):
    """A unary cycle, which the plain solver is for, over a word with choices."""
    high = Category("P", (SAME, *above))
    rules = {"S": Choice((high, head("X"))), "P": Choice((head("S"), head("X")))}
    return LfgParser(grammar(rules, [entry("a", "X", *notes)]))


@pytest.mark.parametrize(
    "make",
    [
        lambda: cyclic(*EITHER),
        lambda: cyclic(*EITHER[:8]),
        lambda: cyclic(*EITHER[10:13], above=EITHER[:8]),
    ],
    ids=["branches", "analyses", "parts"],
)
def test_megabytes_bound_the_plain_solver(make):
    parser, few = make(), ParseLimits(megabytes=3, edges=FEW_EDGES)
    with pytest.raises(LimitError, match="takes more than 3 megabytes"):
        parser.parse("a", limits=few)


def test_reasons_are_named_until_memory_is_used_up():
    few = ParseLimits(megabytes=3)
    assert cyclic(*EITHER[:9]).explain("a", limits=few).truncated
    assert not cyclic(*EITHER[:6]).explain("a", limits=few).truncated


@pytest.mark.usefixtures("_ticking")
def test_seconds_bound_the_plain_solver(choices):
    with pytest.raises(LimitError, match="takes longer than 300 seconds"):
        choices.parse("a", limits=ParseLimits(seconds=300))


def test_reasons_are_named_until_a_limit(choices):
    found = choices.explain("a", limits=ParseLimits(edges=1000))
    assert (found.truncated, found.whole) == (True, True)
    assert not choices.explain("b", limits=ParseLimits(edges=1000)).truncated


def test_listed_analyses_until_a_limit_are_taken():
    parser = cyclic(*EITHER[:2])
    assert isinstance(parser.parse("a"), ListedAnalyses)
    assert len(parser.parse("a")) == 8
    for edges in range(1, 60):
        with pytest.raises(LimitError, match="edges"):
            parser.parse("a", limits=ParseLimits(edges=edges))
        try:
            found = parser.parse("a", limits=ParseLimits(edges=edges, truncate=True))
        except LimitError:
            continue
        break
    assert found.truncated
    assert 0 < len(found) < 8


def late_grammar(attributes):
    """A sentence each of whose words chooses among all attributes at the end."""
    said = Equal(At(UP, Steps((AnyAttribute(), Attribute("F")))), Symbol("x"))
    values = [is_(f"A{number} G", "x") for number in range(attributes)]
    rules = {"S": Repeat(Category("X", (SAME,)), 1)}
    return LfgParser(grammar(rules, [entry("a", "X", said), entry("b", "X", *values)]))


def test_ways_to_end():
    parser = late_grammar(4)
    found = parser.parse("a a b")
    assert isinstance(found, LfgForest)
    assert found.count == 16


@pytest.mark.usefixtures("_ticking")
def test_seconds_bound_what_is_decided_late():
    parser = late_grammar(5)
    with pytest.raises(LimitError, match="takes longer than 2000 seconds"):
        parser.parse("a a a a a a b", limits=ParseLimits(seconds=2000))


@pytest.mark.usefixtures("_ticking")
def test_seconds_bound_what_is_shown():
    found = late_grammar(4).parse("a a b")
    with pytest.raises(Spent), Allowance(seconds=50):
        list(found)
    assert len(list(found)) == 16


def test_no_time_ends_the_kernel_wherever_it_is():
    clashing = [Either(((is_("F", f"{n}"),), (is_("F", f"{n + 1}"),))) for n in range(0, 20, 2)]
    lfg = grammar({"S": Repeat(head("X"), 1)}, [entry("a", "X", *clashing)])
    kernels = make_kernels(lfg)
    lattice = words(lfg, "a")
    [found] = solve_block(kernels.find(lattice), [lattice], ParseLimits(seconds=0.0))
    assert found.status == TOO_LONG
    assert found.work.attempts < 1024
    [found] = solve_block(kernels.find(lattice), [lattice], ParseLimits())
    assert (found.status, found.work.attempts) == (0, 1024)


@pytest.mark.parametrize("threads", [1, 2])
def test_one_sentence_of_several_is_given_up(choices, threads):
    found = choices.parse_all(["b", "a"], ParseLimits(edges=1000), threads=threads)
    assert next(found).count == 1
    with pytest.raises(LimitError, match="sentence 2, 'a' takes more than 1,000 edges"):
        next(found)


def test_more_analyses_than_a_machine_word_counts():
    lfg = grammar({"S": Repeat(Category("X"), 1)}, [entry("a", "X", EITHER[0])])
    text = " ".join("a" * 80)
    answer = ask(LfgParser(lfg), text, "file:1", 1, ParseLimits())
    assert (answer.count, answer.numbers, answer.problem) == (2**80, str(2**80), "")
    assert answer.as_json([], None)["others"] == 0


@pytest.mark.parametrize("seconds", [1, 300, 2000])
def test_all_of_an_explanation_is_within_its_time(tmp_path, monkeypatch, seconds):
    """Analyses are looked for, then what ended the attempts, by one clock."""
    ticks = count()
    monkeypatch.setattr(limits, "clock", lambda: next(ticks))
    path = tmp_path / "choices.lfg"
    path.write_text(CHOICES)
    found = explain_lfg_sentence(path, "a", limits=ParseLimits(seconds=seconds))
    assert found.truncated
    assert next(ticks) < 1.1 * seconds + 50
