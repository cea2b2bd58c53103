"""Restarts and annealing: what they climb, what they keep, and where they cannot begin."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from weft.criteria import Dirichlet, Gaussian, contrast, expected_counts, marginal, no_penalty
from weft.errors import OptionError
from weft.features.templates import templates
from weft.models import Chain, Extent, Normalisation, prepare
from weft.models.chain.multinomials import check_multinomials, relative_frequencies
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.search import Search, Tempered, Terrain, WhichMaximum, search
from weft.optimise.solution import Reason, Solution, Step
from weft.structures.evidence import Evidence, Example, example
from weft.train import fit

DENSE = {"attributes": Extent.ALL, "ngrams": Extent.ALL}
HMM = {"templates": templates("word[0]"), "normalisation": Normalisation.JOINT, "rare": 0, **DENSE}
DICTIONARY = {"u": frozenset({"A"}), "v": frozenset({"A", "B"})}


def labelled(rng, sentences: int = 20) -> list[Example]:
    """A and B take turns, with words of their own more often than not."""
    corpus = []
    for length in rng.integers(2, 7, sentences):
        tags = ["AB"[place % 2] for place in range(length)]
        words = [str(rng.choice(list("uuv") if tag == "A" else list("vww"))) for tag in tags]
        corpus.append(example(words, tags))
    return corpus


def test_powers_grow_to_one():
    assert Search().powers == (1.0,)
    assert Search(anneal=0.1, growth=10.0).powers == (0.1, 1.0)
    powers = Search(anneal=0.03, growth=1.7).powers
    assert powers[0] == 0.03
    assert powers[-1] == 1.0
    assert all(a < b <= 1.7 * a * (1 + 1e-12) for a, b in pairwise(powers))


@pytest.mark.parametrize("power", [0.3, 1.0])
def test_tempered_posteriors_are_raised_to_the_power(rng, power):
    corpus = [example(list("uvw")), example(list("vw"))]
    model = prepare(Chain(**HMM, dictionary=DICTIONARY), corpus)
    distributions = check_multinomials(model)
    prior = 0.25 * distributions.members
    counts = expected_counts(model.free, corpus, marginal, prior, distributions.weights)
    theta = distributions.weights(rng.uniform(0.5, 2.0, model.parameters.size))
    value, expected = Tempered(counts, power)(theta)
    total, by_hand = 0.0, np.zeros(len(theta))
    for each in corpus:
        taggings = list(np.ndindex(*[2] * len(each.tokens)))
        evidences = [Evidence(each.tokens, tuple("AB"[t] for t in tags)) for tags in taggings]
        logs = model.free.derivations(evidences).log_partition(theta)
        scaled = power * logs
        log_total = np.logaddexp.reduce(scaled)
        total += log_total / power
        shares = np.exp(scaled - log_total)
        possible = [e for e, share in zip(evidences, shares, strict=True) if share > 0]
        by_hand += model.free.derivations(possible).evaluate(theta, shares[shares > 0])[1]
    assert value == pytest.approx(total + 0.25 * theta[distributions.members].sum())
    np.testing.assert_allclose(expected, by_hand, atol=1e-12)


def test_annealed_em_climbs_every_stage(rng):
    corpus = labelled(rng)
    chain = Chain(**HMM, dictionary=DICTIONARY)
    schedule = Search(anneal=0.2, growth=2.0)
    seen = []
    tagger = fit(
        chain,
        corpus,
        criterion=marginal,
        penalty=Dirichlet(0.1),
        optimiser=EM(20, 1e-7),
        search=schedule,
        progress=seen.append,
    )
    assert [step.iteration for step in tagger.trace] == list(range(len(tagger.trace)))
    assert tagger.trace == tuple(step.progress for step in seen)
    assert len(tagger.trace) > len(schedule.powers) * 2
    # The last stage is EM itself, and ends at one of its maxima.
    assert tagger.notes["stopped"] == Reason.VALUE
    value = contrast(tagger.model, corpus, marginal)(tagger.weights)[0]
    members = check_multinomials(tagger.model).members
    last = value + 0.1 * tagger.weights[members].sum()
    assert tagger.trace[-1].value == pytest.approx(last)
    assert tagger.trace[-2].value == pytest.approx(last, rel=1e-6)
    # At the first power, all analyses that the dictionary allows are nearly alike.
    assert tagger.trace[0].value != pytest.approx(last, rel=1e-3)


def test_annealed_gradients_loosen_the_penalty():
    corpus = [example(list("uvw"), list("ABA")), example(list("vu"), list("BA"))]
    chain = Chain(templates=templates("word[0]"))
    precise = LBFGS(tolerance=0.0, gradient_tolerance=1e-9)
    plain = fit(chain, corpus, penalty=Gaussian(2.0), optimiser=precise)
    annealed = fit(
        chain,
        corpus,
        penalty=Gaussian(2.0),
        optimiser=precise,
        search=Search(anneal=0.25, growth=2.0),
    )
    # The conditional criterion is concave: every way leads to the one maximum.
    np.testing.assert_allclose(annealed.weights, plain.weights, atol=1e-6)
    first = fit(chain, corpus, penalty=Gaussian(0.5), optimiser=precise)
    assert any(step.value == pytest.approx(first.trace[-1].value) for step in annealed.trace)
    assert not any(step.value == pytest.approx(first.trace[-1].value) for step in plain.trace)
    with pytest.raises(OptionError, match="there is none: use gaussian"):
        fit(chain, corpus, penalty=no_penalty, search=Search(anneal=0.5))


def test_a_uniform_start_does_not_move_and_restarts_do(rng):
    corpus = [Example(each.tokens) for each in labelled(rng)]
    model = prepare(Chain(**HMM), labelled(rng))
    distributions = check_multinomials(model)
    nothing = np.zeros(model.parameters.size)
    counts = expected_counts(model.free, corpus, marginal, nothing, distributions.weights)
    start = relative_frequencies(model, corpus)
    solution = EM(50, 0.0).maximise(counts, start)
    words = solution.weights[model.tag_rows.start :].reshape(-1, 2)
    np.testing.assert_allclose(words[:, 0], words[:, 1], atol=1e-9)  # the tags are still alike
    options = {"criterion": marginal, "penalty": Dirichlet(0.01), "optimiser": EM(200, 1e-9)}
    with pytest.raises(OptionError, match=r"give a dictionary .* --set restarts=5"):
        fit(Chain(**HMM), labelled(rng), **options)
    tagger = fit(Chain(**HMM), labelled(rng), search=Search(restarts=3), **options)
    words = tagger.weights[tagger.model.tag_rows.start :].reshape(-1, 2)
    assert np.abs(words[:, 0] - words[:, 1]).max() > 0.1
    assert tagger.trace[-1].value > solution.value


@pytest.mark.parametrize(
    ("chain", "options"),
    [
        (Chain(**HMM, dictionary=DICTIONARY), {"penalty": Dirichlet(0.1), "optimiser": EM(5)}),
        (
            Chain(templates=templates("word[0]"), dictionary=DICTIONARY),
            {"penalty": Gaussian(1.0), "optimiser": LBFGS(max_iterations=3)},
        ),
    ],
    ids=["all features", "observed features"],
)
def test_labels_that_are_not_looked_at_play_no_part(rng, chain, options):
    corpus = labelled(rng)
    bare = [Example(each.tokens) for each in corpus]
    with_labels, without = (fit(chain, c, criterion=marginal, **options) for c in (corpus, bare))
    np.testing.assert_array_equal(with_labels.weights, without.weights)


def test_gradients_refuse_a_start_where_tags_are_alike(rng):
    chain = Chain(templates=templates("word[0]"), **DENSE)
    with pytest.raises(OptionError, match="nothing tells the tags apart"):
        fit(chain, labelled(rng), criterion=marginal, penalty=Gaussian(1.0))
    tagger = fit(
        chain,
        labelled(rng),
        criterion=marginal,
        penalty=Gaussian(1.0),
        optimiser=LBFGS(max_iterations=5),
        search=Search(restarts=1),
    )
    assert tagger.trace[-1].value > tagger.trace[0].value


def flat(values: dict[float, float]):
    """Stays where it starts; worth what the nearest number is."""

    def climb(start, _, callback):
        value = values[min(values, key=lambda each: abs(each - start[0]))]
        step = Step(0, value, 0.0, 0.0, 1, 0.0)
        stop = callback(step, start)
        return Solution(start, value, 0.0, (step,), Reason.STOPPED if stop else Reason.VALUE)

    return climb


def test_what_is_chosen():
    entropies = {0.0: 0.5, 1.0: 0.1, 2.0: 0.9, 3.0: 0.2}

    def terrain(plain: bool = True) -> Terrain:
        noise = iter([1.0, 2.0, 3.0])
        climb = flat({0.0: -4.0, 1.0: -1.0, 2.0: -2.0, 3.0: -3.0})
        return Terrain(
            climb, lambda start, _: start + next(noise), lambda w: entropies[w[0]], plain
        )

    start = np.zeros(1)
    assert search(Search(restarts=3), terrain(), start).weights[0] == 1.0
    assert search(Search(restarts=3, choose="entropy"), terrain(), start).weights[0] == 2.0
    assert search(Search(restarts=1, choose="entropy"), terrain(), start).weights[0] == 0.0
    assert search(Search(restarts=1, choose="entropy"), terrain(False), start).weights[0] == 1.0
    solution = search(Search(restarts=3), terrain(), start)
    assert [step.iteration for step in solution.trace] == [1]  # the second of four climbs


def test_stopping_ends_the_search():
    climb = flat({0.0: -4.0, 9.0: -1.0})
    hills = Terrain(climb, lambda start, _: start + 9.0, lambda _: 0.0)
    told = []
    solution = search(
        Search(restarts=5), hills, np.zeros(1), lambda step, _: told.append(step) or len(told) == 2
    )
    assert len(told) == 2
    assert solution.value == -1.0
    assert solution.reason is Reason.STOPPED


def test_an_interrupt_is_the_reason_whichever_solution_is_the_best():
    def climb(start, _, callback):
        solution = flat({0.0: -1.0, 9.0: -4.0})(start, _, callback)
        return replace(solution, reason=Reason.INTERRUPTED) if start[0] else solution

    hills = Terrain(climb, lambda start, _: start + 9.0, lambda _: 0.0)
    solution = search(Search(restarts=5), hills, np.zeros(1))
    assert solution.value == -1.0
    assert solution.reason is Reason.INTERRUPTED


def test_the_seed_decides(rng):
    corpus = labelled(rng)
    options = {"criterion": marginal, "penalty": Dirichlet(0.1), "optimiser": EM(5)}

    def weights(seed: int) -> bytes:
        how = Search(restarts=2, seed=seed)
        return fit(Chain(**HMM), corpus, search=how, **options).weights.tobytes()

    assert weights(1) == weights(1) != weights(2)


@pytest.mark.parametrize(
    "options",
    [
        {"restarts": -1},
        {"seed": -1},
        {"spread": 0.0},
        {"anneal": 0.0},
        {"anneal": 1.5},
        {"growth": 1.0},
        {"growth": float("inf")},
        {"spread": float("nan")},
    ],
)
def test_refusals(options):
    with pytest.raises(OptionError, match=f"of a search, .*{next(iter(options))}"):
        Search(**options)


def test_choices_by_name():
    assert Search(choose="entropy").choose is WhichMaximum.ENTROPY
