"""Forward selection as recipes do it: what is chosen, when it ends, what is refused."""

import numpy as np
import pytest

from weft.corpora import bundled_parse_sets
from weft.criteria import Gaussian
from weft.errors import OptionError
from weft.features.properties import PROPERTIES, properties
from weft.models.selection.spec import Forward, Selection
from weft.models.storage import load_model, save_model
from weft.recipes import find_recipe, fit_recipe, with_settings
from weft.structures.alternatives import Selected, alternatives
from weft.structures.hypergraph import hypergraph
from weft.train import JOHNSON, fit
from weft.train.selection.choosing import choose_forward

LOOSE = Gaussian(1.0, relative=True)


def decisive(count, packed=False):
    """One property decides, one is noise."""
    return [
        Selected(
            alternatives(
                [
                    {("rules", "good"): 1.0, ("words", f"x{k}"): 1.0},
                    {("rules", "bad"): 1.0, ("words", f"y{k}"): 1.0},
                ],
                forest=hypergraph(1, [(0, ()), (0, ())]) if packed else None,
            ),
            (0,),
        )
        for k in range(count)
    ]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("forward", [Forward.PROPERTIES, Forward.FEATURES])
def test_what_decides_joins_and_noise_does_not(forward, packed):
    asked = Selection(properties("words rules"), forward=forward)
    found = choose_forward(asked, decisive(20, packed), LOOSE)
    assert [each.name for each in found.selection.properties] == ["rules"]
    assert {kind for kind, _ in found.selection.only} == {"rules"}
    assert found.selection.forward is Forward.NONE
    values = [each.neg_log_pl for each in found.rounds if each.kept]
    assert values[0] == pytest.approx(20 * np.log(2))
    assert values == pytest.approx(sorted(values, reverse=True), rel=1e-8)
    assert not found.rounds[-1].kept
    assert str(found).splitlines()[:2] == [
        "by 5-fold cross-validation",
        "nothing: −log PL 13.9, C 50.00 %",
    ]
    assert str(found).endswith("left out")


def test_a_recipe_estimates_what_was_chosen(tmp_path):
    settings = {"forward": "properties", "properties": "rules entries dependencies"}
    plan = with_settings(find_recipe("parse-selection"), settings)
    corpus = bundled_parse_sets()[:60]
    selector = fit_recipe(plan, corpus, threads=1)
    chosen = [each.name for each in selector.model.selection.properties]
    assert "dependencies" in chosen
    assert "entries" not in chosen
    assert {kind for kind, _ in selector.model.names} == set(chosen)
    assert f"+ {chosen[0]}: −log PL" in selector.notes["forward"]
    save_model(tmp_path / "m.weft", selector)
    again = load_model(tmp_path / "m.weft")
    for one, other in zip(again.marginals(corpus), selector.marginals(corpus), strict=True):
        np.testing.assert_array_equal(one, other)


def test_given_features_are_always_there():
    corpus = [
        Selected(alternatives([{("given", "g"): 1.0, ("rules", "r"): 1.0}, {}]), (k % 2,))
        for k in range(10)
    ]
    asked = Selection(properties("rules words"), forward=Forward.PROPERTIES)
    found = choose_forward(asked, corpus, JOHNSON)
    assert found.selection.properties == ()
    assert found.selection.only == {("given", "g")}


def test_names_that_stand_for_several():
    assert [each.name for each in properties("all")] == list(PROPERTIES)
    assert all(each.of_node is not None for each in properties("local"))
    assert properties("entries local")[0].name == "entries"


def test_mistakes_are_explained():
    corpus = decisive(6)
    with pytest.raises(OptionError, match="among several properties, and there is 1: name more"):
        choose_forward(Selection(properties("rules"), forward="properties"), corpus, LOOSE)
    with pytest.raises(OptionError, match="give at least two"):
        choose_forward(Selection(forward="features"), corpus[:1], LOOSE)
    with pytest.raises(OptionError, match="use fit_recipe"):
        fit(Selection(forward="features"), corpus)
    with pytest.raises(OptionError, match="forward=feature"):
        with_settings(find_recipe("parse-selection"), {"forward": "feature"})
    with pytest.raises(OptionError, match="the recipe crf has no such setting"):
        with_settings(find_recipe("crf"), {"forward": "features"})
    noise = [
        Selected(alternatives([{("rules", f"{k}"): 1.0}, {("words", f"{k}"): 1.0}]), (k % 2,))
        for k in range(8)
    ]
    for forward in (Forward.PROPERTIES, Forward.FEATURES):
        with pytest.raises(OptionError, match="helps on held-out sentences"):
            choose_forward(Selection(properties("rules words"), forward=forward), noise, LOOSE)
