"""Taggers learnt from raw text and a dictionary, as parts of several experiments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from weft.criteria import conditional, contrast
from weft.models.answers import Decoder
from weft.models.tagger import Tagger
from weft.models.tagger_scores import divergence_of
from weft.papers.contrastive.learning import (
    COUNTED,
    METHODS,
    SUPERVISED,
    Settings,
    criterion_of,
    learn,
    value_of,
)
from weft.papers.contrastive.texts import LearningText, prepare_text
from weft.papers.experiment import Part, PartFound, PartOptions
from weft.papers.results import Picture
from weft.papers.rows.compared import share, tag_counts
from weft.ranking import by_value
from weft.report.plots import Axis, line_plot
from weft.structures.evidence import Example
from weft.train.crossvalidation import deal

NAT = 1_000_000  # a nat in whole numbers
USUAL = 1.0  # the smoothing where none is chosen
VARIANCE, COUNT = "σ²", "λ"
Learnt = tuple[Mapping[str, Any], PartFound]
"""The arguments of a part, and what it found."""


def learn_part(arguments: Mapping[str, Any], options: PartOptions) -> PartFound:
    """Learn a tagger, and look at it from all sides."""
    text = prepare_text(
        arguments["corpus"],
        arguments["words"],
        arguments["development"],
        arguments["tag_map"],
        arguments["dilution"],
    )
    settings = Settings(spelling=arguments["spelling"], threads=options.threads)
    method, threads, folds = arguments["method"], options.threads, arguments.get("folds", 0)
    if folds:
        return _learn_apart(text, method, arguments["smoothing"], folds, settings, options.seed)
    tagger = learn(
        method, arguments["smoothing"], text.corpus, text.held_out, text.dictionary, settings
    )
    found = _figures(text, _tag(tagger, text.corpus, threads))
    chosen_by = None
    if text.held_out and method not in SUPERVISED:
        chosen_by = finite_or_none(value_of(tagger, text.held_out, criterion_of(method), threads))
    found |= {"development": chosen_by, "iterations": tagger.trace[-1].iteration}
    if not arguments["criteria"]:
        return found
    under = {
        each: finite_or_none(
            value_of(tagger, text.corpus, criterion_of(each), threads) / text.tokens
        )
        for each in METHODS
    }
    each_given = contrast(tagger.chain, text.corpus, conditional, threads).per_example(
        tagger.weights
    )
    divergence = divergence_of(tagger, text.corpus)
    by_tag = {} if divergence is None else dict(divergence.by_tag)
    return {
        **found,
        "criteria": under,
        "conditional": [round(NAT * float(each)) for each in each_given],
        "divergences": {tag: finite_or_none(value) for tag, value in by_tag.items()},
        "divergence": None if divergence is None else finite_or_none(divergence.mean or 0.0),
    }


def _learn_apart(
    text: LearningText,
    method: str,
    smoothing: float | None,
    folds: int,
    settings: Settings,
    seed: int,
) -> PartFound:
    """Tag each fold of a text by a tagger that learnt from the others."""
    dealt = deal(len(text.corpus), folds, seed).tolist()
    tags: list[tuple[str, ...]] = [()] * len(dealt)
    for fold in range(folds):
        seen = [each for each, own in zip(text.corpus, dealt, strict=True) if own != fold]
        places = [place for place, own in enumerate(dealt) if own == fold]
        apart = [text.corpus[place] for place in places]
        tagger = learn(method, smoothing, seen, [*apart, *text.held_out], text.dictionary, settings)
        for place, own in zip(places, _tag(tagger, apart, settings.threads), strict=True):
            tags[place] = own
    return {**_figures(text, tags), "development": None}


def _tag(tagger: Tagger, corpus: Sequence[Example], threads: int | None) -> list[tuple[str, ...]]:
    sentences = [each.tokens for each in corpus]
    return tagger.tag(sentences, decoder=Decoder.VITERBI, threads=threads)


def _figures(text: LearningText, tags: Sequence[tuple[str, ...]]) -> PartFound:
    gold = [each.analysis or () for each in text.corpus]
    return {
        "tokens": text.tokens,
        "ambiguous_tokens": text.ambiguous_tokens,
        "tags_per_token": text.tags_per_token,
        "random": text.random,
        "ambiguous": tag_counts(gold, tags, text.ambiguous),
        "all": tag_counts(gold, tags),
    }


def finite_or_none(value: float) -> float | None:
    """Return a number that JSON has."""
    return value if math.isfinite(value) else None


def pair_up(parts: Sequence[tuple[Part, PartFound]]) -> list[Learnt]:
    """Return the arguments of parts with what they found."""
    return [(part.arguments, found) for part, found in parts]


def select(rows: Sequence[Learnt]) -> Learnt | None:
    """Return the row whose criterion is highest on the development text; None without one."""
    known = [each for each in rows if each[1]["development"] is not None]
    return by_value(known, lambda each: each[1]["development"])[0] if known else None


def choose(rows: Sequence[Learnt]) -> Learnt:
    """Return the row that :func:`select` takes; without one, that of the usual smoothing."""
    usual = (each for each in rows if each[0]["smoothing"] == USUAL)
    return select(rows) or next(usual, rows[0])


def oracle(rows: Sequence[Learnt], key: str) -> Learnt:
    """Return the row with the highest accuracy."""
    return by_value(rows, lambda each: share(each[1][key]))[0]


def show_smoothing(arguments: Mapping[str, Any]) -> str:
    """Return the smoothing of a part as it is shown."""
    return "none" if arguments["smoothing"] is None else f"{arguments['smoothing']:g}"


def show_pair(pair: tuple[float, float] | None) -> str:
    """Return an accuracy in per cent, and the oracle's in brackets where that is another.

    >>> show_pair((0.75, 0.8)), show_pair((0.75, 0.75)), show_pair(None)
    ('75.0 (80.0)', '75.0', '—')
    """
    if pair is None:
        return "—"
    selected, best = (f"{100 * each:.1f}" for each in pair)
    return selected if selected == best else f"{selected} ({best})"


def by_text(rows: Sequence[Learnt]) -> dict[str, list[Learnt]]:
    """Return the rows of each text, by its name and size."""
    found: dict[str, list[Learnt]] = {}
    for arguments, each in rows:
        name = f"{arguments['corpus']}, {each['tokens']:,} words"
        found.setdefault(name, []).append((arguments, each))
    return found


def plot_by_smoothing(
    name: str, by_method: Mapping[str, list[Learnt]], key: str = "ambiguous"
) -> Picture:
    """Draw the accuracy on some words by the smoothing, the more of it the farther to the right.

    A variance and what is added to counts share the axis: a variance of 10 is as far from none as
    0.1 that is added.
    """
    every: dict[float, dict[str, str]] = {}
    smoothed: dict[str, dict[str, None]] = {VARIANCE: {}, COUNT: {}}
    for arguments, _ in (row for own in by_method.values() for row in own):
        kind = COUNT if arguments["method"] in COUNTED else VARIANCE
        smoothed[kind][arguments["method"]] = None
        shown = f"{kind} {show_smoothing(arguments)}"
        every.setdefault(_strength(arguments), {})[kind] = shown
    places = sorted(every)
    names = [
        " or ".join(every[each][kind] for kind in (VARIANCE, COUNT) if kind in every[each])
        if each
        else "none"
        for each in places
    ]
    lines = {
        method: sorted(
            (float(places.index(_strength(arguments))), 100 * share(found[key]))
            for arguments, found in own
        )
        for method, own in by_method.items()
    }
    kinds = {
        VARIANCE: f"{VARIANCE}: variance of the prior",
        COUNT: f"{COUNT}: added to counts of {' and '.join(smoothed[COUNT])}",
    }
    drawn = [said for kind, said in kinds.items() if smoothed[kind]]
    picture = line_plot(
        f"Right tags by smoothing, {name}",
        Axis(f"more smoothing →  ({'; '.join(drawn)})", tuple(names)),
        Axis("ambiguous words tagged right, %"),
        lines,
    )
    return Picture(f"{name}: right tags of ambiguous words by smoothing", picture)


def _strength(arguments: Mapping[str, Any]) -> float:
    """How strong a smoothing is: what is added to counts, or one over a variance."""
    smoothing = arguments["smoothing"] or 0.0
    return smoothing if arguments["method"] in COUNTED or not smoothing else 1 / smoothing


def learning_part(corpus: str, words: int | None, method: str, seconds: float, **more: Any) -> Part:
    """Return a part: a method on a text, with settings that differ from the usual ones."""
    folder = () if corpus == "english" else (corpus,)
    usual = {"corpus": corpus, "words": words, "method": method, "smoothing": USUAL}
    usual |= {
        "development": 0,
        "tag_map": None,
        "dilution": "",
        "spelling": False,
        "criteria": False,
    }
    arguments = {**usual, **more}
    named = [corpus, str(words or "all"), method, show_smoothing(arguments), arguments["dilution"]]
    marks = ["spelling"] if arguments["spelling"] else []
    marks += [f"{arguments['folds']} folds"] if "folds" in arguments else []
    name = " ".join([*filter(None, named), *marks])
    return Part(name, arguments, folder, seconds)
