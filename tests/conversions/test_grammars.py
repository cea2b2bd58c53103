"""Taggers as probabilistic grammars: the trees of a sentence are its taggings."""

from __future__ import annotations

import numpy as np
import pytest

from weft.conversions.convert import Target, convert
from weft.conversions.grammars import tagger_to_grammar
from weft.errors import OptionError
from weft.grammars import partition
from weft.models.grammar.prepare import prepare_grammar
from weft.models.grammar.spec import Cfg
from weft.models.tables import Form, Tables, estimate_tables
from weft.models.tagger import Tagger
from weft.structures.evidence import Evidence, example, sentence
from weft.structures.grammar import Grammar

SENTENCES = [["the"], ["the", "run"], ["a", "the", "run"]]
CORPUS = [
    example(["the", "run"], ["D", "N"]),
    example(["a", "run", "runs"], ["D", "N", "V"]),
    example(["runs", "the", "run"], ["V", "D", "N"]),
    example(["a", "the"], ["D", "D"]),
] * 2


def counted(form: Form, order: int) -> Tagger:
    model = estimate_tables(Tables(form, order, enough=100, parts=2), CORPUS)
    return Tagger(model, model.weights)


def log_sums(rules: Grammar) -> np.ndarray:
    """Of all trees of each sentence."""
    examples = [example(words) for words in SENTENCES]
    model = prepare_grammar(Cfg(grammar=rules), examples)
    evidences = [Evidence(each.tokens) for each in examples]
    return model.derivations(evidences).log_partition(rules.weights)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("form", [form for form in Form if form is not Form.CONDITIONAL], ids=str)
def test_trees_have_the_probabilities_of_taggings(form, order):
    tagger = counted(form, order)
    rules = tagger_to_grammar(tagger)
    evidences = [Evidence(sentence(words)) for words in SENTENCES]
    expected = tagger.model.derivations(evidences).log_partition(tagger.weights)
    np.testing.assert_allclose(log_sums(rules), expected, atol=1e-9)
    heads = np.zeros(len(rules.nonterminals))
    np.add.at(heads, rules.heads, np.exp(rules.weights))
    np.testing.assert_allclose(heads, 1.0, atol=1e-9)
    assert "⟨*⟩" in rules.terminals


def test_all_trees_sum_to_one():
    found = partition(tagger_to_grammar(counted(Form.NEXT_WORD, 1)))
    assert found.log_values[0] == pytest.approx(0.0, abs=1e-9)


def test_what_has_no_distribution_over_words_gets_one():
    tagger = counted(Form.CONDITIONAL, 1)
    hmm = convert(tagger, Target.HMM)
    evidences = [Evidence(sentence(words)) for words in SENTENCES]
    expected = hmm.model.derivations(evidences).log_partition(hmm.weights)
    np.testing.assert_allclose(log_sums(tagger_to_grammar(tagger)), expected, atol=1e-8)


def test_what_would_be_too_large_is_refused(monkeypatch):
    tagger = counted(Form.HMM, 1)
    monkeypatch.setattr("weft.conversions.growth.MOST_NUMBERS", 20)
    with pytest.raises(OptionError, match=r"its table of rules.*at most 20 are allowed"):
        tagger_to_grammar(tagger)
