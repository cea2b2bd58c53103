"""The line search finds steps that meet the strong Wolfe conditions."""

import math

import pytest

from weft.optimise.linesearch import FLAT, RISE, Probe, wolfe_search

# Functions of t with slope 1 at 0, each with its derivative.
CURVES = {
    "parabola": (lambda t: t - 0.5 * t * t, lambda t: 1.0 - t),
    "far": (lambda t: t - 5e-7 * t * t, lambda t: 1.0 - 1e-6 * t),
    "near": (lambda t: t - 5e5 * t * t, lambda t: 1.0 - 1e6 * t),
    "logistic": (
        lambda t: 4.0 * math.tanh(t / 2) - t,
        lambda t: 2.0 / math.cosh(t / 2) ** 2 - 1.0,
    ),
    "waves": (math.sin, math.cos),
    "barrier": (lambda t: 2 * t + math.log1p(-t), lambda t: 2.0 - 1.0 / (1.0 - t)),
}


class Recorder:
    def __init__(self, name):
        self.name = name
        self.steps = []

    def __call__(self, step):
        self.steps.append(step)
        value, slope = CURVES[self.name]
        if self.name == "barrier" and step >= 1.0:
            return Probe(step, -math.inf, 0.0)
        return Probe(step, value(step), slope(step))


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("first", [1e-4, 0.1, 1.0, 7.0, 300.0])
def test_accepted_steps(name, first):
    probe = Recorder(name)
    origin = probe(0.0)
    found = wolfe_search(probe, origin, first)
    assert found is not None
    assert found.step == probe.steps[-1]
    assert found.value >= origin.value + RISE * found.step * origin.slope
    # Beyond an infinite trial the second condition is given up.
    if name != "barrier" or first < 0.25:
        assert abs(found.slope) <= FLAT * origin.slope
    assert len(probe.steps) < 30


def test_a_line_that_only_falls():
    steps = []

    def probe(step):
        steps.append(step)
        return Probe(step, -step, -1.0)

    assert wolfe_search(probe, Probe(0.0, 0.0, 1.0), 1.0) is None
    assert len(steps) <= 21


def test_a_line_that_rises_for_ever_is_followed_only_so_far():
    found = wolfe_search(lambda t: Probe(t, t, 1.0), Probe(0.0, 0.0, 1.0), 1.0)
    assert found is not None
    assert found.value > 1e9


def test_changes_below_rounding_are_not_searched():
    steps = []

    def probe(step):
        steps.append(step)
        return Probe(step, math.nextafter(1e6, 0.0), 0.0)

    assert wolfe_search(probe, Probe(0.0, 1e6, 1e-11), 1.0) is None
    assert len(steps) == 1


def test_when_no_step_is_flat_the_highest_is_probed_last():
    # A kink at 0.6: slopes are +1 or −3 everywhere.
    steps = []

    def probe(step):
        steps.append(step)
        rises = step < 0.6
        return Probe(step, step if rises else 2.4 - 3 * step, 1.0 if rises else -3.0)

    found = wolfe_search(probe, Probe(0.0, 0.0, 1.0), 0.7)
    assert found is not None
    assert found.step == steps[-1]
    assert found.step == pytest.approx(0.6, abs=1e-3)


def test_the_search_does_not_go_on_past_a_drop():
    def probe(step):
        return Probe(step, step if step < 1.5 else step - 3.5, 1.0)

    found = wolfe_search(probe, Probe(0.0, 0.0, 1.0), 1.0)
    assert found is not None
    assert found.step <= 4.0


def test_an_infinite_step_is_halved_until_one_rises():
    steps = []

    def probe(step):
        steps.append(step)
        return Probe(step, step, 1.0) if step < 1.0 else Probe(step, -math.inf, 0.0)

    wolfe_search(probe, Probe(0.0, 0.0, 1.0), 3.0)
    assert steps == [3.0, 1.5, 0.75]
