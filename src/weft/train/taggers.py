"""Training of taggers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from weft.arrays import FloatArray
from weft.criteria import (
    Criterion,
    Dirichlet,
    ExpectedCounts,
    Gaussian,
    Penalty,
    check_possible,
    conditional,
    contrast,
    everything,
    expected_counts,
    weighted_sum,
)
from weft.errors import OptionError
from weft.evaluate.tagging import tagging_scores
from weft.models import Chain, ChainModel, Normalisation, prepare
from weft.models.multinomials import (
    check_multinomials,
    multinomials,
    perturbed_probabilities,
    relative_frequencies,
)
from weft.models.prepare import tags_of
from weft.models.symmetry import NO_START, all_alike
from weft.models.tables import Tables, estimate_tables
from weft.models.tagger import Decoder, Progress, Tagger
from weft.models.unknown import open_vocabulary
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.search import Climb, Search, Tempered, Terrain
from weft.optimise.search import search as run_search
from weft.optimise.solution import Callback, Solution, Step
from weft.optimise.variational import VariationalBayes, VariationalBound
from weft.structures.evidence import Evidence, Example
from weft.train.climbs import (
    Optimiser,
    Term,
    counted_penalty,
    gradient_climb,
    shown,
    term_of,
    visible,
)


def fit_tagger(
    chain: Chain | Tables,
    corpus: Sequence[Example],
    *,
    criterion: Criterion | None = None,
    extra: Sequence[Term | tuple[float, Sequence[Example], Criterion]] = (),
    penalty: Penalty | None = None,
    optimiser: Optimiser | EM | VariationalBayes | None = None,
    search: Search | None = None,
    decoder: Decoder | None = None,
    development: Sequence[Example] | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
) -> Tagger:
    """Estimate a tagger; see :func:`weft.train.fit`.

    >>> from weft.structures.evidence import example
    >>> corpus = [example("the dog barks".split(), "DT NN VBZ".split())]
    >>> fit_tagger(Chain(), corpus).tag([["the", "barks"]])
    [('DT', 'VBZ')]
    """
    corpus, development = list(corpus), list(development or ())
    if isinstance(chain, Tables):
        if criterion or extra or penalty or optimiser or search:
            raise OptionError("tables are counted: they take no criterion, penalty or optimiser")
        return _fit_tables(chain, corpus, decoder, notes)
    criterion = criterion or conditional
    optimiser, search = optimiser or LBFGS(), search or Search()
    closed_form = isinstance(optimiser, EM | VariationalBayes)
    penalty = penalty or (Dirichlet() if closed_form else Gaussian())
    if extra and closed_form:
        raise OptionError("EM takes one corpus: weigh its examples, labelled or not, instead")
    terms = [Term(1.0, corpus, criterion), *map(term_of, extra)]
    views = [term.criterion.denominator for term in terms]
    generative = everything in views  # at θ = 0 its sum diverges
    free = chain.normalisation is Normalisation.NONE
    # Where any word may be, those of the development corpus may be, too.
    others = development if free and any(view.any_word for view in views) else ()
    texts = [example for term in terms for example in term.corpus]
    # Labels that a criterion does not look at tell neither which features exist nor the start.
    known = [example for term in terms for example in visible(term)]
    model = prepare(chain, known, others, tags_of(texts))
    start = np.zeros(model.parameters.size)
    if generative and (free or closed_form):
        start = relative_frequencies(model, known[: len(corpus)])
        start = start if closed_form else _finite(start)
    seen = _seen(known)
    alike = all_alike(model, seen)
    if alike and not search.restarts:
        raise OptionError(NO_START)
    report = _Report(Tagger(model, start), development, progress, threads)
    objectives = [contrast(model, term.corpus, term.criterion, threads) for term in terms]
    for term, each in zip(terms, objectives, strict=True):
        check_possible(each, term.corpus, start)
    if isinstance(optimiser, EM | VariationalBayes):
        climb = _closed_climb(optimiser, model, corpus, criterion, penalty, threads)
        perturb = perturbed_probabilities(multinomials(model))
    else:
        if not isinstance(penalty, Gaussian):
            raise OptionError(f"the penalty {penalty} is for EM; use gaussian:1.0 or none here")
        # What costs nothing is where estimation starts: zeros, or the relative frequencies.
        centre = start if start.any() else None
        objective = weighted_sum([term.weight for term in terms], objectives)
        climb = gradient_climb(optimiser, objective, penalty, model.parameters, centre)
        probable = perturbed_probabilities(multinomials(model))
        perturb = (lambda *both: _finite(probable(*both))) if generative and free else np.add
    terrain = Terrain(climb, perturb, _entropy(model, seen, threads), not alike)
    solution = run_search(search, terrain, start, report)
    weights = solution.weights
    if chain.normalisation is Normalisation.JOINT and chain.rare:
        model, weights = open_vocabulary(model, weights, seen, chain.rare)
    made = {"criterion": shown(terms), "penalty": str(penalty), "stopped": str(solution.reason)}
    said = {**made, **(notes or {})}
    trace = report.of(solution)
    return Tagger(model, weights, lexicon_of(texts), trace, said, decoder or Decoder.VITERBI)


def _finite(weights: FloatArray) -> FloatArray:
    """Weights with 0 for -inf: what a dictionary excludes is excluded whatever it weighs."""
    return np.where(np.isneginf(weights), 0.0, weights)


def _seen(known: Sequence[Example]) -> list[Evidence]:
    """What is known of all examples; of a sentence in several terms, what the first says."""
    first = {example.tokens: example.analysis for example in reversed(known)}
    return [Evidence(tokens, analysis) for tokens, analysis in reversed(first.items())]


def _fit_tables(
    tables: Tables,
    corpus: Sequence[Example],
    decoder: Decoder | None,
    notes: Mapping[str, str] | None,
) -> Tagger:
    model = estimate_tables(tables, corpus)
    said = {"criterion": "counted", "stopped": "counted", **(notes or {})}
    chosen = decoder or Decoder.POSTERIOR
    return Tagger(model, model.weights, lexicon_of(corpus), (), said, chosen)


def lexicon_of(corpus: Sequence[Example]) -> dict[str, frozenset[str]]:
    """Return the words of a corpus with the tags that they certainly had there.

    >>> from weft.structures.evidence import example
    >>> lexicon_of([example(["saw", "a", "saw"], ["VBD", "DT", "NN"])])["saw"] == {"VBD", "NN"}
    True
    >>> lexicon_of([example(["time"])])
    {'time': frozenset()}
    """
    seen: dict[str, set[str]] = defaultdict(set)
    for example in corpus:
        words = example.tokens.words
        for word, label in zip(words, example.analysis or (None,) * len(words), strict=True):
            seen[word].update([label] if isinstance(label, str) else [])
    return {word: frozenset(tags) for word, tags in seen.items()}


def _closed_climb(
    optimiser: EM | VariationalBayes,
    model: ChainModel,
    corpus: Sequence[Example],
    criterion: Criterion,
    penalty: Penalty,
    threads: int | None,
) -> Climb:
    counts = _counts(model, corpus, criterion, penalty, threads)
    if isinstance(optimiser, EM):
        return lambda start, power, callback: optimiser.maximise(
            counts if power == 1.0 else Tempered(counts, power), start, callback
        )
    distributions = check_multinomials(model)
    alone = replace(counts, pseudocounts=np.zeros_like(counts.pseudocounts))
    others = np.where(distributions.possible, 0.0, -np.inf)
    bound = VariationalBound(
        alone, counts.pseudocounts, distributions.groups, distributions.members, others
    )

    def climb(start: FloatArray, power: float, callback: Callback | None) -> Solution:
        if power < 1.0:
            raise OptionError("annealing is for EM and for gradients, not for variational Bayes")
        return optimiser.maximise(bound, start, callback)

    return climb


def _entropy(
    model: ChainModel, seen: Sequence[Evidence], threads: int | None
) -> Callable[[FloatArray], float]:
    return lambda weights: float(model.trellis(seen, threads).entropy(weights).sum())


def _counts(
    model: ChainModel,
    corpus: Sequence[Example],
    criterion: Criterion,
    penalty: Penalty,
    threads: int | None,
) -> ExpectedCounts:
    """What EM climbs, or the reason why it cannot."""
    if model.normalisation is not Normalisation.JOINT:
        raise OptionError("EM needs a chain with normalisation=joint: an HMM")
    prior = counted_penalty(criterion, penalty)
    distributions = check_multinomials(model)
    pseudocounts = prior.pseudocounts(model.parameters) * distributions.members
    return expected_counts(
        model.free, corpus, criterion, pseudocounts, distributions.weights, threads
    )


class _Report:
    """Keeps the trace of training, with the accuracy on a corpus that is compiled once."""

    def __init__(
        self,
        tagger: Tagger,
        corpus: Sequence[Example],
        progress: Callable[[Progress], bool | None] | None,
        threads: int | None,
    ) -> None:
        self.trace: list[Progress] = []
        self._progress = progress
        self._derivations = tagger.model.trellis([Evidence(e.tokens) for e in corpus], threads)
        self._gold = [example.analysis or (None,) * len(example.tokens) for example in corpus]
        self._words = [example.tokens.words for example in corpus]
        self._names = np.array(tagger.model.tags, object)

    def __call__(self, step: Step, theta: FloatArray) -> bool | None:
        self.trace.append(
            Progress(
                step.iteration, step.value, step.gradient_norm, step.seconds, self._accuracy(theta)
            )
        )
        return self._progress(self.trace[-1]) if self._progress else None

    def of(self, solution: Solution) -> tuple[Progress, ...]:
        """The trace of the climbs that led to a solution."""
        kept = {step.iteration for step in solution.trace}
        return tuple(each for each in self.trace if each.iteration in kept)

    def _accuracy(self, theta: FloatArray) -> float | None:
        if not self._gold:
            return None
        predicted = [tuple(self._names[each]) for each in self._derivations.best(theta)[1]]
        return tagging_scores(self._gold, predicted, self._words, {}).accuracy
