"""Model files that were changed on purpose: none may crash, hang, or answer what is no answer.

    python -m fuzzing.model_files --count 1000 --seed 1      (in the folder of the tests)

Files are edited with knowledge of their structure, with valid checksums and sizes: offsets that
wrap, numbers out of range, what is no number, other types and shapes, other manifests. Some are
damaged byte by byte. A file that loads is used.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import io
import itertools
import json
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import numpy.typing as npt

from fuzzing.engine import SLOWER
from fuzzing.models import SENTENCES, TREES, makers, parse_sets
from weft import archive, commands, load, save
from weft.commands import Ask, FileLayout, How
from weft.commands.tasks import task_of
from weft.corpora.parses.sets import parse_set_line
from weft.errors import WeftError
from weft.models.tagger import Decoder, Tagger
from weft.models.tree_parser import TreeParser
from weft.structures.evidence import Example, Sentence
from weft.structures.parse_set import ParseSet
from weft.structures.tree import write_brackets

SECONDS = 10 * SLOWER
"""No file may take longer to load, or to answer: seconds of a processor, which others may use."""

MEMORY = 5 << 29
"""Bytes of address space that a file may take beyond what the process has: 2.5 GiB."""

Arrays = dict[str, npt.NDArray[Any]]


class FaultError(Exception):
    """What a model file may not do."""


def seeds() -> list[bytes]:
    """Return a small model file of every kind."""
    return list(_seeds())


@cache
def _seeds() -> tuple[bytes, ...]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.weft")
        for name, make in makers().items():
            model = make()
            save(path, replace(model, notes={**model.notes, **_notes(name)}))
            found.append(path.read_bytes())
    return tuple(found)


def _notes(name: str) -> dict[str, str]:
    """What commands keep of a training corpus, by which they read other files."""
    files = {"files": "train.txt", "sentences": "3", "recipe": "crf"}
    layout = {"format": {"given": "crfsuite"}.get(name, "text")}
    return {**files, **layout, "terminals": "tags" if "tags" in name else "words", "clean": "top"}


def edit(rng: np.random.Generator, data: bytes) -> bytes:
    """Return a model file with a change or a few, most of them to its content."""
    if rng.random() < 0.05:
        return _damaged(rng, data)
    manifest, arrays = opened(data)
    if rng.random() < 0.05:
        _grow(rng, manifest, arrays)
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        names = sorted(arrays)
        if rng.random() < 0.8 and names:
            # Texts are checked by the archive alone; most changes are for what kernels use.
            weights = np.array(
                [0.1 if name.endswith(("_text", "_ends")) else 1.0 for name in names]
            )
            _edit_array(rng, arrays, str(rng.choice(names, p=weights / weights.sum())))
        else:
            _edit_manifest(rng, manifest)
    rebuilt = rebuilt_file(manifest, arrays)
    return _damaged(rng, rebuilt) if rng.random() < 0.02 else rebuilt


def opened(data: bytes) -> tuple[dict[str, Any], Arrays]:
    """Take a model file apart."""
    with zipfile.ZipFile(io.BytesIO(data)) as source:
        manifest = json.loads(source.read("manifest.json"))
        names = manifest.pop("arrays")
        arrays = {
            name: np.load(io.BytesIO(source.read(f"{name}.npy")), allow_pickle=False)
            for name in names
        }
    return manifest, arrays


def _member(name: str) -> zipfile.ZipInfo:
    found = zipfile.ZipInfo(name)
    found.compress_type = zipfile.ZIP_DEFLATED
    return found


def rebuilt_file(manifest: dict[str, Any], arrays: Arrays) -> bytes:
    """Put a model file together, all of whose checksums, sizes and headers are right."""
    specs = {
        name: {"dtype": array.dtype.str, "shape": list(array.shape)}
        for name, array in arrays.items()
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        # Members have no time of the clock, so that the same parts are the same bytes.
        out.writestr(_member("manifest.json"), json.dumps({**manifest, "arrays": specs}))
        for name, array in arrays.items():
            header = archive._npy_header(array.dtype.str, array.shape)
            out.writestr(_member(f"{name}.npy"), header + np.ascontiguousarray(array).tobytes())
    return target.getvalue()


def _damaged(rng: np.random.Generator, data: bytes) -> bytes:
    changed = bytearray(data)
    for place in rng.integers(0, len(changed), rng.integers(1, 4)).tolist():
        changed[place] = int(rng.integers(256))
    return bytes(changed[: int(rng.integers(len(changed)))] if rng.random() < 0.2 else changed)


_INTEGERS = (-1, 0, 1, 2, 7, 255, 2**15, 2**31 - 1, -(2**31), 2**62, -(2**62) - 1, 2**63 - 1)
_FLOATS = (0.0, -0.0, 1.0, -1.0, 1e-320, 700.0, -700.0, 1e99, -1e300, 1e308, -1e308)
_STRANGE_FLOATS = (np.nan, np.inf, -np.inf)


def _edit_array(rng: np.random.Generator, arrays: Arrays, name: str) -> None:
    array, chance = arrays[name], rng.random()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if chance < 0.03:
            del arrays[name]
        elif chance < 0.07:
            arrays[name] = arrays[str(rng.choice(sorted(arrays)))]
        elif chance < 0.2 or not array.size:
            arrays[name] = _misshapen(rng, array)
        elif chance < 0.3:
            arrays[name] = _wrapping(array)
        elif chance < 0.6:
            arrays[name] = _with_values(rng, array)
        else:
            arrays[name] = _plausible(rng, array)


def _misshapen(rng: np.random.Generator, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Another type, shape or length."""
    changes: list[Callable[[], npt.NDArray[Any]]] = [
        lambda: array.astype(rng.choice(archive._DTYPES)),
        lambda: array.reshape(*array.shape, 1),
        lambda: array.reshape(-1),
        lambda: array[:0] if array.ndim else array,
        lambda: array[:-1] if array.ndim else array,
        lambda: np.repeat(array, 2, axis=0) if array.ndim else array,
        lambda: np.zeros(int(rng.choice([1000, 10**6])), array.dtype),
    ]
    return changes[int(rng.integers(len(changes)))]()


def _plausible(rng: np.random.Generator, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Other values of the same range and shape: what does not fit can only be seen by meaning."""
    if array.dtype.kind == "f":
        several = rng.normal(size=array.shape) * float(rng.choice([1e-3, 1.0, 30.0, 1e6]))
        impossible = rng.random(array.shape) < rng.choice([0.0, 0.3, 1.0])
        return np.where(impossible, rng.choice([0.0, -np.inf]), several)
    if array.dtype.kind == "b":
        return rng.random(array.shape) < rng.choice([0.1, 0.5, 1.0])
    low, high = int(array.min()), int(array.max())
    drawn = rng.integers(low, high, array.shape, endpoint=True).astype(array.dtype)
    if array.ndim == 1 and array.dtype == np.int64 and (np.diff(array.astype(float)) >= 0).all():
        drawn = np.sort(drawn)
        drawn[0], drawn[-1] = array[0], array[-1]
    return rng.permutation(array) if rng.random() < 0.2 else drawn


def _grow(rng: np.random.Generator, manifest: dict[str, Any], arrays: Arrays) -> None:
    """Declare much that fits together, and takes more than the file."""
    count = int(rng.choice([30, 50, 1000, 5000]))
    if "forbidden" in arrays:
        manifest["tags"] = [f"t{number}" for number in range(count)]
        arrays["forbidden"] = np.zeros((count + 1, count + 1), bool)
        manifest["order"] = int(rng.choice([1, 2]))
        manifest["open_tags"] = None
    elif "bodies" in arrays:
        rule = int(rng.integers(len(arrays["heads"])))
        where = int(arrays["body_offsets"][rule])
        symbol = rng.choice(arrays["bodies"])
        arrays["bodies"] = np.insert(arrays["bodies"], where, [symbol] * count)
        arrays["body_offsets"] = arrays["body_offsets"].copy()
        arrays["body_offsets"][rule + 1 :] += count
    else:
        manifest["notes"] = {str(number): [] for number in range(count)}


def _with_values(rng: np.random.Generator, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Change one to three values: to a neighbour's, to a boundary, or to something strange."""
    changed = array.copy()
    flat = changed.reshape(-1)
    for place in rng.integers(0, flat.size, rng.integers(1, 4)).tolist():
        if array.dtype.kind == "f":
            several = _STRANGE_FLOATS if rng.random() < 0.3 else (*_FLOATS, rng.normal() * 100)
            flat[place] = rng.choice(several)
        elif array.dtype.kind == "b":
            flat[place] = not flat[place]
        else:
            info = np.iinfo(array.dtype)
            near = (int(flat[place]) + 1, int(flat[place]) - 1, int(flat.max()) + 1, flat.size)
            chosen = rng.choice(np.array([*near * 3, *_INTEGERS], object))
            flat[place] = min(max(int(chosen), info.min), info.max)
    return changed


def _wrapping(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Offsets whose differences wrap, but for the first and the last."""
    changed = array.copy()
    flat = changed.reshape(-1)
    if array.dtype == np.int64 and flat.size > 3:
        flat[1], flat[2] = 2**62, -(2**62) - 1
    return changed


_MANIFEST_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, 3, -1, 2**31, 2**63, 10**30, 0.5, 1e308, "", "x", "*", [], {}),
    *([None], ["x"], [["x"]], [[1, "word"]], {"x": None}, "joint", "conditional", "none", "mealy"),
    *("johnson-7", "chain", "tables", "tagger", "parser", "selector", ["A"] * 3, "a" * 10_000),
)


def _edit_manifest(rng: np.random.Generator, manifest: dict[str, Any]) -> None:
    places = list(_places(manifest))
    holder, key = places[int(rng.integers(len(places)))]
    action = rng.random()
    if action < 0.1:
        del holder[key]
    elif action < 0.2 and isinstance(holder[key], list):
        holder[key] = holder[key] * 2
    elif action < 0.25:
        tags = int(rng.choice([5, 300, 1000, 5000]))
        manifest["tags"] = [f"t{number}" for number in range(tags)]
    elif action < 0.4 and isinstance(holder[key], list):
        holder[key] = [holder[key][place] for place in rng.permutation(len(holder[key]))]
    else:
        # A copy: another edit of the same file may change it.
        holder[key] = copy.deepcopy(_MANIFEST_VALUES[int(rng.integers(len(_MANIFEST_VALUES)))])


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where a value of JSON can be changed."""
    keys = value if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list) and value[key]:
            yield from itertools.islice(_places(value[key]), 10)


def check(data: bytes) -> None:
    """Load a model file and use what loads.

    Raises:
        WeftError: If the file is refused.
        FaultError: If it takes too long, or answers what is no answer. Whatever else is raised but
            a WeftError is a fault, too.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.weft")
        path.write_bytes(data)
        with _limits():
            model = load(path)
        for question in _questions(model):
            with suppress(WeftError), _limits():
                _check_answer(question())


def _questions(model: Any) -> Iterator[Callable[[], Any]]:
    if isinstance(model, Tagger):
        words = [_with_columns(each, _is_given(model)) for each in SENTENCES]
        labelled = [Example(each, ("NN",) * len(each)) for each in words]
        yield lambda: model.tag(words[:1])
        yield lambda: model.tag(words)
        yield lambda: model.tag(words, Decoder.POSTERIOR)
        yield lambda: model.marginals(words)
        yield lambda: model.entropy(words)
        yield lambda: _sums(model, labelled)
    elif isinstance(model, TreeParser):
        yield lambda: [model.parse([each]) for each in SENTENCES]
        yield lambda: model.log_partition(SENTENCES)
    else:
        sets = _parse_sets(model)
        yield lambda: model.log_probs(model.compiled(sets[:2]))
        yield lambda: [model.explain(each.tokens, each) for each in model.compiled(sets)]
    yield from _commands(model)


_ASKS = (
    *(Ask(), Ask(kbest=3), Ask(sample=2, seed=1)),
    *(Ask(decoder=Decoder.POSTERIOR), Ask(marginals=True)),
)


def _commands(model: Any) -> Iterator[Callable[[], Any]]:
    """What commands ask: a file's sentences are answered, compared and explained."""
    task = task_of(model)
    plain, labelled, gold = _files(model)
    for ask, as_json in itertools.product(_ASKS, (False, True)):
        how = How(ask, json=as_json, threads=1)
        yield lambda how=how: list(task.predict(model, io.BytesIO(plain), how))  # type: ignore[misc]
    how = How(layout=FileLayout(gold), threads=1)
    yield lambda: task.evaluate(model, io.BytesIO(labelled), how).as_json()
    yield lambda: commands.explain(model, io.BytesIO(plain)).as_json()
    yield lambda: task.inspect(model, 5, None, "*").as_json()
    if "--mass" in task.takes["inspect"]:
        yield lambda: task.mass(model, 5).as_json()
        yield lambda: task.trace(model, plain.decode().partition("\n")[0], 3).page()


def _files(model: Any) -> tuple[bytes, bytes, str | None]:
    """Sentences for a model, the same with labels, and the format of these."""
    if isinstance(model, Tagger):
        return (_GIVEN, _GIVEN, "crfsuite") if _is_given(model) else (_WORDS, _LABELLED, "tagged")
    if isinstance(model, TreeParser):
        tags = model.notes.get("terminals") == "tags"
        trees = "".join(f"{write_brackets(tree)}\n" for tree in TREES)
        return _TAGS if tags else _WORDS, trees.encode(), "brackets"
    sets = "".join(parse_set_line(each) + "\n" for each in _parse_sets(model)).encode()
    return sets, sets, None


def _is_given(model: Any) -> bool:
    """Whether a tagger looks at attributes that the user gives."""
    return bool(model.notes.get("format") == "crfsuite")


def _parse_sets(model: Any) -> list[ParseSet]:
    """Those that a selector's properties can look at."""
    whole = any(each.of_node is None for each in model.model.selection.properties)
    return parse_sets()[:2] if whole else parse_sets()


_WORDS = b"the dog barks\nwe saw the Unheard-of dog\n"
_TAGS = b"DT NN VBZ\nPRP VBD DT NN RB\n"
_LABELLED = b"the/DT dog/NN barks/VBZ\nwe/PRP saw/VBD the/DT Unheard-of/NN dog/NN\n"
_GIVEN = b"NN\tw=time\tlong:4\nVBZ\tw=flies\n\nO\tw=unheard-of\n"


def _with_columns(words: tuple[str, ...], given: bool) -> Sentence:
    """A sentence, with attributes for models that look at what the user gives."""
    attributes = tuple({f"w={word}": 1.0, "long": 2.0} for word in words)
    return Sentence((words, words), attributes) if given else Sentence((words, words))


def _sums(tagger: Tagger, labelled: list[Example]) -> Any:
    sums = tagger.log_sums(labelled)
    return [sums.complete, sums.input, sums.conditional]


def _check_answer(answer: Any) -> None:
    """Refuse what is not a number."""
    waiting = [answer]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list | tuple):
            waiting += item
        elif isinstance(item, float | np.ndarray) and np.isnan(item).any():
            raise FaultError("an answer is not a number")


@contextmanager
def _limits() -> Iterator[None]:
    """Allow some seconds and some memory; warnings of arithmetic are no faults by themselves."""

    def late(signum: int, frame: FrameType | None) -> None:  # noqa: ARG001
        raise FaultError(f"more than {SECONDS} seconds")

    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    # A sanitizer reserves terabytes of addresses, and then takes them as it likes.
    most = used + MEMORY if used < 1 << 40 else resource.RLIM_INFINITY
    before = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


def run(count: int, seed: int, folder: Path | None = None) -> int:
    """Check this many edited files, and print what is wrong with them.

    Args:
        count: How many.
        seed: Where to begin: file ``n`` of a seed is always the same.
        folder: Where files with faults are kept.

    Returns:
        How many have faults.
    """
    started, faults, loaded = time.monotonic(), 0, seeds()
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        data = edit(rng, loaded[int(rng.integers(len(loaded)))])
        if folder is not None:  # a crash leaves the last one
            (folder / "last.weft").write_bytes(data)
        try:
            with suppress(WeftError):
                check(data)
        except Exception:
            faults += 1
            _say(f"file {number} of seed {seed}:\n{traceback.format_exc()}")
            if folder is not None:
                (folder / f"fault-{seed}-{number}.weft").write_bytes(data)
    _say(f"{count} files, {faults} with faults, {time.monotonic() - started:.0f} s\n")
    return faults


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def main() -> None:
    """Run as a program."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="a folder for files with faults")
    chosen = parser.parse_args()
    faulthandler.enable()
    if chosen.keep is not None:
        chosen.keep.mkdir(parents=True, exist_ok=True)
    sys.exit(1 if run(chosen.count, chosen.seed, chosen.keep) else 0)


if __name__ == "__main__":
    main()
