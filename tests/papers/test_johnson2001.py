"""The taggers of Johnson (2001), section 3, on the corpus that comes with the package."""

from __future__ import annotations

from dataclasses import replace

import pytest

from weft import commands
from weft.corpora import read_part
from weft.errors import OptionError
from weft.models.tagger import Decoder
from weft.papers.experiment import PartOptions
from weft.papers.johnson2001 import tag_test
from weft.papers.registry import find_experiments
from weft.recipes import find_recipe, fit_recipe, with_settings

CRF = with_settings(find_recipe("crf"), {"iterations": "4"})


@pytest.fixture(scope="module")
def parts():
    return {part: read_part("english", part) for part in ("train", "dev", "test")}


@pytest.fixture(scope="module")
def tagger(parts):
    return fit_recipe(CRF, parts["train"], development=parts["dev"])


@pytest.mark.parametrize("decoder", list(Decoder)[:2])
def test_scores_are_those_of_training_and_evaluation(parts, tagger, decoder):
    scores, tags = tag_test(replace(CRF, decoder=decoder), parts)
    assert scores == commands.assess(tagger, parts["test"], decoder=decoder).scores
    assert [len(each) for each in tags] == [len(each.tokens) for each in parts["test"]]


def test_parts_take_settings_and_the_beginning_of_a_corpus():
    [experiment] = find_experiments(["johnson-2001/section-3"])
    arguments = {"corpus": "english", "recipe": "crf", "settings": {"iterations": "1"}}
    found = experiment.work({**arguments, "sentences": 30}, PartOptions(0, 1))
    assert len(found["counts"]) == 30
    right, all_of_them = (sum(row[place] for row in found["counts"]) for place in (0, 1))
    assert found["accuracy"] == pytest.approx(right / all_of_them)
    assert found["tokens"]["test"] == all_of_them
    with pytest.raises(OptionError, match="no setting 'ordr'"):
        experiment.work({**arguments, "settings": {"ordr": "2"}}, PartOptions())
    with pytest.raises(OptionError, match="a corpus 'english2'"):
        experiment.work({**arguments, "corpus": "english2"}, PartOptions())
