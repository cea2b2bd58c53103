"""The kernel gives the analyses of the plain solver, with restricted interfaces and without."""

import math
from collections import Counter
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from unittest.mock import ANY

import numpy as np
import pytest
from hypothesis import given, settings

from lfg import test_reference
from lfg.constructs import ALL, list_constructs
from lfg.kernels import agree, agree_all, make_kernels, solve_both
from lfg.small import SAME, entry, function, grammar, head, member, pred, steps, up, words
from lfg.strategies import grammars, late_grammars, texts
from lfg.test_grammars import sentences
from weft.corpora.bundled import DOMAINS, bundled_lfg, bundled_marked
from weft.errors import LimitError
from weft.lfg.analyses import ListedAnalyses
from weft.lfg.forest import LfgForest
from weft.lfg.language import (
    DOWN,
    UP,
    AnyAttribute,
    At,
    Attribute,
    Category,
    CheckCategory,
    CheckContains,
    CheckEqual,
    CheckExists,
    Choice,
    Contains,
    Either,
    Element,
    Equal,
    Form,
    From,
    Ignore,
    Local,
    Mark,
    Not,
    OneOf,
    Repeat,
    Repeated,
    Sequence,
    Steps,
    Symbol,
    Values,
)
from weft.lfg.parser import LfgParser
from weft.lfg.read import read_lfg
from weft.lfg.reference.solve import Solver
from weft.unification import ParseLimits

CONSTRUCTS = [name for name in dir(test_reference) if name.startswith("test_")]


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_every_construct(name, monkeypatch):
    monkeypatch.setattr(test_reference, "solve", lambda g, text: agree(make_kernels(g), g, text)[0])
    getattr(test_reference, name)()


def test_random_grammars_with_every_construct():
    with_analyses = Counter()

    @settings(max_examples=160)
    @given(grammars())
    def compare(grammar):
        kernels = make_kernels(grammar)
        found = agree_all(kernels, grammar, texts())
        if any(plain and forests for plain, forests in found):
            with_analyses.update(list_constructs(grammar))

    compare()
    # Each was in some grammar that has analyses, and the kernel found them.
    assert set(with_analyses) == ALL


@pytest.mark.parametrize("count", [60, pytest.param(700, marks=pytest.mark.slow)])
def test_random_grammars_with_names_for_what_is_chosen_late(count):
    found = Counter()

    @settings(max_examples=count)
    @given(late_grammars())
    def compare(grammar):
        some = agree_all(make_kernels(grammar), grammar, texts())
        assert all(forests is not None for _, forests in some)
        found.update([any(plain for plain, _ in some)])

    compare()
    assert found[True] > 0.2 * count


@pytest.fixture
def agreement(monkeypatch):
    """How all sentences of a grammar are compared."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    return import_module("benchmarks.lfg_agreement")


@pytest.mark.parametrize(
    ("grammar", "suite"),
    [
        ("french-lesson-6/basic-french.lfg", "testfile.lfg"),
        ("french-lesson-6/basic-french.lfg", "negative-test.lfg"),
        ("mandarin-2022/restructuring.lfg", "testsuite.lfg"),
        pytest.param("brgram/config.lfg", "testfile.lfg", marks=pytest.mark.slow),
    ],
)
def test_grammars_of_others(data_folder, agreement, grammar, suite):
    path = data_folder / "grammars" / "xle" / grammar
    if not path.is_file():
        pytest.skip("no grammars/xle in the folder of corpora")
    texts_ = sentences(path.parent / suite)
    found = agreement.compare(read_lfg(path), texts_, words=8, most=100)
    assert found["sentences"] == len(texts_)
    assert found["differ"] == []
    assert found["compared with the plain solver"] > 0.5 * found["sentences"]


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.slow
def test_our_grammar(agreement, domain):
    """All sentences, packed; some of all lengths by the plain solver, too, which is slow."""
    texts_ = [mark.text for mark in bundled_marked(domain)]
    lfg = read_lfg(bundled_lfg())
    assert agreement.compare(lfg, texts_, words=0, most=0) == {
        "grammar": lfg.name,
        "sentences": len(texts_),
        "differ": [],
        "seconds": ANY,
    }
    some = sorted(texts_, key=len)[::20]
    found = agreement.compare(lfg, some, words=10, most=20)
    assert found["differ"] == []
    assert found["compared with the plain solver"] > 0.2 * len(some)


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
    kernels = make_kernels(ATTACHING)
    for phrases in range(4):
        agree(kernels, ATTACHING, attach(phrases))
    found = LfgParser(ATTACHING).parse(attach(12))
    # A phrase goes to the verb, to its object, or to one of the nouns in phrases before it.
    catalan = [math.comb(2 * n, n) // (n + 1) for n in range(14)]
    assert found.count == catalan[13]
    # What is attached inside cannot be seen from outside: a vertex for each category and span.
    assert len(set(found.spans)) == len(found.spans)


def test_packed_forests_are_compared_by_all_their_derivations(agreement):
    kernels = make_kernels(ATTACHING)
    forest, whole = solve_both(kernels, words(ATTACHING, attach(4)))
    wanted = agreement.sum_derivations(forest)
    assert wanted == agreement.sum_derivations(whole)
    # Another branch at one edge, and it is another sum.
    for edge, steps_ in enumerate(forest.steps):
        other = ((*steps_[0][:1], steps_[0][1] + 1), *steps_[1:])
        changed = replace(forest, steps=(*forest.steps[:edge], other, *forest.steps[edge + 1 :]))
        assert agreement.sum_derivations(changed) != wanted


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
    assert isinstance(found, LfgForest)
    assert len(found) == 1


def test_adjuncts_need_a_pred_also_where_heads_have_forgotten_theirs():
    lfg = grammar(
        {"S": Sequence((head("X"), Choice((member("Y", "ADJUNCT"), Sequence(())))))},
        [entry("a", "X", pred("a")), entry("b", "Y"), entry("c", "Y", pred("c"))],
    )
    kernels = make_kernels(lfg)
    assert [len(agree(kernels, lfg, text)[0]) for text in ("a", "a b", "a c")] == [1, 0, 1]


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
    kernels = make_kernels(lfg)
    assert [len(agree(kernels, lfg, f"a {each}")[0]) for each in "bcd"] == [1, 0, 1]


def test_a_structure_is_no_atom_also_where_its_attributes_are_forgotten():
    said = Equal(up("F"), Symbol("y"))
    lfg = grammar(
        {"S": Sequence((head("X"), Category("Y", (said, Contains(DOWN, up("G"))))))},
        [entry("a", "X", Equal(up("F G"), Symbol("x"))), entry("b", "X"), entry("c", "Y")],
    )
    kernels = make_kernels(lfg)
    assert [len(agree(kernels, lfg, text)[0]) for text in ("a c", "b c")] == [0, 1]


def member_with(value, *notes):
    """An element of ADJ with this F."""
    return (
        Contains(Local("v"), up("ADJ")),
        Equal(At(Local("v"), steps("F")), Symbol(value)),
        *notes,
    )


@pytest.mark.parametrize(
    ("test", "counts"),
    [
        (CheckEqual(up("ADJ F"), Symbol("x")), (0, 1, 1)),
        (CheckEqual(up("ADJ F"), Symbol("x"), False), (0, 0, 0)),
        (CheckExists(At(UP, Steps((Attribute("ADJ"), Element(), Attribute("G"))))), (1, 0, 0)),
        (CheckExists(up("ADJ G"), False), (0, 1, 1)),
        (CheckContains(Symbol("z"), up("SET")), (1, 0, 0)),
        (CheckContains(Symbol("z"), up("SET"), False), (0, 1, 1)),
    ],
)
def test_tests_see_sets_that_become_one_later(test, counts):
    """A test of a subject's set, where a mother says that the subject is the object."""
    more = (Equal(At(Local("v"), steps("G")), Symbol("x")), Contains(Symbol("z"), up("SET")))
    rules = {
        "S": Category("P", (SAME, Equal(up("SUBJ"), up("OBJ")))),
        "P": Sequence((function("X", "SUBJ"), function("Y", "OBJ"))),
    }
    said = member_with("x", Contains(Symbol("q"), up("SET")), test)
    entries = [entry("a", "X", *said), entry("b", "Y", *member_with("y", *more))]
    entries += [entry("c", "Y", *member_with("x")), entry("d", "Y")]
    lfg = grammar(rules, entries, governable=())
    kernels = make_kernels(lfg)
    assert tuple(len(agree(kernels, lfg, f"a {each}")[0]) for each in "bcd") == counts


def test_one_of_several_values_of_a_set_is_that_of_its_element():
    said = (Contains(DOWN, UP), Equal(up("F"), Values(frozenset("xy"))))
    entries = [entry(word, "X", Equal(up("F"), Symbol(word))) for word in "xz"]
    lfg = grammar({"S": Category("X", said)}, entries)
    kernels = make_kernels(lfg)
    assert [len(agree(kernels, lfg, each)[0]) for each in "xz"] == [1, 0]


def test_elements_share_what_several_sets_lead_to():
    """(^ ADJ F)=(^ OTH F) makes the F of all elements of both sets one f-structure."""
    one, other = Local("v"), Local("w")
    sets = (Contains(one, up("ADJ")), Contains(other, up("ADJ")), Contains(DOWN, up("OTH")))
    said = (*sets, Equal(up("ADJ F"), up("OTH F")), Equal(At(one, steps("F H")), Symbol("x")))
    entries = [
        entry("a", "X", CheckEqual(up("F H"), Symbol("x"))),
        entry("b", "X", Equal(up("F H"), Symbol("y"))),
        entry("c", "X"),
    ]
    for test, counts in ((CheckExists(At(other, steps("F H"))), (1, 0, 1)), (None, (1, 0, 1))):
        notes = (*said, test) if test else said
        lfg = grammar({"S": Category("X", notes)}, entries, governable=())
        kernels = make_kernels(lfg)
        found = [agree(kernels, lfg, each) for each in "abc"]
        assert tuple(len(plain) for plain, _ in found) == counts
        assert all(forests for _, forests in found)


def test_a_set_that_no_node_leads_to_gives_nothing():
    """(%w SET F) $ (%w SET): an element that would be its own F, and so on, without end."""
    inside = Equal(At(Local("v"), steps("F")), Symbol("x"))
    wholes = At(Local("w"), steps("SET"))
    endless = Contains(At(Local("w"), steps("SET F")), wholes)
    left = (Contains(UP, wholes), Equal(At(Local("w"), steps("SET F")), Symbol("y")))
    entries = [
        entry("a", "X", endless, inside),
        entry("b", "X", *left, Equal(up("F"), Symbol("x"))),
    ]
    entries.append(entry("c", "X", *left, Equal(Local("w"), UP)))
    lfg = grammar({"S": head("X")}, entries, governable=())
    kernels = make_kernels(lfg)
    found = [agree(kernels, lfg, each) for each in "ab"]
    assert [len(plain) for plain, _ in found] == [1, 1]
    assert all(forests for _, forests in found)


def test_copies_of_sets_have_the_same_elements():
    """What is an element of a set within what a set gives is one f-structure for all."""
    sets = (Contains(Local("v"), up("ADJ")), Contains(Local("w"), up("ADJ")))
    said = (*sets, Contains(Local("x"), up("ADJ F IN")))
    tests = [CheckContains(Local("x"), At(Local(each), steps("F IN"))) for each in "vw"]
    lfg = grammar({"S": head("X")}, [entry("a", "X", *said, *tests)], governable=())
    plain, forests = agree(make_kernels(lfg), lfg, "a")
    assert len(plain) == 1
    assert forests


def test_elements_of_elements_need_a_pred():
    rules = {
        "S": Sequence((member("P", "ADJUNCT"), head("Y"))),
        "P": Category("X", (Contains(DOWN, UP),)),
    }
    lfg = grammar(rules, [entry("a", "X"), entry("b", "X", pred("b")), entry("c", "Y", pred("c"))])
    kernels = make_kernels(lfg)
    assert [len(agree(kernels, lfg, f"{each} c")[0]) for each in "ab"] == [0, 1]


def test_elements_of_a_set_with_a_pred_keep_what_it_asks_for():
    """A set gives its PRED to each element, and each has a SUBJ of its own."""
    own = Category("Y", (Equal(up("COMP"), DOWN), Equal(up("SUBJ PRED"), Form("pro"))))
    elements = Category("Q", (Contains(DOWN, UP),))
    rules = {"S": Ignore(head("Y"), elements), "Q": own}
    said = (pred("t", "SUBJ", "OBJ COMP"), Equal(up("OBJ PRED"), Form("pro")))
    lfg = grammar(rules, [entry("a", "Y", *said), entry("b", "Y")], governable=())
    kernels = make_kernels(lfg)
    found = [agree(kernels, lfg, f"a{' b' * count}") for count in range(4)]
    assert [len(plain) for plain, _ in found] == [0, 1, 1, 1]
    assert all(forests is not None for _, forests in found)


def test_nodes_whose_categories_are_tested_may_have_atoms():
    said = Equal(up("F"), Symbol("y"))
    test = CheckCategory(up("F"), frozenset("X"))
    lfg = grammar(
        {"S": Sequence((function("X", "F"), Category("Y", (SAME, said))))},
        [entry("a", "X"), entry("b", "Y", test), entry("c", "Y")],
    )
    kernels = make_kernels(lfg)
    assert [len(agree(kernels, lfg, text)[0]) for text in ("a b", "a c")] == [1, 1]


# ------------------------------------------------------- what only whole sentences decide


HOLDER = Equal(Local("f"), From(Attribute("SUBJ"), UP))
TENSE = At(Local("f"), Attribute("T"))


@pytest.mark.parametrize(
    ("test", "counts"),
    [
        (CheckEqual(TENSE, Symbol("ev")), (1, 0, 0)),
        (CheckEqual(TENSE, Symbol("ev"), False), (0, 1, 1)),
        (CheckExists(TENSE), (1, 1, 0)),
        (CheckExists(TENSE, False), (0, 0, 1)),
        (Not((CheckEqual(TENSE, Symbol("ev")), CheckExists(up("N")))), (0, 1, 1)),
        (CheckEqual(TENSE, up("N")), (1, 0, 0)),
        (CheckContains(UP, At(Local("f"), Attribute("TOPICS"))), (1, 0, 0)),
    ],
)
@pytest.mark.parametrize("over", [0, 1])
def test_tests_of_what_is_named_late(test, counts, over):
    """The verb's tense is tested by its subject, also where more lies above them."""
    said = (HOLDER, test, Equal(up("N"), Symbol("ev")))
    topic = Contains(up("SUBJ"), up("TOPICS"))
    rules = {"T": Sequence((function("N", "SUBJ"), head("V")))}
    lfg = grammar(
        {"S": head("T") if over else rules["T"], **rules},
        [
            entry("Kim", "N", pred("Kim"), *said),
            entry("slept", "V", pred("sleep", "SUBJ"), Equal(up("T"), Symbol("ev")), topic),
            entry("sleeps", "V", pred("sleep", "SUBJ"), Equal(up("T"), Symbol("x"))),
            entry("asleep", "V", pred("sleep", "SUBJ")),
        ],
    )
    kernels = make_kernels(lfg)
    found = [agree(kernels, lfg, f"Kim {verb}") for verb in ("slept", "sleeps", "asleep")]
    assert tuple(len(plain) for plain, _ in found) == counts
    assert all(forests for _, forests in found)


@pytest.mark.parametrize("said", ["a", "b", None])
@pytest.mark.parametrize(
    "test",
    [
        CheckEqual(up("PRED FN"), Symbol("a")),
        CheckContains(up("PRED FN"), Values(frozenset("ac"))),
        CheckExists(At(UP, Steps((Attribute("PRED"), Repeated(Attribute("FN"), 1))))),
    ],
)
def test_a_test_that_waits_for_the_whole_or_its_negation(test, said):
    both = Either(((test,), (replace(test, positive=False),)))
    lfg = grammar({"S": head("X")}, [entry("a", "X", *([pred(said)] if said else []), both)])
    plain, forests = agree(make_kernels(lfg), lfg, "a")
    assert len(plain) == 1
    assert forests


def holders(*notes):
    """Sentences of nouns that are subjects, objects, or in a set; the last word says this."""
    rules = {
        "S": Sequence((head("V"), function("NP", "SUBJ"), Repeat(member("NP", "ADJUNCT")))),
        "NP": Choice((head("N"), Sequence((head("N"), function("NP", "OBJ"))))),
    }
    entries = [entry("v", "V", pred("v", "SUBJ")), entry("n", "N", pred("n"))]
    entries += [entry("o", "N", pred("o", "OBJ")), entry("x", "N", pred("x"), *notes)]
    return grammar(rules, entries)


UPWARDS = Repeated(OneOf((*map(Attribute, ("SUBJ", "OBJ", "ADJUNCT")), Element())), 1)
"""{SUBJ|OBJ|ADJUNCT|$}+"""


@pytest.mark.parametrize(
    ("notes", "counts"),
    [
        # v x: the subject; v o x: the subject's object; v n x: an element; v n o x: its object.
        ((CheckExists(From(Attribute("SUBJ"), UP)),), (1, 0, 0, 0)),
        ((CheckExists(From(Attribute("OBJ"), UP), False),), (1, 0, 1, 0)),
        ((CheckExists(From(steps("SUBJ OBJ"), UP)),), (0, 1, 0, 0)),
        ((CheckExists(From(Steps((Attribute("ADJUNCT"), Element())), UP)),), (0, 0, 1, 0)),
        ((CheckExists(From(Attribute("ADJUNCT"), UP)),), (0, 0, 1, 0)),
        ((CheckExists(From(steps("ADJUNCT OBJ"), UP)),), (0, 0, 0, 1)),
        ((CheckExists(From(Element(), UP)),), (0, 0, 1, 0)),
        # What has a set has its elements; what these have, the set has not.
        ((Equal(At(From(Attribute("OBJ"), UP), steps("F")), Symbol("+")),), (0, 1, 0, 1)),
        ((Equal(At(From(Attribute("ADJUNCT"), UP), steps("F")), Symbol("+")),), (0, 0, 1, 0)),
        ((Equal(At(From(UPWARDS, UP), steps("F")), Symbol("+")),), (1, 2, 1, 2)),
        (
            (Equal(At(From(Repeated(AnyAttribute(), 1, 2), UP), steps("F")), Symbol("+")),),
            (1, 2, 1, 2),
        ),
        ((Equal(At(UP, Steps((AnyAttribute(), Attribute("F")))), Symbol("+")),), (0, 0, 0, 0)),
    ],
)
def test_what_holds_a_word(notes, counts):
    lfg = holders(*notes)
    kernels = make_kernels(lfg)
    found = [agree(kernels, lfg, text) for text in ("v x", "v o x", "v n x", "v n o x")]
    assert tuple(len(plain) for plain, _ in found) == counts
    assert all(forests for _, forests in found)


def test_what_waits_for_the_whole_is_packed():
    """A test of the last word waits for the verb; where phrases go makes no difference to it."""
    rules = {**ATTACHING.rules, "N": head("M")}
    test = CheckExists(From(Steps((Attribute("OBJ"), Repeated(AnyAttribute()))), UP), False)
    entries = [*(e for some in ATTACHING.entries.values() for e in some)]
    lfg = grammar(rules, [*entries, entry("it", "M", pred("pro"), test)])
    found = LfgParser(lfg).parse("it sees Kim" + " with Kim" * 8)
    assert isinstance(found, LfgForest)
    assert found.count == math.comb(18, 9) // 10
    assert len(set(found.spans)) == len(found.spans)


def test_ways_to_end_are_analyses_of_a_forest(rng):
    """Each way that a path is chosen at the end, and each attachment, is an analysis."""
    said = Equal(At(UP, Steps((Repeated(Attribute("A"), 0), Attribute("B")))), Symbol("x"))
    rules = {**ATTACHING.rules, "S": Category("T", (SAME, said)), "T": ATTACHING.rules["S"]}
    lfg = grammar(rules, [e for some in ATTACHING.entries.values() for e in some])
    kernels = make_kernels(lfg)
    for phrases in range(3):
        agree(kernels, lfg, attach(phrases))
    found = LfgParser(lfg).parse(attach(8))
    assert found.count == 5 * math.comb(18, 9) // 10
    assert len(set(found.sample(9, rng))) > 1
