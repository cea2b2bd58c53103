"""Training: the only place where model, corpus, criterion, penalty and optimiser meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from weft.criteria import Criterion, Dirichlet, Gaussian, Penalty
from weft.models import Chain
from weft.models.tables import Tables
from weft.models.tagger import Decoder, Progress, Tagger
from weft.optimise.em import EM
from weft.optimise.search import Search
from weft.optimise.variational import VariationalBayes
from weft.structures.evidence import Example
from weft.train.climbs import Optimiser, Term
from weft.train.taggers import fit_tagger, lexicon_of

__all__ = ["Optimiser", "Term", "fit", "fit_tagger", "lexicon_of"]


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
) -> Tagger:
    """Estimate a model's weights from a corpus.

    An interrupt (ctrl-C) ends training with the best weights so far.

    >>> from weft.structures.evidence import example
    >>> corpus = [example("the dog barks".split(), "DT NN VBZ".split())]
    >>> fit(Chain(), corpus).tag([["the", "barks"]])
    [('DT', 'VBZ')]

    Args:
        model: What the model looks at: a chain or tables for a tagger, or a grammar for a parser.
            Tables are counted in full, and need no more.
        corpus: Examples, labelled in full or in part.
        criterion: Which two sums over derivations to compare; conditional by default.
        extra: More criteria, each with its weight and its corpus: what raw text says beside
            labelled text, for example. Features come from all corpora; where estimation does not
            start from zeros, it starts from the first.
        penalty: What large weights cost; a Gaussian with variance 10 by default, or, with EM,
            what is added to counts, 0.1 by default; with variational Bayes, the prior itself.
        optimiser: How the weights move; L-BFGS by default. EM is for models whose weights are
            probabilities, and counts where every label is known; and so is variational Bayes.
        search: Restarts and annealing; by default one climb from one start.
        decoder: How the tagger chooses tags if nothing else is asked for; the best sequence, or
            with tables the likeliest tags.
        development: Examples whose accuracy is reported at every iteration.
        progress: Called after every iteration; True ends training.
        threads: How many threads to use, all by default; no result depends on it.
        notes: What to keep with the tagger about its making.

    Returns:
        The tagger.

    Raises:
        EvidenceError: If an example has no possible analysis, naming it.
        OptionError: If the axes do not go together, or no start would lead anywhere.
    """
    if not isinstance(penalty, Gaussian | Dirichlet | None):
        message = "a weft.Gaussian or a weft.Dirichlet"
        raise TypeError(f"the penalty must be {message}, not {type(penalty).__name__}")
    if not isinstance(model, Chain | Tables):
        message = "a weft.Chain or weft.Tables"
        raise TypeError(f"the model must be {message}, not {type(model).__name__}")
    return fit_tagger(
        model,
        corpus,
        criterion=criterion,
        extra=extra,
        penalty=penalty,
        optimiser=optimiser,
        search=search,
        decoder=decoder,
        development=development,
        progress=progress,
        threads=threads,
        notes=notes,
    )
