"""Edited model files: a few seconds of them, and what they have found."""

import io
import json
import tracemalloc
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from fuzzing import model_files
from fuzzing.models import makers
from weft import load, save
from weft.commands import parse_file
from weft.derivations.stack.table import REDUCE_2
from weft.errors import FormatError, WeftError
from weft.grammars.transforms import is_made
from weft.models.stack.mass import mass_of
from weft.structures.tree import subtrees

WRAPPING = 2**62, -(2**62) - 1


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.weft"


def parts_of(name, path):
    save(path, makers()[name]())
    return model_files.opened(path.read_bytes())


def refused(path, manifest, arrays, message):
    path.write_bytes(model_files.rebuilt_file(manifest, arrays))
    with pytest.raises(FormatError, match=message) as caught:
        load(path)
    assert caught.value.path == str(path)


def peak_of_refusal(path, message):
    """How many bytes it takes to say no."""
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=message):
            load(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("count", [10, pytest.param(150, marks=pytest.mark.slow)])
def test_no_edited_file_has_a_fault(count):
    assert model_files.run(count, 7) == 0


def test_files_are_edited_in_every_way(rng):
    """Some load and are used, some do not; seeds and edits are the same every time."""
    seeds = model_files.seeds()
    assert len(seeds) == len(makers())
    for seed in seeds:
        model_files.check(seed)
        again = np.random.default_rng(3), np.random.default_rng(3)
        assert model_files.edit(again[0], seed) == model_files.edit(again[1], seed)
        assert model_files.edit(rng, seed) != seed


@pytest.mark.parametrize("name", makers())
def test_offsets_that_wrap_are_refused(name, path):
    manifest, arrays = parts_of(name, path)
    wide = [key for key, array in arrays.items() if array.dtype == np.int64 and array.size > 3]
    assert wide
    for key in wide:
        bad = arrays[key].copy()
        bad[1:3] = WRAPPING
        refused(path, manifest, {**arrays, key: bad}, "do not fit together")


@pytest.mark.parametrize("name", makers())
def test_numbers_out_of_range_are_refused(name, path):
    manifest, arrays = parts_of(name, path)
    for key, array in arrays.items():
        if array.dtype == np.int32 and array.size and not key.startswith("weights_"):
            for value in (2**31 - 1, -(2**31)):
                bad = array.copy()
                bad.reshape(-1)[-1] = value
                refused(path, manifest, {**arrays, key: bad}, "do not fit together")


@pytest.mark.parametrize("name", ["crf", "hmm", "pcfg", "phrases", "packed"])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_weights_that_are_none_are_refused(name, value, path):
    manifest, arrays = parts_of(name, path)
    bad = arrays["weights"].copy()
    bad[-1] = value
    refused(path, manifest, {**arrays, "weights": bad}, "weight")


def test_a_selector_has_no_weight_of_minus_infinity(path):
    manifest, arrays = parts_of("packed", path)
    bad = np.full_like(arrays["weights"], -np.inf)
    refused(path, manifest, {**arrays, "weights": bad}, "finite")


def test_a_trace_is_of_numbers(path):
    manifest, arrays = parts_of("crf", path)
    for column in range(3):
        bad = arrays["trace"].copy()
        bad[0, column] = np.nan
        refused(path, manifest, {**arrays, "trace": bad}, "bad trace")


def test_columns_that_are_no_tags_are_refused(path):
    """Rows are padded; what stands there is a column for the kernels, but of no tag."""
    manifest, arrays = parts_of("arcs", path)
    bad = arrays["pair_columns"].copy()
    bad[-1] = 8 * 8 - 1  # seven tags and the boundary would be 8 × 8; there are five tags
    refused(path, manifest, {**arrays, "pair_columns": bad}, "tags and the boundary")


@pytest.mark.parametrize(
    ("tags", "order"), [(1000, 2), pytest.param(15_000, 1, marks=pytest.mark.slow)]
)
def test_many_tags_are_refused_before_there_is_memory_for_them(tags, order, path):
    manifest, arrays = parts_of("crf", path)
    manifest |= {"tags": [f"t{number}" for number in range(tags)], "order": order}
    arrays["forbidden"] = np.zeros((tags + 1, tags + 1), bool)
    path.write_bytes(model_files.rebuilt_file(manifest, arrays))
    assert path.stat().st_size < 2 << 20
    assert peak_of_refusal(path, r"GiB in use, more than the .*`--max-memory`") < 32 << 20


def test_a_budget_can_be_raised_and_lowered(path):
    manifest, arrays = parts_of("crf", path)
    manifest |= {"tags": [f"t{number}" for number in range(300)], "order": 2}
    arrays["forbidden"] = np.zeros((301, 301), bool)
    path.write_bytes(model_files.rebuilt_file(manifest, arrays))
    with pytest.raises(FormatError, match="in use"):
        load(path)
    assert len(load(path, max_bytes=2 << 30).model.tags) == 300
    save(path, makers()["crf"]())
    with pytest.raises(FormatError, match="when it is loaded, more than the 1,000 bytes"):
        load(path, max_bytes=1000)


def test_a_manifest_of_many_values_is_refused_before_it_is_parsed(path):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        head = json.dumps({"format": "weft", "version": 1, "kind": "tagger", "arrays": {}})
        out.writestr("manifest.json", head[:-1] + ', "x": [' + "[]," * (15 << 20) + "[]]}")
    path.write_bytes(target.getvalue())
    assert path.stat().st_size < 100_000
    assert peak_of_refusal(path, r"GiB for its manifest.json, more than") < 128 << 20


def test_right_sides_too_long_to_lay_out_are_refused(path):
    manifest, arrays = parts_of("pcfg of tags", path)
    arrays["bodies"] = np.append(arrays["bodies"], np.zeros(20_000, np.int32))
    arrays["body_offsets"] = arrays["body_offsets"].copy()
    arrays["body_offsets"][-1] += 20_000
    refused(path, manifest, arrays, "bad right sides")


def test_words_of_no_tag_are_refused(path):
    """A pair of tags whose second is the end of a sentence has no words."""
    manifest, arrays = parts_of("mealy", path)
    outcomes = len(arrays["words_ends"]) + len(arrays["classes_ends"]) - 2
    keys = arrays["next_word_0_keys"].copy()
    states = len(manifest["tags"]) + 1
    keys[-1] = (states * states - 1) * outcomes
    assert keys[-1] > keys[-2]
    refused(path, manifest, {**arrays, "next_word_0_keys": keys}, "do not fit together")
    # One word more moves all of these pairs.
    ends = arrays["words_ends"]
    path.write_bytes(
        model_files.rebuilt_file(manifest, {**arrays, "words_ends": np.append(ends, ends[-1])})
    )
    with suppress(WeftError):
        model_files.check(path.read_bytes())


@pytest.mark.parametrize("name", ["moves given words", "moves by features"])
def test_tags_that_are_not_looked_ahead_to_are_refused(name, path):
    manifest, arrays = parts_of(name, path)
    text = bytes(arrays["looks_text"]).replace(b"NN", b"XX")
    looks = np.frombuffer(text, np.uint8)
    refused(path, manifest, {**arrays, "looks_text": looks}, "do not fit together")


@pytest.mark.parametrize("name", ["moves", "moves given words", "moves by features"])
def test_a_parse_that_ends_in_a_made_node_is_a_tree(name, path):
    """Rows of other labels let the search accept any node."""
    manifest, arrays = parts_of(name, path)
    model = load(path)
    labels, rows = model.model.labels, arrays["rows"].copy()
    for number, label in enumerate(labels):
        if is_made(label):
            rows[number, 0] = rows[labels.index("S"), 0]
    data = model_files.rebuilt_file(manifest, {**arrays, "rows": rows})
    path.write_bytes(data)
    model_files.check(data)
    texts = [words.split() for words in ("we saw the dog here", "the dog saw")]
    ranked = load(path).kbest(texts, 20)
    trees = [answer.answer for several in ranked for answer in several]
    assert trees
    assert not [tree for tree in trees if any(is_made(node.label) for node in subtrees(tree))]


@pytest.mark.parametrize(
    "name", ["moves", "moves of tags", "moves given words", "moves by features"]
)
def test_moves_that_take_the_bottom_of_the_stack_are_refused(name, path):
    manifest, arrays = parts_of(name, path)
    rows, labels = arrays["rows"].copy(), len(arrays["rows"])
    entry = np.flatnonzero(arrays["moves"] >= REDUCE_2 * labels)[0]
    context = np.searchsorted(arrays["offsets"], entry, side="right") - 1
    top = np.flatnonzero(rows[:, 0] >= 0)[-1]
    rows[top, 0] = context // manifest["looks"]
    refused(path, manifest, {**arrays, "rows": rows}, "do not fit together")


@pytest.mark.parametrize("note", ["terminals", "clean", "format"])
@pytest.mark.parametrize("name", ["pcfg", "moves", "crf"])
def test_notes_that_name_nothing_are_refused_when_they_are_used(name, note, path):
    manifest, arrays = parts_of(name, path)
    manifest["notes"] = {**manifest["notes"], note: "nothing\x1b"}
    data = model_files.rebuilt_file(manifest, arrays)
    model_files.check(data)
    path.write_bytes(data)
    model = load(path)
    if note == "terminals" and name != "crf":
        with pytest.raises(FormatError, match="its notes have terminals"):
            list(parse_file(model, io.BytesIO(b"the dog barks\n")))


def test_a_parser_of_no_moves_has_no_mass(path):
    manifest, arrays = parts_of("moves of tags", path)
    arrays |= {name: arrays[name][:0] for name in ("moves", "scores")}
    arrays["offsets"] = np.zeros_like(arrays["offsets"])
    data = model_files.rebuilt_file(manifest, arrays)
    model_files.check(data)
    path.write_bytes(data)
    assert mass_of(load(path).model.table).finished == 0.0


@pytest.mark.parametrize("value", [1e-320, 1e300])
@pytest.mark.parametrize("part", ["next_tag_0_counts", "lexicon_counts", "lexicon_masses"])
def test_counts_whose_ratios_overflow_are_refused(part, value, path):
    manifest, arrays = parts_of("johnson-4" if part.startswith("lexicon") else "mealy", path)
    counts = arrays[part].copy()
    counts[0] = value
    refused(path, manifest, {**arrays, part: counts}, "do not fit together")


def test_tags_of_no_state_are_refused(path):
    manifest, arrays = parts_of("states", path)
    shown = np.full_like(arrays["shown"], arrays["shown"][0])
    refused(path, manifest, {**arrays, "shown": shown}, "do not fit together")


def test_a_parser_whose_labels_have_no_notation_says_so(path):
    manifest, arrays = parts_of("shaped", path)
    text = bytes(arrays["nonterminals_text"]).replace(b"N", b"^")
    arrays["nonterminals_text"] = np.frombuffer(text, np.uint8)
    data = model_files.rebuilt_file(manifest, arrays)
    model_files.check(data)
    path.write_bytes(data)
    model = load(path)
    [parsed] = parse_file(model, io.BytesIO(b"the dog barks\n"))
    with pytest.raises(FormatError, match="the label '' cannot be written in brackets"):
        parsed.brackets("S")
