"""N. Smith and J. Eisner (2005), "Contrastive estimation", ACL.

Section 5.1 learns trigram taggers from raw text and a tagging dictionary, by EM and by contrastive
estimation with several neighbourhoods, and scores them on the words to which the dictionary gives
several tags. :func:`unlabelled_table` does so on any corpus that has parts:

    python -m weft.papers.smith_eisner2005 --corpus wsj-sample --method trans1 --method em

Section 5.2 dilutes the dictionary: ``--dilute "count<3"``, and adds spelling features:
``--spelling``.
"""

from __future__ import annotations

import json as json_text
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from weft.corpora.dictionaries_made import dictionary_of, diluted, read_dilution
from weft.corpora.parts import DIVIDED, PARTS, read_part
from weft.criteria import Dirichlet, Gaussian, Penalty, contrastive, marginal, no_penalty
from weft.criteria.neighbours import NEIGHBOURHOOD_NAMES
from weft.errors import OptionError, WeftError
from weft.evaluate.tagging import tagging_scores
from weft.features.templates import templates
from weft.models import Chain, Dictionary, Extent, Normalisation
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.report.tables import percent, table
from weft.structures.evidence import Example
from weft.train import fit

METHODS = ("em", *NEIGHBOURHOOD_NAMES)
"""EM, and contrastive estimation by neighbourhood."""

PAPER: Mapping[str, float] = {
    "em": 0.621,
    "del1word": 0.604,
    "del1subseq": 0.587,
    "trans1": 0.790,
    "delortrans1": 0.788,
    "length": 0.793,
}
"""Figure 2 at 96,000 words of the Wall Street Journal, the smoothing chosen by an oracle."""

_WORD = templates("word[0]")
_SPELLING = templates("suffix1[0] suffix2[0] suffix3[0] capital[0] hyphen[0] digit[0]")
_CHANGE = 1e-4  # the relative change of the value at which training stops, as in the paper


@dataclass(frozen=True, slots=True)
class LearntRow:
    """A method with a smoothing, and how well it does.

    Attributes:
        method: EM, or the neighbourhood.
        smoothing: λ of EM, or the variance of the Gaussian; None for no penalty.
        ambiguous: The accuracy on words to which the whole dictionary gives several tags.
        accuracy: On all words.
        value: What was maximised, where training stopped.
        iterations: How many it took.
        seconds: And how long.
    """

    method: str
    smoothing: float | None
    ambiguous: float | None
    accuracy: float | None
    value: float
    iterations: int
    seconds: float


@dataclass(frozen=True, slots=True)
class LearntTable:
    """Methods of learning from raw text, on one corpus.

    Attributes:
        corpus: Its name.
        tokens: How many words it has.
        ambiguous_tokens: How many of them have several tags in the whole dictionary.
        tags_a_token: How many tags the (diluted) dictionary gives a word of the text on average.
        dilution: What was left out of the dictionary.
        spelling: Whether there were spelling features.
        rows: A row a method and smoothing.
    """

    corpus: str
    tokens: int
    ambiguous_tokens: int
    tags_a_token: float
    dilution: str
    spelling: bool
    rows: tuple[LearntRow, ...]

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON; accuracies are fractions."""
        rows = [{**asdict(row), "paper": PAPER.get(row.method)} for row in self.rows]
        return {**asdict(self), "rows": rows}


def unlabelled_table(
    corpus_name: str,
    methods: Sequence[str] = METHODS,
    *,
    smoothings: Sequence[float | None] = (1.0,),
    dilution: str = "",
    spelling: bool = False,
    words: int | None = None,
    threads: int | None = None,
    watch: Callable[[str], None] | None = None,
) -> LearntTable:
    """Learn trigram taggers from the words of a corpus and a dictionary, and score them on it.

    The dictionary is that of the corpus itself; words that are diluted may have every tag. What is
    scored is the text that was learnt from, as in the paper.

    Args:
        corpus_name: A corpus that :func:`weft.corpora.parts.read_part` knows, all parts together.
        methods: Names of :data:`METHODS`.
        smoothings: Values of λ for EM, variances for the others; None for no penalty.
        dilution: As ``count<3`` (rarer words) or ``500`` (words unseen in so many sentences).
        spelling: Whether suffixes, capitals, hyphens and digits are features; not for EM.
        words: Take so many words at most, from the beginning.
        threads: How many threads to use, all by default; no result depends on it.
        watch: Told what is trained next.

    Raises:
        OptionError: If there is no such method or corpus.

    >>> made = unlabelled_table("english", ["trans1"], words=500)
    >>> made.rows[0].method, made.rows[0].ambiguous > 0.5
    ('trans1', True)
    """
    for method in methods:
        if method not in METHODS:
            raise OptionError(f"there is no method '{method}'; there are {', '.join(METHODS)}")
    corpus = _first([each for part in PARTS for each in read_part(corpus_name, part)], words)
    whole = dictionary_of(corpus)
    dictionary = diluted(whole, corpus, read_dilution(dilution)) if dilution else whole
    rows = []
    for method in methods:
        for smoothing in smoothings:
            if watch:
                watch(f"{method}, smoothing {smoothing}")
            rows.append(_row(method, smoothing, corpus, whole, dictionary, spelling, threads))
    tags = {tag for several in whole.values() for tag in several}
    tokens = [word for example in corpus for word in example.tokens.words]
    allowed = sum(len(dictionary.get(word, tags)) for word in tokens)
    ambiguous = sum(len(whole[word]) > 1 for word in tokens)
    share = allowed / len(tokens)
    return LearntTable(corpus_name, len(tokens), ambiguous, share, dilution, spelling, tuple(rows))


def _first(corpus: Sequence[Example], words: int | None) -> list[Example]:
    """The first sentences with so many words at most."""
    taken, count = [], 0
    for example in corpus:
        count += len(example.tokens)
        if words is not None and count > words:
            break
        taken.append(example)
    return taken


def _row(
    method: str,
    smoothing: float | None,
    corpus: Sequence[Example],
    whole: Dictionary,
    dictionary: Dictionary,
    spelling: bool,
    threads: int | None,
) -> LearntRow:
    raw = [replace(example, analysis=None) for example in corpus]
    chain = Chain(order=2, templates=_WORD, ngrams=Extent.ALL, dictionary=dictionary, rare=0)
    penalty: Penalty = no_penalty if smoothing is None else Gaussian(smoothing)
    optimiser: EM | LBFGS = LBFGS(tolerance=_CHANGE, period=1)
    if method == "em":
        chain = replace(chain, attributes=Extent.ALL, normalisation=Normalisation.JOINT)
        penalty, optimiser = Dirichlet(smoothing or 0.0), EM(tolerance=_CHANGE)
    elif spelling:
        chain = replace(chain, templates=(*_WORD, *_SPELLING))
    criterion = marginal if method == "em" else contrastive(method)
    began = time.perf_counter()
    tagger = fit(
        chain, raw, criterion=criterion, penalty=penalty, optimiser=optimiser, threads=threads
    )
    seconds = time.perf_counter() - began
    sentences = [example.tokens for example in corpus]
    tags = tagger.tag(sentences, threads=threads)
    gold = [example.analysis or () for example in corpus]
    scores = tagging_scores(gold, tags, [each.words for each in sentences], whole)
    last = tagger.trace[-1]
    return LearntRow(
        method,
        smoothing,
        scores.ambiguous_accuracy,
        scores.accuracy,
        last.value,
        last.iteration,
        seconds,
    )


def tables(made: LearntTable) -> list[Table]:
    """Return the table for the terminal.

    >>> made = unlabelled_table("english", ["trans1"], words=200)
    >>> [each.title for each in tables(made)]
    ['Learnt from the words of english']
    """
    rows = [
        (
            row.method,
            "none" if row.smoothing is None else f"{row.smoothing:g}",
            percent(row.ambiguous),
            percent(row.accuracy),
            str(row.iterations),
            f"{row.seconds:.1f}",
            percent(PAPER.get(row.method)),
        )
        for row in made.rows
    ]
    headers = ["method", "smoothing", "ambiguous", "all", "steps", "seconds", "paper"]
    return [table(f"Learnt from the words of {made.corpus}", headers, rows)]


def main(
    corpus: Annotated[str, typer.Option(help=f"One of {', '.join(DIVIDED)}.")] = "wsj-sample",
    method: Annotated[
        list[str] | None, typer.Option(help="em or a neighbourhood; repeat it for several.")
    ] = None,
    smoothing: Annotated[
        list[str] | None,
        typer.Option(help="EM's λ and the others' variance, or none; repeat it for several."),
    ] = None,
    dilute: Annotated[str, typer.Option(help="Leave words out of the dictionary: count<3.")] = "",
    spelling: Annotated[bool, typer.Option("--spelling", help="Add spelling features.")] = False,
    words: Annotated[int | None, typer.Option(min=1, help="Take so many words at most.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Learn taggers from raw text and a dictionary, as Smith and Eisner (2005) do."""
    errors = Console(stderr=True)
    try:
        made = unlabelled_table(
            corpus,
            method or METHODS,
            smoothings=[None if text == "none" else float(text) for text in smoothing or ["1"]],
            dilution=dilute,
            spelling=spelling,
            words=words,
            watch=lambda text: errors.print(f"training {text} …"),
        )
    except (WeftError, ValueError) as error:
        errors.print(f"error: {error}", soft_wrap=True)
        raise typer.Exit(1) from None
    if json:
        typer.echo(json_text.dumps(made.as_json()))
        return
    console = Console()
    for each in tables(made):
        console.print(each)
    console.print(
        f"{made.tokens:,} words, {made.ambiguous_tokens:,} of them ambiguous; "
        f"{made.tags_a_token:.2f} tags a word."
    )


if __name__ == "__main__":
    typer.run(main)
