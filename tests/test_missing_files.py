"""A file that is not there raises one error, whoever reads it; every error is in the reference."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import weft
from weft import commands, corpora, errors
from weft.automata import read_transducer
from weft.commands.reproduction import read_report
from weft.corpora.parses.profiles import read_profile
from weft.corpora.parses.xle.files import read_xle
from weft.corpora.tags.crfpp import read_template_file
from weft.errors import FormatError, MissingFileError, WeftError
from weft.evaluate.bracket_parameters import read_bracket_parameters
from weft.grammars.forms.json import read_json
from weft.grammars.forms.notation import read_grammar
from weft.grammars.heads import read_head_rules
from weft.lfg import read_lfg
from weft.lfg.networks import read_network
from weft.models.crfsuite import read_crfsuite
from weft.models.storage import load_tagger
from weft.unification import read_fcfg, read_patr

READERS: dict[str, Callable[[str], object]] = {
    "load": weft.load,
    "load_tagger": load_tagger,
    "crfsuite": read_crfsuite,
    "unify.load": weft.unify.load,
    "unify.load *.lfg": lambda path: weft.unify.load(f"{path}.lfg"),
    "unify.load *.fcfg": lambda path: weft.unify.load(f"{path}.fcfg"),
    "unify.load *.patr": lambda path: weft.unify.load(f"{path}.patr"),
    "fcfg": read_fcfg,
    "patr": read_patr,
    "lfg": read_lfg,
    "network": read_network,
    "transducer": read_transducer,
    "grammar": read_grammar,
    "grammar in JSON": read_json,
    "head rules": read_head_rules,
    "templates": read_template_file,
    "evalb": read_bracket_parameters,
    "profile": lambda path: list(read_profile(path)),
    "xle": lambda path: list(read_xle(path)),
    "trees": lambda path: list(corpora.read_trees(path)),
    "treebank": lambda path: list(corpora.read_treebank(path)),
    "parse sets": lambda path: list(corpora.read_parse_sets(path)),
    "dictionary": corpora.read_dictionary,
    "tag map": corpora.read_tag_map,
    "examples": lambda path: list(corpora.read_examples(corpora.Tagged(), path)),
    "format": corpora.guess_format,
    "inspect": commands.inspect,
    "report": read_report,
    "predict": lambda path: list(commands.predict(path, io.BytesIO(b"a"))),
    "train": lambda path: commands.train("m.weft", [path]),
    "train a parser": lambda path: commands.train("m.weft", [path], recipe="pcfg"),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("folder", ["absent", "file.txt"])
def test_a_missing_file_raises_one_error(
    name: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file.txt").write_text("a file, and no folder")
    with pytest.raises(MissingFileError, match=r"no such file|not a directory") as caught:
        READERS[name](os.path.join(folder, "none"))
    assert isinstance(caught.value, FileNotFoundError)
    assert isinstance(caught.value, FormatError)
    assert str(caught.value).startswith(os.path.join(folder, "none"))
    assert "check the name" in str(caught.value)


@pytest.mark.parametrize("path", [".", "a\0b"])
def test_models_that_cannot_be_opened_are_named(path: str) -> None:
    with pytest.raises(
        FormatError, match=r"give the path of a saved model|cannot be read"
    ) as caught:
        weft.load(path)
    assert not isinstance(caught.value, MissingFileError)
    assert caught.value.path == path


def test_every_error_is_in_the_reference() -> None:
    page = Path(__file__).parents[1] / "docs" / "reference" / "errors.md"
    named = re.findall(r"::: weft\.errors\.(\w+)", page.read_text(encoding="utf-8"))
    kinds = [each for each in vars(errors).values() if isinstance(each, type)]
    assert sorted(named) == sorted(each.__name__ for each in kinds if issubclass(each, WeftError))
