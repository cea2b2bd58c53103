"""Training: the only place where model, corpus, criterion, penalty and optimiser meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from weft.criteria import Criterion, Dirichlet, Gaussian, Penalty
from weft.models import Chain
from weft.models.cfg import Cfg
from weft.models.parser import Parser
from weft.models.selection import Selection
from weft.models.selector import Selector
from weft.models.tables import Tables
from weft.models.tagger import Decoder, Progress, Tagger
from weft.optimise.annealing import Annealing
from weft.optimise.em import EM
from weft.optimise.search import Search
from weft.optimise.variational import VariationalBayes
from weft.structures.alternatives import Selected
from weft.structures.evidence import Example
from weft.structures.parse_set import ParseSet
from weft.train.climbs import Optimiser, Term
from weft.train.forward import Point, selection_curve
from weft.train.parsers import fit_parser
from weft.train.selectors import fit_selection, with_scale
from weft.train.taggers import fit_tagger, lexicon_of

__all__ = [
    "Optimiser",
    "Point",
    "Term",
    "fit",
    "fit_parser",
    "fit_selection",
    "fit_tagger",
    "lexicon_of",
    "selection_curve",
    "with_scale",
]


@overload
def fit(
    model: Chain | Tables,
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
) -> Tagger: ...


@overload
def fit(
    model: Cfg,
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
) -> Parser: ...


@overload
def fit(
    model: Selection,
    corpus: Sequence[ParseSet | Selected],
    *,
    criterion: Criterion | None = None,
    penalty: Penalty | None = None,
    optimiser: Optimiser | Annealing | None = None,
    search: Search | None = None,
    development: Sequence[ParseSet | Selected] | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
) -> Selector: ...


def fit(
    model: Chain | Tables | Cfg | Selection,
    corpus: Sequence[Any],
    *,
    criterion: Criterion | None = None,
    extra: Sequence[Term | tuple[float, Sequence[Example], Criterion]] = (),
    penalty: Penalty | None = None,
    optimiser: Optimiser | EM | VariationalBayes | Annealing | None = None,
    search: Search | None = None,
    decoder: Decoder | None = None,
    development: Sequence[Any] | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    threads: int | None = None,
    notes: Mapping[str, str] | None = None,
) -> Tagger | Parser | Selector:
    """Estimate a model's weights from a corpus.

    An interrupt (ctrl-C) ends training with the best weights so far.

    >>> from weft.structures.evidence import example
    >>> corpus = [example("the dog barks".split(), "DT NN VBZ".split())]
    >>> fit(Chain(), corpus).tag([["the", "barks"]])
    [('DT', 'VBZ')]

    Args:
        model: What the model looks at: a chain or tables for a tagger, a grammar for a parser, a
            selection for a selector, which chooses among given analyses. Tables are counted in
            full, and need no more.
        corpus: Examples, labelled in full or in part; for a selector, parse sets.
        criterion: Which two sums over derivations to compare; conditional by default.
        extra: More criteria, each with its weight and its corpus: what raw text says beside
            labelled text, for example. Features come from all corpora; where estimation does not
            start from zeros, it starts from the first.
        penalty: What large weights cost; a Gaussian with variance 10 by default, or, with EM,
            what is added to counts, 0.1 by default; with variational Bayes, the prior itself; for
            a selector, a Gaussian whose σ is 7 times the largest value of a feature.
        optimiser: How the weights move; L-BFGS by default. EM is for models whose weights are
            probabilities, and counts where every label is known; and so is variational Bayes.
            Simulated annealing is for selectors, and criteria without a gradient.
        search: Restarts and annealing; by default one climb from one start.
        decoder: How the tagger chooses tags if nothing else is asked for; the best sequence, or
            with tables the likeliest tags.
        development: Examples whose accuracy is reported at every iteration; of a parser, trees
            whose F-score is, and whose conditional likelihood ends training when it stops rising.
        progress: Called after every iteration; True ends training.
        threads: How many threads to use, all by default; no result depends on it.
        notes: What to keep with the tagger about its making.

    Returns:
        The tagger, the parser or the selector.

    Raises:
        EvidenceError: If an example has no possible analysis, naming it.
        OptionError: If the axes do not go together, or no start would lead anywhere.
    """
    if not isinstance(penalty, Gaussian | Dirichlet | None):
        message = "a weft.Gaussian or a weft.Dirichlet"
        raise TypeError(f"the penalty must be {message}, not {type(penalty).__name__}")
    trainers: dict[Any, Callable[..., Any]] = {
        (Chain, Tables): fit_tagger,
        (Cfg,): fit_parser,
        (Selection,): fit_selection,
    }
    for kinds, trainer in trainers.items():
        if isinstance(model, kinds):
            # What only some models take is passed on where it is given, and refused by the others.
            given = {"extra": extra or None, "decoder": decoder}
            return trainer(  # type: ignore[no-any-return]
                model,
                corpus,
                criterion=criterion,
                penalty=penalty,
                optimiser=optimiser,
                search=search,
                development=development,
                progress=progress,
                threads=threads,
                notes=notes,
                **{name: value for name, value in given.items() if value is not None},
            )
    message = "a weft.Chain, weft.Tables, weft.Cfg or weft.Selection"
    raise TypeError(f"the model must be {message}, not {type(model).__name__}")
