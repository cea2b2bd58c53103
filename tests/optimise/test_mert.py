from dataclasses import replace

import numpy as np
import pytest

from optimise.test_annealing import landscape_of, optimum
from parse_sets import both_ways
from weft.criteria import accuracy, conditional, contrast
from weft.derivations.envelopes import Envelopes
from weft.derivations.forest_steps import ForestSteps
from weft.errors import OptionError
from weft.features.properties import properties
from weft.kernels import kernels
from weft.models import Chain, Normalisation
from weft.models.selection.model import prepare_selection
from weft.models.selection.scores import judge
from weft.models.selection.spec import Selection
from weft.optimise.mert import LineSearchAscent, WeightedSteps, best_step
from weft.optimise.search import Search
from weft.optimise.solution import Reason
from weft.structures.alternatives import Selected, alternatives
from weft.structures.evidence import example
from weft.structures.hypergraph import hypergraph
from weft.train import fit


class Stairs:
    """Steps along each weight apart: a value for each of the intervals between places."""

    def __init__(self, places, values):
        self.places, self.values = np.array(places), np.array(values)
        self.asked = 0

    @property
    def most(self):
        return float(self.values.max())

    def value(self, theta):
        self.asked += 1
        return float(self.values[np.searchsorted(self.places, theta[0])])

    def promising(self, theta):
        return np.arange(len(theta))

    def along(self, theta, direction, reach):  # noqa: ARG002
        if not direction[0]:
            return self.value(theta), np.zeros(0), np.zeros(0)
        sign = np.sign(direction[0])
        ends = (self.places - theta[0]) / direction[0]
        return float(self.values[0 if sign > 0 else -1]), ends, sign * np.diff(self.values)


def test_it_goes_to_the_middle_of_the_best_interval():
    stairs = Stairs([1.0, 3.0, 7.0], [0.0, 2.0, 5.0, 1.0])
    found = LineSearchAscent().maximise(stairs, np.zeros(1))
    assert (found.value, found.reason, found.weights.tolist()) == (5.0, Reason.ALL_RIGHT, [5.0])
    assert found.converged


@pytest.mark.parametrize(
    ("places", "jumps", "expected"),
    [
        ([], [], (0.0, 1.0)),
        ([2.0, 4.0], [1.0, 0.0], (3.0, 2.0)),  # beyond the last step, but near to it
        ([2.0, 3.0, 7.0], [1.0, -1.0, 1.0], (8.0, 2.0)),  # the wider one
        ([-1.2, -1.0, 0.1, 0.3], [1.0, -1.0, 1.0, -1.0], (-1.1, 2.0)),  # of equals the first
        ([-2.0], [-1.0], (-3.0, 1.0)),
        ([-9.5], [-1.0], (-9.75, 1.0)),  # no further than it reaches
    ],
)
def test_the_best_step(places, jumps, expected):
    assert best_step(1.0, np.array(places), np.array(jumps), 10.0) == expected


@pytest.mark.parametrize("seed", range(4))
def test_it_finds_the_optimum_where_that_can_be_enumerated(seed):
    objective, model, corpus = landscape_of(np.random.default_rng(seed))
    found = LineSearchAscent().maximise(objective.steps(), np.zeros(model.parameters.size))
    assert found.value >= optimum(model, corpus) - 1e-9
    assert found.value == pytest.approx(objective.value(found.weights))
    assert [step.value for step in found.trace] == sorted(step.value for step in found.trace)


def test_listed_analyses_are_followed_as_other_derivations_are(rng):
    """The fast way and the general one: the same steps."""
    objective, model, _ = landscape_of(rng, sentences=20, features=5)
    size = model.parameters.size
    fast = objective.steps()
    plain = Envelopes(objective.inputs, objective.observed, objective.hits, objective.weights)
    assert fast.most == plain.most
    for direction in (*np.eye(size), *rng.normal(size=(5, size))):
        theta = rng.normal(size=size)
        np.testing.assert_array_equal(fast.promising(theta), plain.promising(theta))
        one, other = (each.along(theta, direction, 7.0) for each in (fast, plain))
        assert one[0] == pytest.approx(other[0])
        several = [_sorted(*each[1:]) for each in (one, other)]
        assert several[0].size
        np.testing.assert_allclose(*several, atol=1e-7)


@pytest.mark.parametrize("weighted", [False, True])
def test_packed_analyses_are_followed_as_listed_ones_are(weighted, rng):
    """Envelopes made vertex by vertex and envelopes of all lines: the same steps."""
    shown = properties("rules grandparents entries")
    pairs = [both_ways(rng, shown) for _ in range(20)]
    corpora = [
        [replace(pair[k], weight=1.0 + weighted * (n % 3)) for n, pair in enumerate(pairs)]
        for k in (0, 1)
    ]
    model = prepare_selection(Selection(shown), corpora[1])
    packed, listed = (contrast(model, corpus, accuracy).steps() for corpus in corpora)
    assert isinstance(packed, ForestSteps)
    size = model.parameters.size
    several = [*np.eye(size)[rng.permutation(size)[:20]], *rng.normal(size=(5, size))]
    for number, direction in enumerate(several):
        theta = rng.normal(size=size) * (number % 5 > 0)  # at zeros many are equally good
        assert packed.value(theta) == pytest.approx(listed.value(theta))
        np.testing.assert_array_equal(packed.promising(theta), listed.promising(theta))
        one, other = (each.along(theta, direction, 7.0) for each in (packed, listed))
        assert one[0] == pytest.approx(other[0])
        np.testing.assert_allclose(_sorted(*one[1:]), _sorted(*other[1:]), atol=1e-7)
    start = np.zeros(size)
    found = [LineSearchAscent(kicks=2).maximise(each, start) for each in (packed, listed)]
    assert found[0].value == pytest.approx(found[1].value)
    # Where several are as good, rounding says where a search goes on.
    assert packed.value(found[1].weights) == pytest.approx(found[1].value)
    assert listed.value(found[0].weights) == pytest.approx(found[0].value)


def test_packed_analyses_are_followed_as_other_derivations_are(rng):
    shown = properties("rules entries")
    corpus = [both_ways(rng, shown)[0] for _ in range(8)]
    model = prepare_selection(Selection(shown), corpus)
    objective = contrast(model, corpus, accuracy)
    fast = objective.steps()
    plain = Envelopes(objective.inputs, objective.observed, objective.hits, objective.weights)
    for direction in rng.normal(size=(5, model.parameters.size)):
        theta = rng.normal(size=model.parameters.size)
        one, other = (each.along(theta, direction, 5.0) for each in (fast, plain))
        assert one[0] == pytest.approx(other[0])
        np.testing.assert_allclose(_sorted(*one[1:]), _sorted(*other[1:]), atol=1e-6)


def test_forests_of_more_derivations_than_a_number_can_be():
    """Two ways at each of 2,000 vertices: one derivation in 2^2000 is right, or all are."""
    size = 2000
    edges = [(k, (k - 1,) if k else ()) for k in range(size) for _ in range(2)]
    graph = hypergraph(size, edges)
    rows = [{("given", "x"): 1.0} if k % 2 else {} for k in range(2 * size)]
    tokens = alternatives(rows, forest=graph)
    corpus = [Selected(tokens, tuple(range(1, 2 * size, 2)))]
    model = prepare_selection(Selection(()), corpus)
    steps = contrast(model, corpus, accuracy).steps()
    assert steps.value(np.zeros(1)) == 0.0
    first, places, jumps = steps.along(np.zeros(1), np.ones(1), 5.0)
    assert (first, places.tolist(), jumps.tolist()) == (0.0, [0.0], [1.0])


def test_no_choice_hangs_on_rounding():
    """0.1 + 0.2 and 0.3 are the same, listed, packed, judged, and while annealing."""
    rows = [{("given", "a"): 1.0, ("given", "b"): 1.0}, {("given", "c"): 1.0}]
    theta = np.array([0.1, 0.2, 0.3])
    forest = hypergraph(1, [(0, ()), (0, ())])
    for tokens in (alternatives(rows), alternatives(rows, forest=forest)):
        corpus = [Selected(tokens, (0,))]
        model = prepare_selection(Selection(()), corpus)
        objective = contrast(model, corpus, accuracy)
        assert objective.value(theta) == objective.steps().value(theta) == 0.5
        assert judge(model, theta, corpus).scores().correct == 0.5
        if objective.landscape() is not None:
            assert objective.landscape().settle(theta) == 0.5
        first, places, jumps = objective.steps().along(theta, np.ones(3), 5.0)
        assert (first, places.round(9).tolist(), jumps.tolist()) == (0.0, [0.0], [1.0])


def _sorted(places, jumps):
    """The steps of some height in their order, those at one place together."""
    _, owners = np.unique(places.round(6), return_inverse=True)
    heights = np.bincount(owners, jumps)
    real = abs(heights) > 1e-9
    return np.stack([(np.bincount(owners, places) / np.bincount(owners))[real], heights[real]])


def test_what_holds_no_mistake_promises_nothing(rng):
    objective, model, corpus = landscape_of(rng)
    theta = LineSearchAscent().maximise(objective.steps(), np.zeros(model.parameters.size)).weights
    wrong = [
        each for each, right in zip(corpus, objective.per_example(theta), strict=True) if right < 1
    ]
    used = contrast(model, wrong, accuracy).steps().promising(theta) if wrong else []
    np.testing.assert_array_equal(objective.steps().promising(theta), used)


def test_envelopes_of_lines_that_meet_in_one_point_and_of_the_same_lines():
    scores = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0])
    slopes = np.array([-1.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    right = np.array([True, True, False, True, True, False])
    listed = (np.ones(2, np.int64), np.array([0, 4, 6]), np.zeros(6, np.int32))
    listed += (np.zeros(7, np.int64), np.zeros(0, np.int32), right)
    first, sets, places, jumps = kernels.follow_forests(*listed, scores, slopes, np.arange(2), 9.0)
    assert (first.tolist(), sets.tolist()) == ([1.0, 0.5], [0])
    assert (places.tolist(), jumps.tolist()) == ([0.0], [-0.5])


def test_the_same_seed_gives_the_same_bits(rng):
    objective, model, _ = landscape_of(rng, sentences=30, features=6)
    start = np.zeros(model.parameters.size)
    found = [
        LineSearchAscent(seed=seed, kicks=3).maximise(objective.steps(), start).weights.tolist()
        for seed in (1, 1, 2)
    ]
    assert found[0] == found[1] != found[2]


def test_more_starts_are_begun_from():
    stairs = Stairs([1.0, 3.0], [1.0, 0.0, 2.0])
    how = LineSearchAscent(kicks=0, directions=0, reach=1.0)
    assert how.maximise(stairs, np.zeros(1)).value == 1.0
    found = how.maximise(stairs, np.zeros(1), others=[np.array([4.0])])
    assert (found.value, found.weights.tolist()) == (2.0, [4.0])


def test_the_first_of_equal_values_is_kept():
    stairs = Stairs([1.0, 3.0, 100.0], [0.3, 0.0, 0.1 + 0.2, 9.0])  # the last is out of reach
    how = LineSearchAscent(kicks=0, directions=0, reach=1.0)
    found = how.maximise(stairs, np.zeros(1), others=[np.array([4.0])])
    assert (found.value, found.weights.tolist()) == (0.3, [0.0])


def test_it_stops_where_it_is_told_and_at_an_interrupt():
    stairs = Stairs([1.0], [0.0, 1.0])
    stopped = LineSearchAscent().maximise(stairs, np.zeros(1), lambda step, _: step.iteration == 1)
    assert (stopped.reason, len(stopped.trace)) == (Reason.STOPPED, 2)

    def interrupt(*_):
        raise KeyboardInterrupt

    found = LineSearchAscent().maximise(stairs, np.zeros(1), interrupt)
    assert (found.reason, found.weights.tolist()) == (Reason.INTERRUPTED, [0.0])


def test_weighted_sums_add_up(rng):
    objective, model, _ = landscape_of(rng)
    one = objective.steps()
    several = WeightedSteps([(1.0, one), (0.5, one)])
    theta, direction = rng.normal(size=(2, model.parameters.size))
    for t in (-1.0, 0.3, 2.0):
        values = []
        for each in (one, several):
            first, places, jumps = each.along(theta, direction, 5.0)
            values.append(first + jumps[places <= t].sum())
        assert values[1] == pytest.approx(1.5 * values[0])
        assert values[0] == pytest.approx(one.value(theta + t * direction))
    assert several.most == 1.5 * one.most


@pytest.mark.parametrize("packed", [False, True])
def test_selectors_are_trained_no_worse_than_by_likelihood(packed, rng):
    shown = properties("rules grandparents")
    corpus = [both_ways(rng, shown)[0 if packed else 1] for _ in range(12)]
    selection = Selection(shown, relevance=0)
    likely = fit(selection, corpus)
    found = fit(selection, corpus, criterion=accuracy, optimiser=LineSearchAscent(kicks=2))
    objective = contrast(found.model, corpus, accuracy)
    assert objective.value(found.weights) == found.trace[-1].value
    assert found.trace[-1].value >= objective.value(likely.weights)
    assert found.notes["stopped"] in (Reason.DIRECTIONS, Reason.ALL_RIGHT)


CORPUS = [example(["a", "b"], ["X", "Y"]), example(["b"], ["X"])]


def test_taggers_are_trained():
    tagger = fit(Chain(), CORPUS, criterion=accuracy, optimiser=LineSearchAscent())
    assert tagger.tag([["a", "b"], ["b"]]) == [("X", "Y"), ("X",)]


def test_what_has_no_steps_is_refused():
    with pytest.raises(OptionError, match="'conditional' has none, but a gradient"):
        fit(Chain(), CORPUS, criterion=conditional, optimiser=LineSearchAscent())
    normalised = Chain(normalisation=Normalisation.CONDITIONAL)
    with pytest.raises(OptionError, match="linear in the weights"):
        fit(normalised, CORPUS, criterion=accuracy, optimiser=LineSearchAscent())
    with pytest.raises(OptionError, match="leave anneal at 1"):
        fit(
            Chain(),
            CORPUS,
            criterion=accuracy,
            optimiser=LineSearchAscent(),
            search=Search(anneal=0.5),
        )


@pytest.mark.parametrize(
    "wrong", [{"kicks": -1}, {"passes": 0}, {"shake": 0.0}, {"reach": float("inf")}]
)
def test_bad_settings_are_refused(wrong):
    with pytest.raises(OptionError, match=f"of line search, .*{next(iter(wrong))}"):
        LineSearchAscent(**wrong)
