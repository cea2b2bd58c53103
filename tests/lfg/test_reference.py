"""The plain solver: one construct after the other on small grammars with known numbers."""

from lfg.reading import CONFIG, read
from lfg.small import (
    SAME,
    down,
    entry,
    function,
    grammar,
    head,
    is_,
    member,
    pred,
    steps,
    up,
    words,
)
from weft.lfg.language import (
    AFTER,
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
    Nothing,
    OneOf,
    Repeat,
    Repeated,
    Sequence,
    Shuffle,
    Steps,
    Symbol,
    Values,
)
from weft.lfg.parser import LfgParser
from weft.lfg.pictures import show_analysis
from weft.lfg.reference.solve import Solver

SEES = {
    "S": Sequence((function("NP", "SUBJ"), head("VP"))),
    "VP": Sequence((head("V"), Choice((function("NP", "OBJ"), Sequence(()))))),
    "NP": Sequence((Choice((head("D"), Sequence(()))), head("N"))),
}
KIM = entry("Kim", "N", pred("Kim"), is_("NUM", "sg"))
SANDY = entry("Sandy", "N", pred("Sandy"), is_("NUM", "sg"))


def solve(lfg, text):
    return Solver(lfg).solve(words(lfg, text))


def count(lfg, text):
    return len(solve(lfg, text))


def show(analysis, number=0):
    """The f-structure as nested dictionaries; only for those without cycles."""
    value = analysis.values[number]
    if value.atom is not None:
        return value.atom
    found = {name: show(analysis, each) for name, each in value.features}
    if value.elements is not None:
        found["$"] = [show(analysis, each) for each in value.elements]
    return found


def test_an_analysis_is_a_tree_with_an_f_structure():
    sees = entry("sees", "V", pred("see", "SUBJ OBJ"), is_("SUBJ NUM", "sg"))
    [found] = solve(grammar(SEES, [KIM, SANDY, sees]), "Kim sees Sandy")
    assert show(found) == {
        "PRED": "see",
        "SUBJ": {"PRED": "Kim", "NUM": "sg"},
        "OBJ": {"PRED": "Sandy", "NUM": "sg"},
    }
    subject, phrase = found.tree.children
    assert (found.tree.label, subject.label, phrase.label) == ("S", "NP", "VP")
    assert found.tree.value == phrase.value == 0
    assert dict(found.values[0].features)["SUBJ"] == subject.value
    form = found.values[dict(found.values[0].features)["PRED"]]
    assert form.arguments == ((subject.value, phrase.children[1].value), ())


def test_agreement_completeness_and_coherence_decide():
    lfg = grammar(
        SEES,
        [
            KIM,
            SANDY,
            entry("sees", "V", pred("see", "SUBJ OBJ"), is_("SUBJ NUM", "sg")),
            entry("see", "V", pred("see", "SUBJ OBJ"), is_("SUBJ NUM", "pl")),
            entry("sleeps", "V", pred("sleep", "SUBJ")),
        ],
    )
    assert count(lfg, "Kim see Sandy") == 0
    assert count(lfg, "Kim sees") == 0
    assert count(lfg, "Kim sleeps") == 1
    assert count(lfg, "Kim sleeps Sandy") == 0


def sentence(*notes, more=(), **fields):
    """How many analyses a one-word sentence has whose entry says this."""
    rules = {"S": head("V"), **fields.pop("rules", {})}
    return count(grammar(rules, [entry("x", "V", *notes), *more], **fields), "x")


def test_two_paths_of_a_right_side_with_one_sequence_are_one():
    lfg = grammar({"S": Choice((head("A"), Repeat(head("A"))))}, [entry("a", "A")])
    assert [count(lfg, text) for text in ("a", "a a", "a a a")] == [1, 1, 1]


def test_a_category_over_itself_is_not_followed():
    rules = {"S": Choice((head("S"), head("T"), head("A"))), "T": head("S")}
    lfg = grammar(rules, [entry("a", "A")])
    # S over A, and S over T over ... S again, which is not followed.
    assert count(lfg, "a") == 1


def test_choices_that_say_the_same_are_one():
    same = Either(((is_("A", "x"),), (is_("A", "x"), is_("A", "x")), (is_("B", "x"),)))
    assert sentence(same) == 2
    assert sentence(Either(((), ()))) == 1
    assert sentence(same, same) == 3
    assert sentence(pred("x"), pred("x")) == 1


def test_semantic_forms_and_instantiated_symbols_are_equal_only_to_themselves():
    lfg = grammar(
        {"S": Sequence((head("A"), head("A")))},
        [
            entry("x", "A", pred("x")),
            entry("y", "A", Equal(up("Y"), Symbol("+", True))),
            entry("z", "A", is_("Y", "+")),
        ],
    )
    assert count(lfg, "x x") == 0
    assert count(lfg, "x y") == 1
    assert count(lfg, "y y") == 0
    assert count(lfg, "y z") == 0
    assert count(lfg, "z z") == 1


def test_closed_sets_of_values_keep_what_they_share():
    case = up("CASE")
    nom_acc, acc_gen = Values(frozenset({"nom", "acc"})), Values(frozenset({"acc", "gen"}))
    both = [Contains(case, nom_acc), Equal(case, acc_gen)]
    assert sentence(*both, is_("CASE", "acc")) == 1
    assert sentence(*both, is_("CASE", "nom")) == 0
    assert sentence(*both, CheckEqual(case, Symbol("acc"))) == 1
    assert sentence(Contains(case, nom_acc), CheckEqual(case, Symbol("acc"))) == 0
    assert sentence(Contains(case, nom_acc), Equal(case, Values(frozenset({"dat"})))) == 0


def test_tests_never_define():
    number = up("NUM")
    assert sentence(CheckEqual(number, Symbol("sg"))) == 0
    assert sentence(is_("NUM", "sg"), CheckEqual(number, Symbol("sg"))) == 1
    assert sentence(CheckEqual(number, Symbol("sg"), positive=False)) == 1
    assert sentence(is_("NUM", "sg"), CheckEqual(number, Symbol("sg"), positive=False)) == 0
    assert sentence(CheckExists(number)) == 0
    assert sentence(CheckExists(number, positive=False)) == 1
    assert sentence(is_("NUM", "pl"), CheckExists(number)) == 1
    both = (CheckExists(number), CheckEqual(number, Symbol("pl")))
    assert sentence(is_("NUM", "pl"), Not(both)) == 0
    assert sentence(is_("NUM", "sg"), Not(both)) == 1


def test_an_option_that_tests_is_a_choice():
    number = CheckExists(up("NUM"))
    assert sentence(Either(((number,), (CheckExists(up("NUM"), positive=False),)))) == 1
    assert sentence(is_("NUM", "sg"), Either(((number,), ()))) == 2


COORDINATION = {
    "S": Sequence((function("N", "SUBJ"), head("VP"))),
    "VP": Choice(
        (head("V"), Sequence((both := Category("V", (Contains(DOWN, UP),)), head("C"), both)))
    ),
}
AND = entry("and", "C", is_("CONJ", "and"))


def test_what_is_said_of_a_set_is_said_of_its_elements():
    verbs = [
        entry("sings", "V", pred("sing", "SUBJ"), is_("SUBJ NUM", "sg")),
        entry("dance", "V", pred("dance", "SUBJ"), is_("SUBJ NUM", "pl")),
        entry("hops", "V", pred("hop", "SUBJ"), is_("TENSE", "past")),
    ]
    lfg = grammar(COORDINATION, [KIM, AND, *verbs], nondistributive=("CONJ",))
    [found] = solve(lfg, "Kim sings and hops")
    kim = {"PRED": "Kim", "NUM": "sg"}
    assert show(found) == {
        "CONJ": "and",
        "$": [{"PRED": "sing", "SUBJ": kim}, {"PRED": "hop", "SUBJ": kim, "TENSE": "past"}],
    }
    one, two = (dict(found.values[each].features) for each in found.values[0].elements)
    assert one["SUBJ"] == two["SUBJ"]
    assert count(lfg, "Kim sings and dance") == 0


def test_what_is_said_below_a_set_is_not_shared_among_elements():
    rules = {
        "S": Category("VP", (SAME, Equal(up("OBJ CASE"), Symbol("acc")))),
        "VP": Sequence((both, head("C"), both)),
    }
    eats = entry("eats", "V", pred("eat", "OBJ"), Equal(up("OBJ PRED"), Form("it")))
    lfg = grammar(rules, [AND, eats], nondistributive=("CONJ",))
    [found] = solve(lfg, "eats and eats")
    eaten = {"PRED": "eat", "OBJ": {"PRED": "it", "CASE": "acc"}}
    assert show(found)["$"] == [eaten, eaten]


def test_tests_of_sets_are_of_every_element():
    def number(*notes):
        rules = {"S": Category("VP", (SAME, *notes)), "VP": Sequence((both, head("C"), both))}
        verbs = [entry("a", "V", is_("A", "x"), is_("B", "y")), entry("b", "V", is_("A", "x"))]
        return count(grammar(rules, [AND, *verbs], nondistributive=("CONJ",)), "a and b")

    assert number(CheckExists(up("A"))) == number(CheckEqual(up("A"), Symbol("x"))) == 1
    assert number(CheckExists(up("B"))) == number(CheckExists(up("B"), positive=False)) == 0
    assert number(CheckExists(up("C"), positive=False)) == 1
    assert number(CheckExists(At(UP, Steps((Element(), Attribute("B")))))) == 1
    assert number(CheckEqual(up("CONJ"), Symbol("and"))) == 1
    assert number(is_("B", "z")) == 0
    assert number(is_("B", "y"), CheckExists(up("B"))) == 1


TOPIC = {
    "S": Sequence(
        (
            Category(
                "NP",
                (
                    Equal(up("TOPIC"), DOWN),
                    Equal(At(UP, Steps((Repeated(Attribute("COMP")), Attribute("OBJ")))), DOWN),
                ),
            ),
            function("NP", "SUBJ"),
            head("VP"),
        )
    ),
    "VP": Sequence(
        (head("V"), Choice((function("NP", "OBJ"), function("T", "COMP"), Sequence(()))))
    ),
    "T": Sequence((function("NP", "SUBJ"), head("VP"))),
    "NP": head("N"),
}


def test_functional_uncertainty_finds_the_governor():
    verbs = [
        entry("sees", "V", pred("see", "SUBJ OBJ")),
        entry("says", "V", pred("say", "SUBJ COMP")),
        entry("sleeps", "V", pred("sleep", "SUBJ")),
        entry("tells", "V", pred("tell", "SUBJ OBJ COMP")),
    ]
    lfg = grammar(TOPIC, [KIM, SANDY, *verbs])
    assert count(lfg, "Kim Sandy sees") == 1
    assert count(lfg, "Kim Sandy says Sandy sees") == 1
    assert count(lfg, "Kim Sandy says Sandy says Sandy sees") == 1
    assert count(lfg, "Kim Sandy says Sandy sees Sandy") == 0
    assert count(lfg, "Kim Sandy says Sandy sleeps") == 0
    assert count(lfg, "Kim Sandy tells Sandy sleeps") == 1
    assert count(lfg, "Kim Sandy tells Sandy sees") == 0


def test_uncertainty_in_tests_is_some_path():
    path = Steps((Repeated(AnyAttribute()), Attribute("Z")))
    deep = is_("A B Z", "+")
    assert sentence(deep, CheckExists(At(UP, path))) == 1
    assert sentence(is_("A B", "+"), CheckExists(At(UP, path))) == 0
    assert sentence(deep, CheckExists(At(UP, path), positive=False)) == 0
    either = At(UP, OneOf((Attribute("A"), Attribute("C"))))
    assert sentence(is_("C", "+"), CheckEqual(either, Symbol("+"))) == 1


def test_inside_out_looks_up():
    case = Equal(At(From(Attribute("OBJ"), UP), steps("CASED")), Symbol("yes"))
    test = CheckExists(From(Attribute("SUBJ"), UP))
    lfg = grammar(
        SEES,
        [
            KIM,
            entry("her", "N", pred("pro"), case),
            entry("she", "N", pred("pro"), test),
            entry("sees", "V", pred("see", "SUBJ OBJ")),
        ],
    )
    [found] = solve(lfg, "Kim sees her")
    assert show(found)["CASED"] == "yes"
    assert count(lfg, "her sees Kim") == 0
    assert count(lfg, "she sees Kim") == 1
    assert count(lfg, "Kim sees she") == 0


def test_off_path_statements_are_about_what_lies_on_the_way():
    through = Attribute("COMP", (CheckEqual(At(AFTER, steps("BRIDGE")), Symbol("+")),))
    path = Steps((Repeated(through), Attribute("OBJ")))
    rules = dict(TOPIC)
    rules["S"] = Sequence(
        (
            Category("NP", (Equal(up("TOPIC"), DOWN), Equal(At(UP, path), DOWN))),
            function("NP", "SUBJ"),
            head("VP"),
        )
    )
    lfg = grammar(
        rules,
        [
            KIM,
            SANDY,
            entry("sees", "V", pred("see", "SUBJ OBJ")),
            entry("says", "V", pred("say", "SUBJ COMP"), is_("COMP BRIDGE", "+")),
            entry("regrets", "V", pred("regret", "SUBJ COMP")),
        ],
    )
    assert count(lfg, "Kim Sandy says Sandy sees") == 1
    assert count(lfg, "Kim Sandy regrets Sandy sees") == 0


def test_categories_can_be_tested():
    wants = CheckCategory(up("COMP"), frozenset({"T"}))
    lfg = grammar(
        {
            "S": Sequence((head("V"), Choice((function("T", "COMP"), function("U", "COMP"))))),
            "T": head("N"),
            "U": head("N"),
        },
        [entry("says", "V", pred("say", "COMP"), wants), KIM],
    )
    assert count(lfg, "says Kim") == 1


def test_adjuncts_need_a_pred_and_may_be_cyclic():
    rules = {"S": Sequence((Repeat(member("A", "ADJUNCT", Equal(UP, down("SUBJ")))), head("N")))}
    lfg = grammar(rules, [entry("old", "A", pred("old", "SUBJ")), entry("so", "A"), KIM])
    assert count(lfg, "old old Kim") == 1
    assert count(lfg, "so Kim") == 0


def test_empty_strings_have_statements_without_nodes():
    rules = {
        "S": Sequence(
            (
                head("V"),
                Choice((function("NP", "SUBJ"), Nothing((Equal(up("SUBJ PRED"), Form("pro")),)))),
            )
        ),
        "NP": head("N"),
    }
    lfg = grammar(rules, [KIM, entry("sleeps", "V", pred("sleep", "SUBJ"))])
    assert count(lfg, "sleeps") == count(lfg, "sleeps Kim") == 1
    assert len(solve(lfg, "sleeps")[0].tree.children) == 1


def test_null_and_nonthematic_arguments():
    nothing = Equal(up("PRED"), Form("rain", (None,)))
    assert sentence(nothing) == 1
    assert sentence(pred("rain", "", "SUBJ")) == 0
    assert sentence(pred("rain", "", "SUBJ"), is_("SUBJ FORM", "it")) == 1
    assert sentence(pred("rain", "SUBJ"), is_("SUBJ FORM", "it")) == 0


def test_local_names_hold_within_an_entry():
    name = Local("x")
    assert (
        sentence(
            Equal(name, up("A")),
            Equal(At(name, steps("B")), Symbol("c")),
            CheckEqual(up("A B"), Symbol("c")),
        )
        == 1
    )


def test_marks_are_kept():
    lfg = grammar({"S": head("V")}, [entry("x", "V", Either(((Mark("bad"),), (Mark("good"),))))])
    assert sorted(each.marks for each in solve(lfg, "x")) == [("bad",), ("good",)]


def test_membership_can_be_tested():
    lfg = grammar(
        {"S": Sequence((head("V"), member("A", "ADJUNCT", is_("D", "x"))))},
        [
            entry("v", "V", CheckContains(up("Z"), up("ADJUNCT"), positive=False)),
            entry("w", "V", CheckContains(up("Z"), up("ADJUNCT"))),
            entry("a", "A", pred("a")),
            entry(
                "u",
                "V",
                Contains(Symbol("k"), up("K")),
                Contains(Symbol("k"), up("K")),
                CheckContains(Symbol("k"), up("K")),
            ),
        ],
    )
    assert [count(lfg, f"{v} a") for v in "vwu"] == [1, 0, 1]


def test_local_names_of_a_set_are_each_elements_own():
    name = Local("x")
    said = (Equal(up("OBJ"), name), Equal(At(name, steps("CASE")), Symbol("acc")))
    rules = {"S": Category("VP", (SAME, *said)), "VP": Sequence((both, head("C"), both))}
    eats = entry("eats", "V", pred("eat", "OBJ"), Equal(up("OBJ PRED"), Form("it")))
    lfg = grammar(rules, [AND, eats], nondistributive=("CONJ",))
    [found] = solve(lfg, "eats and eats")
    eaten = {"PRED": "eat", "OBJ": {"PRED": "it", "CASE": "acc"}}
    assert show(found)["$"] == [eaten, eaten]


def test_an_empty_constituent_can_be_used_twice():
    rules = {
        "S": Sequence((function("E", "SUBJ"), function("E", "OBJ"), head("V"))),
        "E": Nothing((Equal(up("PRED"), Form("pro")),)),
    }
    lfg = grammar(rules, [entry("sees", "V", pred("see", "SUBJ OBJ"))])
    [found] = solve(lfg, "sees")
    assert show(found)["SUBJ"] == show(found)["OBJ"] == {"PRED": "pro"}
    whole = dict(found.values[0].features)
    assert whole["SUBJ"] != whole["OBJ"]
    one = Equal(up("SUBJ"), up("OBJ"))
    assert count(grammar(rules, [entry("x", "V", pred("see", "SUBJ OBJ"), one)]), "x") == 0


def test_shuffled_and_ignored_parts():
    a, b, c = (Category(name, ()) for name in "ABC")
    words_ = [entry(name.lower(), name) for name in "ABC"]
    shuffled = grammar({"S": Shuffle((a, Sequence((b, c))))}, words_)
    found = [count(shuffled, text) for text in ("a b c", "b a c", "b c a", "c a b")]
    assert found == [1, 1, 1, 0]
    ignored = grammar({"S": Ignore(Sequence((a, b)), c)}, words_)
    found = [count(ignored, text) for text in ("a b", "c a c c b c", "b a")]
    assert found == [1, 1, 0]
    several = grammar({"S": Repeat(a, 1, 2)}, words_)
    assert [count(several, text) for text in ("a", "a a", "a a a")] == [1, 1, 0]


def test_a_set_is_not_its_own_element():
    assert sentence(Contains(UP, UP)) == 0


def test_new_attributes_are_made_up_to_four_times():
    path = Steps((Repeated(Attribute("A")), Attribute("B")))
    assert sentence(Equal(At(UP, path), Symbol("x"))) == 5
    assert sentence(is_("A A A A A B", "x"), Equal(At(UP, path), Symbol("x"))) == 6 + 4
    licensed = Steps((Repeated(Attribute("COMP")), Attribute("B")))
    assert sentence(Equal(At(UP, licensed), Symbol("x"))) == 1


def test_arguments_of_a_local_name_are_those_of_its_f_structure():
    lexicon = """b V * (^ PRED)='b<(^ OBL)>' (^ OBL)=%l
        (%l PRED)='more<(%l OBJ)>' (%l OBJ PRED)='c'."""
    config = f"{CONFIG} GOVERNABLERELATIONS OBL OBJ."
    [found] = LfgParser(read("S --> V.", lexicon, config=config)).parse("b")
    [more] = [each for each in found.values if each.atom == "more"]
    [held] = [each for each in found.values if ("PRED", found.values.index(more)) in each.features]
    assert more.arguments == ((dict(held.features)["OBJ"],), ())
    assert "NULL" not in show_analysis(found)
