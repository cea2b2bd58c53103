"""What a tagger answers, against enumeration; and what it keeps in its file."""

from __future__ import annotations

import contextlib
import dataclasses
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from chains import chain_options, evidences_about, random_corpus, random_model
from weft.archive import load_archive, save_archive
from weft.derivations.chain.expand import to_forest
from weft.errors import EvidenceError, FormatError
from weft.models import Chain, Scheme, prepare
from weft.models.progress import Progress
from weft.models.storage import load_tagger, save_tagger
from weft.models.tagger import Decoder, Tagger
from weft.structures.evidence import Evidence, Example, example

OPTIONS = chain_options()


@pytest.fixture(params=OPTIONS, ids=str)
def tagger(request, rng) -> Tagger:
    model, _ = random_model(rng, OPTIONS[request.param])
    lexicon = {"u": frozenset({"A"}), "é ü": frozenset({"A", "BC"}), "": frozenset()}
    trace = (Progress(0, -9.0, 3.0, 0.0), Progress(1, -8.5, 1.0, 0.25, 0.75))
    weights = rng.normal(size=model.parameters.size)
    return Tagger(model, weights, lexicon, trace, {"recipe": "crf"})


def enumerate_tags(tagger: Tagger, sentence) -> dict[tuple[str, ...], float]:
    """The probability of every tag sequence that the model allows."""
    sequences = list(product(tagger.model.tags, repeat=len(sentence)))
    forest = to_forest(tagger.model.derivations([Evidence(sentence, s) for s in sequences]))
    weights = np.exp(forest.log_partition(tagger.weights))
    return dict(zip(sequences, weights / weights.sum(), strict=True))


def test_answers_equal_enumeration(tagger, rng):
    sentences = [each.tokens for each in random_corpus(rng, 4, 4)]
    best = tagger.tag(sentences)
    posterior = tagger.tag(sentences, Decoder.POSTERIOR)
    marginals = tagger.marginals(sentences)
    entropy = tagger.entropy(sentences)
    for number, sentence in enumerate(sentences):
        probs = enumerate_tags(tagger, sentence)
        assert probs[best[number]] == pytest.approx(max(probs.values()))
        expected = np.zeros((len(sentence), len(tagger.model.tags)))
        for sequence, p in probs.items():
            expected[np.arange(len(sentence)), list(map(tagger.model.tags.index, sequence))] += p
        np.testing.assert_allclose(marginals[number], expected, atol=1e-10)
        chosen = [tagger.model.tags[tag] for tag in expected.argmax(axis=1)]
        assert posterior[number] == tuple(chosen)
        plain = -sum(p * np.log(p) for p in probs.values() if p > 0)
        assert entropy[number] == pytest.approx(plain, abs=1e-9)
        examples = [Example(sentence, sequence) for sequence in probs]
        np.testing.assert_allclose(
            np.exp(tagger.log_probs(examples)), list(probs.values()), atol=1e-10
        )


def test_the_same_sentence_twice_is_answered_twice(tagger, rng):
    sentence = random_corpus(rng)[3].tokens
    once, twice = tagger.marginals([sentence, sentence])
    np.testing.assert_array_equal(once, twice)


def test_unknown_words_and_attributes_never_fail(tagger):
    tags = tagger.tag([["never", "seen", "before"], ["x"]])
    assert [len(each) for each in tags] == [3, 1]


def test_empty_input_gives_empty_output(tagger):
    assert tagger.tag([]) == []
    assert tagger.tag([[]]) == [()]
    assert tagger.tag([[], ["u"], []])[::2] == [(), ()]


def test_labels_that_the_model_excludes_have_log_probability_minus_infinity(tagger):
    assert tagger.log_probs([example(["u"], ["no such tag"])])[0] == -np.inf


def test_forbidden_transitions_are_never_predicted(rng):
    corpus = [example(["a", "b", "c"], ["B-X", "I-X", "O"]), example(["c", "b"], ["O", "B-X"])]
    model = prepare(Chain(scheme=Scheme.CHUNKS), corpus)
    for _ in range(20):
        tagger = Tagger(model, 10 * rng.normal(size=model.parameters.size))
        for tags in tagger.tag([["a", "b", "c", "b"]]):
            assert tags[0] != "I-X"
            assert ("O", "I-X") not in list(pairwise(tags))


def test_a_sentence_without_a_tagging_is_named():
    corpus = [example(["a", "b"], ["B-X", "I-X"]), example(["c"], ["O"])]
    dictionary = {"b": frozenset({"I-X"}), "c": frozenset({"O"})}
    model = prepare(Chain(scheme=Scheme.CHUNKS, dictionary=dictionary), corpus)
    tagger = Tagger(model, np.zeros(model.parameters.size))
    for ask in (tagger.tag, tagger.marginals):
        with pytest.raises(EvidenceError, match=r"sentence 2: no tagging .* token 2, 'b'"):
            ask([["c", "a"], ["c", "b"]])


def test_a_file_gives_the_tagger_back(tagger, rng, tmp_path):
    path = tmp_path / "model.weft"
    save_tagger(path, tagger)
    loaded = load_tagger(path)
    corpus = random_corpus(rng)
    evidences = evidences_about(rng, corpus)
    theta = tagger.weights
    for ours, theirs in zip(
        tagger.model.derivations(evidences).evaluate(theta, np.ones(len(evidences))),
        loaded.model.derivations(evidences).evaluate(loaded.weights, np.ones(len(evidences))),
        strict=True,
    ):
        np.testing.assert_array_equal(ours, theirs)
    assert loaded.model.parameters == tagger.model.parameters
    assert loaded.lexicon == tagger.lexicon
    assert loaded.trace == tuple(replace(step, seconds=None) for step in tagger.trace)
    assert loaded.notes == tagger.notes
    assert loaded.model.dictionary == tagger.model.dictionary
    assert loaded.model.vocabulary == tagger.model.vocabulary


def test_saving_twice_gives_the_same_bytes(tagger, tmp_path):
    for name in ("one", "two"):
        save_tagger(tmp_path / name, tagger)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def spoil(array: np.ndarray, how: str) -> np.ndarray:
    """The array with something wrong about it."""
    if how == "type":
        return array.astype(np.float32)
    if how == "short":
        return array[:-1]
    spoiled = array.copy()
    if array.size and array.dtype.kind in "if":
        worst = {"i": {"huge": np.iinfo(np.int32).max, "negative": -1}, "f": {"huge": np.nan}}
        spoiled.flat[-1 if how == "huge" else 0] = worst[array.dtype.kind].get(how, -1.0)
    return spoiled


@pytest.mark.parametrize("how", ["huge", "negative", "short", "type"])
def test_arrays_that_do_not_fit_are_refused(rng, tmp_path, how):
    model, corpus = random_model(rng, OPTIONS["order2-dictionary"])
    lexicon = {"u": frozenset({"A"}), "v": frozenset({"A", "B"})}
    save_tagger(tmp_path / "good", Tagger(model, np.zeros(model.parameters.size), lexicon))
    manifest, arrays = load_archive(tmp_path / "good", "tagger")
    kept = {key: manifest[key] for key in manifest if key not in ("format", "version", "arrays")}
    harmless = set()
    for name in arrays:
        changed = {**arrays, name: spoil(arrays[name], how)}
        save_archive(tmp_path / "bad", kept, changed)
        with contextlib.suppress(FormatError):
            # What is left is harmless, text or a mask: the model still works.
            load_tagger(tmp_path / "bad").tag([each.tokens for each in corpus])
            harmless.add(name.rpartition("_")[2])
    # Minus one is as good a weight as any other.
    assert harmless <= {"text", "forbidden", "trace"} | (
        {"weights"} if how == "negative" else set()
    )


def test_taggers_are_frozen(tagger):
    with pytest.raises(dataclasses.FrozenInstanceError):
        tagger.weights = np.zeros(1)


def test_a_string_is_no_list_of_words(tagger):
    with pytest.raises(ValueError, match="list of words"):
        tagger.tag(["time flies"])
