"""Models of CRFsuite are read as they are, and say the same; damaged ones are refused."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import numpy as np
import pycrfsuite
import pytest

import weft
from weft import commands
from weft.commands.grammar.inputs import load_grammar
from weft.errors import FormatError, OptionError, WeftError
from weft.models.crfsuite import read_crfsuite
from weft.models.tagger import Tagger

Tokens = list[dict[str, float]]


def random_tokens(rng: np.random.Generator, length: int) -> Tokens:
    """Attributes with values; the last two of them are never trained on."""
    return [
        {f"a{number}:é": float(rng.normal()) for number in rng.choice(12, rng.integers(1, 5))}
        for _ in range(length)
    ]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(5)
    trainer = pycrfsuite.Trainer(verbose=False)
    for _ in range(40):
        tokens = random_tokens(rng, int(rng.integers(1, 8)))
        known = [{k: v for k, v in each.items() if k not in ("a10:é", "a11:é")} for each in tokens]
        trainer.append(known, [f"T{rng.integers(4)}" for _ in known])
    trainer.set_params({"c1": 0.1, "c2": 0.1, "max_iterations": 30})
    path = tmp_path_factory.mktemp("crfsuite") / "m.crfsuite"
    trainer.train(str(path))
    return path


def theirs_of(path: Path) -> pycrfsuite.Tagger:
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return tagger


def sentence(tokens: Tokens) -> weft.Sentence:
    return weft.Sentence((("_",) * len(tokens),), tuple(tokens))


def test_weights_are_the_same(model: Path) -> None:
    ours, info = weft.load(model), theirs_of(model).info()
    names = ours.model.named(np.arange(len(ours.weights)))
    found = dict(zip((name for _, name in names), ours.weights.tolist(), strict=True))
    expected = {f"{a} → {b}": w for (a, b), w in info.transitions.items()}
    expected |= {f"{a} → {b}": w for (a, b), w in info.state_features.items()}
    assert found == pytest.approx(expected, abs=1e-6)  # theirs are printed with six digits
    assert set(ours.model.tags) == set(info.labels)


@pytest.mark.parametrize("form", ["grammar", "nltk"])
def test_what_it_cannot_become_is_told(model: Path, tmp_path: Path, form: str) -> None:
    with pytest.raises(OptionError, match="attributes"):
        commands.export(model, form, out=tmp_path / "g.cfg")
    with pytest.raises(FormatError, match="this is a saved tagger, which has no grammar"):
        load_grammar(model)


def test_nothing_is_read_of_what_is_too_large(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bytes:
        raise AssertionError

    monkeypatch.setattr("weft.models.crfsuite.read_bytes", refuse)
    with pytest.raises(FormatError, match=r"m\.crfsuite: takes .* more than the 100 .*that it may"):
        weft.load(model, max_bytes=100)
    monkeypatch.undo()
    with pytest.raises(FormatError, match="more than 100 bytes"):
        read_crfsuite(io.BytesIO(model.read_bytes()), 100)


def test_answers_are_the_same(model: Path, rng: np.random.Generator, tmp_path: Path) -> None:
    theirs = theirs_of(model)
    weft.save(tmp_path / "m.weft", weft.load(model))
    for ours in (weft.load(model), weft.load(tmp_path / "m.weft")):
        for _ in range(30):
            tokens = random_tokens(rng, int(rng.integers(1, 9)))
            tags = theirs.tag(tokens)
            assert list(ours.tag([sentence(tokens)])[0]) == tags
            [probs] = ours.marginals([sentence(tokens)])
            expected = [
                [theirs.marginal(tag, place) for tag in ours.model.tags]
                for place in range(len(tokens))
            ]
            np.testing.assert_allclose(probs, expected, atol=1e-9)
            [log_prob] = ours.log_probs([weft.Example(sentence(tokens), tuple(tags))])
            assert np.exp(log_prob) == pytest.approx(theirs.probability(tags))


def small(tmp_path: Path) -> bytes:
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.append([["x"], ["y"]], ["A", "B"])
    trainer.train(str(tmp_path / "s.crfsuite"))
    return (tmp_path / "s.crfsuite").read_bytes()


def read(data: bytes, **others: int) -> Tagger:
    return read_crfsuite(io.BytesIO(data), **others)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (2, 0x45455254, "this is no first-order model of version 100"),
        (3, 101, "of 101"),
        (1, 17, "and says 17"),
        (5, 0, "an index of its texts is not where it should be"),
        (5, 2**31, "takes .* in use, more than"),
        (6, 2**31, "takes .* in use, more than"),
        (7, 2**32 - 1, "cut short, damaged"),
        (7, 0, "its features are not where they should be"),
        (8, 4, "an index of its texts is not where it should be"),
    ],
)
def test_headers_are_checked(tmp_path: Path, field: int, value: int, message: str) -> None:
    data = bytearray(small(tmp_path))
    struct.pack_into("<I", data, 4 * field, value)
    with pytest.raises(FormatError, match=message):
        read(bytes(data))


def test_features_are_checked(tmp_path: Path) -> None:
    data = small(tmp_path)
    assert len(read(data).weights) == 3
    place = 48 + 12  # after the header and that of the features
    for offset, pattern, value, message in (
        (0, "<I", 2, "neither of a label and an attribute"),
        (4, "<I", 2, "does not exist"),
        (8, "<I", 2, "does not exist"),
        (12, "<d", float("nan"), "weight 1 is nan"),
    ):
        changed = bytearray(data)
        struct.pack_into(pattern, changed, place + offset, value)
        with pytest.raises(FormatError, match=message):
            read(bytes(changed))
    twice = bytearray(data)
    twice[place + 20 : place + 32] = twice[place : place + 12]
    with pytest.raises(FormatError, match="a feature comes twice"):
        read(bytes(twice))


def test_texts_are_checked(tmp_path: Path) -> None:
    data = small(tmp_path)
    (labels,) = struct.unpack_from("<I", data, 32)
    for offset, value, message in (
        (2072 + 4, 2**31, "a text of it is not where it should be"),
        (2072, 1, "a text of it is not where it should be"),
        (12, 1, "an index of its texts"),
        (20, 2**32 - 4, "an index of its texts"),
    ):
        changed = bytearray(data)
        struct.pack_into("<I", changed, labels + offset, value)
        with pytest.raises(FormatError, match=message):
            read(bytes(changed))
    changed = bytearray(data)
    changed[labels + 2072 + 8] = 0xFF
    with pytest.raises(FormatError, match="is not UTF-8"):
        read(bytes(changed))
    changed[labels + 2072 + 8] = ord("B")
    with pytest.raises(FormatError, match="comes twice"):
        read(bytes(changed))


def test_cut_files_are_refused(tmp_path: Path) -> None:
    data = small(tmp_path)
    for length in range(4, len(data), 37):
        with pytest.raises(FormatError):
            read(data[:length])


def test_damaged_files_are_refused_or_answer(model: Path, rng: np.random.Generator) -> None:
    data = model.read_bytes()
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(int(rng.integers(1, 4))):
            damaged[rng.integers(len(data))] = rng.integers(256)
        try:
            tagger = read(bytes(damaged))
        except WeftError:
            continue
        [probs] = tagger.marginals([sentence(random_tokens(rng, 4))])
        np.testing.assert_allclose(probs.sum(axis=1), 1.0)


def test_memory_is_bounded(model: Path) -> None:
    with pytest.raises(FormatError, match=r"m\.crfsuite: takes .* in use"):
        weft.load(model, max_bytes=1000)
