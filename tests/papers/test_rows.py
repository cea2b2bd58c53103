"""Rows of the papers: what is compared with what."""

from __future__ import annotations

import pytest

from weft.papers.contrastive.learning import METHODS
from weft.papers.experiment import Part, PartFound, PartOptions
from weft.papers.johnson2001_shift_reduce import BACKED_OFF, JOINT, PAPER, PLANS
from weft.papers.registry import find_experiments
from weft.papers.rows import fewer_features
from weft.papers.rows.drawings import draw_analyses
from weft.papers.rows.learnt import learning_part
from weft.papers.selection.features import MOST_CORRECT


@pytest.mark.slow
def test_models_of_fewer_features_are_compared_sentence_by_sentence(monkeypatch):
    monkeypatch.setattr(fewer_features, "FEW", (1,))
    [experiment] = find_experiments(["johnson-et-al-1999/by-features"])
    arguments = {"corpus": "appointments", "most": 40, "sizes": [1, 5], "folds": [0, 1], "of": 2}
    found = experiment.work({**arguments, "steps": 200}, PartOptions(0, 1))
    points = found["points"]
    assert [each["features"] for each in points] == [1, 5, 1, 5]
    for each in points:
        one = each["features"] == 1
        counts = {name: len(own) for name, own in each["credits"].items()}
        assert list(counts) == ["pseudo-likelihood", *(MOST_CORRECT if one else ())]
        assert len(set(counts.values())) == 1
        assert min(counts.values()) > 2
        # As if one feature were always right, by one estimator more so.
        right = {"pseudo-likelihood": 0.5 if one else 0.0, "max-correct": 1.0, "line search": 0.0}
        each["credits"] = {name: [right[name]] * count for name, count in counts.items()}
    findings = experiment.combine([(Part("a", arguments), found)]).findings
    assert [(each.claim, each.ours, str(each.verdict)) for each in findings] == [
        ("Discarding features helps: 1 are better than 5", "50.00 and 0.00", "holds"),
        ("C, with 1 features: max-correct > pseudo-likelihood", "100.00 and 50.00", "holds"),
        ("C, with 1 features: line search > pseudo-likelihood", "0.00 and 50.00", "does not hold"),
    ]  # two folds alone could not tell


def test_the_joint_estimator_is_compared_with_one_of_its_own_prior():
    [experiment] = find_experiments(["johnson-et-al-1999/table-3"])
    names = ("pseudo-likelihood", "tighter prior", "joint")
    one = {name: [-1.0, -2.0] for name in names}
    found = {"credits": {name: [1.0, 0.5] for name in names}, "log_probs": one, "joint": None}
    part = Part("a", {"corpus": "a", "folds": 2})
    claims = [each.claim for each in experiment.combine([(part, found)]).findings]
    assert claims == ["C: tighter prior > joint"]


def learnt(
    method: str, smoothing: float, right: int, dilution: str = "", **more: object
) -> tuple[Part, PartFound]:
    """A part that was learnt, with so many right tags in each of its sentences."""
    counts = [[right, 10]] * 20
    found = {"tokens": 200, "ambiguous_tokens": 200, "tags_per_token": 2.0, "random": 0.5}
    found |= {"development": None, "ambiguous": counts, "all": counts, **more}
    return learning_part("english", 200, method, 1.0, smoothing=smoothing, dilution=dilution), found


def test_supervised_taggers_have_the_usual_smoothing():
    [experiment] = find_experiments(["smith-eisner-2005/figure-2"])
    rights = {"crf": {0.1: 1, 1.0: 9, 10.0: 2}, "hmm": {0.1: 3, 1.0: 8, 10.0: 4}}
    parts = [
        learnt(method, smoothing, right)
        for method, own in rights.items()
        for smoothing, right in own.items()
    ]
    [finding] = experiment.combine(parts).findings
    assert (finding.claim, finding.ours) == (
        "CRF, same text > HMM, same text on ambiguous words",
        "90.00 and 80.00",
    )


def test_length_is_compared_with_every_other_method():
    [experiment] = find_experiments(["smith-eisner-2005/footnote-7"])
    parts = [
        learnt(
            method,
            1.0,
            5,
            criteria=dict.fromkeys(METHODS, -1.0),
            conditional=[-place, -2 * place, -3 * place],
        )
        for place, method in enumerate(METHODS, 1)
    ]
    claims = [each.claim for each in experiment.combine(parts).findings[1:]]
    others = [each for each in METHODS if each != "length"]
    assert claims == [
        f"Footnote 7: LENGTH finds the right tags likelier than {each.upper()}" for each in others
    ]


def test_parses_are_drawn_with_their_moves():
    [experiment] = find_experiments(["beyond/label-bias"])
    parts = [each for each in experiment.quick if each.arguments.get("name") in ("joint", "maxent")]
    result = experiment.combine(
        [(part, experiment.work(part.arguments, PartOptions(0, 1))) for part in parts]
    )
    titles = [each.title for each in result.pictures]
    assert titles == [f"PRP VBP TH NN VBZ, by {each}" for each in ("joint: right", "maxent: wrong")]
    assert "DET" in result.pictures[0].svg
    assert "COMP" in result.pictures[1].svg
    [moves] = [each for each in result.tables if each.title.endswith("its moves")]
    assert [row[2] for row in moves.rows[:2]] == ["shift(PRP)", "reduce1(NP)"]


def test_analyses_of_an_ambiguous_sentence_are_drawn():
    meant, other = draw_analyses()
    assert meant.title.endswith("the one that is meant")
    assert other.title.endswith("another one")
    assert "ADJUNCT" in meant.svg
    assert meant.svg != other.svg


def test_the_papers_table_3_stands_beside_ours():
    [experiment] = find_experiments(["smith-eisner-2005/table-3"])
    parts = [
        learnt(method, 1.0, right, dilution=dilution)
        for method, rights in (("length", (9, 3)), ("trans1", (9, 6)))
        for dilution, right in zip(("", "count<3"), rights, strict=True)
    ]
    result = experiment.combine(parts)
    paper, ours = result.tables
    assert paper.rows[-1] == ("count ≥ 3", 5.5, "62.8 (72.3)", "71.7 (73.4)")
    assert ours.rows[-1] == ("count ≥ 3", 2.0, "30.0", "60.0")
    found = {each.claim: (each.paper, each.ours, str(each.verdict)) for each in result.findings}
    assert found["LENGTH falls without rare words (count ≥ 3)"] == (
        "87.8 and 62.8",
        "90.00 and 30.00",
        "holds",
    )
    more = "Without rare words (count ≥ 3) and spelling features LENGTH falls more than TRANS1"
    assert found[more] == ("by 25.0 and 18.7", "by 60.00 and 30.00", "holds")


def test_both_beams_of_the_paper_are_compared():
    [experiment] = find_experiments(["johnson-2001/table-2"])
    rights = {"pcfg": {None: 9}, "shift-reduce-joint": {1e-6: 7, 1e-9: 9}}
    parts = []
    for name, own in rights.items():
        rows = [
            {"beam": beam, "counts": [[right, 10, 10]] * 20, "parsed": 20, "bits": None}
            | dict.fromkeys(("precision", "recall", "f1"), right / 10)
            for beam, right in own.items()
        ]
        found = {"sizes": {"train": 9, "test": 20}, "rows": rows}
        parts.append((Part(name, {"corpus": "a", "recipe": name}), found))
    result = experiment.combine(parts)
    assert [(each.claim, each.ours, str(each.verdict)) for each in result.findings] == [
        ("PCFG > joint, beam 10⁻⁶", "90.00 and 70.00", "holds"),
        ("PCFG > joint, beam 10⁻⁹", "90.00 and 90.00", "not significant"),
    ]
    assert [row[:2] for row in result.tables[0].rows] == [
        ("PCFG", "—"),
        ("joint", "10⁻⁶"),
        ("joint", "10⁻⁹"),
    ]


def test_starts_that_end_at_one_value_do_not_make_a_criterion_concave():
    [experiment] = find_experiments(["smith-eisner-2005/restarts"])
    [part, other] = experiment.quick[:2]

    def found(*values: float) -> PartFound:
        climbs = [{"value": each, "ambiguous": 0.5} for each in values]
        row = {"plain": climbs[0], "restarts": climbs[1:], "highest": climbs[0]}
        row["spread"] = dict.fromkeys(("mean", "sd", "min", "max"), 0.5)
        return {"tokens": 9, "rows": [row]}

    parts = [(part, found(-100.0, -100.001)), (other, found(-100.0, -101.0))]
    verdicts = [str(each.verdict) for each in experiment.combine(parts).findings]
    assert verdicts == ["not significant", "holds"]


@pytest.mark.parametrize(
    ("corpus", "choices", "likelihoods"),
    [
        ("appointments", "58.7 and 53.7", "396 and 469"),
        ("vm", "58.7 and 53.7", "396 and 469"),
        ("manuals", "58.8 and 53.2", "583 and 604"),
        ("ec", "58.8 and 53.2", "583 and 604"),
        ("porgram-core", "", ""),
    ],
)
def test_each_corpus_has_the_figures_of_the_papers_like_it(corpus, choices, likelihoods):
    [experiment] = find_experiments(["johnson-et-al-1999/table-3"])
    names = ("pseudo-likelihood", "max-correct", "max-correct, scaled")
    found = {"credits": {name: [1.0, 0.0] for name in names}, "joint": None}
    found["log_probs"] = {name: [-1.0, -2.0] for name in names}
    result = experiment.combine([(Part(corpus, {"corpus": corpus, "folds": 2}), found)])
    shown = {each.claim: each.paper for each in result.findings}
    assert shown["C: pseudo-likelihood > max-correct"] == choices
    assert shown["−log PL: pseudo-likelihood is better than max-correct"] == likelihoods
    assert shown["−log PL: pseudo-likelihood is better than max-correct, scaled"] == ""


def test_taggers_are_not_tested_where_settings_were_chosen():
    [experiment] = find_experiments(["johnson-2001/section-3"])
    found = {"counts": [[9, 10]] * 20, "tokens": {"train": 9, "test": 200}}
    found |= dict.fromkeys(("accuracy", "known", "unknown"), 0.9)
    parts = [
        (Part(f"{corpus} {name}", {"corpus": corpus, "recipe": name}), found)
        for corpus in ("wsj-sample", "wsj-tenths")
        for name in ("johnson-6", "johnson-4")
    ]
    result = experiment.combine(parts)
    assert [each.corpus for each in result.findings] == ["wsj-sample"]
    assert len(result.tables) == 2
    assert "147 of its 392" in result.notes[0]


def test_the_joint_row_is_the_papers_parser():
    assert PLANS[JOINT][1]["unseen"] == "lose"
    assert PLANS[BACKED_OFF][1]["unseen"] == "back-off"
    assert BACKED_OFF not in PAPER
    [experiment] = find_experiments(["johnson-2001/table-2"])
    assert {part.arguments["recipe"] for part in experiment.full} == set(PLANS)
