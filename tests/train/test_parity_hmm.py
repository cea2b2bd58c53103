"""Parity with hmmlearn and NLTK: hidden Markov models on small random data.

Neither has an end state: a sentence there ends because it does. In Weft ending is a step like any
other, and the tests account for it exactly, in one of two ways:

- every state ends with the same probability e and goes on with 1 - e, which multiplies whatever
  has m words by (1 - e)ᵐ⁻¹ e and leaves all posteriors as they are;
- steps are divided by the probability of going on and ending is free, which makes a chain of free
  weights out of a counted model.
"""

from __future__ import annotations

import numpy as np
import pytest
from hmmlearn.hmm import CategoricalHMM
from nltk.probability import LidstoneProbDist
from nltk.tag.hmm import HiddenMarkovModelTrainer

from weft.criteria import Dirichlet, expected_counts, joint, marginal
from weft.features.templates import templates
from weft.models import Chain, ChainModel, Extent, Normalisation, prepare
from weft.models.chain.multinomials import check_multinomials
from weft.models.tagger import Tagger
from weft.optimise.em import EM
from weft.report.features import named_weights
from weft.structures.evidence import END, START, Evidence, Example, example
from weft.train import fit

STATES, WORDS = ("A", "B", "C", "D"), tuple("uvwxyz")
ENDING = 0.2

HMM = Chain(
    templates=templates("word[0]"),
    attributes=Extent.ALL,
    ngrams=Extent.ALL,
    normalisation=Normalisation.JOINT,
)


@pytest.fixture
def corpus(rng) -> list[Example]:
    """Every state and every word, the words in order, and sentences of one word too."""
    first = example(WORDS, [*STATES, "A", "B"])
    lengths = [1, 1, *rng.integers(2, 12, 28)]
    return [first] + [
        example(rng.choice(WORDS, n).tolist(), rng.choice(STATES, n, p=[0.4, 0.3, 0.2, 0.1]))
        for n in lengths
    ]


def numbers(corpus: list[Example]) -> tuple[np.ndarray, list[int]]:
    """The words as hmmlearn wants them: [tokens, 1], and the lengths of sentences."""
    words = [WORDS.index(word) for each in corpus for word in each.tokens.words]
    return np.array(words)[:, None], [len(each.tokens) for each in corpus]


def other_hmm(rng, implementation: str, zeros: bool) -> CategoricalHMM:
    """A random model, or one in which some steps and some words are impossible."""
    other = CategoricalHMM(
        len(STATES), implementation=implementation, n_iter=1, tol=0.0, init_params=""
    )
    other.n_features = len(WORDS)
    other.startprob_ = rng.dirichlet(np.ones(len(STATES)))
    other.transmat_ = rng.dirichlet(np.ones(len(STATES)), len(STATES))
    other.emissionprob_ = rng.dirichlet(np.ones(len(WORDS)), len(STATES))
    if zeros:
        other.startprob_ = np.array([0.6, 0.4, 0.0, 0.0])
        other.transmat_[[0, 2], [3, 2]] = 0.0
        other.emissionprob_[[1, 1, 3], [0, 4, 5]] = 0.0
        other.transmat_ /= other.transmat_.sum(axis=1, keepdims=True)
        other.emissionprob_ /= other.emissionprob_.sum(axis=1, keepdims=True)
    return other


def features(model: ChainModel) -> list[tuple[str, ...]]:
    """What each weight is of: (tag before, tag) or (tag, attribute), by name."""
    named = named_weights(
        Tagger(model, np.zeros(model.parameters.size)), np.arange(model.parameters.size)
    )
    return [each.tags if each.attribute is None else (*each.tags, each.attribute) for each in named]


def table_of(model: ChainModel, theta: np.ndarray) -> dict[tuple[str, ...], float]:
    return dict(zip(features(model), theta, strict=True))


def weights_like(model: ChainModel, other: CategoricalHMM) -> np.ndarray:
    """The same probabilities, where every state ends alike."""
    probs = {(tag, END): ENDING for tag in STATES}
    for k, tag in enumerate(STATES):
        probs[START, tag] = other.startprob_[k]
        probs |= {
            (tag, to): (1 - ENDING) * p for to, p in zip(STATES, other.transmat_[k], strict=True)
        }
        probs |= {
            (tag, f"word[0]={word}"): p
            for word, p in zip(WORDS, other.emissionprob_[k], strict=True)
        }
    with np.errstate(divide="ignore"):
        return np.log([probs[name] for name in features(model)])


@pytest.fixture(params=["log", "scaling"])
def implementation(request) -> str:
    return request.param


@pytest.fixture(params=[False, True], ids=["positive", "zeros"])
def pair(rng, corpus, implementation, request) -> tuple[Tagger, CategoricalHMM]:
    """The same model twice."""
    other = other_hmm(rng, implementation, request.param)
    model = prepare(HMM, corpus)
    assert model.tags == STATES
    return Tagger(model, weights_like(model, other)), other


def test_hmmlearn_log_likelihood(corpus, pair):
    tagger, other = pair
    evidences = [Evidence(each.tokens) for each in corpus]
    ours = tagger.model.derivations(evidences).log_partition(tagger.weights)
    words, lengths = numbers(corpus)
    ends = np.array(lengths)
    theirs = [other.score(part) for part in np.split(words, np.cumsum(lengths)[:-1])]
    expected = np.array(theirs) + (ends - 1) * np.log(1 - ENDING) + np.log(ENDING)
    np.testing.assert_allclose(ours, expected, rtol=1e-12)


def test_hmmlearn_posteriors(corpus, pair):
    tagger, other = pair
    ours = np.concatenate(tagger.marginals([each.tokens for each in corpus]))
    np.testing.assert_allclose(ours, other.predict_proba(*numbers(corpus)), rtol=0, atol=1e-12)


def test_hmmlearn_best_paths(corpus, pair):
    tagger, other = pair
    ours = tagger.tag([each.tokens for each in corpus])
    _, theirs = other.decode(*numbers(corpus), algorithm="viterbi")
    assert [STATES.index(tag) for tags in ours for tag in tags] == theirs.tolist()


def test_hmmlearn_iteration_of_baum_welch(corpus, pair):
    tagger, other = pair
    model = tagger.model
    nothing = np.zeros(model.parameters.size)
    counts = expected_counts(
        model.free, corpus, marginal, nothing, check_multinomials(model).weights
    )
    solution = EM(max_iterations=1, tolerance=0.0).maximise(counts, np.array(tagger.weights))
    assert len(solution.trace) == 2
    probs = {name: np.exp(w) for name, w in table_of(model, solution.weights).items()}
    other.fit(*numbers(corpus))
    started = [probs[START, tag] for tag in STATES]
    steps = np.array([[probs[tag, to] for to in STATES] for tag in STATES])
    emitted = [[probs[tag, f"word[0]={word}"] for word in WORDS] for tag in STATES]
    np.testing.assert_allclose(started, other.startprob_, rtol=0, atol=1e-12)
    np.testing.assert_allclose(emitted, other.emissionprob_, rtol=0, atol=1e-12)
    # Ours also estimates where sentences end; given that they go on, the steps are the same.
    np.testing.assert_allclose(
        steps / steps.sum(axis=1, keepdims=True), other.transmat_, rtol=0, atol=1e-12
    )


SMOOTHING = [0.0, 0.1, 1.0]


def given_that_it_goes_on(tagger: Tagger) -> Tagger:
    """The same chain with free weights: steps divided by p(not the end), ends of weight one."""
    names = features(tagger.model)
    log_ends = {tag: w for (tag, to), w in zip(names, tagger.weights, strict=True) if to == END}
    theta = np.array(tagger.weights)
    for place, (tag, to) in enumerate(names):
        if to == END:
            theta[place] = 0.0
        elif tag in log_ends and to in STATES:
            theta[place] -= np.log1p(-np.exp(log_ends[tag]))
    return Tagger(tagger.model.free, theta)


@pytest.fixture(params=SMOOTHING, ids=lambda s: f"add{s:g}")
def counted(corpus, request):
    """A model counted by both: ours, given that sentences go on, and NLTK's."""
    smoothing = request.param
    tagger = fit(HMM, corpus, criterion=joint, penalty=Dirichlet(smoothing), optimiser=EM())
    sequences = [list(zip(e.tokens.words, e.analysis, strict=True)) for e in corpus]
    trainer = HiddenMarkovModelTrainer(list(STATES), list(WORDS))
    other = trainer.train_supervised(
        sequences,
        estimator=(lambda counts, bins: LidstoneProbDist(counts, smoothing, bins))
        if smoothing
        else None,
    )
    return given_that_it_goes_on(tagger), other


def new_sentences(rng) -> list[Example]:
    return [
        example(rng.choice(WORDS, n).tolist(), rng.choice(STATES, n).tolist())
        for n in rng.integers(1, 9, 30)
    ]


def test_nltk_joint_and_forward_log_probabilities(rng, corpus, counted):
    tagger, other = counted
    sentences = [*corpus, *new_sentences(rng)]
    known = [Evidence(each.tokens, each.analysis) for each in sentences]
    hidden = [Evidence(each.tokens) for each in sentences]
    ours = tagger.model.derivations([*known, *hidden]).log_partition(tagger.weights)
    sequences = [list(zip(e.tokens.words, e.analysis, strict=True)) for e in sentences]
    unlabelled = [[(word, None) for word, _ in sequence] for sequence in sequences]
    theirs = [other.log_probability(sequence) for sequence in [*sequences, *unlabelled]]
    # NLTK's logs are of base 2, and those of zero are -1e300.
    theirs = np.where(np.array(theirs) < -1e200, -np.inf, np.array(theirs) * np.log(2))
    assert np.isfinite(ours).sum() > len(sentences)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_nltk_best_paths(rng, corpus, counted):
    tagger, other = counted
    sentences = [*corpus, *new_sentences(rng)]
    derivations = tagger.model.derivations([Evidence(each.tokens) for each in sentences])
    assert np.isfinite(derivations.log_partition(tagger.weights)).all()
    # The simple one: best_path keeps its logs in single precision, where those of zero overflow.
    theirs = [tuple(other.best_path_simple(each.tokens.words)) for each in sentences]
    assert tagger.tag([each.tokens for each in sentences]) == theirs
