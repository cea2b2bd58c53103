"""Laws of all optimisers that go over terms in passes: states, seeds, interrupts, reasons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from few_terms import hinges, logistic, problem_of
from weft.errors import DivergenceError, OptionError
from weft.optimise.batches import Problem
from weft.optimise.frank_wolfe import FrankWolfe
from weft.optimise.online import AROW, PassiveAggressive, Perceptron
from weft.optimise.passes import State
from weft.optimise.solution import Reason
from weft.optimise.stochastic import SGD, AdaGrad, Adam
from weft.optimise.subgradient import Subgradient

KINDS = (SGD, AdaGrad, Adam, Subgradient, FrankWolfe, Perceptron, PassiveAggressive, AROW)
LINEAR = (FrankWolfe, Perceptron, PassiveAggressive, AROW)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def optimiser(request):
    made = request.param(epochs=6, tolerance=0.0)
    return replace(made, gap=1e-12) if request.param is FrankWolfe else made


def problem(rng) -> Problem:
    return problem_of(hinges(rng)[0], rng)


def saved(state: State) -> State:
    """A state as a file would give it back."""
    arrays = {name: np.frombuffer(each.tobytes()).copy() for name, each in state.arrays.items()}
    return State(arrays, state.values, state.norm, state.changes)


def test_a_run_that_is_resumed_ends_with_the_same_bits(optimiser, rng):
    whole = problem(rng)
    start = rng.normal(size=whole.terms.size)
    through = optimiser.maximise(whole, start)
    stopped = optimiser.maximise(whole, start, lambda step, _: step.iteration == 2)
    assert stopped.reason is Reason.STOPPED
    again = Problem(whole.terms, whole.precisions, whole.centre)  # nothing compiled is kept
    resumed = optimiser.maximise(again, start, state=saved(stopped.state))
    assert resumed.weights.tobytes() == through.weights.tobytes()
    assert [step.value for step in resumed.trace] == [step.value for step in through.trace[2:]]
    assert not np.array_equal(stopped.weights, through.weights)


def test_a_seed_fixes_the_bits_and_another_changes_them(optimiser, rng):
    whole = problem(rng)
    start = rng.normal(size=whole.terms.size)
    first, same, other = (
        replace(optimiser, seed=seed).maximise(whole, start).weights for seed in (1, 1, 2)
    )
    assert first.tobytes() == same.tobytes() != other.tobytes()


def test_a_pass_leaves_the_state_before_as_it_was(optimiser, rng):
    whole = problem(rng)
    state = optimiser.begin(whole, rng.normal(size=whole.terms.size))
    state = optimiser.advance(whole, state)
    before = {name: each.tobytes() for name, each in state.arrays.items()}
    optimiser.advance(whole, state)
    assert {name: each.tobytes() for name, each in state.arrays.items()} == before
    assert not any(each.flags.writeable for each in state.arrays.values())


def test_an_interrupt_keeps_the_last_complete_pass(optimiser, rng):
    whole = problem(rng)
    start = rng.normal(size=whole.terms.size)
    two = replace(optimiser, epochs=2).maximise(whole, start)
    if isinstance(optimiser, SGD | AdaGrad | Adam):  # of which the last half is averaged
        optimiser, two = (
            replace(optimiser, average=1.0),
            replace(optimiser, average=1.0, epochs=2).maximise(whole, start),
        )
    batches = whole.batches(getattr(optimiser, "batch", 1), None)
    if isinstance(optimiser, SGD | AdaGrad | Adam | Subgradient):
        batches = whole.batches(optimiser.batch, optimiser.seed)

    class Ctrl:
        """An interrupt in the middle of the third pass."""

        calls = 0

        def __call__(self, step, _):
            if step.iteration == 2:
                key = next(iter(k for k, v in whole._kept.items() if v is batches))
                whole._kept[key] = tuple(map(self.failing, batches))

        def failing(self, batch):
            def evaluate(weights):
                self.calls += 1
                if self.calls == len(batches) // 2 + 1:
                    raise KeyboardInterrupt
                return batch(weights)

            evaluate.places = batch.places
            return evaluate

    found = optimiser.maximise(whole, start, Ctrl())
    assert found.reason is Reason.INTERRUPTED
    assert found.weights.tobytes() == two.weights.tobytes()


def test_the_trace_has_the_start_and_every_pass(optimiser, rng):
    whole, seen = problem(rng), []
    found = optimiser.maximise(
        whole, whole.centre, lambda step, weights: seen.append((step, weights.copy()))
    )
    assert [step for step, _ in seen] == list(found.trace)
    assert [step.iteration for step in found.trace] == list(range(len(found.trace)))
    np.testing.assert_array_equal(seen[-1][1], found.weights)
    assert found.trace[0].value == pytest.approx(
        whole.value(whole.centre) if optimiser.penalised else whole.terms(whole.centre)[0]
    )
    assert found.reason in (Reason.LIMIT, Reason.NO_CHANGE)


def test_a_start_outside_the_domain_is_refused(rng):
    terms = logistic(rng)
    terms.terms[0] = lambda theta: (-np.inf, np.zeros_like(theta))
    with pytest.raises(DivergenceError, match="inside its domain"):
        SGD().maximise(problem_of(terms), np.zeros(terms.size))


@pytest.mark.parametrize("kind", LINEAR, ids=lambda kind: kind.__name__)
def test_what_is_not_piecewise_linear_is_refused(kind, rng):
    with pytest.raises(OptionError, match="linear in the weights"):
        kind().maximise(problem_of(logistic(rng)), np.zeros(12))
