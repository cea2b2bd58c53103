"""Settings come from the fields of a recipe's parts, those of a new family among them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import pytest

from weft.errors import OptionError
from weft.models import Chain
from weft.optimise.em import EM
from weft.recipes import (
    OPTIMISERS,
    RECIPES,
    every_setting,
    find_recipe,
    settings_in,
    with_settings,
)
from weft.recipes.settings import PARTS
from weft.settings import setting, settings_of


@dataclass(frozen=True)
class Semi(Chain):
    """A family that no table knows."""

    longest: int = setting(4, "how long a segment is, at most")
    label: str | None = setting(None, "what is put before every tag", read=str, unsaid="nothing")


def test_fields_of_a_new_family_are_settings():
    recipe = replace(find_recipe("crf"), name="semi", model=Semi())
    assert settings_in(recipe)["longest"].help == "how long a segment is, at most"
    changed = with_settings(recipe, {"longest": "7", "label": "X", "order": "2"})
    assert changed.model == Semi(longest=7, label="X", order=2)
    assert with_settings(changed, {"label": "nothing"}).model.label is None
    with pytest.raises(OptionError, match="longest=long: expected a whole number: how long a seg"):
        with_settings(recipe, {"longest": "long"})
    with pytest.raises(OptionError, match=r"no setting 'longesst': did you mean longest\?"):
        with_settings(recipe, {"longesst": "7"})


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=list(RECIPES))
def test_every_setting_is_a_field_that_can_be_written_as_it_is_shown(recipe):
    for key, each in settings_in(recipe).items():
        part = getattr(recipe, each.part) if each.part else recipe
        assert each.part in PARTS
        assert each.name in {field.name for field in fields(part)}
        assert each.help
        assert key in every_setting()
        changed = with_settings(recipe, {key: each.shown})
        assert settings_in(changed)[key].shown == each.shown


def test_an_optimiser_is_set_before_its_own_settings():
    """Whatever the order in which they are given."""
    plan = with_settings(find_recipe("hmm-em"), {"memory": "3", "optimiser": "lbfgs"})
    assert plan.optimiser.memory == 3
    with pytest.raises(OptionError, match="no such setting with em: it is for lbfgs"):
        with_settings(find_recipe("hmm-em"), {"memory": "3"})


def test_settings_of_what_has_none():
    assert list(settings_of(None)) == []
    assert [each.key for each in settings_of(EM)] == ["iterations", "tolerance", "measured_on"]


def test_settings_with_a_name_of_several_meanings_have_both():
    assert "earlier tags" in every_setting()["order"].help
    assert "binary trees" in every_setting()["order"].help
    assert "binary trees" not in settings_in(find_recipe("crf"))["order"].help


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ordr": "2"}, r"no setting 'ordr': did you mean order\?"),
        ({"criterion": "margn"}, r"criterion=margn: .* did you mean margin\?"),
        ({"optimiser": "lbgfs"}, r"optimiser=lbgfs: .* did you mean lbfgs\?"),
        ({"attributes": "al"}, r"--set attributes=al: .* did you mean all\?"),
        ({"templates": "sufix3[0]"}, r"did you mean suffix3\?"),
        ({"templates": "wordd[0]"}, r"did you mean word\?"),
        ({"patience": "-1"}, "patience is at least 1, or 0 for never, not -1"),
    ],
)
def test_misspelt_names_are_answered_by_what_was_meant(settings, message):
    with pytest.raises(OptionError, match=message):
        with_settings(find_recipe("crf"), settings)


def test_misspelt_recipes_are_answered_by_what_was_meant():
    with pytest.raises(OptionError, match=r"no recipe 'pcfgem': did you mean pcfg-em\?"):
        find_recipe("pcfgem")


def test_every_optimiser_brings_its_settings():
    for name in OPTIMISERS:
        plan = with_settings(find_recipe("crf"), {"optimiser": name})
        of_optimiser = [each for each in settings_in(plan).values() if each.part == "optimiser"]
        assert of_optimiser, name


@pytest.mark.parametrize("name", RECIPES)
def test_only_what_depends_on_the_size_of_a_corpus_can_be_told_not_to(name):
    recipe = find_recipe(name)
    depends = name in ("crf", "memm")
    assert ("adapt" in settings_in(recipe)) == depends
    if depends:
        assert not with_settings(recipe, {"adapt": "no"}).adapt
        return
    with pytest.raises(OptionError, match=f"adapt=no: the recipe {name} has no such setting"):
        with_settings(recipe, {"adapt": "no"})
    with pytest.raises(OptionError, match=r"adapt=no is for templates .* leave it out"):
        replace(recipe, adapt=False)


@pytest.mark.parametrize("keys", [("adapt", "templates"), ("templates", "adapt")])
def test_templates_that_are_named_depend_on_no_corpus(keys):
    given = {"adapt": "no", "templates": "word[0]"}
    with pytest.raises(OptionError, match=r"adapt=no is for templates .* they are named"):
        with_settings(find_recipe("crf"), {key: given[key] for key in keys})
