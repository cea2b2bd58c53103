"""Every kind of model is asked alike, and refuses what it has no use for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer.main

from samples import TAGGED
from weft import commands
from weft.cli.app import app
from weft.commands.tasks import TASKS
from weft.corpora import bundled_parses

TREES = """
(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (NP (DT a) (NN cat)) (PP (IN with) (NP (NNS ears))))))
(S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP (DT a) (NN dog)) (PP (IN with) (NP (NNS ears)))))
(S (NP (DT a) (NN dog)) (VP (VBZ sees) (NP (NNS ears))))
"""
AMBIGUOUS = "the dog sees a cat with ears\n"

PACKED = {
    "id": "p1",
    "text": "saw",
    "root": "top",
    "forest": [
        {"node": "n", "rule": "saw_n", "words": ["saw"]},
        {"node": "n", "rule": "saw_v", "words": ["saw"]},
        {"node": "top", "rule": "low", "children": ["n"]},
        {"node": "top", "rule": "high", "children": ["n"]},
    ],
}

KINDS = ("tagger", "tables", "parser", "selector", "packed")
NAMES = {
    "tagger": "a tagger",
    "tables": "a tagger made of tables",
    "parser": "a parser",
    "selector": "a model for parse sets",
    "packed": "a model for parse sets",
}


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model of each kind, and what it is asked about."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "train.tagged").write_text(TAGGED)
    (folder / "train.mrg").write_text(TREES)
    few = {"iterations": "10"}
    commands.train(folder / "tagger.weft", [folder / "train.tagged"], settings=few)
    commands.train(folder / "tables.weft", [folder / "train.tagged"], recipe="johnson-4")
    commands.train(folder / "parser.weft", [folder / "train.mrg"], recipe="pcfg")
    few = {"iterations": "1"}
    for name in ("selector", "packed"):
        commands.train(
            folder / f"{name}.weft", [bundled_parses()], recipe="parse-selection", settings=few
        )
    (folder / "tagger.in").write_text("the dog saw\n")
    (folder / "tables.in").write_text("the dog saw\n")
    (folder / "parser.in").write_text(AMBIGUOUS)
    (folder / "selector.in").write_text(Path(bundled_parses()).read_text().splitlines()[1] + "\n")
    (folder / "packed.in").write_text(json.dumps(PACKED) + "\n")
    return folder


@pytest.fixture(params=KINDS)
def asked(request, weft, models):
    """Asks ``weft predict`` of a kind of model about its sentence."""

    def run(*options: str):
        form = ("--format", "text") if request.param in ("tagger", "tables") else ()
        model, file = models / f"{request.param}.weft", models / f"{request.param}.in"
        return weft("predict", model, file, *form, *options)

    run.kind = request.param
    return run


def objects(done) -> list[dict]:
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


ANSWER_KEYS = {"rank", "probability", "log_prob", "score", "answer"}


def test_one_schema_for_every_kind(asked):
    [found] = objects(asked("--kbest", "3", "--marginals", "--json"))
    assert {"sentence", "answers", "marginals", "entropy"} <= found.keys()
    assert ("text" if asked.kind in ("selector", "packed") else "tokens") in found
    assert found.keys() <= {"sentence", "text", "tokens", "answers", "marginals", "entropy"}
    assert 1 < len(found["answers"]) <= 3
    assert all(each.keys() == ANSWER_KEYS for each in found["answers"])
    probs = [each["probability"] for each in found["answers"]]
    assert probs == pytest.approx(sorted(probs, reverse=True), rel=1e-8)
    assert sum(probs) <= 1 + 1e-9
    assert found["answers"][0]["rank"] == 1
    assert found["entropy"] > 0
    # What is not asked for is not there.
    [plain] = objects(asked("--kbest", "3", "--json"))
    assert "marginals" not in plain
    assert "entropy" not in plain
    assert plain["answers"] == found["answers"]


def test_the_best_answer_is_the_first_of_several(asked):
    [one] = objects(asked("--json"))
    [two] = objects(asked("--json", "--kbest", "2"))
    if asked.kind in ("tables", "parser"):  # which choose tags or brackets one by one
        assert one["answers"][0]["rank"] is None
        [one] = objects(asked("--json", "--viterbi"))
    if asked.kind in ("selector", "packed"):  # which rank all
        assert len(one["answers"]) > 1
    else:
        assert len(one["answers"]) == 1
    assert one["answers"][0]["score"] == pytest.approx(two["answers"][0]["score"])
    assert one["answers"][0]["rank"] == 1


def test_samples_depend_on_the_seed_alone(asked):
    [found] = objects(asked("--sample", "20", "--json"))
    assert len(found["answers"]) == 20
    assert {each["rank"] for each in found["answers"]} == {None}
    assert [found] == objects(asked("--sample", "20", "--json", "--seed", "0"))
    others = [objects(asked("--sample", "20", "--json", "--seed", str(n)))[0] for n in range(1, 4)]
    assert any(other != found for other in others)
    [ranked] = objects(asked("--kbest", "500", "--json"))
    probs = {json.dumps(each["answer"]): each["probability"] for each in ranked["answers"]}
    for each in found["answers"]:
        if json.dumps(each["answer"]) in probs:
            assert each["probability"] == pytest.approx(probs[json.dumps(each["answer"])])


def test_posterior_decoding_is_there_for_every_kind(asked):
    [found] = objects(asked("--posterior", "--json"))
    [answer] = found["answers"]
    assert answer["rank"] is None
    assert 0 < answer["probability"] <= 1


def test_decoders_have_names(asked):
    for name in ("viterbi", "posterior"):
        assert asked("--decoder", name).stdout == asked(f"--{name}").stdout
    assert asked("--decoder", "best").exit_code == 2
    both = asked("--decoder", "viterbi", "--posterior")
    assert both.exit_code == 2
    assert "give one of them" in " ".join(both.stderr.split())


def test_top_is_another_name_of_kbest(asked):
    assert asked("--top", "2").stdout == asked("--kbest", "2").stdout


def test_answers_that_do_not_go_together(asked):
    for options, words in (
        (("--kbest", "2", "--sample", "2"), "give one of the two"),
        (("--posterior", "--kbest", "2"), "--posterior is a way to choose one answer"),
        (("--viterbi", "--sample", "2"), "--viterbi is a way to choose one answer"),
        (("--seed", "1"), "give --sample N, too"),
    ):
        done = asked(*options)
        assert done.exit_code == 2
        assert words in done.stderr
        assert not done.stdout


def test_trees_over_several_lines_are_no_json(weft, models):
    for option in ("--json", "--marginals"):
        done = weft("predict", models / "parser.weft", "--indent", option, given=AMBIGUOUS)
        assert done.exit_code == 2
        assert "leave one of the two out" in done.stderr


def test_several_taggings_are_a_line_each(weft, models):
    text = "the dog saw\nthe dog\n"
    done = weft("predict", models / "tagger.weft", "--format", "text", "--kbest", "2", given=text)
    first, second = done.stdout.removesuffix("\n\n").split("\n\n")
    assert [len(each.split("\n")) for each in (first, second)] == [2, 2]
    plain = weft("predict", models / "tagger.weft", "--format", "text", given=text)
    assert [first.split("\n")[0], second.split("\n")[0]] == plain.stdout.splitlines()


def test_several_trees_are_a_line_each(weft, models):
    done = weft("predict", models / "parser.weft", "--kbest", "2", given=AMBIGUOUS + AMBIGUOUS)
    first, second = done.stdout.removesuffix("\n\n").split("\n\n")
    assert first == second
    one, other = first.splitlines()
    assert one != other
    assert all(each.startswith("(TOP (S (NP (DT the) (NN dog))") for each in (one, other))


def test_several_trees_are_drawn(weft, models):
    done = weft("predict", models / "parser.weft", "--kbest", "2", "--svg", "d", given=AMBIGUOUS)
    assert done.exit_code == 0
    assert sorted(each.name for each in Path("d").iterdir()) == ["1-1.svg", "1-2.svg"]


def test_a_sentence_without_a_tree_has_no_answers(weft, models):
    done = weft("predict", models / "parser.weft", "--kbest", "2", "--json", given="dog dog dog\n")
    [found] = objects(done)
    assert found["answers"] == []
    assert "no tree" in found["problem"]
    assert "no tree" in done.stderr
    drawn = weft("predict", models / "parser.weft", "--sample", "2", given="dog dog dog\n")
    assert drawn.stdout.startswith("(TOP (X dog)")


def test_marginals_of_trees_are_those_of_labels_over_spans(weft, models):
    done = weft("predict", models / "parser.weft", "--marginals", given=AMBIGUOUS)
    [found] = objects(done)
    # The keys from before several answers could be asked for.
    assert found["tree"] == found["answers"][0]["answer"]
    assert found["words"] == found["tokens"]
    over = {(each["start"], each["end"], each["label"]): each for each in found["marginals"]}
    assert over[0, 7, "S"]["probability"] == 1.0
    low, high = over[3, 7, "NP"]["probability"], over[3, 5, "NP"]["probability"]
    assert 0 < low < 1
    assert high == pytest.approx(1.0)
    assert all(0.01 <= each["probability"] <= 1 for each in found["marginals"])


def test_marginals_of_tags_keep_the_keys_they_had(weft, models):
    done = weft("predict", models / "tagger.weft", "--format", "text", "--marginals", given="the\n")
    [found] = objects(done)
    older = {"tokens", "tags", "probabilities", "marginals", "log_probability", "entropy"}
    assert found.keys() == older | {"sentence", "answers"}
    assert found["tags"] == found["answers"][0]["answer"]
    assert found["log_probability"] == found["answers"][0]["log_prob"]


def test_rankings_keep_the_keys_they_had(weft, models):
    done = weft("predict", models / "packed.weft", models / "packed.in", "--kbest", "2")
    [found] = objects(done)
    assert found.keys() == {"id", "text", "ranking"}
    keys = {"rank", "analysis", "probability", "score", "rows"}
    assert all(each.keys() == keys for each in found["ranking"])


def test_too_many_taggings_are_refused(weft, models):
    done = weft("predict", models / "tagger.weft", "--kbest", str(10**9), given="the/DT dog/NN\n")
    assert done.exit_code == 1
    assert "ask for" in done.stderr


def test_trees_are_evaluated_by_either_decoder(weft, models):
    for decoder in ("--viterbi", "--posterior"):
        done = weft("evaluate", models / "parser.weft", models / "train.mrg", decoder, "--json")
        assert json.loads(done.stdout)["f1"] > 0.5


REFUSED = [
    ("predict", kind, option)
    for kind, several in {
        "tagger": ("--svg=d", "--indent", "--only=x", "--skip-broken"),
        "tables": ("--svg=d", "--indent", "--only=x", "--skip-broken"),
        "parser": ("--only=x", "--skip-broken"),
        "selector": ("--format=text", "--column=1", "--inputs=1", "--svg=d", "--indent"),
    }.items()
    for option in several
]
REFUSED += [
    ("evaluate", kind, option)
    for kind, several in {
        "tagger": ("--only=x", "--skip-broken"),
        "tables": ("--only=x", "--skip-broken", "--strict"),
        "parser": ("--column=1", "--inputs=1", "--partial", "--tag-map=penn-17", "--strict"),
        "selector": ("--format=text", "--partial", "--posterior", "--viterbi", "--tag-map=penn-17"),
    }.items()
    for option in several
]
REFUSED += [
    ("inspect", kind, option)
    for kind, several in {
        "tables": ("--top=3", "--tag=DT", "--kind=*"),
        "parser": ("--tag=NP", "--kind=rule"),
        "selector": ("--tag=DT",),
    }.items()
    for option in several
]


@pytest.mark.parametrize(("command", "kind", "option"), REFUSED)
def test_an_option_of_no_use_is_refused(weft, models, command, kind, option):
    files = () if command == "inspect" else (models / f"{kind}.in",)
    done = weft(command, models / f"{kind}.weft", *files, option, "--json")
    assert done.exit_code == 2
    assert not done.stdout
    said = json.loads(done.stderr)["message"]
    assert said.startswith(f"{option.partition('=')[0]} is for ")
    assert f"this model is {NAMES[kind]}: leave it out" in said
    assert not Path("d").exists()


EVERYBODY = {
    "predict": "--threads --output --kbest --sample --seed --marginals --posterior --decoder "
    "--json --force --encoding",
    "evaluate": "--threads --json --encoding",
    "inspect": "--json --plot --force",
}


@pytest.mark.parametrize("command", EVERYBODY)
def test_every_option_belongs_to_some_kind_or_to_all(command):
    """A new option must be said to be for some kinds, or for all."""
    [found] = [
        each for name, each in typer.main.get_command(app).commands.items() if name == command
    ]
    flags = {
        next(each for each in parameter.opts if each.startswith("--"))
        for parameter in found.params
        if any(each.startswith("--") for each in parameter.opts)
    }
    common = {"--max-memory", "--verbose", "--help", *EVERYBODY[command].split()}
    special = frozenset().union(*(task.takes[command] for task in TASKS)) - {"--viterbi"}
    assert flags | {"--help"} == special | common


def test_what_a_model_has_a_use_for_is_taken(weft, models):
    for kind, options in (("tagger", ("--top=2", "--tag=DT")), ("parser", ("--top=2",))):
        assert weft("inspect", models / f"{kind}.weft", *options).exit_code == 0
    done = weft(
        "predict", models / "parser.weft", "--format=tagged", "--indent", given="a/DT dog/NN"
    )
    assert done.exit_code == 0


def test_a_file_without_sentences_is_told(weft, tagger):
    Path("none.tagged").touch()
    done = weft("predict", tagger, "none.tagged")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "weft: none.tagged: there is no sentence\n"
    assert weft("predict", tagger, "train.tagged").stderr == ""
