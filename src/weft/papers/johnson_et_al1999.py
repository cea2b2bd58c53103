"""Johnson et al. (1999), "Estimators for Stochastic 'Unification-Based' Grammars", ACL.

The authors are M. Johnson, S. Geman, S. Canon, Z. Chi and S. Riezler. They compare three estimators
that choose among the analyses of two LFG grammars: a baseline by which all are alike,
pseudo-likelihood, and the number of right choices. Their corpora are not to be had. These tables
are of analyses by an LFG of our own of sentences of the same two kinds, appointments and manuals of
printers, with the properties of the paper, and of analyses by HPSG grammars.

Analyses are shuffled first, so that nothing can depend on the order in which a parser found them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from weft.evaluate.selection import Judgements, judgements_of
from weft.features.compile import unpack_parses
from weft.models.selection.selector import Selector
from weft.papers.selection.estimators import SelectionCorpus, Watch, estimators
from weft.papers.selection.joint import JOINT, JointEstimator
from weft.structures.alternatives import Selected
from weft.train.crossvalidation import BASELINE, ESTIMATED, Fold, Judged, crossvalidation
from weft.train.selection.choices import SCALED, judge_choices

PAPER: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "Verbmobil": {
        "baseline": (0.097, 533),
        "pseudo-likelihood": (0.587, 396),
        "max-correct": (0.537, 469),
    },
    "Homecentre": {
        "baseline": (0.152, 655),
        "pseudo-likelihood": (0.588, 583),
        "max-correct": (0.532, 604),
    },
}
"""Table 3: the share of right choices, and −log PL."""


def judge_estimators(
    corpus: SelectionCorpus,
    *,
    folds: int = 10,
    seed: int = 0,
    steps: int | None = None,
    maximiser: str | None = None,
    abney: JointEstimator | None = None,
    threads: int | None = None,
    watch: Watch | None = None,
) -> dict[str, Judgements]:
    """Return what each estimator chooses in every sentence, as part of some fold's test part.

    Args:
        corpus: The sentences.
        folds: Of the cross-validation.
        seed: Deals sentences to folds.
        steps: How many changes simulated annealing tries, if not what the recipe says.
        maximiser: What maximises the number of right choices, of
            :data:`~weft.papers.selection.estimators.MAXIMISERS`; None for both.
        abney: The joint estimator, which keeps log-likelihoods by all weights; None to leave it
            out.
        threads: How many folds to work on at a time; no result depends on it.
        watch: Told what is being estimated.

    Raises:
        OptionError: If there is no such maximiser, or it takes no steps.
    """
    say = watch or (lambda _: None)
    every = estimators(steps, maximiser)
    if abney is not None:
        every[JOINT] = abney
    found = {}
    for name, estimate in every.items():
        say(f"{corpus.name}: {name}")
        # The number of right choices is counted analysis by analysis.
        apart = name in ("max-correct", "line search")
        found[name] = crossvalidation(
            _judged(name, estimate, None if apart else abney, scale=apart),
            [unpack_parses(each) for each in corpus.examples] if apart else corpus.examples,
            folds=folds,
            seed=seed,
            threads=threads,
        ).judged
    judged = {"baseline": judgements_of(found["pseudo-likelihood"][BASELINE])}
    for name, each in found.items():
        judged[name] = judgements_of(each[ESTIMATED])
        if SCALED in each:
            judged[f"{name}, scaled"] = judgements_of(each[SCALED])
    return judged


def _judged(
    name: str,
    estimate: Callable[[Sequence[Selected]], Selector],
    abney: JointEstimator | None,
    *,
    scale: bool,
) -> Judged:
    def judge(seen: Sequence[Selected], test: Sequence[Selected]) -> Fold:
        selector = estimate(seen)
        if abney is not None:
            abney.judge(name, selector, seen, test)
        return judge_choices(selector, seen, test, scale=scale)

    return judge
