"""N. Smith and J. Eisner (2005), "Contrastive estimation", ACL.

Section 5.1 learns trigram taggers from raw text and a tagging dictionary, by EM and by contrastive
estimation with several neighbourhoods, and scores them on the words to which the dictionary gives
several tags. :func:`unlabelled_table` does so on any corpus that has parts:

    python -m weft.papers.smith_eisner2005 --corpus wsj-sample --method trans1 --method em

Section 5.2 dilutes the dictionary: ``--dilute "count<3"``, and adds spelling features:
``--spelling``; with ``--development 5000`` the smoothing is chosen as there, by the criterion
itself on this many words more. Its footnote 7 compares the models under all criteria:
:func:`models_by_criteria`, ``--criteria``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Annotated, Any

import typer
from rich.table import Table

from weft.corpora.parts import DIVIDED, PARTS, read_part
from weft.corpora.tags.dictionaries_made import dictionary_of, dilute, read_dilution
from weft.corpora.tags.maps import coarse_examples, find_tag_map
from weft.criteria import (
    Criterion,
    Dirichlet,
    Gaussian,
    Penalty,
    conditional,
    contrast,
    contrastive,
    marginal,
    no_penalty,
)
from weft.criteria.neighbours import NEIGHBOURHOOD_NAMES
from weft.errors import OptionError
from weft.evaluate.tagging import tagging_scores
from weft.features.templates import templates
from weft.models import Chain, Dictionary, Extent, Normalisation
from weft.models.tagger import Tagger
from weft.optimise.em import EM
from weft.optimise.lbfgs import LBFGS
from weft.papers.program import Run, program, start
from weft.report.tables import percent, table
from weft.structures.evidence import Example
from weft.train import fit

QUICK = 500
"""Words that are enough to see that it works."""

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
        development: The criterion on the development text, which has no labels; None without one,
            or where the model excludes a sentence of it.
    """

    method: str
    smoothing: float | None
    ambiguous: float | None
    accuracy: float | None
    value: float
    iterations: int
    seconds: float
    development: float | None = None


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

    def selected(self, method: str) -> LearntRow | None:
        """The row whose criterion is highest on the development text; None without one."""
        rows = [row for row in self._rows(method) if row.development is not None]
        return max(rows, key=lambda row: row.development or 0.0) if rows else None

    def oracle(self, method: str) -> LearntRow:
        """The row with the highest accuracy on all words."""
        return max(self._rows(method), key=lambda row: row.accuracy or 0.0)

    def _rows(self, method: str) -> list[LearntRow]:
        return [row for row in self.rows if row.method == method]


def unlabelled_table(
    corpus_name: str,
    methods: Sequence[str] = METHODS,
    *,
    smoothings: Sequence[float | None] = (1.0,),
    dilution: str = "",
    spelling: bool = False,
    words: int | None = None,
    development: int = 0,
    tag_map: str | None = None,
    threads: int | None = None,
    watch: Callable[[str], None] | None = None,
) -> LearntTable:
    """Learn trigram taggers from the words of a corpus and a dictionary, and score them on it.

    The dictionary is that of the text itself and of the development text; words that are diluted
    may have every tag. What is scored is the text that was learnt from, as in the paper.

    Args:
        corpus_name: A corpus that :func:`weft.corpora.parts.read_part` knows, all parts together.
        methods: Names of :data:`METHODS`.
        smoothings: Values of λ for EM, variances for the others; None for no penalty.
        dilution: As ``count<3`` (rarer words) or ``500`` (words unseen in this many sentences).
        spelling: Whether suffixes, capitals, hyphens and digits are features; not for EM.
        words: Take this many words at most, from the beginning.
        development: And this many at most after those, for the choice of the smoothing.
        tag_map: A map that makes the tags coarse, by name.
        threads: How many threads to use, all by default; no result depends on it.
        watch: Told what is trained next.

    Raises:
        OptionError: If there is no such method or corpus.

    >>> made = unlabelled_table("english", ["trans1"], words=500)
    >>> made.rows[0].method, made.rows[0].ambiguous > 0.5
    ('trans1', True)
    """
    _check_methods(methods)
    text = [each for part in PARTS for each in read_part(corpus_name, part)]
    if tag_map is not None:
        text = coarse_examples(text, find_tag_map(tag_map))
    corpus = _first(text, words)
    held_out = _first(text[len(corpus) :], development)
    whole = dictionary_of([*corpus, *held_out])
    dictionary = dilute(whole, corpus, read_dilution(dilution)) if dilution else whole
    rows = []
    for method in methods:
        for smoothing in smoothings:
            if watch:
                watch(f"{method}, smoothing {smoothing}")
            tagger = _trained(method, smoothing, corpus, held_out, dictionary, spelling, threads)
            rows.append(_row(tagger, method, smoothing, corpus, held_out, whole, threads))
    tags = {tag for several in whole.values() for tag in several}
    tokens = [word for example in corpus for word in example.tokens.words]
    allowed = sum(len(dictionary.get(word, tags)) for word in tokens)
    ambiguous = sum(len(whole[word]) > 1 for word in tokens)
    share = allowed / len(tokens)
    return LearntTable(corpus_name, len(tokens), ambiguous, share, dilution, spelling, tuple(rows))


def _check_methods(methods: Sequence[str]) -> None:
    for method in methods:
        if method not in METHODS:
            raise OptionError(f"there is no method '{method}'; there are {', '.join(METHODS)}")


def _first(corpus: Sequence[Example], words: int | None) -> list[Example]:
    """The first sentences with this many words at most."""
    taken, count = [], 0
    for example in corpus:
        count += len(example.tokens)
        if words is not None and count > words:
            break
        taken.append(example)
    return taken


def _trained(
    method: str,
    smoothing: float | None,
    corpus: Sequence[Example],
    held_out: Sequence[Example],
    dictionary: Dictionary,
    spelling: bool,
    threads: int | None,
) -> Tagger:
    # Words of the development text are words of the model, though they count for nothing.
    raw = [replace(example, analysis=None) for example in corpus]
    raw += [replace(example, analysis=None, weight=0.0) for example in held_out]
    chain = Chain(order=2, templates=_WORD, ngrams=Extent.ALL, dictionary=dictionary, rare=0)
    penalty: Penalty = no_penalty if smoothing is None else Gaussian(smoothing)
    optimiser: EM | LBFGS = LBFGS(tolerance=_CHANGE, period=1)
    if method == "em":
        chain = replace(chain, attributes=Extent.ALL, normalisation=Normalisation.JOINT)
        penalty, optimiser = Dirichlet(smoothing or 0.0), EM(tolerance=_CHANGE)
    elif spelling:
        chain = replace(chain, templates=(*_WORD, *_SPELLING))
    return fit(
        chain,
        raw,
        criterion=_criterion(method),
        penalty=penalty,
        optimiser=optimiser,
        threads=threads,
    )


def _criterion(method: str) -> Criterion:
    return marginal if method == "em" else contrastive(method)


def _row(
    tagger: Tagger,
    method: str,
    smoothing: float | None,
    corpus: Sequence[Example],
    held_out: Sequence[Example],
    whole: Dictionary,
    threads: int | None,
) -> LearntRow:
    sentences = [example.tokens for example in corpus]
    tags = tagger.tag(sentences, threads=threads)
    gold = [example.analysis or () for example in corpus]
    scores = tagging_scores(gold, tags, [each.words for each in sentences], whole)
    last = tagger.trace[-1]
    held_out_value = -math.inf
    if held_out:
        held_out_value = _value(tagger, held_out, _criterion(method), threads)
    return LearntRow(
        method,
        smoothing,
        scores.ambiguous_accuracy,
        scores.accuracy,
        last.value,
        last.iteration,
        last.seconds or 0.0,
        held_out_value if math.isfinite(held_out_value) else None,
    )


def _value(
    tagger: Tagger, corpus: Sequence[Example], criterion: Criterion, threads: int | None
) -> float:
    return float(
        contrast(tagger.chain, corpus, criterion, threads).per_example(tagger.weights).sum()
    )


def tables(made: LearntTable) -> list[Table]:
    """Return the table for the terminal; of each method, the chosen smoothing has a star.

    >>> made = unlabelled_table("english", ["trans1"], words=200)
    >>> [each.title for each in tables(made)]
    ['Learnt from the words of english']
    """
    chosen = {method: made.selected(method) for method in METHODS}
    rows = [
        (
            row.method,
            "none" if row.smoothing is None else f"{row.smoothing:g}",
            "*" if row is chosen[row.method] else "",
            percent(row.ambiguous),
            percent(row.accuracy),
            str(row.iterations),
            f"{row.seconds:.1f}",
            percent(PAPER.get(row.method)),
        )
        for row in made.rows
    ]
    headers = ["method", "smoothing", "", "ambiguous", "all", "steps", "seconds", "paper"]
    return [table(f"Learnt from the words of {made.corpus}", headers, rows)]


@dataclass(frozen=True, slots=True)
class CriterionTable:
    """Footnote 7: every model under every criterion.

    Attributes:
        corpus: Its name.
        methods: What the models were learnt by, and what they are looked at with.
        values: For each model, for each criterion, the value per word on the text that was learnt
            from; None where a model has no such value, its sum over all sentences being infinite.
        conditional: For each model, the conditional likelihood a word of the right tags.
    """

    corpus: str
    methods: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    conditional: tuple[float, ...]

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return asdict(self)


def models_by_criteria(
    corpus_name: str,
    methods: Sequence[str] = METHODS,
    *,
    smoothing: float = 1.0,
    words: int | None = None,
    threads: int | None = None,
    watch: Callable[[str], None] | None = None,
) -> CriterionTable:
    """Learn a model by each method, and look at each with every criterion.

    >>> made = models_by_criteria("english", ["trans1", "length"], words=300)
    >>> made.values[1][1] > made.values[0][1]  # LENGTH's own criterion
    True

    Args:
        corpus_name: A corpus that :func:`weft.corpora.parts.read_part` knows.
        methods: Names of :data:`METHODS`.
        smoothing: λ for EM, the variance for the others.
        words: Take this many words at most, from the beginning.
        threads: How many threads to use, all by default; no result depends on it.
        watch: Told what is trained next.

    Raises:
        OptionError: If there is no such method or corpus.
    """
    _check_methods(methods)
    corpus = _first([each for part in PARTS for each in read_part(corpus_name, part)], words)
    tokens = sum(len(example.tokens) for example in corpus)
    dictionary = dictionary_of(corpus)
    values, conditionals = [], []
    for method in methods:
        if watch:
            watch(method)
        tagger = _trained(method, smoothing, corpus, (), dictionary, False, threads)
        under = [_value(tagger, corpus, _criterion(each), threads) / tokens for each in methods]
        values.append(tuple(value if math.isfinite(value) else None for value in under))
        conditionals.append(_value(tagger, corpus, conditional, threads) / tokens)
    return CriterionTable(corpus_name, tuple(methods), tuple(values), tuple(conditionals))


def criteria_tables(made: CriterionTable) -> list[Table]:
    """Return the table for the terminal."""
    rows = [
        (
            method,
            *("—" if value is None else f"{value:.4f}" for value in values),
            f"{likelihood:.4f}",
        )
        for method, values, likelihood in zip(
            made.methods, made.values, made.conditional, strict=True
        )
    ]
    headers = ["learnt by", *made.methods, "conditional"]
    return [table(f"Values a word on {made.corpus}, under each criterion", headers, rows)]


@program(known=DIVIDED, default=["wsj-sample"])
def main(
    run: Run,
    method: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="em or a neighbourhood; repeat it for several."),
    ] = None,
    smoothing: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N", help="EM's λ and the others' variance, or none; repeat it for several."
        ),
    ] = None,
    dilute: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE",
            help="Leave words out of the dictionary: count<3; repeat it for several.",
        ),
    ] = None,
    spelling: Annotated[bool, typer.Option("--spelling", help="Add spelling features.")] = False,
    words: Annotated[
        list[int] | None,
        typer.Option(metavar="N", min=1, help="Take this many words; repeat it for several."),
    ] = None,
    development: Annotated[
        int, typer.Option(metavar="N", min=0, help="Choose the smoothing by this many words more.")
    ] = 0,
    tag_map: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Make the tags coarse: penn-17 or penn-universal."),
    ] = None,
    criteria: Annotated[
        bool, typer.Option("--criteria", help="Look at every model with every criterion instead.")
    ] = False,
) -> None:
    """Learn taggers from raw text and a dictionary, as Smith and Eisner (2005) do."""
    methods = method or METHODS
    sizes: list[int | None] = [*words] if words else [None]
    if run.quick:
        sizes, development = [QUICK], min(development, QUICK)

    def watch(text: str) -> None:
        run.tell(f"training {text}")

    smoothings = [None if text == "none" else _smoothing(text) for text in smoothing or ["1"]]
    for corpus in run.corpora:
        if criteria:
            compared = models_by_criteria(
                corpus,
                methods,
                smoothing=smoothings[0] or 0.0,
                words=sizes[0],
                threads=run.threads,
                watch=watch,
            )
            run.show(compared.as_json(), criteria_tables(compared))
            continue
        for size, dilution in product(sizes, dilute or [""]):
            made = unlabelled_table(
                corpus,
                methods,
                smoothings=smoothings,
                dilution="" if dilution == "none" else dilution,
                spelling=spelling,
                words=size,
                development=development,
                tag_map=tag_map,
                threads=run.threads,
                watch=watch,
            )
            run.show(made.as_json(), [*tables(made), _summary(made)])


def _smoothing(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"--smoothing {text}: expected a number, or none") from None


def _summary(made: LearntTable) -> str:
    diluted_by = f" (diluted: {made.dilution})" if made.dilution else ""
    return (
        f"{made.tokens:,} words, {made.ambiguous_tokens:,} of them ambiguous; "
        f"{made.tags_a_token:.2f} tags per word{diluted_by}{', spelling' if made.spelling else ''}."
    )


if __name__ == "__main__":
    start(main)
