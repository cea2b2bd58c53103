"""Estimation that starts from another model, of every family."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import weft as train
from contracts.models import FAMILIES
from weft import Cfg, Chain, Dirichlet, Gaussian, Selection, Tables, example, templates
from weft.criteria import conditional, joint, marginal, no_penalty
from weft.errors import OptionError
from weft.models.instances import instances
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.search import Search
from weft.optimise.variational import VariationalBayes
from weft.train.start import named_start

CLIMBED = {name: each for name, each in FAMILIES.items() if not each.spec.counted}
COUNTS = {
    name: each
    for name, each in CLIMBED.items()
    if name.startswith("hidden Markov model") or name == "grammar, words"
}
families = pytest.mark.parametrize("family", CLIMBED.values(), ids=CLIMBED)
closed = pytest.mark.parametrize("family", COUNTS.values(), ids=COUNTS)

TIGHT = LBFGS(max_iterations=2000, tolerance=0.0, gradient_tolerance=1e-7)


def fit(spec, corpus, **options):
    """Train conditionally, unless another criterion is named."""
    usual = {} if getattr(spec, "counted", False) else {"criterion": conditional}
    return train.fit(spec, corpus, **{**usual, **options})


def begun(spec, corpus, **options):
    """A model with the weights that its estimation starts from."""
    return fit(spec, corpus, progress=lambda _: True, **options)


def by_name(trained) -> dict[tuple[str, str], float]:
    names = trained.model.named(np.arange(len(trained.weights)))
    assert len(set(names)) == len(names)
    return dict(zip(names, trained.weights.tolist(), strict=True))


@families
def test_its_own_result_is_the_end(family):
    corpus = family.corpora["complete"]
    first = fit(family.spec, corpus, optimiser=TIGHT)
    again = fit(family.spec, corpus, optimiser=TIGHT, start=first)
    # One grammar's relative frequencies are the best weights.
    assert first.trace[-1].iteration > 3 or family.name == "grammar, parents"
    assert again.trace[-1].iteration <= 1
    assert again.trace[0].value == pytest.approx(first.trace[-1].value, rel=1e-9)
    np.testing.assert_allclose(again.weights, first.weights, atol=1e-6)
    size = first.model.parameters.size
    unknown = sum("unknown:" in name for _, name in by_name(first))  # which is learnt afterwards
    assert again.notes["start"] == f"{size - unknown} weights were given"


@families
def test_weights_are_carried_over_by_their_names(family, rng):
    """Those of the same name and no others; the rest is where the family starts."""
    corpus = family.corpora["complete"]
    whole = begun(family.spec, corpus)
    # Fewer examples have fewer features.
    part = fit(family.spec, corpus[:1], optimiser=LBFGS(max_iterations=3))
    carried = by_name(part)
    begins = by_name(begun(family.spec, corpus, start=part))
    own = by_name(whole)
    assert begins.keys() == own.keys()
    shared = 0
    for name, weight in begins.items():
        if "unknown:" in name[1]:
            continue  # learnt afterwards, from the weights
        shared += name in carried
        assert weight == carried.get(name, own[name]), name
    assert shared > 0
    # As an array, all of them are given.
    size = family.model.parameters.size
    given = 0.1 * rng.normal(size=size) - 1.0
    held = begun(family.spec, corpus, start=given)
    mine = [name for name in by_name(held) if "unknown:" not in name[1]]
    np.testing.assert_array_equal([by_name(held)[name] for name in mine], given)
    assert held.notes["start"] == f"{size} weights were given"


@families
def test_what_weights_cost_is_counted_from_the_familys_own_start(family):
    corpus = family.corpora["complete"]
    far = fit(family.spec, corpus, penalty=no_penalty, optimiser=LBFGS(max_iterations=3))
    options = {"penalty": Gaussian(1e-10), "optimiser": LBFGS(max_iterations=5)}
    back = fit(family.spec, corpus, start=far, **options)
    np.testing.assert_allclose(
        list(by_name(back).values()), list(by_name(begun(family.spec, corpus)).values()), atol=1e-5
    )


@closed
@pytest.mark.parametrize("optimiser", [EM(), VariationalBayes()], ids=["em", "variational"])
def test_probabilities_still_sum_to_one(family, optimiser):
    """Also where a distribution is carried over in part."""
    spec = replace(family.spec, rare=0)
    corpus = family.corpora["complete"]
    part = fit(spec, corpus[:1], criterion=joint, optimiser=EM())
    options = {"criterion": joint, "optimiser": optimiser, "penalty": Dirichlet(0.1)}
    seen = begun(spec, corpus, start=part, **options)
    distributions = spec.distributions(seen.model)
    groups, members = distributions.groups, distributions.members
    begins = by_name(seen)
    assert set(by_name(part)) & set(begins)
    if isinstance(optimiser, EM):
        totals = np.bincount(groups[members], np.exp(seen.weights[members]))
        np.testing.assert_allclose(totals, 1.0, rtol=1e-12)
    # Proportions within a distribution are those that were given.
    known = by_name(part)
    for group in np.unique(groups[members]).tolist():
        places = np.flatnonzero(members & (groups == group))
        names = seen.model.named(places)
        pairs = [(known[n], begins[n]) for n in names if n in known and np.isfinite(known[n])]
        if isinstance(optimiser, EM) and pairs:
            shifts = [after - before for before, after in pairs]
            np.testing.assert_allclose(shifts, shifts[0], atol=1e-12)


@closed
def test_em_goes_on_where_it_was(family):
    spec = replace(family.spec, rare=0)
    corpus = [*family.corpora["complete"], *family.corpora["raw"]]
    options = {"criterion": joint}
    whole = fit(spec, corpus, optimiser=EM(max_iterations=12, tolerance=0.0), **options)
    half = fit(spec, corpus, optimiser=EM(max_iterations=6, tolerance=0.0), **options)
    rest = fit(spec, corpus, optimiser=EM(max_iterations=6, tolerance=0.0), start=half, **options)
    assert rest.trace[-1].value == pytest.approx(whole.trace[-1].value, rel=1e-9)
    assert half.trace[-1].value < whole.trace[-1].value


def test_the_first_of_several_climbs_starts_there(rng):
    family = FAMILIES["selection, listed"]
    corpus = family.corpora["complete"]
    search = Search(restarts=2, seed=3)
    options = {"search": search, "optimiser": LBFGS(max_iterations=2)}
    values: dict[bool, list[float]] = {}
    start = rng.normal(size=family.model.parameters.size)
    for warm in (False, True):
        told: list[float] = []
        told_of = lambda step, told=told: told.append(step.value) or False  # noqa: E731
        fit(family.spec, corpus, progress=told_of, start=start if warm else None, **options)
        values[warm] = told
    assert len(values[True]) == len(values[False]) == 9
    assert values[True][0] != values[False][0]
    assert values[True][3:] == values[False][3:]  # the others as they would be without it


def test_a_start_breaks_symmetry():
    """Raw text leaves tags alike, and needs random starts; another model tells them apart."""
    spec = Chain(
        templates=templates("word[0]"), attributes="all", ngrams="all", normalisation="joint"
    )
    labelled = [example(["a", "b", "a"], ["X", "Y", "X"]), example(["b", "a"], ["Y", "X"])]
    some = fit(spec, labelled, criterion=joint, optimiser=EM())
    tagged = [*labelled, example(["a", "c"], ["X", frozenset("XY")])]
    with pytest.raises(OptionError, match="nothing tells the tags apart"):
        fit(spec, tagged, criterion=marginal, optimiser=EM())
    tagger = begun(spec, tagged, criterion=marginal, optimiser=EM(), start=some)
    assert tagger.tag([["a", "b"]]) == [("X", "Y")]
    climbed = fit(spec, tagged, criterion=marginal, optimiser=EM(), start=some)
    assert climbed.trace[-1].value > climbed.trace[0].value == tagger.trace[0].value


def test_what_is_no_start_is_refused():
    made = {kind: next(f for f in instances().values() if f.kind == kind) for kind in KINDS}
    trained = {
        kind: fit(each.spec, each.corpora["complete"], **({} if kind == "tables" else FEW))
        for kind, each in made.items()
    }
    for mine in ("chain", "grammar", "selection"):
        for other in set(KINDS) - {mine}:
            with pytest.raises(OptionError, match="a model of the same family"):
                fit(made[mine].spec, made[mine].corpora["complete"], start=trained[other])
    with pytest.raises(OptionError, match="tables are counted, and so there is nothing"):
        fit(Tables(), made["tables"].corpora["complete"], start=trained["tables"])
    chain = made["chain"].corpora["complete"]
    with pytest.raises(OptionError, match=r"shares none of its \d+ weights.*kinds of features"):
        fit(Chain(), [example(["p", "q"], ["P", "Q"])], start=trained["chain"])
    for wrong, message in (
        (np.zeros(3), "weights: start from as many, not 3"),
        (np.full(made["chain"].model.parameters.size, np.nan), "one is NaN or infinite"),
    ):
        with pytest.raises(OptionError, match=message):
            fit(made["chain"].spec, chain, start=wrong)
    with pytest.raises(TypeError, match="a trained model or its weights"):
        fit(Selection(), made["selection"].corpora["complete"], start=Cfg())


KINDS = ("chain", "tables", "grammar", "selection")
FEW = {"optimiser": LBFGS(max_iterations=2)}


NAMED = ("zeros", "uniform", "counts")


@families
@pytest.mark.parametrize("name", NAMED)
def test_a_name_is_a_start(family, name):
    corpus = family.corpora["complete"]
    if name == "counts" and family.spec.counts(family.model, corpus) is None:
        with pytest.raises(OptionError, match=r"no frequencies.*start from zeros"):
            begun(family.spec, corpus, start=name)
        return
    found = begun(family.spec, corpus, start=name)
    assert np.isfinite(found.weights).all()
    known = {
        "zeros": ("zeros",),
        "uniform": ("uniform distributions", "small random weights"),
        "counts": ("relative frequencies",),
    }
    assert found.notes["start"] in known[name]


def test_zeros_are_zeros_and_random_weights_have_a_seed():
    corpus = instances()["free chain"].corpora["complete"]
    assert not begun(Chain(), corpus, start="zeros").weights.any()
    one, same, other = (
        begun(Chain(), corpus, start="uniform", search=Search(seed=seed)).weights
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).all()
    assert 0 < np.abs(one).max() < 0.1


@closed
def test_em_starts_from_uniform_distributions(family):
    corpus, model = family.corpora["complete"], family.model
    weights, said = named_start("uniform", family.spec, model, corpus, closed_form=True, seed=0)
    assert said == "uniform distributions"
    known = family.spec.distributions(model)
    for group in np.unique(known.groups[known.groups >= 0]):
        shares = np.exp(weights[(known.groups == group) & known.possible])
        np.testing.assert_allclose(shares, 1.0 / len(shares))


@pytest.mark.parametrize("extents", [{}, {"ngrams": "all"}, {"attributes": "all"}], ids=str)
def test_a_free_chain_starts_inside_its_domain(extents):
    corpus = instances()["free chain"].corpora["complete"]
    trained = fit(Chain(templates=templates("word[0]"), **extents), corpus, criterion=joint)
    whole = Chain(templates=templates("word[0]"), attributes="all", ngrams="all")
    same = fit(whole, corpus, criterion=joint)
    np.testing.assert_array_equal(trained.weights, same.weights)
    assert "features" in trained.notes
    assert "features" not in same.notes


def test_a_misspelt_start_is_refused():
    corpus = instances()["free chain"].corpora["complete"]
    with pytest.raises(OptionError, match="did you mean zeros"):
        fit(Chain(), corpus, start="zeroes")
