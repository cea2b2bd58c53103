"""Brackets counted: cases worked by hand, and a plain reference that compares all with all."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import quick
from trees import deep, tree
from weft.errors import FormatError, OptionError
from weft.evaluate.bracket_parameters import (
    BracketParameters,
    find_bracket_parameters,
    read_bracket_parameters,
    same_as,
)
from weft.evaluate.brackets import (
    COLLINS,
    BracketCounts,
    bracket_scores,
    compare_parses,
    scores_by_length,
    total,
)
from weft.structures.tree import Tree, is_preterminal

LABELS = ["S", "NP", "NP-SBJ", "NP=2", "VP", "ADVP", "PRT", "TOP"]
TAGS = ["NN", "VB", ",", ".", "ADVP"]


@st.composite
def bracketings(draw: st.DrawFn, tags: list[str]) -> Tree:
    """A random tree over words with these tags."""
    nodes = [Tree(tag, (f"w{place}",)) for place, tag in enumerate(tags)]
    for _ in range(draw(st.sampled_from([0, 3, 4, 5, 6]))):
        first = draw(st.integers(0, len(nodes) - 1))
        last = draw(st.integers(first, len(nodes) - 1))
        nodes[first : last + 1] = [
            Tree(draw(st.sampled_from(LABELS)), tuple(nodes[first : last + 1]))
        ]
    return Tree(draw(st.sampled_from(LABELS)), tuple(nodes))


PAIRS = st.lists(st.sampled_from(TAGS), min_size=1, max_size=9).flatmap(
    lambda tags: st.tuples(bracketings(tags), bracketings(tags))
)
many = settings(quick, max_examples=200)


def plain_brackets(node: Tree, parameters: BracketParameters) -> list[tuple[int, int, str]]:
    """The brackets that count, by recursion."""
    found: list[tuple[int, int, str]] = []
    same = same_as(parameters.equal_labels)
    gone = {same.get(label, label) for label in parameters.deleted}

    def read(node: Tree, start: int) -> int:
        if is_preterminal(node):
            return start + (node.label not in parameters.deleted)
        end = start
        for child in node.children:
            assert isinstance(child, Tree)
            end = read(child, end)
        label = node.label.split("-")[0].split("=")[0]
        if end > start and same.get(label, label) not in gone:
            found.append((start, end, same.get(label, label)))
        return end

    read(node, 0)
    return found


@many
@given(pair=PAIRS, labelled=st.booleans())
@pytest.mark.slow
def test_counts_are_those_of_all_compared_with_all(pair: tuple[Tree, Tree], labelled: bool) -> None:
    parameters = BracketParameters(
        COLLINS.deleted, COLLINS.deleted_for_length, COLLINS.equal_labels, labelled=labelled
    )
    scores = bracket_scores([pair[0]], [pair[1]], parameters)
    gold, guess = (plain_brackets(one, parameters) for one in pair)
    counts = scores.overall
    if scores.left_out:
        assert scores.left_out[0].problem == "no gold word counts"
        assert counts == BracketCounts()
        return
    assert (counts.gold, counts.predicted) == (len(gold), len(guess))
    for cut, correct in ((3 if labelled else 2, counts.correct), (2, counts.correct_spans)):
        left = [each[:cut] for each in gold]
        common = 0
        for each in guess:
            if each[:cut] in left:
                left.remove(each[:cut])
                common += 1
        assert correct == common
    crossing = sum(any(a < s < b < e or s < a < e < b for a, b, _ in gold) for s, e, _ in guess)
    assert counts.crossing == crossing
    assert counts.without_crossing == (crossing == 0)
    assert counts.two_crossing == (crossing <= 2)
    assert counts.exact == (counts.correct == len(gold) == len(guess))
    assert counts.unlabelled.correct == counts.correct_spans


@quick
@given(pair=PAIRS)
def test_a_tree_agrees_with_itself(pair: tuple[Tree, Tree]) -> None:
    scores = bracket_scores([pair[0]], [pair[0]])
    counts = scores.overall
    assert counts.correct == counts.gold == counts.predicted
    assert counts.crossing == 0
    assert counts.correct_tags == counts.words
    assert counts.exact == (1 - len(scores.left_out))


GOLD = tree("(TOP (S (NP-SBJ (DT the) (NN dog)) (VP (VBD ran) (PRT (RP off)) (, ,)) (. .)))")


@pytest.mark.parametrize(
    ("text", "gold", "predicted", "correct", "crossing", "tags"),
    [
        # Brackets that count: S 0–4, NP 0–2, VP 2–4, PRT 3–4; words: the dog ran off.
        ("(TOP (S (NP (DT the) (NN dog)) (VP (VBD ran) (ADVP (RP off)) (, ,)) (. .)))",
         4, 4, 4, 0, 4),
        ("(S (NP (DT the) (NN dog)) (VP (VBD ran) (PRT (RP off))) (, ,) (. .))", 4, 4, 4, 0, 4),
        # VP 1–4 crosses NP 0–2.
        ("(S (DT the) (VP (NN dog) (VBD ran) (PRT (RP off)) (, ,)) (. .))", 4, 3, 2, 1, 4),
        # NP 0–3 begins before VP 2–4, and ends within it.
        ("(S (NP (DT the) (NN dog) (VBD ran)) (PRT (RP off)) (, ,) (. .))", 4, 3, 2, 1, 4),
        # NP twice, of which once is right; S is labelled SBAR.
        ("(SBAR (NP (NP (DT the) (NN dog))) (VBD ran) (PRT (RP off)) (, ,) (. .))",
         4, 4, 2, 0, 4),
        # Only a tag is wrong.
        ("(S (NP (DT the) (VB dog)) (VP (VBD ran) (PRT (RP off)) (, ,)) (. .))", 4, 4, 4, 0, 3),
        # Trees of nothing but the root have no brackets.
        ("(TOP (DT the) (NN dog) (VBD ran) (RP off) (, ,) (. .))", 4, 0, 0, 0, 4),
    ],
)  # fmt: skip
def test_cases_worked_by_hand(
    text: str, gold: int, predicted: int, correct: int, crossing: int, tags: int
) -> None:
    counts = bracket_scores([GOLD], [tree(text)]).overall
    assert (counts.gold, counts.predicted, counts.correct) == (gold, predicted, correct)
    assert (counts.crossing, counts.correct_tags, counts.words) == (crossing, tags, 4)


def test_scores_over_several_sentences() -> None:
    worse = tree("(S (DT the) (VP (NN dog) (VBD ran) (PRT (RP off)) (, ,)) (. .))")
    scores = bracket_scores([GOLD, GOLD], [GOLD, worse])
    counts = scores.overall
    assert counts.precision == pytest.approx(6 / 7)
    assert counts.recall == pytest.approx(6 / 8)
    assert counts.f1 == pytest.approx(12 / 15)
    assert (counts.exact_match, counts.mean_crossing) == (0.5, 0.5)
    assert counts.without_crossing == 1
    assert counts.tagging_accuracy == 1.0
    assert counts.unlabelled.f1 == pytest.approx(12 / 15)
    assert scores.short == counts
    assert scores.sentences[0].length == 6, "punctuation counts for the length"


def test_lengths() -> None:
    short, long = tree("(S (A a) (-NONE- *) (B b))"), tree("(S (A a) (A a) (A a))")
    parameters = BracketParameters(frozenset({"-NONE-"}), frozenset({"-NONE-"}), cutoff=2)
    scores = bracket_scores([short, long], [short, long], parameters)
    assert [each.length for each in scores.sentences] == [2, 3]
    assert (scores.overall.sentences, scores.short.sentences) == (2, 1)
    lengths = scores_by_length(scores.sentences, width=2)
    assert {(each.start, each.stop): counts.words for each, counts in lengths.items()} == {
        (1, 3): 2,
        (3, 5): 3,
    }


def test_gold_tags_decide_what_counts() -> None:
    """EVALB skips the first two, which have 4 and 6 words where the gold tree has 5."""
    gold = tree("(S (NP (DT the) (NN dog)) (, -) (VP (VBD ran) (NN a) (NN b)))")
    fewer = tree("(S (NP (DT the) (NN dog)) (, -) (VP (VBD ran) (, a) (NN b)))")
    more = tree("(S (NP (DT the) (NN dog)) (NP (SYM -)) (VP (VBD ran) (NN a) (NN b)))")
    wider = tree("(S (NP (DT the) (NN dog) (SYM -)) (VP (VBD ran) (, a)) (NP (, b)))")
    scores = bracket_scores([gold] * 3, [fewer, more, wider])
    found = [
        (each.counts.gold, each.counts.predicted, each.counts.correct, each.counts.correct_tags)
        for each in scores.sentences
    ]
    # Of the second tree's NP over the dash nothing is left; the third's VP ends before b.
    assert found == [(3, 3, 3, 4), (3, 3, 3, 5), (3, 4, 2, 3)]
    assert (scores.overall.words, scores.overall.sentences) == (15, 3)


@many
@given(pair=PAIRS, data=st.data())
def test_predicted_tags_change_no_brackets(pair: tuple[Tree, Tree], data: st.DataObject) -> None:
    """Nor which sentences count: only how many tags are right."""
    gold, guess = pair

    def retagged(node: Tree) -> Tree:
        if is_preterminal(node):
            return Tree(data.draw(st.sampled_from(TAGS)), node.children)
        return Tree(node.label, tuple(retagged(each) for each in node.children))

    before = bracket_scores([gold], [guess]).overall
    after = bracket_scores([gold], [retagged(guess)]).overall
    assert replace(after, correct_tags=0) == replace(before, correct_tags=0)


def test_trees_without_traces_or_punctuation() -> None:
    """As EVALB, what does not count by its own tag may be missing from either tree."""
    gold = tree("(S (NP (-NONE- *)) (VP (VB run) (, ,) (NN on)) (. .))")
    heard = tree("(S (VP (VB run) (NN ,) (NN on)) (. .))")
    bare = tree("(S (VP (VB run) (NN on)))")
    for guess in (gold, heard, bare):
        counts = bracket_scores([gold], [guess]).overall
        assert (counts.gold, counts.correct, counts.predicted) == (2, 2, 2)
        swapped = bracket_scores([guess], [gold]).overall
        assert swapped.correct == swapped.gold == swapped.predicted == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(S (A a))", "two: the gold tree has 2 words but the predicted one 1; compare"),
        ("(S (A a) (B b) (C c))", "two: the gold tree has 2 words but the predicted one 3"),
        ("(S (A a) (B c))", "two: the gold word 2 is 'b' but the predicted one 'c'"),
    ],
)
def test_other_words_are_an_error(text: str, message: str) -> None:
    one = tree("(S (A a) (B b))")
    with pytest.raises(FormatError, match=message):
        bracket_scores([one, one], [one, tree(text)], sources=["one", "two"])


def test_what_is_missing_counts_and_is_named() -> None:
    one, marks = tree("(S (A a) (B b))"), tree("(S (, a) (. b))")
    scores = bracket_scores([one, one, marks, one], [None, marks, one, one], sources=list("abcd"))
    assert [(each.source, each.problem) for each in scores.failed] == [
        ("a", "there is no predicted tree")
    ]
    assert [(each.source, each.problem) for each in scores.left_out] == [
        ("c", "no gold word counts")
    ]
    counts = scores.overall
    assert (counts.sentences, counts.gold, counts.predicted, counts.correct) == (3, 3, 2, 2)
    assert (counts.exact, counts.words, counts.correct_tags) == (2, 6, 2)
    assert (counts.without_crossing, counts.two_crossing) == (3, 3)
    for arguments in (([one], []), ([one], [one, one])):
        with pytest.raises(ValueError, match="1 gold trees need as many predicted trees"):
            bracket_scores(*arguments)
    assert total([]).f1 == 0.0


def test_words_without_tags_and_equal_words() -> None:
    parameters = BracketParameters(equal_words=(("colour", "color"),))
    gold, guess = tree("(S (NP the (NN colour)) fades)"), tree("(S (NP the (NN color)) fades)")
    counts = bracket_scores([gold], [guess], parameters).overall
    assert (counts.words, counts.gold, counts.correct, counts.correct_tags) == (3, 2, 2, 3)


def test_comparisons() -> None:
    flat = tree("(S (DT the) (NN dog) (VBD ran) (PRT (RP off)) (, ,) (. .))")
    first = bracket_scores([GOLD] * 20, [GOLD] + [flat] * 18 + [None])
    second = bracket_scores([GOLD] * 20, [None] + [GOLD] * 19)
    found = compare_parses(first, second, rounds=999)
    # Of 80 brackets, 4 + 18 · 2 are found of as many predicted; and 19 · 4.
    assert found.first == pytest.approx(2 * 40 / (80 + 40))
    assert found.second == pytest.approx(2 * 76 / (80 + 76))
    assert found.p_value < 0.01
    assert found.bootstrap_p_value < 0.01
    assert compare_parses(first, second, rounds=999) == found
    with pytest.raises(ValueError, match="not compared with the same sentences"):
        compare_parses(first, bracket_scores([GOLD], [GOLD]))


class TestParameters:
    def test_those_of_collins(self) -> None:
        assert (
            find_bracket_parameters("collins")
            == COLLINS
            == BracketParameters(
                frozenset({"TOP", "-NONE-", ",", ":", "``", "''", "."}),
                frozenset({"-NONE-"}),
                (("ADVP", "PRT"),),
            )
        )
        assert find_bracket_parameters("plain").deleted == frozenset({"TOP"})
        with pytest.raises(OptionError, match="no parameter set 'new'; there are collins, plain"):
            find_bracket_parameters("new")

    def test_files(self) -> None:
        text = b"# ours\n\nDEBUG 2\nMAX_ERROR 10\nCUTOFF_LEN 70\nLABELED 0\n"
        text += b"EQ_WORD a b\nEQ_LABEL X Y\n"
        assert read_bracket_parameters(io.BytesIO(text)) == BracketParameters(
            equal_labels=(("X", "Y"),), equal_words=(("a", "b"),), cutoff=70, labelled=False
        )

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("DELETE TOP", "there is no parameter 'DELETE': did you mean DELETE_LABEL"),
            ("QUOTE_LABEL ``", "there is no parameter 'QUOTE_LABEL'"),
            ("DELETE_LABEL", "expected one value after DELETE_LABEL but found 0"),
            ("EQ_LABEL X", "expected two names after EQ_LABEL but found 1"),
            ("CUTOFF_LEN ten", "expected a whole number after CUTOFF_LEN but found 'ten'"),
            ("CUTOFF_LEN -1", "expected a whole number after CUTOFF_LEN but found '-1'"),
            ("CUTOFF_LEN 4x", "expected a whole number after CUTOFF_LEN but found '4x'"),
        ],
    )
    def test_lines_that_are_none(self, line: str, message: str) -> None:
        with pytest.raises(FormatError, match=message) as caught:
            read_bracket_parameters(io.BytesIO(f"LABELED 1\n{line}\n".encode()))
        assert caught.value.line == 2

    def test_what_is_the_same(self) -> None:
        assert set(same_as([("d", "c"), ("b", "a"), ("e", "f"), ("a", "d")]).values()) == {"a", "e"}
        gold, guess = tree("(X (A a))"), tree("(Z (A a))")
        parameters = BracketParameters(equal_labels=(("X", "Y"), ("Y", "Z")))
        assert bracket_scores([gold], [guess], parameters).overall.f1 == 1.0


def test_deep_trees() -> None:
    counts = bracket_scores([deep()], [deep()]).overall
    assert counts.correct == counts.gold == 3_000


class TestLabelsWithHyphens:
    GOLD = "(S (hd-cmp_u_c (V saw) (hd-aj_scp_c (N it))))"
    GUESS = "(S (hd-aj_scp_c (V saw) (hd-cmp_u_c (N it))))"

    @pytest.mark.parametrize(("name", "correct"), [("collins", 3), ("plain", 1)])
    def test_only_those_of_the_penn_treebank_are_cut(self, name: str, correct: int) -> None:
        parameters = find_bracket_parameters(name)
        scores = bracket_scores([tree(self.GOLD)], [tree(self.GUESS)], parameters)
        assert (scores.overall.correct, scores.overall.gold) == (correct, 3)

    def test_a_file_says_whether(self) -> None:
        assert read_bracket_parameters(io.BytesIO(b"LABELED 1\n")).cut
        assert not read_bracket_parameters(io.BytesIO(b"CUT_LABELS 0\n")).cut
