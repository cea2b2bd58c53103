"""Models as files: old ones load, the same training gives the same file, copies say the same."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import weft
from fuzzing.models import SENTENCES, makers, selected
from weft.errors import OptionError
from weft.features.properties import Property
from weft.models.progress import Progress
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection
from weft.models.tree_parser import TreeParser
from weft.structures.evidence import Sentence

OLD = Path(__file__).parent / "old"
ONE_OF_EACH = ("order 2", "hmm", "states", "johnson-7", "pcfg", "phrases", "packed", "listed")


def asked(tagger, words):
    """A sentence; of a model of given attributes with such attributes."""
    if tagger.model.parameters.size and tagger.model.index.given and not tagger.model.signatures:
        return Sentence((words,), tuple({f"w={word}": 1.0} for word in words))
    return words


def answers(model):
    """Everything that a model is asked, in a form that can be compared."""
    if isinstance(model, Selector):
        several = selected(model)
        ranked = model.kbest([each.tokens for each in several], 10)
        return [model.log_probs(several).tolist(), ranked]
    if isinstance(model, TreeParser):
        return [model.parse(SENTENCES), model.log_partition(SENTENCES).tolist()]
    words = [asked(model, each) for each in SENTENCES if each]
    marginals = [each.tolist() for each in model.marginals(words)]
    return [model.tag(words), marginals, model.entropy(words).tolist()]


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("order-2", 6.992489924740461),
        ("hmm", -3.861864956106698),
        ("states", -3.861864956106698),
        ("johnson-7", -4.56490723239638),
    ],
)
def test_taggers_saved_by_version_0_1_load(name, score):
    tagger = weft.load(OLD / f"{name}.weft")
    assert tagger.tag([SENTENCES[1]]) == [("PRP", "VBD", "DT", "NN", "VBZ")]
    sums = tagger.log_sums([weft.example(SENTENCES[0], ["DT", "NN", "VBZ"])])
    assert sums.complete[0] == pytest.approx(score, rel=1e-12)
    assert all(step.seconds is not None for step in tagger.trace)  # they had times


def test_other_models_saved_by_version_0_1_load():
    parser, selector = (weft.load(OLD / f"{name}.weft") for name in ("phrases", "packed"))
    assert parser.parse([SENTENCES[0]])[0] is not None
    assert selector.log_probs(selected(selector)) == pytest.approx([-0.01123171, -0.02261345])


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_the_same_training_gives_the_same_file(name, tmp_path):
    for number in range(2):
        weft.save(tmp_path / f"{number}.weft", makers()[name]())
    one, other = (tmp_path / f"{number}.weft" for number in range(2))
    assert one.read_bytes() == other.read_bytes()
    loaded = weft.load(one)
    assert all(step.seconds is None for step in loaded.trace)
    weft.save(other, loaded)
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.slow
def test_the_same_training_elsewhere_gives_the_same_file(tmp_path):
    """Nothing depends on how a process happens to hash strings."""
    program = (
        "import sys, weft; from fuzzing.models import makers\n"
        "for name, make in makers().items():\n"
        "    weft.save(f'{sys.argv[1]}/{name}.weft', make())"
    )
    tests = str(Path(__file__).parents[1])
    for seed in ("1", "2"):
        (tmp_path / seed).mkdir()
        subprocess.run(
            [sys.executable, "-c", program, tmp_path / seed],
            check=True,
            cwd=tests,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
    for one in (tmp_path / "1").iterdir():
        assert one.read_bytes() == (tmp_path / "2" / one.name).read_bytes(), one.name


TEXT = b"the/DT dog/NN\n"


@pytest.mark.parametrize(
    ("there", "force", "replaced"),
    [(TEXT, False, False), (TEXT, True, True), (b"", False, True), (b"a model", False, True)],
)
def test_a_model_replaces_models_and_empty_files_unless_told(there, force, replaced, tmp_path):
    path = tmp_path / "train.tagged"
    path.write_bytes(there)
    tagger = makers()["crf"]()
    if there == b"a model":
        weft.save(path, makers()["hmm"](), force=True)
    if replaced:
        weft.save(path, tagger, force=force)
        assert weft.load(path).notes == tagger.notes
        return
    with pytest.raises(OptionError, match=r"train\.tagged exists and is no model.*force=True"):
        weft.save(path, tagger)
    assert path.read_bytes() == there


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((makers()["crf"](), "m.weft"), r"the path comes first, as in weft\.save\("),
        (("m.weft", "other.weft"), r"'other\.weft' is no trained model; give what `weft\.fit`"),
    ],
)
def test_saving_says_what_it_takes(given, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError, match=expected):
        weft.save(*given)
    assert not list(tmp_path.iterdir())


def test_times_are_of_the_training_and_not_of_the_file(tmp_path):
    tagger = makers()["crf"]()
    assert all(step.seconds is not None for step in tagger.trace)
    weft.save(tmp_path / "m.weft", tagger)
    [*_, last] = weft.load(tmp_path / "m.weft").trace
    before = tagger.trace[-1]
    assert last == Progress(before.iteration, before.value, before.gradient_norm, None)


@pytest.mark.parametrize("name", makers())
def test_models_pickle_and_copy_before_and_after_use(name, tmp_path):
    model = makers()[name]()
    weft.save(tmp_path / "m.weft", model)
    for each in (model, weft.load(tmp_path / "m.weft")):
        fresh = pickle.dumps(each)
        expected = answers(each)
        used = pickle.dumps(each)
        for twin in (
            pickle.loads(fresh),  # noqa: S301
            pickle.loads(used),  # noqa: S301
            copy.copy(each),
            copy.deepcopy(each),
        ):
            assert answers(twin) == expected
            assert np.array_equal(twin.weights, each.weights)


def test_a_selector_with_a_property_of_its_own_pickles_once_it_is_loaded(tmp_path):
    own = Property("own", "mine", lambda node: (node.label,))
    selector = weft.fit(Selection((own,), 0), selected(makers()["listed"]()))
    weft.save(tmp_path / "m.weft", selector)
    loaded = pickle.loads(pickle.dumps(weft.load(tmp_path / "m.weft")))  # noqa: S301
    with pytest.raises(weft.errors.OptionError, match="property of its maker's own"):
        loaded.model.selection.properties[0].of_node(None)
