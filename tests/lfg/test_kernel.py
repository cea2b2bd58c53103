"""The kernel gives the analyses of the plain solver, with restricted interfaces and without."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from lfg import test_reference
from lfg.kernels import agree, make_kernel, solve_both
from lfg.small import SAME, entry, function, grammar, head, member, pred, steps, up, words
from lfg.strategies import grammars, texts
from lfg.test_grammars import sentences
from weft.errors import LimitError
from weft.lfg.analyses import ListedAnalyses
from weft.lfg.forest import LfgForest
from weft.lfg.language import (
    DOWN,
    UP,
    At,
    Attribute,
    Category,
    CheckExists,
    Choice,
    Contains,
    Either,
    Equal,
    Mark,
    Repeat,
    Repeated,
    Sequence,
    Steps,
)
from weft.lfg.parser import LfgParser, load_lfg
from weft.lfg.reference.solve import Solver
from weft.lfg.tokens import analyse
from weft.unification import ParseLimits

CONSTRUCTS = [name for name in dir(test_reference) if name.startswith("test_")]


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_every_construct(name, monkeypatch):
    monkeypatch.setattr(test_reference, "solve", lambda g, text: agree(make_kernel(g), g, text)[0])
    getattr(test_reference, name)()


@settings(max_examples=25)
@given(grammars())
def test_random_grammars(grammar):
    kernel = make_kernel(grammar)
    for text in texts():
        agree(kernel, grammar, text)


@pytest.mark.parametrize(
    ("grammar", "suite"),
    [
        ("french-lesson-6/basic-french.lfg", "testfile.lfg"),
        ("french-lesson-6/basic-french.lfg", "negative-test.lfg"),
        ("mandarin-2022/restructuring.lfg", "testsuite.lfg"),
        ("brgram/config.lfg", "testfile.lfg"),
    ],
)
def test_grammars_of_others(data_folder, grammar, suite):
    path = data_folder / "grammars" / "xle" / grammar
    if not path.is_file():
        pytest.skip("no grammars/xle in the folder of corpora")
    parser = load_lfg(path)
    kernel = make_kernel(parser.grammar)
    for sentence in sentences(path.parent / suite):
        restricted, whole = solve_both(kernel, analyse(parser.grammar, sentence))
        assert restricted.count == whole.count, sentence
        assert Counter(restricted) == Counter(whole), sentence


# ------------------------------------------------------------------------------------ packing

ATTACHING = grammar(
    {
        "S": Sequence((function("NP", "SUBJ"), head("VP"))),
        "VP": Sequence((head("V"), function("NP", "OBJ"), Repeat(member("PP", "ADJUNCT")))),
        "NP": Choice((head("N"), Sequence((head("NP"), member("PP", "ADJUNCT"))))),
        "PP": Sequence((head("P"), function("NP", "OBJ"))),
    },
    [
        entry("Kim", "N", pred("Kim")),
        entry("sees", "V", pred("see", "SUBJ OBJ")),
        entry("with", "P", pred("with", "OBJ")),
    ],
)


def attach(phrases):
    return "Kim sees Kim" + " with Kim" * phrases


def test_attachments_are_packed():
    kernel = make_kernel(ATTACHING)
    for phrases in range(4):
        agree(kernel, ATTACHING, attach(phrases))
    found = LfgParser(ATTACHING).parse(attach(12))
    # A phrase goes to the verb, to its object, or to one of the nouns in phrases before it.
    catalan = [math.comb(2 * n, n) // (n + 1) for n in range(14)]
    assert found.count == catalan[13]
    # What is attached inside cannot be seen from outside: a vertex for each category and span.
    assert len(set(found.spans)) == len(found.spans)


def test_forests_are_sequences(rng):
    found = LfgParser(ATTACHING).parse(attach(2))
    assert isinstance(found, LfgForest)
    assert (len(found), found.numbers, found.optimal) == (5, "5", 5)
    assert list(found) == list(found[:]) == [found[number] for number in range(5)]
    assert len(set(found)) == 5
    assert found.best() == found[0] == found[-5]
    assert set(found.sample(60, rng)) == set(found)
    weights = np.zeros(found.hypergraph.edge_count)
    assert Counter(found.kbest(9, weights)) == Counter(found)
    assert "PRED" in found.draw()


def test_threads_change_no_bit():
    parser = LfgParser(ATTACHING)
    texts_ = [attach(n) for n in (6, 0, 3, 5, 1)] + ["Kim", "Kim sees nobody"]
    for one, two in zip(parser.parse_all(texts_), parser.parse_all(texts_, threads=4), strict=True):
        assert one.steps == two.steps
        assert np.array_equal(one.hypergraph.tails, two.hypergraph.tails)


@pytest.mark.parametrize(
    ("limits", "what"), [({"edges": 50}, "50 edges"), ({"megabytes": 1e-4}, "0.0001 megabytes")]
)
@pytest.mark.parametrize("truncate", [False, True])
def test_limits_are_named_with_the_sentence(limits, what, truncate):
    parser = LfgParser(ATTACHING)
    with pytest.raises(LimitError, match=f"sentence 1, 'Kim sees .* takes more than {what}"):
        parser.parse(attach(6), limits=ParseLimits(**limits, truncate=truncate))


def test_what_was_found_until_a_limit_is_taken():
    names = [f"X{number}" for number in range(20)]
    lfg = grammar({"S": Choice(tuple(map(head, names)))}, [entry("a", name) for name in names])
    parser = LfgParser(lfg)
    assert parser.parse("a").count == 20
    found = parser.parse("a", limits=ParseLimits(edges=40, truncate=True))
    assert found.truncated
    assert 0 < found.count < 20
    assert len(set(found)) == found.count


# -------------------------------------------------------------------------------------- marks


def test_marks_rank_packed_analyses():
    choice = Either(((Mark("rare"),), (Mark("never"),), ()))
    lfg = grammar(
        {"S": Repeat(Category("X", (SAME,)))},
        [entry("a", "X", choice)],
        optimality=(("never",), ("NOGOOD",), ("rare",)),
    )
    found = LfgParser(lfg).parse("a a a")
    assert (found.count, found.numbers) == (8, "1+7")
    assert [len(each.marks) for each in found] == [0, 1, 1, 1, 2, 2, 2, 3]


# ---------------------------------------------------------------- what is left to the other one


def test_unary_cycles_are_left_to_the_plain_solver():
    lfg = grammar(
        {"S": Choice((head("P"), head("X"))), "P": Choice((head("S"), head("X")))},
        [entry("a", "X")],
    )
    found = LfgParser(lfg).parse("a")
    assert isinstance(found, ListedAnalyses)
    assert list(found) == Solver(lfg).solve(words(lfg, "a"))
    assert len(found) == 2


@pytest.mark.parametrize("depth", [0, 1, 4, 5, 7])
def test_uncertainty_as_deep_as_the_words_are(depth):
    fronted = Equal(At(UP, Steps((Repeated(Attribute("COMP")), Attribute("OBJ")))), DOWN)
    lfg = grammar(
        {
            "S": Sequence((Category("N", (fronted,)), head("VP"))),
            "VP": Sequence((head("V"), Choice((function("VP", "COMP"), Sequence(()))))),
        },
        [
            entry("Kim", "N", pred("Kim")),
            entry("say", "V", pred("say", "COMP")),
            entry("see", "V", pred("see", "OBJ")),
        ],
    )
    found = LfgParser(lfg).parse("Kim " + "say " * depth + "see")
    assert isinstance(found, LfgForest) == (depth <= 5)
    assert len(found) == 1


def test_adjuncts_need_a_pred_also_where_heads_have_forgotten_theirs():
    lfg = grammar(
        {"S": Sequence((head("X"), Choice((member("Y", "ADJUNCT"), Sequence(())))))},
        [entry("a", "X", pred("a")), entry("b", "Y"), entry("c", "Y", pred("c"))],
    )
    kernel = make_kernel(lfg)
    assert [len(agree(kernel, lfg, text)[0]) for text in ("a", "a b", "a c")] == [1, 0, 1]


def test_tests_see_what_comes_later():
    """A test of a word that another word of the sentence decides."""
    wants = CheckExists(up("F"))
    lfg = grammar(
        {"S": Sequence((head("X"), head("Y")))},
        [
            entry("a", "X", wants),
            entry("b", "Y", Equal(up("F"), up("G"))),
            entry("c", "Y"),
            entry("d", "Y", Contains(UP, At(UP, steps("F")))),
        ],
    )
    kernel = make_kernel(lfg)
    assert [len(agree(kernel, lfg, f"a {each}")[0]) for each in "bcd"] == [1, 0, 1]
