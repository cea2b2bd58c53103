"""Training of parsers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from weft.arrays import FloatArray
from weft.criteria import (
    Comparison,
    Criterion,
    Dirichlet,
    Gaussian,
    Penalty,
    conditional,
    contrast,
    expected_counts,
    input_only,
    weighted_sum,
)
from weft.errors import EvidenceError, OptionError
from weft.evaluate.brackets import bracket_scores
from weft.models.cfg import Cfg
from weft.models.chain import Normalisation
from weft.models.grammar_model import GrammarModel
from weft.models.multinomials import Multinomials, perturbed_probabilities
from weft.models.parser import Parser, worded
from weft.models.prepare_grammar import prepare_grammar, start_weights
from weft.models.symmetry import NO_START
from weft.models.tagger import Progress
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.search import Climb, Search, Tempered, Terrain
from weft.optimise.search import search as run_search
from weft.optimise.solution import Reason, Solution, Step
from weft.structures.evidence import Evidence, Example
from weft.structures.tree import Tree
from weft.train.climbs import (
    Optimiser,
    Term,
    counted_penalty,
    gradient_climb,
    shown,
    term_of,
    visible,
)

PATIENCE = 10
"""After so many iterations without a gain on held-out trees, conditional training ends."""


def fit_parser(
    cfg: Cfg,
    corpus: Sequence[Example],
    *,
    criterion: Criterion | None = None,
    extra: Sequence[Term | tuple[float, Sequence[Example], Criterion]] = (),
    penalty: Penalty | None = None,
    optimiser: Optimiser | EM | None = None,
    search: Search | None = None,
    development: Sequence[Example] | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
) -> Parser:
    """Estimate a parser; see :func:`weft.train.fit`.

    Rules are read off the trees that the criterion looks at, and estimation starts from their
    relative frequencies: at weights of one, sums over trees may diverge. With a development corpus
    of trees, conditional training keeps the weights under which those are the most probable, and
    ends when they have not become more so for a while: without a penalty, weights may grow for
    ever.
    """
    corpus, held_out = list(corpus), list(development or ())
    criterion = criterion or conditional
    optimiser, search = optimiser or LBFGS(), search or Search()
    closed_form = isinstance(optimiser, EM)
    penalty = penalty or (Dirichlet(0.0) if closed_form else Gaussian())
    if extra and closed_form:
        raise OptionError("EM takes one corpus: weigh its examples, labelled or not, instead")
    terms = [Term(1.0, corpus, criterion), *map(term_of, extra)]
    known = [example for term in terms for example in visible(term)]
    model = prepare_grammar(cfg, known)
    alike = cfg.symbols > 1
    if alike and not search.restarts:
        raise OptionError(NO_START)
    start = start_weights(model, cfg, known[: len(corpus)])
    groups = np.full(len(start), -1, np.int64)  # features of phrases are no probabilities
    groups[: model.grammar.rule_count] = model.groups
    distributions = Multinomials(groups, np.ones(len(start), np.bool_))
    objectives = [contrast(model, term.corpus, term.criterion, threads) for term in terms]
    for term, each in zip(terms, objectives, strict=True):
        _check_possible(each, term.corpus, start)
    if isinstance(optimiser, EM):
        climb = _closed_climb(optimiser, model, corpus, criterion, penalty, distributions, threads)
    else:
        if not isinstance(penalty, Gaussian):
            raise OptionError(f"the penalty {penalty} is for EM; use gaussian:1.0 or none here")
        objective = weighted_sum([term.weight for term in terms], objectives)
        climb = gradient_climb(optimiser, objective, penalty, model.parameters, start)
    report = _Report(model, criterion, held_out, progress, threads)
    featured = len(start) > model.grammar.rule_count
    perturb = np.add if featured else perturbed_probabilities(distributions)
    terrain = Terrain(climb, perturb, _entropy(model, known, threads), not alike)
    solution = run_search(search, terrain, start, report)
    made = {
        "criterion": shown(terms),
        "penalty": str(penalty),
        "stopped": report.reason(solution),
    }
    return Parser(model, report.chosen(solution), report.of(solution), {**made, **(notes or {})})


def _check_possible(objective: Comparison, corpus: Sequence[Example], theta: FloatArray) -> None:
    """Raise an error for the first sentence that has no tree, whatever the weights."""
    for place, position in objective.impossible(theta):
        tokens = corpus[place].tokens
        name = tokens.source or f"example {place + 1}"
        if not len(tokens):
            raise EvidenceError(f"{name}: there is no word, and the grammar does not allow that")
        raise EvidenceError(
            f"{name}: the grammar has no tree for this sentence, at the latest from token "
            f"{position + 1}, '{tokens.words[position]}', on; add rules, or leave the sentence out"
        )


def _closed_climb(
    optimiser: EM,
    model: GrammarModel,
    corpus: Sequence[Example],
    criterion: Criterion,
    penalty: Penalty,
    distributions: Multinomials,
    threads: int | None,
) -> Climb:
    """What EM climbs, or the reason why it cannot."""
    if model.normalisation is not Normalisation.JOINT:
        raise OptionError("EM needs a grammar with normalisation=joint: a PCFG")
    prior = counted_penalty(criterion, penalty)
    pseudocounts = prior.pseudocounts(model.parameters)
    counts = expected_counts(
        model.free, corpus, criterion, pseudocounts, distributions.weights, threads
    )
    return lambda start, power, callback: optimiser.maximise(
        counts if power == 1.0 else Tempered(counts, power), start, callback
    )


def _entropy(
    model: GrammarModel, known: Sequence[Example], threads: int | None
) -> Callable[[FloatArray], float]:
    evidences = [Evidence(example.tokens) for example in known]
    return lambda weights: float(model.chart(evidences, threads).entropy(weights).sum())


class _Report:
    """Keeps the trace of training, and the weights that held-out trees like best."""

    def __init__(
        self,
        model: GrammarModel,
        criterion: Criterion,
        corpus: Sequence[Example],
        progress: Callable[[Progress], bool | None] | None,
        threads: int | None,
    ) -> None:
        self.trace: list[Progress] = []
        self._model = model
        self._progress = progress
        self._corpus = [each for each in corpus if isinstance(each.parse, Tree)]
        self._gold = [
            worded(each.parse, each.tokens) for each in self._corpus if isinstance(each.parse, Tree)
        ]
        self._sources = [each.tokens.source for each in self._corpus]
        self._charts = model.chart([Evidence(each.tokens) for each in self._corpus], threads)
        self._held_out = self._objective(criterion, threads)
        self._best = -np.inf
        self._weights: FloatArray | None = None
        self._since = 0

    def _objective(self, criterion: Criterion, threads: int | None) -> Comparison | None:
        """What of the held-out trees is watched: where they have rules of the grammar only."""
        if criterion.denominator is not input_only:
            return None
        able = [each for each in self._corpus if self._model.covers(each)]
        return contrast(self._model, able, criterion, threads) if able else None

    def __call__(self, step: Step, theta: FloatArray) -> bool | None:
        score = self._score(theta) if self._gold else None
        self.trace.append(
            Progress(step.iteration, step.value, step.gradient_norm, step.seconds, score)
        )
        stop = self._progress(self.trace[-1]) if self._progress else None
        if self._held_out is not None:
            value = float(self._held_out.per_example(theta).sum())
            self._since += 1
            if value > self._best or self._weights is None:
                self._best, self._weights, self._since = value, theta.copy(), 0
        return stop or self._since >= PATIENCE

    def _score(self, theta: FloatArray) -> float | None:
        found = [
            None
            if best is None
            else worded(self._model.restored(best, each.tokens.words), each.tokens)
            for best, each in zip(self._charts.best(theta)[1], self._corpus, strict=True)
        ]
        return bracket_scores(self._gold, found, sources=self._sources).overall.f1

    def chosen(self, solution: Solution) -> FloatArray:
        """The weights to keep: those of the solution, or those that held-out trees like best."""
        return solution.weights if self._weights is None else self._weights

    def reason(self, solution: Solution) -> str:
        """Why training ended."""
        if self._since >= PATIENCE and solution.reason is Reason.STOPPED:
            return f"held-out trees became no likelier for {PATIENCE} iterations"
        return str(solution.reason)

    def of(self, solution: Solution) -> tuple[Progress, ...]:
        """The trace of the climbs that led to a solution."""
        numbers = {step.iteration for step in solution.trace}
        return tuple(each for each in self.trace if each.iteration in numbers)
