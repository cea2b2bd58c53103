"""What models can be asked beside the laws: what is known, and what has no answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import weft
from contracts.laws_of_answers import trained as of_family
from contracts.models import FAMILIES
from weft.errors import NotDefined
from weft.models.answers import Decoder
from weft.structures.alternatives import Picked
from weft.structures.evidence import Evidence, Example
from weft.structures.tree import Tree

MOST = 1000


def trained(name: str):
    return of_family(FAMILIES[name])


def test_what_is_known_of_an_input_is_kept():
    tagger, [tokens, *_] = trained("free chain")
    known = Evidence(tokens, ("B", None, "C"))
    several = tagger.kbest([known], MOST)[0]
    assert {(each.answer[0], each.answer[2]) for each in several} == {("B", "C")}
    assert sum(each.probability for each in several) == pytest.approx(1.0)
    [tags] = tagger.tag([known], "posterior")
    assert (tags[0], tags[2]) == ("B", "C")
    selector, [both, *_] = trained("selection, listed")
    assert selector.predict([Picked(both, (2,))]) == [2]


def test_inputs_without_answers_have_none():
    parser, _ = trained("grammar, free")
    assert parser.predict([["no", "such", "words"]]) == [None]
    assert parser.best([["no", "such", "words"]], Decoder.POSTERIOR) == [None]
    assert parser.kbest([["no", "such", "words"]], 3) == [[]]
    assert parser.sample([["no", "such", "words"]], np.random.default_rng(0), 3) == [[]]
    assert parser.marginals([["no", "such", "words"]]) == [{}]
    assert parser.entropy([["no", "such", "words"]]).tolist() == [0.0]


def test_a_tree_of_other_rules_has_no_probability():
    parser, [tokens, *_] = trained("grammar, free")
    other = Example(tokens, parse=Tree("TOP", tokens.words))
    assert parser.log_probs([other]).tolist() == [-np.inf]


def test_several_states_for_a_tag_have_samples_but_no_ranking():
    tagger, inputs = trained("hidden Markov model")
    model = replace(tagger.model, tags=("X", "Y"), shown=(0, 0, 1))
    several = weft.Tagger(model, tagger.weights)
    with pytest.raises(NotDefined, match="several states for a tag"):
        several.kbest(inputs, 2)
    [drawn, *_] = several.sample(inputs, np.random.default_rng(0), 50)
    for each in drawn:
        [log_prob] = several.log_probs([Example(inputs[0], each.answer)])
        assert each.log_prob == pytest.approx(log_prob)
    assert several.predict(inputs, "posterior") == several.tag(inputs, "posterior")
