"""Writing what a model holds for other programs: its weights, its grammar, its automaton.

| form | of | what is written |
|---|---|---|
| ``grammar`` | a parser, a tagger as a PCFG, a grammar file | rules, in our notation or as JSON |
| ``nltk`` | the same | rules as NLTK's ``PCFG.fromstring`` reads them |
| ``att`` | a tagger | the HMM that says the same, from words to tags, in the AT&T format |
| ``weights`` | a model with features | kind, name and weight, separated by tabs, or as JSON |
| ``weft`` | any model, also of CRFsuite or an older version | our model file |
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from weft.automata import write_transducer
from weft.commands.files.inputs import StrPath, finite, open_model
from weft.commands.files.outputs import check_output
from weft.commands.grammar.inputs import is_saved, load_grammar
from weft.commands.tasks import task_of
from weft.corpora.formats import suffix_of
from weft.errors import OptionError
from weft.files import write_text
from weft.grammars.forms.json import to_json, write_json
from weft.grammars.forms.nltk import write_nltk
from weft.grammars.forms.notation import write_grammar
from weft.models.model import Trained
from weft.models.storage import save_model
from weft.models.tagger import Tagger
from weft.reprs import Brief
from weft.structures.grammar import Grammar

StrMap = Mapping[str, Any]

MODEL = "weft"
"""The form of our own model files."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelExport(Brief):
    """What was written.

    Attributes:
        form: What it is.
        path: Where.
        size: How much, in words.
        about: What else programs are told, ready for JSON.
    """

    form: str
    path: str
    size: str
    about: StrMap

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return {"file": self.path, "to": self.form, **self.about}


def export(
    model: StrPath,
    form: str,
    *,
    out: StrPath | None = None,
    force: bool = False,
    max_bytes: int | None = None,
) -> ModelExport:
    """Write what a saved model holds.

    Args:
        model: The model's file; for grammars, also a file of rules.
        form: One of :data:`EXPORTS`.
        out: Where it is written; by default beside the model, with a suffix of its own. ``-`` is
            the standard output.
        force: Replace whatever file is there.
        max_bytes: How much memory the model may take.

    Raises:
        OptionError: If the model has no such thing; or the file that is there must not be
            replaced.
        FormatError: If a file cannot be read or written, or a symbol has no notation.
    """
    suffix, write = EXPORTS[form]
    path = Path(model).with_suffix(suffix) if out is None else out
    check_output(path, [model], model=form == MODEL, force=force)
    size, about = write(model, os.fspath(path), max_bytes)
    return ModelExport(form, os.fspath(path), size, about)


def _grammar_of(model: StrPath, max_bytes: int | None) -> Grammar:
    if not is_saved(model):
        return load_grammar(model)
    loaded = open_model(model, max_bytes=max_bytes)
    task = task_of(loaded)
    grammar = task.grammar(loaded)
    if grammar is None:
        name = os.fspath(model)
        raise OptionError(f"{name} is a {task.name}, which has no grammar: give a parser")
    return grammar


def _write_grammar(model: StrPath, path: str, max_bytes: int | None) -> tuple[str, StrMap]:
    grammar = _grammar_of(model, max_bytes)
    (write_json if suffix_of(path) == ".json" else write_grammar)(path, grammar)
    return f"{grammar.rule_count:,} rules", {
        "nonterminals": len(grammar.nonterminals),
        "terminals": len(grammar.terminals),
        "grammar": to_json(grammar),
    }


def _write_nltk(model: StrPath, path: str, max_bytes: int | None) -> tuple[str, StrMap]:
    grammar = _grammar_of(model, max_bytes)
    renamed = write_nltk(path, grammar)
    size = f"{grammar.rule_count:,} rules"
    if renamed:
        size += f"; {len(renamed):,} symbols have names that NLTK can read"
    return size, {"rules": grammar.rule_count, "renamed": renamed}


def _write_att(model: StrPath, path: str, max_bytes: int | None) -> tuple[str, StrMap]:
    loaded = open_model(model, max_bytes=max_bytes)
    task = task_of(loaded)
    machine = task.transducer(loaded)
    if machine is None:
        name = os.fspath(model)
        raise OptionError(f"{name} is a {task.name}, which is no automaton: give a tagger")
    write_transducer(path, machine)
    sizes = {"states": machine.state_count, "arcs": len(machine.arcs)}
    return ", ".join(f"{size:,} {name}" for name, size in sizes.items()), sizes


def _write_weights(model: StrPath, path: str, max_bytes: int | None) -> tuple[str, StrMap]:
    loaded = open_model(model, max_bytes=max_bytes)
    if not len(loaded.weights):
        message = f"{os.fspath(model)}, a {task_of(loaded).name}, has no weights of features"
        tagger = isinstance(loaded, Tagger)
        raise OptionError(f"{message}; `weft convert --to hmm` makes some" if tagger else message)
    lines = _json_lines(loaded) if suffix_of(path) == ".json" else _table_lines(loaded)
    with write_text(path) as stream:
        stream.writelines(lines)
    return f"{len(loaded.weights):,} weights", {"weights": len(loaded.weights)}


def _write_model(model: StrPath, path: str, max_bytes: int | None) -> tuple[str, StrMap]:
    if path == "-":
        raise OptionError("a model is no text for the standard output; name a file with --out")
    loaded = open_model(model, max_bytes=max_bytes)
    save_model(path, loaded, force=True)
    return f"{len(loaded.weights):,} weights", {"weights": len(loaded.weights)}


def weights_of(trained: Trained) -> Iterator[tuple[str, str, float]]:
    """Yield the kind, the name and the weight of each feature, in the order of θ.

    >>> from weft import Chain, example, fit
    >>> tagger = fit(Chain(templates=()), [example(["the", "dog"], ["DT", "NN"])])
    >>> [(kind, name) for kind, name, _ in weights_of(tagger)]
    [('bigram', 'DT → NN'), ('bigram', 'NN → </s>'), ('bigram', '<s> → DT')]
    """
    for start in range(0, len(trained.weights), _AT_ONCE):
        some = np.arange(start, min(start + _AT_ONCE, len(trained.weights)))
        pairs = zip(trained.model.named(some), trained.weights[some].tolist(), strict=True)
        for (kind, name), weight in pairs:
            yield kind, name, weight


_AT_ONCE = 10_000


def _table_lines(trained: Trained) -> Iterator[str]:
    yield "kind\tfeature\tweight\n"
    for kind, name, weight in weights_of(trained):
        yield f"{kind.translate(_ESCAPES)}\t{name.translate(_ESCAPES)}\t{weight!r}\n"


_ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})


def _json_lines(trained: Trained) -> Iterator[str]:
    """A list with an object per line, which is read whole as JSON, too."""
    before = "[\n"
    for kind, name, weight in weights_of(trained):
        found = {"kind": kind, "feature": name, "weight": finite(weight)}
        yield before + json.dumps(found, ensure_ascii=False)
        before = ",\n"
    yield "\n]\n"


Writing = Callable[[StrPath, str, int | None], tuple[str, StrMap]]

EXPORTS: Mapping[str, tuple[str, Writing]] = {
    "grammar": (".cfg", _write_grammar),
    "nltk": (".nltk.cfg", _write_nltk),
    "att": (".att", _write_att),
    "weights": (".tsv", _write_weights),
    MODEL: (".weft", _write_model),
}
"""By its name, the suffix of each form, and what writes it."""
