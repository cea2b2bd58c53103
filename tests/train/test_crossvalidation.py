"""Cross-validation of every family: what is counted is what each fold's own assessment says."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from contracts.models import FAMILIES
from weft import commands, fit
from weft.commands.tasks import task_of
from weft.commands.tasks.tallies import score_of
from weft.corpora import bundled
from weft.criteria import conditional
from weft.errors import OptionError
from weft.evaluate.tagging import tagging_scores
from weft.optimise.lbfgs import LBFGS
from weft.recipes import find_recipe
from weft.structures.tree import Tree
from weft.train.crossvalidation import BASELINE, ESTIMATED, crossvalidation, deal

families = pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
FOLDS = 3


def several(family):
    """Examples enough for folds, each of which is something of its own."""
    return [replace(each) for each in family.corpora["complete"] for _ in range(3)]


def estimate(family, seen):
    few = {} if family.spec.counted else {"optimiser": LBFGS(max_iterations=3)}
    return fit(family.spec, seen, threads=1, **few)


def plan_of(family):
    criterion = None if family.spec.counted else conditional
    return replace(find_recipe("crf"), model=family.spec, criterion=criterion)


@families
def test_each_fold_is_judged_by_a_model_that_has_not_seen_it(family):
    task, corpus = task_of(family.spec), several(family)
    dealt = deal(len(corpus), FOLDS, seed=4)
    parts: list[tuple[list[int], list[int]]] = []
    scores = {}

    def judged(seen, test):
        parts.append(([id(each) for each in seen], [id(each) for each in test]))
        model = estimate(family, seen)
        scores[tuple(parts[-1][1])] = task.score(task.assess(model, test, threads=1))
        return task.judge(model, seen, test, plan_of(family))

    found = crossvalidation(judged, corpus, folds=FOLDS, seed=4, threads=1)
    ids = [id(each) for each in corpus]
    for number in range(FOLDS):
        test = [name for name, own in zip(ids, dealt, strict=True) if own == number]
        [seen] = [each for each, other in parts if other == test]
        assert Counter(seen) == Counter(ids) - Counter(test)
        # The family's own assessment says the same of the fold.
        figures = task.figures(found.within(number))
        assert figures[task.main] == pytest.approx(scores[tuple(test)])
        assert found.features[number] >= 0
    assert sum(len(test) for _, test in parts) == len(corpus)
    again = crossvalidation(judged, corpus, folds=FOLDS, seed=4, threads=3)
    for of, columns in found.judged.items():
        for name, column in columns.items():
            np.testing.assert_array_equal(column, again.judged[of][name])
    # Counts of all folds together are those of the whole.
    whole = task.counts(found.judged[ESTIMATED])[0].sum(axis=0)
    pieces = [task.counts(found.within(number))[0].sum(axis=0) for number in range(FOLDS)]
    np.testing.assert_array_equal(whole, np.sum(pieces, axis=0))
    statistic = task.counts(found.judged[ESTIMATED])[1]
    name, value = score_of(task.figures(found.judged[ESTIMATED]), task.main)
    assert name == task.main
    assert value == pytest.approx(float(statistic(whole)), abs=1e-6)


def test_the_baseline_of_tags_is_the_most_frequent_tag_of_a_word():
    corpus = bundled("heldout")
    seen, test = corpus[:50], corpus[50:]
    counts: dict[str, Counter] = {}
    every: Counter = Counter()
    for each in seen:
        for word, tag in zip(each.tokens.words, each.analysis, strict=True):
            counts.setdefault(word, Counter())[tag] += 1
            every[tag] += 1
    usual = min(every, key=lambda tag: (-every[tag], tag))

    def best(word):
        tags = counts.get(word)
        return usual if tags is None else min(tags, key=lambda tag: (-tags[tag], tag))

    guessed = [[best(word) for word in each.tokens.words] for each in test]
    gold, words = [each.analysis for each in test], [each.tokens.words for each in test]
    scores = tagging_scores(gold, guessed, words, {word: {""} for word in counts})
    task = task_of(find_recipe("johnson-4").model)
    tagger = fit(find_recipe("johnson-4").model, seen)
    fold = task.judge(tagger, seen, test, find_recipe("johnson-4"))
    found = task.figures(fold.judged[BASELINE])
    assert found["accuracy"] == pytest.approx(scores.accuracy)
    assert found["unknown_accuracy"] == pytest.approx(scores.unknown_accuracy)
    assert found["sentence_accuracy"] == pytest.approx(scores.sentence_accuracy)
    # What the command for single files says of the model.
    mine, theirs = task.figures(fold.judged[ESTIMATED]), task.assess(tagger, test)
    assert mine["unknown_accuracy"] == theirs.scores.unknown_accuracy
    assert mine["log_likelihood"] == pytest.approx(theirs.log_likelihood)
    total = tagger.log_sums(test).marginal.sum()  # also of sentences whose tags cannot be
    assert mine["marginal_log_likelihood"] == pytest.approx(total)


def test_the_baseline_of_trees_is_flat():
    family = FAMILIES["grammar, pcfg"]
    corpus = family.corpora["complete"]
    task = task_of(family.spec)
    fold = task.judge(estimate(family, corpus), corpus, corpus, plan_of(family))
    found = task.figures(fold.judged[BASELINE])
    # (TOP (S ...)) over each sentence, of which three have S there, and COLLINS counts no TOP.
    assert found["precision"] == pytest.approx(3 / 4)
    assert found["exact_match"] == 0.0
    assert all(isinstance(each.parse, Tree) for each in corpus)


def test_raw_text_is_judged_by_its_probability():
    corpus = [replace(each, analysis=None) for each in bundled("heldout")[:30]]
    task = task_of(find_recipe("hmm").model)
    tagger = fit(find_recipe("johnson-4").model, bundled("train")[:100])
    fold = task.judge(tagger, corpus, corpus, find_recipe("hmm-em"))
    assert fold.judged.keys() == {ESTIMATED}
    figures = task.figures(fold.judged[ESTIMATED])
    assert figures["accuracy"] is None
    tokens = sum(len(each.tokens) for each in corpus)
    expected = tagger.log_sums(corpus).marginal.sum() / tokens
    assert score_of(figures, task.main) == ("marginal_per_token", pytest.approx(expected))
    other = fit(find_recipe("memm").model, bundled("train")[:20], optimiser=LBFGS(max_iterations=2))
    silent = task.judge(other, corpus, corpus, find_recipe("memm"))
    with pytest.raises(OptionError, match="nothing can be said of what was held out"):
        score_of(task.figures(silent.judged[ESTIMATED]), task.main)


def test_grids_share_their_folds(tmp_path):
    path = tmp_path / "small.tagged"
    lines = [
        " ".join(f"{w}/{t}" for w, t in zip(each.tokens.words, each.analysis, strict=True))
        for each in bundled("heldout")[:40]
    ]
    path.write_text("\n".join(lines))
    grid = {"penalty": ["dirichlet:0.01", "dirichlet:10"]}
    told: list[tuple[int, int]] = []
    asked = {"recipe": "hmm", "folds": 4, "seed": 2}
    found = commands.crossvalidate_grid(
        path, grid, told=lambda *at: told.append(at), threads=1, **asked
    )
    assert told == [(number, 8) for number in range(1, 9)]
    alone = commands.crossvalidate(path, penalty="dirichlet:10", **asked)
    assert found[1].figures == alone.figures
    assert commands.best_of(found) is max(found, key=lambda each: each.figures["accuracy"])
    np.testing.assert_array_equal(found[0].found.folds, found[1].found.folds)
    same = commands.compare_validations(found[0], found[0])
    assert (same.difference, same.p_value) == (0, 1)
    tested = commands.compare_validations(*found)
    expected = found[1].figures["accuracy"] - found[0].figures["accuracy"]
    assert tested.difference == pytest.approx(expected)
    with pytest.raises(OptionError, match="it has a value already"):
        commands.crossvalidate_grid(path, grid, penalty="none")
