import io
import json

import numpy as np
import pytest

from parse_sets import derivations, random_packed
from weft import commands
from weft.commands.files.ledger import Ledger
from weft.commands.folds import KeptFolds
from weft.corpora import bundled_parse_sets, bundled_parses
from weft.corpora.parses.sets import parse_set_line
from weft.errors import FormatError, OptionError
from weft.evaluate.selection import Judgements, judgements_of
from weft.models.selection.selector import Selector
from weft.models.storage import load_model
from weft.recipes import fit_recipe
from weft.structures.parse_set import ParseSet
from weft.train.crossvalidation import ESTIMATED, Fold
from xle_files import attachment, attachment_alone


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "ranker.weft"
    settings = {"properties": "rules dependencies"}
    commands.train(path, [bundled_parses()], recipe="parse-selection", settings=settings)
    return path


def stream(sets):
    return io.BytesIO("\n".join(parse_set_line(each) for each in sets).encode())


def test_training_from_a_file(tmp_path):
    path = tmp_path / "m.weft"
    training = commands.train(
        path, [bundled_parses()], recipe="parse-selection", development=bundled_parses()
    )
    record = json.loads(json.dumps(training.as_json()))
    assert record["sentences"] == 100
    assert record["training"]["correct"] == record["development"]["correct"]
    # Those of the paper's table 2; features that decide nothing have no weight.
    found = record["diagnosis"]
    assert found["features"] - found["pseudo_constant"] == record["features"] == 145
    assert found["pseudo_maximal"] + found["pseudo_minimal"] < record["features"]
    assert record["notes"]["recipe"] == "parse-selection"
    assert record["notes"]["penalty"] == "relative:0.7"
    assert record["notes"]["penalty_chosen"].startswith("relative:0.7, by 5-fold cross-validation")
    loaded = load_model(path)
    assert isinstance(loaded, Selector)
    np.testing.assert_array_equal(loaded.weights, training.trained.weights)
    assert not training.interrupted


@pytest.mark.parametrize(
    ("settings", "notes"),
    [
        ({"optimiser": "conjugate-gradient"}, {"criterion": "conditional"}),
        ({"criterion": "margin", "iterations": "10"}, {"criterion": "margin"}),
        ({"properties": "heights right-branching", "relevance": "2"}, {}),
        ({"l1": "0.5"}, {}),
    ],
)
def test_settings(tmp_path, settings, notes):
    training = commands.train(
        tmp_path / "m.weft", [bundled_parses()], recipe="parse-selection", settings=settings
    )
    assert notes.items() <= training.trained.notes.items()
    assert training.task.assess(training.trained, training.given.corpus).accuracy > 0.5


def test_max_correct_is_seeded(tmp_path):
    def weights(seed):
        settings = {"steps": "2000", "seed": seed}
        training = commands.train(
            tmp_path / "m.weft", [bundled_parses()], recipe="max-correct", settings=settings
        )
        return training.trained.weights.tolist()

    assert weights("1") == weights("1") != weights("2")


def test_broken_records_and_flags(tmp_path):
    sets = bundled_parse_sets()
    lines = [parse_set_line(each) for each in sets[:6]]
    lines[2] = lines[2].replace("(subj-head", "(", 1)
    lines[4] = lines[4].replace('"id"', '"checked": true, "id"')
    path = tmp_path / "sets.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(FormatError, match=r"sets\.jsonl:3: the derivation of analysis 0"):
        commands.train(tmp_path / "m.weft", [path], recipe="parse-selection")
    training = commands.train(
        tmp_path / "m.weft", [path], recipe="parse-selection", skip_broken=True
    )
    assert training.sentences == 5
    assert len(training.given.broken) == 1
    assert "sets.jsonl:3" in training.given.broken[0]
    only = commands.train(
        tmp_path / "m.weft", [path], recipe="parse-selection", skip_broken=True, only="checked"
    )
    assert (only.sentences, only.trained.notes["only"]) == (1, "checked")


def test_files_without_right_analyses_are_refused(tmp_path):
    path = tmp_path / "sets.jsonl"
    path.write_text('{"analyses": [{"features": {}}]}')
    with pytest.raises(FormatError, match="no parse set here says which analysis is right"):
        commands.train(tmp_path / "m.weft", [path], recipe="parse-selection")


def test_forests_that_cannot_be_compiled(tmp_path):
    forest = [{"node": "a", "rule": "r", "children": ["a"]}]
    line = json.dumps({"root": "a", "forest": forest, "right": [0]})
    good = parse_set_line(bundled_parse_sets()[0])
    path = tmp_path / "sets.jsonl"
    path.write_text(f"{good}\n{line}\n")
    with pytest.raises(FormatError, match=r"sets\.jsonl:2: the node 'a' is part of itself"):
        commands.train(tmp_path / "m.weft", [path], recipe="parse-selection")
    training = commands.train(
        tmp_path / "m.weft", [path], recipe="parse-selection", skip_broken=True
    )
    assert len(training.given.broken) == 1


def test_ranking(model):
    sets = bundled_parse_sets()[:5]
    found = commands.select_file(load_model(model), stream(sets))
    answers = [each.ranking_json() for each in found]
    for answer, each in zip(answers, sets, strict=True):
        assert (answer["id"], answer["text"]) == (each.id, each.text)
        ranks = [one["rank"] for one in answer["ranking"]]
        assert ranks == sorted(ranks)
        assert sum(one["probability"] for one in answer["ranking"]) == pytest.approx(1)
        assert len(answer["ranking"]) == len(each.analyses)
    one = commands.Ask(kbest=1)
    [first] = list(commands.select_file(load_model(model), stream(sets[:1]), one))
    assert first.ranking_json()["ranking"] == answers[0]["ranking"][:1]


def test_evaluation_beside_the_baseline(model):
    sets = bundled_parse_sets()
    unknown = [type(sets[0])("x", "", sets[0].analyses)]
    found = commands.evaluate_selector(load_model(model), stream([*sets, *unknown]))
    record = json.loads(json.dumps(found.as_json()))
    assert record["unknown"] == 1
    assert record["correct"] > record["baseline_correct"]
    assert record["neg_log_pl"] < record["baseline_neg_log_pl"]
    shares = [1 / len(each.analyses) for each in sets]
    assert record["baseline_correct"] == pytest.approx(np.mean(shares))
    assert record["baseline_neg_log_pl"] == pytest.approx(-np.log(shares).sum())


@pytest.mark.slow
def test_crossvalidation():
    found = commands.crossvalidate(bundled_parses(), folds=4, seed=1)
    record = json.loads(json.dumps(found.as_json()))
    keys = {"correct", "neg_log_pl", "baseline_correct", "baseline_neg_log_pl"}
    assert keys <= record.keys()
    assert len(record["folds"]) == 4
    counts = [fold["correct_sentences"] for fold in record["folds"]]
    assert record["correct_sentences"] == pytest.approx(sum(counts))
    assert record["correct"] == pytest.approx(sum(counts) / record["ambiguous"])
    assert "scaled_neg_log_pl" not in record
    score = record["score"]
    assert (score["name"], score["value"]) == ("correct", record["correct"])
    shares = [fold["correct"] for fold in record["folds"]]
    assert (score["mean"], score["spread"]) == (
        pytest.approx(np.mean(shares)),
        pytest.approx(np.std(shares, ddof=1)),
    )
    again = commands.crossvalidate(bundled_parses(), folds=4, seed=1, threads=1)
    assert again.as_json() == found.as_json()
    most = commands.crossvalidate(
        bundled_parses(), recipe="max-correct", folds=3, settings={"steps": "1000"}
    )
    assert most.as_json()["scaled_neg_log_pl"] is not None
    assert list(most.rows) == ["baseline", "max-correct", "max-correct, scaled"]
    for options in ({"folds": 101}, {"recipe": "no"}, {"development": bundled_parses()}):
        with pytest.raises(OptionError):
            commands.crossvalidate(bundled_parses(), **options)


def test_crossvalidation_keeps_its_folds(tmp_path, monkeypatch):
    def run(**others):
        asked = {"recipe": "max-correct", "settings": {"steps": "1000"}, "folds": 4, "threads": 1}
        asked |= {"folder": tmp_path / "cv", **others}
        return commands.crossvalidate(bundled_parses(), **asked)

    whole = run().as_json()
    ledger = tmp_path / "cv" / "ledger.json"
    found = json.loads(ledger.read_text())
    kept = [entry["fold"] for entry in found["results"]]
    assert kept == [0, 1, 2, 3]
    fitted = []

    def counted(*given, **options):
        fitted.append(1)
        return fit_recipe(*given, **options)

    monkeypatch.setattr("weft.commands.crossvalidation.fit_recipe", counted)
    assert run().as_json() == whole
    assert not fitted
    found["results"][1]["judged"]["estimated"]["credits"].append(1.0)
    ledger.write_text(json.dumps(found))
    with pytest.raises(FormatError, match="no ledger of a cross-validation"):
        run()
    del found["results"][1:3]  # as if it had been killed before
    ledger.write_text(json.dumps(found))
    told = []
    assert run(told=lambda done, of: told.append((done, of))).as_json() == whole
    assert len(fitted) == 2
    assert told == [(2, 4), (3, 4), (4, 4)]
    other = {"recipe": "parse-selection", "settings": {}}
    for change in ({"folds": 5}, {"seed": 3}, {"penalty": "relative:1"}, other):
        with pytest.raises(OptionError, match="asked for otherwise"):
            run(**change)
    with pytest.raises(FormatError, match="must be a file with --work"):
        commands.crossvalidate(stream(bundled_parse_sets()), folder=tmp_path / "other")


def test_infinite_judgements_are_kept(tmp_path):
    judged = Judgements(
        np.array([True, False]),
        np.array([0.1, 1.0]),
        np.array([-np.inf, -0.1]),
        *(np.array([1, 2]) for _ in range(3)),
    )
    ledger = Ledger(tmp_path, "cross-validation", "results", {}, key="fold")
    KeptFolds(ledger).keep(3, Fold({ESTIMATED: judged.columns()}, 7))
    json.loads(ledger.folder.joinpath("ledger.json").read_text(), parse_constant=pytest.fail)
    [(number, fold)] = KeptFolds(ledger).known.items()
    assert (number, fold.features, fold.judged.keys()) == (3, 7, {ESTIMATED})
    read = judgements_of(fold.judged[ESTIMATED])
    for name in ("ambiguous", "credits", "log_probs", "better", "ties", "right_ties"):
        kept, given = getattr(read, name), getattr(judged, name)
        assert kept.dtype == given.dtype
        assert kept.tolist() == given.tolist()


def test_explanations(model, tmp_path):
    sets = bundled_parse_sets()
    for each in sets[:10]:
        explanation = commands.explain(model, bundled_parses(), each.id)
        found = explanation.found
        assert explanation.question.text == each.text
        assert explanation.is_right is (found.chosen.number in each.right)
        if not explanation.is_right:
            assert found.other.number in each.right
        total = sum(reason.difference for reason in found.reasons)
        assert total == pytest.approx(found.chosen.score - found.other.score)
    record = json.loads(json.dumps(explanation.as_json()))
    assert record["reasons"][0]["log_odds"] == found.reasons[0].difference
    assert record["answers"][0]["shown"].startswith("(subj-head")
    first = commands.explain(model, bundled_parses())
    assert first.question.id == "s1"
    other = 1 - first.found.chosen.number
    against = commands.explain(model, bundled_parses(), "s1", against=other)
    assert against.found.other.number == other
    with pytest.raises(OptionError, match="there is no analysis 99"):
        commands.explain(model, bundled_parses(), "s1", against=99)
    with pytest.raises(FormatError, match="no sentence has the id 'x'; ids here are s1, s2, s3, "):
        commands.explain(model, bundled_parses(), "x")
    single = tmp_path / "one.jsonl"
    single.write_text('{"id": "1", "analyses": [{"features": {}}]}')
    alone = commands.explain(model, single, "1")
    assert (alone.found.other, alone.found.reasons, alone.is_right) == (None, (), None)


def test_a_wrong_choice_is_compared_with_the_right_one(model, tmp_path):
    each = bundled_parse_sets()[0]
    wrong = type(each)(each.id, each.text, each.analyses, (1 - each.right[0],))
    path = tmp_path / "wrong.jsonl"
    path.write_text(parse_set_line(wrong))
    found = commands.explain(model, path, "s1")
    assert found.is_right is False
    assert found.found.other.number == wrong.right[0]


def test_looking_into_a_selector(model):
    found = commands.inspect_features(load_model(model), count=3, kind="rules")
    assert len(found.positive) == len(found.negative) == 3
    weights = [weight for _, weight in found.positive]
    assert weights == pytest.approx(sorted(weights, reverse=True), rel=1e-8)
    assert all(name.startswith("rules: ") for name, _ in found.positive)
    assert sum(kind.features for kind in found.kinds) == len(found.trained.weights)
    json.dumps(found.as_json())


def test_taggers_and_selectors_are_not_mixed_up(model, tmp_path):
    with pytest.raises(FormatError, match="holds a 'selector', not a 'tagger'"):
        commands.evaluate(model, bundled_parses())
    with pytest.raises(OptionError, match="takes no dictionary"):
        commands.train(
            tmp_path / "m.weft",
            [bundled_parses()],
            recipe="parse-selection",
            dictionary="tags.txt",
        )
    with pytest.raises(OptionError, match="no such setting"):
        commands.train(
            tmp_path / "m.weft",
            [bundled_parses()],
            recipe="parse-selection",
            settings={"order": "2"},
        )


@pytest.mark.parametrize("choose", ["criterion", "accuracy"])
@pytest.mark.slow
def test_selectors_have_grids(tmp_path, choose):
    grid = commands.train_grid(
        tmp_path / "m.weft",
        [bundled_parses()],
        commands.read_grid(["relevance=1|100"]),
        recipe="parse-selection",
        development=bundled_parses(),
        choose=choose,
        settings={"iterations": "5"},
    )
    scores = [trial.score for trial in grid.trials]
    assert grid.chosen == 1 + scores.index(max(scores)) == 1
    assert grid.training.trained.notes["grid"].startswith("relevance=1;")
    assert grid.as_json()["development"]["correct"] == grid.trials[0].accuracy


def test_packed_forests_from_training_to_explanations(tmp_path):
    rng = np.random.default_rng(5)
    sets = []
    for number in range(6):
        packed = random_packed(rng)
        _, edges = derivations(packed)[0]
        sets.append(ParseSet(f"f{number}", "", packed, tuple(sorted(set(edges)))))
    path = tmp_path / "forests.jsonl"
    path.write_text("\n".join(parse_set_line(each) for each in sets))
    model = tmp_path / "m.weft"
    training = commands.train(model, [path], recipe="parse-selection")
    assert training.task.assess(training.trained, training.given.corpus).accuracy == 1.0
    two = commands.select_file(load_model(model), path, commands.Ask(kbest=2))
    lines = [each.ranking_json() for each in two]
    assert [len(line["ranking"]) for line in lines] == [
        min(2, len(derivations(each.analyses))) for each in sets
    ]
    assert commands.evaluate_selector(load_model(model), path).scores.accuracy == 1.0
    found = commands.explain(model, path, "f0", count=5)
    assert found.is_right is True
    assert [each.number for each in found.found.ranking if each.right] == [0]
    assert found.question.shown(found.found.chosen.answer) is None
    assert commands.crossvalidate(path, folds=3).figures["ambiguous"] <= 6
    with pytest.raises(OptionError, match="'heights' looks at whole trees"):
        commands.train(
            model,
            [path],
            recipe="parse-selection",
            settings={"properties": "heights"},
            skip_broken=True,
        )
    walked = commands.train(model, [path], recipe="max-correct", settings={"steps": "20"})
    assert walked.trained.notes["criterion"] == "accuracy"


def test_forests_that_are_broken_are_told_while_ranking(model, tmp_path):
    forest = [{"node": "a", "rule": "r", "children": ["a"]}]
    path = tmp_path / "sets.jsonl"
    path.write_text(json.dumps({"root": "a", "forest": forest}))
    # The properties of this model look at whole trees, and so forests are refused altogether.
    with pytest.raises(OptionError, match="looks at whole trees"):
        list(commands.select_file(load_model(model), path))


def test_folds_have_no_patience():
    with pytest.raises(OptionError, match="looks at held-out examples"):
        commands.crossvalidate(bundled_parses(), folds=2, settings={"patience": "3"})


def test_files_of_xle_from_training_to_rankings(tmp_path):
    bank = tmp_path / "bank"
    bank.mkdir()
    with pytest.raises(FormatError, match="nor has it any"):
        commands.train(tmp_path / "m.weft", [bank], recipe="parse-selection")
    for number in range(8):
        (bank / f"s{number}.pl").write_text(attachment("A2", f"sentence {number}"))
    (bank / "s8.pl").write_text(attachment("", "the ninth"))
    with pytest.raises(FormatError, match="XLE's files select"):
        commands.train(tmp_path / "m.weft", [bank / "s8.pl"], recipe="parse-selection")
    (bank / "s8-right.pl").write_text(attachment_alone("A2", "the ninth"))
    commands.train(tmp_path / "m.weft", [bank], recipe="parse-selection")
    selector = load_model(tmp_path / "m.weft")
    # Readings are told apart by what is in the file alone, not by how choices are called.
    assert {kind for kind, _ in selector.model.index} == {"given"}
    assert commands.evaluate_selector(selector, f"{bank}/*.pl").scores.accuracy == 1.0
    (tmp_path / "new.pl").write_text(attachment(""))
    [ranking] = commands.select_file(selector, tmp_path / "new.pl")
    shown = [(each["rank"], each["names"]) for each in ranking.ranking_json()["ranking"]]
    assert shown == [(1, ["A2"]), (2, ["A1"])]
    found = commands.crossvalidate(bank, folds=3)
    assert found.figures["correct"] == 1.0
    kept = commands.Chosen(only="whole", skip_broken=True)
    (bank / "broken.pl").write_text("fstructure(")
    assert len(list(kept.read(bank))) == 9
    assert len(kept.broken) == 1
