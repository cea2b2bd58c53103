"""Estimation of any model: the one place where model, data, criterion, penalty and optimiser meet.

    spec, corpus ──▶ model ──▶ objective = Σ_k weight_k criterion_k - penalty ──▶ weights

Nothing here knows what kind of model it is; a :class:`~weft.models.model.Spec` says what depends
on that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard, cast

import numpy as np

from weft.arrays import FloatArray
from weft.cluster import joined
from weft.criteria import (
    Criterion,
    Gaussian,
    Penalty,
    everything,
    no_penalty,
    read_penalty,
)
from weft.criteria.batches import ExampleTerms, Part
from weft.criteria.spread import Workers
from weft.errors import OptionError
from weft.kernels import kernels
from weft.models.model import NO_START, Outcome, Spec, Trained, TrainedT
from weft.models.options import option
from weft.models.progress import Outlook
from weft.optimise.annealing import Annealing
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.optimise.mert import LineSearchAscent
from weft.optimise.passes import ByPasses
from weft.optimise.search import Climb, Search, Terrain
from weft.optimise.search import search as run_search
from weft.optimise.variational import VariationalBayes
from weft.structures.stream import Corpus, Stream, through
from weft.train.checkpoints import Checkpoint
from weft.train.climbs import (
    Optimiser,
    Term,
    batch_climb,
    closed_climb,
    follow_steps,
    is_counted,
    likelihood_climb,
    shown,
    term_of,
    together,
    visible,
    walk,
)
from weft.train.ending import check_compared, check_kept, check_moved, check_types
from weft.train.guided import guided, perturbed
from weft.train.held_out import judge_of, watched_by
from weft.train.problem import Problem, climb_by_gradient, gaussian_of, leave_out
from weft.train.report import Report, Watched
from weft.train.spread import check_spread
from weft.train.start import SMALL, named_start, warm_start
from weft.train.streams import check_streamed, objective_of, streamed_terms
from weft.train.usual import (
    concave_or_other,
    most_iterations,
    usual_criterion,
    usual_optimiser,
    usual_patience,
    usual_penalty,
)

WIDE = "all, as those that were observed leave the sum over all sentences infinite"
"""What is noted of a model that was given every feature."""

AnyOptimiser = Optimiser | EM | VariationalBayes | Annealing | LineSearchAscent | ByPasses
"""How weights move."""

Watch = Callable[[Outlook], bool | None]
"""Told of every iteration of training; True ends it."""


@joined
def fit(
    model: Spec[TrainedT],
    corpus: Corpus,
    *,
    criterion: Criterion | None = None,
    extra: Sequence[Term | tuple[float, Sequence[Any], Criterion]] = (),
    penalty: Penalty | None = None,
    optimiser: AnyOptimiser | None = None,
    search: Search | None = None,
    decoder: Any = None,
    development: Sequence[Any] | None = None,
    patience: int | None = None,
    adapt: bool = True,
    watched: Watched = Watched.AUTO,
    progress: Watch | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
    start: Trained | FloatArray | str | None = None,
    checkpoint: Checkpoint | None = None,
    cluster: Any = None,
) -> TrainedT:
    """Estimate a model's weights from a corpus.

    An interrupt (ctrl-C) ends training with the best weights so far.

    >>> from weft import Chain, example
    >>> corpus = [example("the dog barks".split(), "DT NN VBZ".split())]
    >>> fit(Chain(), corpus).tag([["the", "barks"]])
    [('DT', 'VBZ')]

    Args:
        model: What the model looks at: a chain or tables for a tagger, a grammar for a parser, a
            selection for a selector, which chooses among given analyses. Tables are counted in
            full, and need no more.
        corpus: Examples, labelled in full or in part; for a selector, parse sets. A
            :class:`~weft.structures.stream.Stream` is read anew for every pass, and need not fit
            into memory: with optimisers that go by passes.
        criterion: Which two sums over derivations to compare. By default that follows the model:
            joint where its weights are normalised jointly (an HMM, a PCFG), or marginal where no
            example has a label, and conditional for others. The notes say which it was.
        extra: More criteria, each with its weight and its corpus: what raw text says beside
            labelled text, for example. Features come from all corpora; where estimation does not
            start from zeros, it starts from the first.
        penalty: What large weights cost; a Gaussian with variance 10 by default, and 1000 for
            expected accuracies, of which an example is worth no more than 1; or, with EM, what is
            added to counts: 0.1 by default, 0.001 for the words of an HMM, and 0 for the rules of a
            grammar; with variational Bayes, the prior itself; for a selector, a Gaussian whose σ is
            7 times the largest value of a feature.
        optimiser: How the weights move; L-BFGS by default, EM for the joint and the marginal
            likelihood of an HMM or a PCFG, Frank–Wolfe for margins, and the perceptron's rule for
            its criterion. EM is for models whose weights are probabilities, and counts where every
            label is known; and so is variational Bayes. Simulated annealing and exact line search
            are for criteria without a gradient. SGD, AdaGrad, Adam and others go over the corpus a
            few examples at a time; those of margins and mistakes are for the criteria margin and
            perceptron.
        search: Restarts and annealing; by default one climb from one start.
        decoder: How answers are chosen if nothing else is asked for, also on the development
            corpus; :class:`~weft.models.answers.Decoder`. By default the most probable tag
            sequence (Viterbi) of a chain, the most probable tags of tables, the tree with the
            best expected brackets of a grammar, and the most probable tree of a shift-reduce
            parser.
        development: Examples whose accuracy is reported at every iteration; of a parser, trees
            whose F-score is. With ``patience`` they choose the weights; and a model that
            sums over all sentences knows their words.
        patience: After how many iterations without a gain on the development corpus training
            ends; 0 for never, and by default what suits criterion and optimiser:
            :func:`~weft.train.usual.usual_patience`. The weights are those of the last gain.
        adapt: Whether templates that are not named depend on the size of the corpus.
        watched: What of the development corpus that is about: the criterion, of the examples whose
            analyses the model has, or the score that is reported, of all. By default both
            where labels are learnt from, but the score where best analyses are compared.
        progress: Called after every iteration; True ends training.
        threads: How many threads to use, all by default; no result depends on it.
        notes: What to keep with the model about its making.
        start: A trained model of the same family, whose weights are where estimation starts;
            weights that it does not have, by name, start where they would without it. Or all
            weights; or ``zeros``, ``uniform`` or ``counts``. With restarts, the first climb starts
            there. What large weights cost is counted from where it was. By default a criterion
            that is flat far from its maximum, or has a kink at zeros, starts from a few
            iterations of the likelihood of the same views: the notes say so.
        checkpoint: Where the state of training is kept, so that a run that was killed goes on from
            there, and ends with the same bits. The corpus must then be the same.
        cluster: Where sums over examples are made: the address of a Dask scheduler, such as
            ``tcp://127.0.0.1:8786``, or a Dask client. No result depends on how many workers it
            has. With optimisers that look at all examples at once.

    Returns:
        A tagger, a parser or a selector: what :meth:`~weft.models.model.Spec.trained` gives.

    Raises:
        EvidenceError: If an example has no possible analysis, naming it.
        ClusterError: If a cluster cannot be reached, has no workers or is lost.
        OptionError: If the axes do not go together, no start would lead anywhere, or the
            criterion compares labels and there are none.
        StuckError: If the weights that were found are those of the start, and no maximum.
        TypeError: If one of them is not what it should be.
    """
    check_types(model, corpus, criterion, penalty, optimiser)
    watched = option(Watched, watched)
    if patience is not None and patience < 0:
        raise OptionError(f"patience is at least 1, or 0 for never, not {patience}")
    corpus, held_out = through(corpus, model.compile), model.compile(development or ())
    if adapt and not isinstance(corpus, Stream):
        model, notes = _adapted(model, corpus, start, notes)
    if not isinstance(corpus, Stream) and (forecast := model.forecast(corpus)) is not None:
        forecast.check()
    if decoder is not None and decoder not in model.decoders:
        raise OptionError(f"{_name(model)} does not choose its answers by {decoder}")
    if model.counted:
        if criterion or extra or penalty or optimiser or search or patience:
            raise OptionError("tables are counted: they take no criterion, penalty or optimiser")
        if cluster is not None:
            check_spread(model, optimiser, criterion)
        if start is not None:
            raise OptionError("tables are counted, and so there is nothing that starts anywhere")
        if isinstance(corpus, Stream):
            raise OptionError("tables are counted in memory: give the corpus, and no stream of it")
        prepared = model.prepare(corpus, corpus)
        said = {"criterion": "counted", "stopped": "counted", **(notes or {})}
        weights = np.zeros(prepared.parameters.size)
        return model.trained(prepared, Outcome(weights, corpus, corpus, (), said, decoder))
    first = Term(1.0, corpus, criterion or usual_criterion(model, corpus))
    terms = [first, *(_compiled(model, term_of(each)) for each in extra)]
    search = search or Search()
    usual = usual_optimiser(model, first.criterion, penalty)
    if isinstance(usual, EM) and extra:
        usual = None  # it takes one corpus
    optimiser = optimiser or usual or LBFGS()
    if patience is None and held_out:
        patience = usual_patience(first.criterion, optimiser, search)
    if watched is Watched.SCORE and not patience:
        raise OptionError("watched=score says what patience looks at: give --patience N, too")
    if not (start is None and search == Search() and is_counted(first, optimiser, penalty)):
        model = model.unshared()
    if cluster is not None:
        check_spread(model, optimiser, first.criterion)
    if isinstance(corpus, Stream):
        check_streamed(model, terms, optimiser, search, start is not None)
        if adapt:  # which reads it
            model, notes = _adapted(model, corpus, start, notes)
    how = threads, cluster, start, search.seed
    problem = _problem(model, terms, held_out, optimiser, penalty, *how)
    wide = None if _is_inside(problem) else model.widened()
    if wide is not None:
        model = wide
        problem = _problem(model, terms, held_out, optimiser, penalty, *how)
    optimiser = concave_or_other(optimiser, problem.objectives, problem.model.parameters.size)
    if problem.alike and not search.restarts:
        raise OptionError(NO_START)
    large = model.too_large(problem.model, held_out, threads) if held_out else None
    judge = judge_of(problem, held_out, decoder)
    report = Report(
        judge,
        () if not patience else watched_by(watched, judge, problem, held_out),
        patience or None,
        progress,
        most_iterations(optimiser),
        search.climbs(plain=not problem.alike),
    )
    problem = guided(problem, optimiser)
    kernels.trim_memory()  # of what was made on the way
    climb, penalty = _climb(problem, optimiser, search)
    terrain = Terrain(
        report.begin(climb),
        lambda _, noise: perturbed(problem, noise),
        _uncertainty(problem) if search.restarts else lambda _: 0.0,
        not problem.alike,
    )
    if checkpoint is not None and isinstance(optimiser, LineSearchAscent):
        raise OptionError("line-search keeps no checkpoints: leave --checkpoint out")
    told = (
        report
        if checkpoint is None
        else checkpoint.watch(
            report,
            {
                "criterion": shown(terms),
                "penalty": str(penalty),
                "optimiser": repr(optimiser),
                "search": repr(search),
                **({} if cluster is None else {"cluster": "one"}),  # which has its order of sums
            },
            problem.start,
        )
    )
    solution = run_search(search, terrain, problem.start, told)
    check_moved(problem, optimiser, solution)
    check_kept(problem, report.chosen(solution))
    final, weights = model.finish(problem.model, report.chosen(solution), problem.seen)
    said = {
        "criterion": shown(terms),
        "penalty": str(penalty),
        **({} if wide is None else {"features": WIDE}),
        **({"left_out": problem.left_out} if problem.left_out else {}),
        **({} if large is None else {"held_out_left_out": str(large)}),
        "stopped": report.reason(solution),
        **report.notes(solution),
        **({} if problem.begun is None else {"start": problem.begun}),
        **({} if solution.kept is None else solution.kept.notes),
        **model.notes_of(problem.model, problem.seen, held_out, threads),
        **(notes or {}),
    }
    texts = together([term.corpus for term in terms])
    trace = report.of(solution)
    if isinstance(optimiser, ByPasses) and not isinstance(corpus, Stream):
        # Values of passes are of examples when their turn came, and not of weights that are kept.
        kept, value = report.chosen(solution), solution.value
        if kept is not solution.weights:
            value = _value_at(problem, penalty, kept)
        trace = report.valued(trace, solution, value)
    return model.trained(final, Outcome(weights, problem.seen, texts, trace, said, decoder))


def _problem(
    spec: Spec[Any],
    terms: Sequence[Term],
    held_out: Sequence[Any],
    optimiser: Any,
    penalty: Penalty | None,
    threads: int | None,
    workers: Workers | None,
    warm: Trained | FloatArray | str | None,
    seed: int,
) -> Problem:
    closed_form = isinstance(optimiser, EM | VariationalBayes)
    if len(terms) > 1 and closed_form:
        raise OptionError("EM takes one corpus: weigh its examples, labelled or not, instead")
    for term in terms:
        spec.check(term.criterion)
        check_compared(term, spec, optimiser)
    views = [term.criterion.denominator for term in terms]
    # Where any word may be, those of the development corpus may be, too.
    others = held_out if any(view.any_word for view in views) else ()
    # Labels that a criterion does not look at tell neither which features exist nor the start.
    parts = [visible(term) for term in terms]
    seen, texts = together(parts), together([term.corpus for term in terms])
    model = spec.prepare_with(threads, seen, texts, others)
    terms, left_out = leave_out(spec, model, terms, threads)
    generative = everything in views
    own = spec.start(model, parts[0], generative=generative, closed_form=closed_form)
    start, begun = own, None
    if isinstance(warm, str):
        start, begun = named_start(warm, spec, model, parts[0], closed_form=closed_form, seed=seed)
    elif warm is not None:
        distributions = spec.distributions(model) if closed_form else None
        start, count = warm_start(warm, model, own, distributions)
        begun = f"{count:,} weights were given"
    given = not (warm is None or isinstance(warm, str))
    alike = not given and begun != SMALL and spec.alike(model, seen)
    objectives = [objective_of(spec, model, term, start, threads, workers) for term in terms]
    own_penalty = _penalty_of(spec, optimiser)
    penalty = penalty or usual_penalty(terms[0].criterion, read_penalty(own_penalty))
    return Problem(
        spec,
        model,
        terms,
        seen,
        objectives,
        own,
        start,
        begun,
        given,
        alike,
        penalty,
        threads,
        workers,
        left_out=left_out,
    )


def _penalty_of(spec: Spec[Any], optimiser: Any) -> str:
    if isinstance(optimiser, VariationalBayes):
        return spec.penalties.prior
    return spec.penalties.counts if isinstance(optimiser, EM) else spec.penalties.weights


def _is_inside(problem: Problem) -> bool:
    """Whether sums over all sentences, where there are some, are finite at the start."""
    pairs = zip(problem.terms, problem.objectives, strict=True)
    vast = [each for term, each in pairs if term.criterion.denominator is everything]
    return all(np.isfinite(each.per_example(problem.start)).all() for each in vast)


def _value_at(problem: Problem, penalty: Penalty, theta: FloatArray) -> float:
    """The objective at θ, with what large weights cost."""
    pairs = zip(problem.terms, problem.objectives, strict=True)
    value = sum(term.weight * each.value(theta) for term, each in pairs)
    if not isinstance(penalty, Gaussian):
        return value
    return value + penalty.objective(problem.model.parameters, problem.own)(theta)[0]


def _uncertainty(problem: Problem) -> Callable[[FloatArray], float]:
    """The entropy of what the examples leave open, of those whose derivations can be kept."""
    spec, model, seen, threads = problem.spec, problem.model, problem.seen, problem.threads
    large = spec.too_large(model, seen, threads)
    return spec.uncertainty(model, seen if large is None else large.kept(), threads)


def _climb(problem: Problem, optimiser: Any, search: Search) -> tuple[Climb, Penalty]:
    """How the objective is climbed, and with which penalty."""
    spec, model, terms = problem.spec, problem.model, problem.terms
    if isinstance(optimiser, EM | VariationalBayes):
        distributions = spec.distributions(model)
        climb = closed_climb(
            optimiser,
            spec.free(model),
            terms[0],
            problem.penalty,
            distributions,
            model.parameters,
            problem.threads,
            problem.workers,
        )
        return climb, problem.penalty
    weights = [term.weight for term in terms]
    if isinstance(optimiser, Annealing):
        seeded = replace(optimiser, seed=search.seed) if search.seed else optimiser
        return walk(seeded, weights, problem.objectives), no_penalty
    penalty = gaussian_of(problem)
    if isinstance(optimiser, ByPasses):
        return _batch_climb(problem, optimiser, search, penalty)
    if isinstance(optimiser, LineSearchAscent):
        return _steps_climb(problem, optimiser, search), no_penalty
    return climb_by_gradient(problem, optimiser), penalty


def _steps_climb(problem: Problem, optimiser: LineSearchAscent, search: Search) -> Climb:
    """How exact line search climbs, the likelihood's solution among its starts."""
    spec, model, penalty = problem.spec, problem.model, problem.penalty
    centre = problem.own if problem.own.any() else None
    usual = read_penalty(spec.penalties.weights) if penalty == no_penalty else penalty
    likely = likelihood_climb(model, problem.terms, cast(Gaussian, usual), centre, problem.threads)
    seeded = replace(optimiser, seed=search.seed) if search.seed else optimiser
    linear = spec.free(model) is model
    return follow_steps(seeded, problem.terms, problem.objectives, likely, linear=linear)


def _batch_climb(
    problem: Problem, optimiser: ByPasses, search: Search, penalty: Gaussian
) -> tuple[Climb, Penalty]:
    """How the objective is climbed a few examples at a time."""
    model, threads = problem.model, problem.threads
    parts = [
        Part(*term, objective)
        for term, objective in zip(problem.terms, problem.objectives, strict=True)
    ]
    linear = problem.spec.free(model) is model
    terms = streamed_terms(problem) or ExampleTerms(model, parts, linear=linear, threads=threads)
    seeded = replace(optimiser, seed=search.seed) if search.seed else optimiser
    cost = penalty if optimiser.penalised else no_penalty
    return batch_climb(seeded, terms, cost, model.parameters, problem.own), cost


def _adapted(
    model: Spec[TrainedT], corpus: Corpus, start: Any, notes: Mapping[str, str] | None
) -> tuple[Spec[TrainedT], Mapping[str, str]]:
    """Return a model whose templates suit the size of the corpus, and notes that say so."""
    chosen, why = model.adapted(corpus, start if _is_model(start) else None)
    return chosen, {**({"adapted": why} if why else {}), **(notes or {})}


def _is_model(start: Any) -> TypeGuard[Trained]:
    return hasattr(start, "model")


def _compiled(spec: Spec[Any], term: Term) -> Term:
    return term._replace(corpus=spec.compile(term.corpus))


def _name(spec: Spec[Any]) -> str:
    return f"a model of {type(spec).__name__}"
