"""Neighbourhoods against the sets that their definitions list."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from machines import String, isomorphic, paths, residuals, thorough, transducers
from strategies import quick
from weft.automata import (
    ANY,
    EPSILON,
    NEIGHBOURHOODS,
    Custom,
    Length,
    Transduced,
    compose,
    del1subseq,
    del1word,
    delortrans1,
    string_acceptor,
    trans1,
    transducer,
    with_words,
)
from weft.automata.neighbourhoods import (
    del1subseq_transducer,
    del1word_transducer,
    delortrans1_transducer,
    length_transducer,
    trans1_transducer,
)
from weft.corpora import Conllu
from weft.errors import LimitError, NotNestedError
from weft.structures.lattice import Lattice, accepts, lattice

NATURAL = ("natural", "language", "is", "a", "delicate", "thing")
SHORT = [words for size in range(1, 6) for words in itertools.product("abc", repeat=size)]
LONGER = [words for size in (6, 7, 8) for words in itertools.product("ab", repeat=size)]

Listing = Callable[[String], set[String]]


def deleted(x: String) -> set[String]:
    return {x} | {x[:i] + x[i + 1 :] for i in range(len(x))} - {()}


def transposed(x: String) -> set[String]:
    return {x} | {(*x[:i], x[i + 1], x[i], *x[i + 2 :]) for i in range(len(x) - 1)}


def spans_deleted(x: String) -> set[String]:
    places = itertools.combinations(range(len(x) + 1), 2)
    return {x} | {x[:i] + x[j:] for i, j in places} - {()}


LISTINGS: dict[str, Listing] = {
    "del1word": deleted,
    "trans1": transposed,
    "delortrans1": lambda x: deleted(x) | transposed(x),
    "del1subseq": spans_deleted,
}
MACHINES = {
    "del1word": lambda words: del1word_transducer(),  # noqa: ARG005
    "trans1": trans1_transducer,
    "delortrans1": delortrans1_transducer,
    "del1subseq": lambda words: del1subseq_transducer(),  # noqa: ARG005
}

names = pytest.mark.parametrize("name", NEIGHBOURHOODS)


def check(found: Lattice, expected: set[String]) -> None:
    listed = list(found.strings())
    assert len(listed) == len(set(listed)) == found.count()
    assert set(listed) == expected
    assert found.deterministic
    assert found.state_count == len(residuals(expected))


@names
def test_every_short_sentence(name: str) -> None:
    for words in SHORT + LONGER:
        check(NEIGHBOURHOODS[name](words), LISTINGS[name](words))


@names
def test_transducers_give_the_same_lattices(name: str) -> None:
    for words in SHORT[:120]:
        found = Transduced(MACHINES[name](words))(words)
        check(found, LISTINGS[name](words))
        assert isomorphic(found, NEIGHBOURHOODS[name](words))


@names
@quick
@given(words=st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12))
def test_longer_sentences(name: str, words: list[str]) -> None:
    found = NEIGHBOURHOODS[name](words)
    check(found, LISTINGS[name](tuple(words)))
    assert isomorphic(found, Transduced(MACHINES[name](words))(words))
    assert isomorphic(found, found)


@names
def test_sentences_of_a_corpus(name: str, data_folder) -> None:
    records = Conllu().read(data_folder / "ewt" / "en_ewt-ud-dev.conllu", labelled=False)
    sentences = [record.example.tokens.words for record in itertools.islice(records, 200)]
    assert max(map(len, sentences)) > 40
    for words in sentences:
        found = NEIGHBOURHOODS[name](words)
        expected = LISTINGS[name](words)
        assert found.count() == len(expected)
        assert set(found.strings()) == expected
    for words in sentences[:8]:
        found = NEIGHBOURHOODS[name](words)
        assert isomorphic(found, Transduced(MACHINES[name](words))(words))


def test_the_example_of_the_paper() -> None:
    """Figure 1 of Smith and Eisner (2005), whose sentence has six different words."""
    counts = {name: NEIGHBOURHOODS[name](NATURAL).count() for name in NEIGHBOURHOODS}
    assert counts == {"del1word": 7, "trans1": 6, "delortrans1": 12, "del1subseq": 21}
    assert accepts(trans1(NATURAL), ["natural", "is", "language", "a", "delicate", "thing"])
    assert accepts(del1subseq(NATURAL), ["natural", "delicate", "thing"])
    assert not accepts(del1word(NATURAL), ["natural", "delicate", "thing"])


def test_a_word_and_equal_words() -> None:
    for name, neighbourhood in NEIGHBOURHOODS.items():
        assert list(neighbourhood(["so"]).strings()) == [("so",)], name
    assert list(del1word(["so", "so"]).strings()) == [("so",), ("so", "so")]
    assert list(trans1(["so", "so"]).strings()) == [("so", "so")]
    assert delortrans1(["so"] * 9).count() == 2
    assert del1subseq(["so"] * 9).count() == 9


@pytest.mark.parametrize("size", [1, 2, 4])
def test_length_is_every_string_of_that_length(size: int) -> None:
    vocabulary = ("a", "b", "c")
    words = vocabulary[:1] * size
    found = Length(vocabulary)(words)
    expected = set(itertools.product(vocabulary, repeat=size))
    assert set(found.strings()) == expected
    check(found.lattice(), expected)
    made = Transduced(length_transducer(vocabulary))(words)
    check(made, expected)
    assert isomorphic(made, found.lattice())


def test_length_keeps_to_its_vocabulary() -> None:
    with pytest.raises(NotNestedError, match="'c' is not in the vocabulary"):
        Length(("a", "b"))(["a", "c"])
    with pytest.raises(ValueError, match="'a' is there twice"):
        Length(("a", "a"))
    large = Length(tuple(map(str, range(20_000))))(["7"] * 25)
    assert large.count() == 20_000**25


@thorough
@given(machine=transducers(), words=st.lists(st.sampled_from("ab"), min_size=1, max_size=3))
def test_any_transducer(machine, words: Sequence[str]) -> None:
    written = {writes for _, writes, _ in paths(compose(string_acceptor(words), machine))}
    check(Transduced(machine)(words), (written | {tuple(words)}) - {()})


def test_a_transducer_of_the_users_own() -> None:
    # Insert the word "not" anywhere, once.
    machine = transducer([(0, ANY, ANY, 0), (0, EPSILON, "not", 1), (1, ANY, ANY, 1)], [0, 1])
    found = Transduced(machine)(["do", "not", "go"])
    x = ("do", "not", "go")
    check(found, {x} | {(*x[:i], "not", *x[i:]) for i in range(4)})
    assert found.symbols == ("do", "not", "go")


def test_weights_do_not_matter_unless_they_forbid() -> None:
    arcs = [(0, "a", "b", 1, -7.5), (0, "a", "c", 1, float("-inf")), (0, "a", "b", 1)]
    check(Transduced(transducer(arcs, [1]))(["a"]), {("a",), ("b",)})
    # With weights that differ, what may follow b and c could not be one state.
    pairs = [(0, "a", "b", 1), (0, "a", "c", 2)]
    pairs += [(1, "a", word, 3, float(word == "b")) for word in "bc"]
    pairs += [(2, "a", word, 3, float(word == "c")) for word in "bc"]
    check(
        Transduced(transducer(pairs, [3]))(["a", "a"]),
        {("a", "a"), *itertools.product("bc", repeat=2)},
    )


def test_endless_transducers_are_refused() -> None:
    loop = [(0, ANY, ANY, 0), (0, EPSILON, "very", 1), (1, EPSILON, "very", 0)]
    with pytest.raises(LimitError, match=r"infinitely many: .* the states 0 → 1 → 0 form a cycle"):
        Transduced(transducer(loop, [0]))


def test_blow_ups_are_refused() -> None:
    forget = transducer([(0, ANY, ANY, 0), (0, ANY, EPSILON, 0)], [0])
    words = [f"w{i}" for i in range(40)]
    assert Transduced(forget)(words[:10]).count() == 2**10 - 1
    with pytest.raises(LimitError, match="would be more than 500"):
        Transduced(forget, limit=500)(words)
    with pytest.raises(LimitError, match="the arcs of the spans would be more than 500"):
        del1subseq(words, limit=500)
    assert len(with_words(forget, words).arcs) == 80
    with pytest.raises(LimitError):
        del1subseq([f"w{i % 7}" for i in range(5000)])


def test_a_function_of_the_users_own() -> None:
    found = Custom(lambda words: Lattice.from_sentence(words))(["a", "b"])
    assert list(found.strings()) == [("a", "b")]
    with pytest.raises(NotNestedError, match="'a b' is not among its neighbours"):
        Custom(lambda words: Lattice.from_sentence(words[1:]))(["a", "b"])
    with pytest.raises(ValueError, match="empty string is among"):
        Custom(lambda words: lattice([(0, words[0], 1)], [0, 1]))(["a"])


@pytest.mark.parametrize(
    "neighbourhood",
    [*NEIGHBOURHOODS.values(), Length(("a",)), Transduced(del1word_transducer()),
     Custom(Lattice.from_sentence)],
)  # fmt: skip
def test_what_has_no_neighbours_is_refused(neighbourhood) -> None:
    for words, message in (([], "one or more words"), (["a", ""], "one or more"), ("a", "split")):
        with pytest.raises(ValueError, match=message):
            neighbourhood(words)


def test_long_sentences_are_linear() -> None:
    words = [f"w{i % 50}" for i in range(3000)]
    for neighbourhood in (del1word, trans1, delortrans1):
        assert neighbourhood(words).state_count < 4 * len(words)
