"""What a model holds, as files for other programs."""

from __future__ import annotations

import itertools
import json
import subprocess
from pathlib import Path
from unittest import mock

import nltk
import numpy as np
import pytest

from samples import TAGGED
from weft import commands, example, load
from weft.automata import Arc, Transducer, outgoing, read_transducer
from weft.cli.convert import EXAMPLES
from weft.conversions.grammars import tagger_to_transducer
from weft.errors import FormatError, OptionError
from weft.grammars import read_grammar, read_json
from weft.models.grammar.parser import Parser
from weft.models.storage import load_model

TREES = """
(S (NP (DT the) (NN dog)) (VP (VBZ barks)))
(S (NP (DT a) (NN cat)) (VP (VBZ sees) (NP (DT the) (NN dog))))
"""


@pytest.fixture
def parser(tmp_path: Path) -> Path:
    (tmp_path / "t.mrg").write_text(TREES)
    path = tmp_path / "p.weft"
    commands.train(path, [tmp_path / "t.mrg"], recipe="pcfg", settings={"binarise": "right"})
    return path


def test_the_grammar_is_that_of_the_parser(parser: Path) -> None:
    made = commands.export(parser, "grammar")
    assert made.path == str(parser.with_suffix(".cfg"))
    loaded = load_model(parser)
    assert isinstance(loaded, Parser)
    ours, back = loaded.grammar, read_grammar(made.path)
    assert [(rule.head, rule.body) for rule in ours.rules()] == [
        (rule.head, rule.body) for rule in back.rules()
    ]
    np.testing.assert_allclose(ours.weights, back.weights, atol=1e-12)
    exact = commands.export(parser, "grammar", out=parser.with_name("g.json"))
    assert (read_json(exact.path).weights == ours.weights).all()
    packed = commands.export(parser, "grammar", out=parser.with_name("g.json.gz"))
    assert (read_json(packed.path).weights == ours.weights).all()
    assert json.dumps(exact.as_json())
    assert exact.as_json()["nonterminals"] == len(ours.nonterminals)


def test_what_is_refused(parser: Path) -> None:
    with pytest.raises(OptionError, match="is what this command reads"):
        commands.export(parser, "grammar", out=parser)
    folder = parser.parent
    commands.train(folder / "f.weft", [folder / "t.mrg"], recipe="wcfg-crf")
    with pytest.raises(OptionError, match="features of phrases"):
        commands.export(folder / "f.weft", "grammar")
    assert not (folder / "f.cfg").exists()


def test_nltk_reads_the_grammar_and_parses_alike(parser: Path) -> None:
    (parser.parent / "many.mrg").write_text(TREES * 5)  # no word is rare
    commands.train(parser, [parser.parent / "many.mrg"], recipe="pcfg")
    made = commands.export(parser, "nltk")
    theirs = nltk.PCFG.fromstring(Path(made.path).read_text())
    ours = load_model(parser).grammar  # type: ignore[union-attr]
    assert len(theirs.productions()) == ours.rule_count
    words = ["the", "cat", "sees", "a", "dog"]
    [tree] = nltk.ViterbiParser(theirs).parse(words)
    [found] = load(parser).parse([words])
    assert np.log(tree.prob()) == pytest.approx(found.score)
    again = commands.export(made.path, "grammar", out=parser.with_name("again.cfg"))  # and back
    assert read_grammar(again.path).rule_count == ours.rule_count


def test_names_that_nltk_cannot_read_are_changed(tmp_path: Path) -> None:
    rules = tmp_path / "r.cfg"
    rules.write_text("{S|<a>} -> , [0.75] | -X- [0.25]\n, -> ',' [1]\n-X- -> 'x' [1]\n")
    made = commands.export(rules, "nltk", out=tmp_path / "n.cfg")
    assert made.as_json()["renamed"] == {"S|<a>": "S/7C/<a>", ",": "/2C/", "-X-": "/2D/X-"}
    theirs = nltk.PCFG.fromstring(Path(made.path).read_text())
    assert [str(each) for each in theirs.productions()][:2] == [
        "S/7C/<a> -> /2C/ [0.75]",
        "S/7C/<a> -> /2D/X- [0.25]",
    ]


def test_nltk_wants_probabilities_and_different_names(tmp_path: Path) -> None:
    rules = tmp_path / "r.cfg"
    rules.write_text("S -> 'a' [0.75]\n")
    with pytest.raises(OptionError, match=r"S sum to 0\.75, but NLTK's are probabilities"):
        commands.export(rules, "nltk")
    rules.write_text("S -> , /2C/ \n, -> 'a'\n/2C/ -> 'b'\n")
    with pytest.raises(FormatError, match="two symbols would get one name"):
        commands.export(rules, "nltk")
    assert [path.name for path in tmp_path.iterdir()] == ["r.cfg"]


@pytest.fixture
def hmm(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    (tmp_path / "t.tagged").write_text(TAGGED)
    settings = getattr(request, "param", {})
    commands.train(tmp_path / "h.weft", [tmp_path / "t.tagged"], recipe="hmm", settings=settings)
    return tmp_path / "h.weft"


def paths_of(machine: Transducer, words: tuple[str, ...]) -> dict[tuple[str, ...], float]:
    """What a machine writes for words, and the log of the sum over the paths that write it."""
    arcs = outgoing(machine)
    found: dict[tuple[str, ...], float] = {}
    waiting: list[tuple[int, int, tuple[str, ...], float]] = [(0, 0, (), 0.0)]
    while waiting:
        state, place, written, weight = waiting.pop()
        if place == len(words) and machine.finals[state] > -np.inf:
            before = found.get(written, -np.inf)
            found[written] = float(np.logaddexp(before, weight + machine.finals[state]))
        for arc in arcs[state]:
            if not arc.input:
                waiting.append((arc.target, place, written, weight + arc.weight))
            elif place < len(words) and arc.input == words[place]:
                tags = (*written, arc.output)
                waiting.append((arc.target, place + 1, tags, weight + arc.weight))
    return found


@pytest.mark.parametrize("hmm", [{}, {"order": "2"}], indirect=True)
def test_an_hmm_is_a_transducer_with_the_same_sums(hmm: Path) -> None:
    made = commands.export(hmm, "att")
    machine, tagger = read_transducer(made.path), load(hmm)
    assert made.as_json()["states"] >= machine.state_count > 2
    words = tuple(sorted(tagger.lexicon)[:2])
    found = paths_of(machine, words)
    every = list(itertools.product(tagger.model.tags, repeat=2))
    sums = tagger.log_sums([example(words, tags) for tags in every])
    np.testing.assert_allclose(
        [found.get(tags, -np.inf) for tags in every], sums.complete, rtol=1e-9
    )


def test_only_what_is_possible_is_an_arc_and_not_too_much(
    hmm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arcs = tagger_to_transducer(load(hmm)).arcs
    assert all(arc.weight > -np.inf for arc in arcs)
    # What is impossible does not count, and is not made before it is left out.
    monkeypatch.setattr("weft.conversions.grammars.MOST_ARCS", len(arcs))
    made = mock.Mock(wraps=Arc)
    monkeypatch.setattr("weft.conversions.grammars.Arc", made)
    assert tagger_to_transducer(load(hmm)).arcs == arcs
    assert made.call_count == len(arcs)
    monkeypatch.setattr("weft.conversions.grammars.MOST_ARCS", len(arcs) - 1)
    with pytest.raises(OptionError, match=f"would have {len(arcs)} arcs, and at most"):
        tagger_to_transducer(load(hmm))


def test_weights_have_their_names(hmm: Path) -> None:
    tagger = load(hmm)
    table = Path(commands.export(hmm, "weights").path).read_text().splitlines()
    assert table[0].split("\t") == ["kind", "feature", "weight"]
    rows = [line.split("\t") for line in table[1:]]
    assert [float(weight) for _, _, weight in rows] == tagger.weights.tolist()
    names = tagger.model.named(np.arange(len(tagger.weights)))
    assert [(kind, name) for kind, name, _ in rows] == names
    listed = json.loads(
        Path(commands.export(hmm, "weights", out=hmm.with_suffix(".json")).path).read_text()
    )
    assert [(each["kind"], each["feature"]) for each in listed] == names
    assert [each["weight"] for each in listed] == [
        weight if np.isfinite(weight) else None for weight in tagger.weights.tolist()
    ]


def test_what_has_no_such_thing(parser: Path, hmm: Path) -> None:
    with pytest.raises(OptionError, match="is a parser, which is no automaton: give a tagger"):
        commands.export(parser, "att")
    table = hmm.with_name("j.weft")
    commands.train(table, [hmm.with_name("t.tagged")], recipe="johnson-4")
    with pytest.raises(OptionError, match="has no weights of features; `weft convert --to hmm`"):
        commands.export(table, "weights")
    stack = hmm.with_name("s.weft")
    commands.train(stack, [parser.with_name("t.mrg")], recipe="shift-reduce-joint")
    with pytest.raises(OptionError, match=r"a shift-reduce parser, has no weights of features$"):
        commands.export(stack, "weights")


def test_the_example_sorts_by_weight(hmm: Path) -> None:
    [example] = [each for each in EXAMPLES if "--to weights" in each]
    table = Path(commands.export(hmm, "weights").path).read_text()
    command = example.partition("|")[2]
    shell = ["sh", "-c", command]
    done = subprocess.run(shell, input=table, text=True, capture_output=True, check=True)
    weights = [float(line.split("\t")[2]) for line in done.stdout.splitlines()]
    assert weights == sorted(load(hmm).weights.tolist())
