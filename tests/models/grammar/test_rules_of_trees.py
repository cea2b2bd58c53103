"""What rules a grammar has that is estimated from the sentences of a treebank."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from weft import EM, Cfg, fit
from weft.criteria import contrastive, joint
from weft.errors import OptionError
from weft.models.instances import TREES
from weft.recipes import find_recipe, fit_recipe, with_settings
from weft.structures.evidence import Example, sentence
from weft.structures.grammar import shown
from weft.structures.tree import leaves

CORPUS = [Example(sentence(list(leaves(tree))), parse=tree) for tree in TREES]
RAW = [replace(each, parse=None) for each in CORPUS]


def names(parser) -> set[str]:
    return {shown(rule) for rule in parser.model.grammar.rules()}


def test_rules_of_a_treebank_without_their_frequencies():
    plan = find_recipe("pcfg-em")
    parser = fit_recipe(plan, CORPUS)
    counted = fit(Cfg(normalisation="joint"), CORPUS, criterion=joint, optimiser=EM())
    assert names(parser) == names(counted)
    # It begins where every rule of a head is as likely as the next one.
    spec = plan.model
    model = spec.prepare(RAW, CORPUS)
    start = spec.start(model, RAW, generative=True, closed_form=True)
    size = Counter(rule.head for rule in model.grammar.rules())
    expected = [-np.log(size[rule.head]) for rule in model.grammar.rules()]
    np.testing.assert_allclose(start, expected)
    values = [step.value for step in parser.trace]
    assert values == sorted(values)


def test_its_sentences_only():
    plan = with_settings(find_recipe("pcfg-em"), {"symbols": "2", "restarts": "1"})
    assert names(fit_recipe(plan, CORPUS)) == names(fit_recipe(plan, RAW))
    alone = with_settings(find_recipe("pcfg-em"), {"rules": "seen"})
    with pytest.raises(OptionError, match=r"looks at sentences alone, .* say rules=trees"):
        fit_recipe(alone, CORPUS)
    with pytest.raises(OptionError, match="there is no tree to read rules off"):
        fit_recipe(find_recipe("pcfg-em"), RAW)


def test_contrastive_grammars_of_a_treebank():
    criterion = contrastive("del1word")
    with pytest.raises(OptionError, match=r"looks at sentences alone, .* say rules=trees"):
        fit(Cfg(), CORPUS, criterion=criterion)
    parser = fit(Cfg(rules="trees"), CORPUS, criterion=criterion)
    assert parser.trace[-1].value > parser.trace[0].value
    with pytest.raises(OptionError, match="'tree' is none of seen, trees: did you mean trees"):
        Cfg(rules="tree")
