"""Laws of counting and EM: closed forms of hidden Markov models."""

from __future__ import annotations

import numpy as np
import pytest

from weft.criteria import (
    Dirichlet,
    Gaussian,
    conditional,
    contrast,
    expected_counts,
    joint,
    marginal,
    no_penalty,
)
from weft.errors import OptionError
from weft.features.templates import templates
from weft.models import Chain, Extent, Normalisation, prepare
from weft.models.chain.multinomials import check_multinomials, multinomials, relative_frequencies
from weft.optimise.em import EM, MeasuredOn
from weft.optimise.lbfgs import LBFGS
from weft.optimise.search import Search
from weft.structures.evidence import EVERYTHING, Evidence, Example, example
from weft.train import fit

WORDS, TAGS = ("u", "v", "w"), ("A", "B")


def hmm(order: int = 1, **options) -> Chain:
    default = {"templates": templates("word[0]"), "attributes": Extent.ALL, "ngrams": Extent.ALL}
    default |= {"order": order, "normalisation": Normalisation.JOINT, "rare": 0}
    return Chain(**{**default, **options})


MODELS = {
    "moore1": hmm(1),
    "moore2": hmm(2),
    "trigrams alone": hmm(2, tag_ngrams="longest"),
    "mealy": hmm(1, templates=(), pair_templates=templates("word[0]")),
    "dictionary": hmm(1, dictionary={"u": frozenset({"A"})}),
    "shared1": hmm(1, attributes="shared"),
    "shared2": hmm(2, attributes="shared"),
}


@pytest.fixture(params=MODELS)
def chain(request) -> Chain:
    return MODELS[request.param]


def labelled(rng, sentences: int = 40) -> list[Example]:
    corpus = []
    for length in rng.integers(1, 6, sentences):
        words = rng.choice(WORDS, length).tolist()
        tags = ["A" if word == "u" else str(rng.choice(TAGS)) for word in words]
        corpus.append(example(words, tags, weight=float(rng.uniform(0.5, 2))))
    return corpus


def partly(rng, corpus) -> list[Example]:
    return [
        Example(
            e.tokens, tuple(tag if rng.random() < 0.3 else None for tag in e.analysis), e.weight
        )
        for e in corpus
    ]


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_counting_is_one_step_of_em(rng, chain, smoothing):
    corpus = labelled(rng)
    penalty = Dirichlet(smoothing)
    tagger = fit(chain, corpus, criterion=joint, penalty=penalty, optimiser=EM())
    assert len(tagger.trace) == 2  # the start and the one step
    expected = relative_frequencies(tagger.model, corpus, smoothing)
    np.testing.assert_allclose(tagger.weights, expected, rtol=1e-12)


def test_counts_are_relative_frequencies():
    corpus = [example(["u", "v"], ["A", "B"]), example(["u"], ["A"]), example(["w"], ["A"])]
    tagger = fit(hmm(), corpus, criterion=joint, penalty=Dirichlet(0.0), optimiser=EM())
    probs = contrast(tagger.model, corpus, joint).per_example(tagger.weights)
    # p(A|start) = 1, p(end|A) = 2/3, p(B|A) = 1/3, p(end|B) = 1; p(u|A) = 2/3, p(w|A) = 1/3.
    expected = np.log([2 / 3 * 1 / 3, 2 / 3 * 2 / 3, 2 / 3 * 1 / 3])
    np.testing.assert_allclose(probs, expected, rtol=1e-12)


@pytest.mark.parametrize("criterion", [joint, marginal], ids=lambda c: c.name)
@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_em_never_decreases_the_penalised_value(rng, chain, criterion, smoothing):
    corpus = partly(rng, labelled(rng))
    penalty = Dirichlet(smoothing, {"bigram": 0.1} if chain.order == 1 else {})
    em = EM(max_iterations=30, tolerance=0.0)
    # Without a dictionary words alone do not tell tags apart: only a random start leads anywhere.
    random = Search(restarts=1) if criterion is marginal and chain.dictionary is None else None
    tagger = fit(chain, corpus, criterion=criterion, penalty=penalty, optimiser=em, search=random)
    values = np.array([step.value for step in tagger.trace])
    assert len(values) > 10
    assert (np.diff(values) >= -1e-9 * np.abs(values[1:])).all()
    assert values[-1] > values[0]


def test_the_value_of_em_is_the_criterion_and_the_penalty(rng, chain):
    corpus = partly(rng, labelled(rng))
    penalty = Dirichlet(0.5)
    em = EM(max_iterations=3, tolerance=0.0)
    tagger = fit(chain, corpus, criterion=joint, penalty=penalty, optimiser=em)
    value, _ = contrast(tagger.model, corpus, joint)(tagger.weights)
    members = multinomials(tagger.model).members
    assert tagger.trace[-1].value == pytest.approx(value + 0.5 * tagger.weights[members].sum())


def test_a_fixed_point_of_em_has_no_gradient(rng, chain):
    corpus = partly(rng, labelled(rng))
    em = EM(max_iterations=5000, tolerance=1e-15)
    tagger = fit(chain, corpus, criterion=joint, penalty=Dirichlet(0.5), optimiser=em)
    model, theta = tagger.model, tagger.weights
    distributions = multinomials(model)
    _, gradient = contrast(model, corpus, joint)(theta)
    mine = distributions.members
    # The pull-back of the prior: λ (1 - size of the group * p).
    sizes = np.bincount(distributions.groups[mine])[distributions.groups[mine]]
    gradient[mine] += 0.5 * (1 - sizes * np.exp(theta[mine]))
    np.testing.assert_allclose(gradient[mine], 0.0, atol=1e-4)


def test_sums_over_everything_stay_one(rng, chain):
    corpus = partly(rng, labelled(rng))
    tagger = fit(chain, corpus, criterion=joint, penalty=Dirichlet(0.1), optimiser=EM(5))
    assert tagger.model.free.everything().log_partition(tagger.weights)[0] == pytest.approx(
        0.0, abs=1e-12
    )
    assert tagger.model.derivations([EVERYTHING]).log_partition(tagger.weights)[0] == 0.0


def test_the_dictionary_is_kept(rng):
    corpus = partly(rng, labelled(rng))
    tagger = fit(MODELS["dictionary"], corpus, criterion=joint, optimiser=EM(3))
    probs = tagger.marginals([["u", "v"]])[0]
    assert probs[0].tolist() == [pytest.approx(1.0), 0.0]
    assert np.isneginf(tagger.weights).sum() == 1  # p(u | B)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("criterion", [joint, marginal], ids=lambda c: c.name)
def test_forbidden_transitions_stay_forbidden(rng, order, criterion):
    corpus = [each for each in labelled(rng) if "BA" not in "".join(each.analysis)]
    corpus = partly(rng, corpus) if criterion is joint else corpus
    chain = hmm(order, forbidden={("B", "A")}, dictionary={"u": frozenset("A")})
    corpus = [each for each in corpus if "u" not in each.tokens.words[1:]]  # A, but never after B
    tagger = fit(chain, corpus, criterion=criterion, penalty=Dirichlet(0.1), optimiser=EM(8))
    assert (np.diff([step.value for step in tagger.trace]) >= -1e-9).all()
    whole = tagger.model.free.everything().log_partition(tagger.weights)[0]
    assert whole == pytest.approx(0.0, abs=1e-12)
    tagged = tagger.tag([["v", "w", "v"], *(each.tokens for each in corpus)])
    assert all("BA" not in "".join(tags) for tags in tagged)
    steps = tagger.model.topology.table(tagger.weights)
    before, after = map(tagger.model.tags.index, "BA")
    assert np.isneginf(steps[0, before, after] if order == 1 else steps[before, :, after]).all()


def test_what_may_follow_nothing_is_refused(rng):
    corpus = labelled(rng, 5)
    every = {("B", "A"), ("B", "B"), ("B", None)}
    with pytest.raises(OptionError, match="all transitions from 'B' are forbidden"):
        prepare(hmm(forbidden=every), corpus)
    with pytest.raises(OptionError, match="'Z' is forbidden, and there is no such tag"):
        prepare(hmm(forbidden={("Z", "A")}), corpus)


def test_em_agrees_with_gradient_ascent(rng):
    corpus = labelled(rng)
    counted = fit(hmm(), corpus, criterion=joint, penalty=no_penalty, optimiser=EM())
    precise = LBFGS(tolerance=0.0, gradient_tolerance=1e-10, max_iterations=3000)
    climbed = fit(hmm(), corpus, criterion=joint, penalty=no_penalty, optimiser=precise)
    objective = contrast(counted.model, corpus, joint)
    assert objective(climbed.weights)[0] == pytest.approx(objective(counted.weights)[0], abs=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"templates": templates("word[0] suffix1[0]")}, "only template must be word"),
        ({"attributes": Extent.OBSERVED}, "attributes=all"),
        ({"ngrams": Extent.OBSERVED}, "ngrams=all"),
        ({"boundaries": False}, "boundaries=yes"),
        ({"pair_templates": templates("word[0]")}, "not both"),
    ],
)
def test_what_is_no_probability_is_refused(options, message):
    corpus = [example(["u", "v"], ["A", "B"]), example(["v"], ["A"])]
    with pytest.raises(OptionError, match=message):
        check_multinomials(prepare(hmm(**options), corpus))


def test_undefined_combinations_are_refused(rng):
    corpus = labelled(rng, 5)
    with pytest.raises(OptionError, match="EM maximises joint and marginal likelihood"):
        fit(hmm(), corpus, criterion=conditional, optimiser=EM())
    with pytest.raises(OptionError, match="normalisation=joint"):
        fit(hmm(normalisation="none"), corpus, criterion=joint, optimiser=EM())
    with pytest.raises(OptionError, match="dirichlet"):
        fit(hmm(), corpus, criterion=joint, penalty=Gaussian(), optimiser=EM())
    with pytest.raises(OptionError, match="for EM"):
        fit(hmm(), corpus, criterion=joint, penalty=Dirichlet(), optimiser=LBFGS())


def test_distributions_without_counts_stay_uniform():
    corpus = [example(["u"], ["A"]), example(["v"], [frozenset({"A", "B"})])]
    model = prepare(hmm(), corpus)
    weights = multinomials(model).weights(np.zeros(model.parameters.size))
    total = model.derivations([Evidence(each.tokens) for each in corpus]).log_partition(weights)
    np.testing.assert_allclose(np.exp(total), 1 / 2 * 1 / 3)


def test_the_tolerance_is_of_the_value_or_of_the_likelihood(rng, chain):
    corpus = partly(rng, labelled(rng))
    model = prepare(chain, corpus)
    start = relative_frequencies(model, corpus)

    def gains(measured_on: str, smoothing: float) -> np.ndarray:
        """The relative gains of all iterations: the climb ends at the first small one."""
        known = check_multinomials(model)
        counts = expected_counts(
            model.free, corpus, joint, smoothing * known.members, known.weights, threads=1
        )
        seen: list[float] = []

        def look(step, weights):
            cost = smoothing * weights[known.members].sum() if measured_on == "likelihood" else 0.0
            seen.append(step.value - cost)

        EM(max_iterations=500, tolerance=1e-4, measured_on=measured_on).maximise(
            counts, start, look
        )
        return np.abs(np.diff(seen) / seen[1:])

    for smoothing in (0.0, 1000.0):
        for measured_on in MeasuredOn:
            *before, last = gains(measured_on, smoothing)
            assert last <= 1e-4
            assert all(gain > 1e-4 for gain in before)
    assert len(gains("likelihood", 1000.0)) > len(gains("value", 1000.0))
    np.testing.assert_array_equal(gains("likelihood", 0.0), gains("value", 0.0))
