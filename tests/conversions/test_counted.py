"""Tables as chains: exactly the same probabilities, or a reason why not."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from weft.conversions.check import same_conditional, same_joint
from weft.conversions.convert import Target, convert, kind_of, tables_to_chain
from weft.errors import OptionError
from weft.models import Normalisation
from weft.models.storage import load_tagger, save_tagger
from weft.models.tables import Form, Tables, estimate_tables
from weft.models.tagger import Decoder, Tagger
from weft.structures.evidence import EVERYTHING, example

TAGS = ("D", "N", "V")
WORDS = ("the", "a", "run", "runs", "Run")
SENTENCES = [["the"], ["zork"], ["the", "run"], ["Strange", "a", "once"], ["a", "the", "12", "run"]]
JOINT = [form for form in Form if form is not Form.CONDITIONAL]
BOTH = pytest.mark.parametrize("order", [1, 2])


def counted(form: Form, order: int) -> Tagger:
    rng = np.random.default_rng(7)
    corpus = [
        example(rng.choice(WORDS, length).tolist(), rng.choice(TAGS, length).tolist())
        for length in (1, 2, 3, 4, 5) * 4
    ]
    corpus += [example(["once"], ["N"]), example(["Twice", "the"], ["V", "D"])]
    model = estimate_tables(Tables(form, order, enough=1, parts=3), corpus)
    return Tagger(model, model.weights, decoder=Decoder.POSTERIOR)


@BOTH
@pytest.mark.parametrize("form", JOINT, ids=str)
def test_joint_tables_are_hidden_markov_models(form, order):
    tagger = counted(form, order)
    hmm = convert(tagger, Target.HMM)
    assert hmm.chain.normalisation is Normalisation.JOINT
    assert kind_of(tagger) == str(form)
    found = same_joint(tagger, hmm, SENTENCES)
    assert found.compared > 100
    assert found.largest < 1e-9
    # Words that were seen and all others sum to one, before HMMs make sure of it themselves.
    free = Tagger(hmm.chain.free, hmm.weights)
    assert hmm.decoder is Decoder.POSTERIOR
    assert hmm.notes["converted"] == f"{form} to hmm"
    assert np.isfinite(free.log_probs([example(["the", "zork"], ["D", "N"])])).all()


@BOTH
@pytest.mark.parametrize("form", JOINT, ids=str)
def test_weights_are_probabilities_of_everything(form, order):
    """Free weights that are logs of probabilities have Z = 1, without being normalised."""
    tagger = counted(form, order)
    mrf = convert(tagger, Target.MRF)
    assert mrf.chain.normalisation is Normalisation.NONE
    [total] = mrf.model.derivations([EVERYTHING]).log_partition(mrf.weights)
    assert total == pytest.approx(0.0, abs=1e-9)
    assert same_joint(tagger, mrf, SENTENCES).largest < 1e-8


@BOTH
def test_conditional_tables_are_memms(order):
    tagger = counted(Form.CONDITIONAL, order)
    memm = convert(tagger, Target.MEMM)
    assert memm.chain.normalisation is Normalisation.CONDITIONAL
    assert same_conditional(tagger, memm, SENTENCES).largest < 1e-9
    assert same_conditional(tagger, convert(tagger, Target.MRF), SENTENCES).largest < 1e-8
    assert same_conditional(tagger, convert(tagger, Target.HMM), SENTENCES).largest < 1e-7


@BOTH
@pytest.mark.parametrize("form", Form, ids=str)
@pytest.mark.parametrize("target", [Target.MEALY, Target.MOORE], ids=str)
def test_words_on_arcs_and_on_states(form, order, target):
    tagger = counted(form, order)
    made = convert(tagger, target)
    assert (made.chain.pair_rows is None) == (target is Target.MOORE)
    assert same_conditional(tagger, made, SENTENCES).largest < 1e-9


def test_states_are_as_few_as_can_be():
    states = {
        (form, order): len(tables_to_chain(counted(form, order)).chain.states)
        for form, order in product(Form, (1, 2))
    }
    assert {form: states[form, 1] for form in Form} == {
        Form.HMM: 3,
        Form.CONDITIONAL: 3,
        Form.PREVIOUS_WORD: 3 * 4,
        Form.NEXT_WORD: 3,
        Form.MEALY: 3,
    }
    assert {form: states[form, 2] for form in Form} == {
        Form.HMM: 3,
        Form.CONDITIONAL: 4 * 3,
        Form.PREVIOUS_WORD: 4 * 3 * 4,
        Form.NEXT_WORD: 4 * 3,
        Form.MEALY: 3,
    }


@BOTH
@pytest.mark.parametrize("form", Form, ids=str)
def test_what_was_converted_comes_back_from_a_file(form, order, tmp_path):
    made = tables_to_chain(counted(form, order))
    path = tmp_path / "made.weft"
    save_tagger(path, made)
    again = load_tagger(path)
    assert again.tag(SENTENCES) == made.tag(SENTENCES)
    np.testing.assert_array_equal(again.weights, made.weights)


@pytest.mark.parametrize("form", JOINT, ids=str)
def test_joint_tables_are_no_memms(form):
    with pytest.raises(OptionError, match="a MEMM says less than an hmm"):
        convert(counted(form, 1), Target.MEMM)


def test_what_does_not_go_is_refused(monkeypatch):
    tagger = counted(Form.PREVIOUS_WORD, 1)
    with pytest.raises(OptionError, match="leave the scale and the mean length out"):
        convert(tagger, Target.HMM, mean_length=10.0)
    with pytest.raises(OptionError, match="this conversion is for tables, and this is an hmm"):
        tables_to_chain(tables_to_chain(tagger))
    with pytest.raises(OptionError, match="an hmm already"):
        convert(tables_to_chain(tagger), Target.HMM)
    monkeypatch.setattr("weft.conversions.growth.MOST_NUMBERS", 20)
    for form, order in product(Form, (1, 2)):
        with pytest.raises(OptionError, match="at most 20 are allowed"):
            tables_to_chain(counted(form, order))
