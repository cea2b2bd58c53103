"""What a selection model should look at: properties or features, added as long as it helps.

What is added is judged by cross-validation on the training corpus: by the pseudo-likelihood of
sentences that were held out. Properties are few, and each that is left is tried in every round.
Features are many: the most useful join several at a time (:mod:`weft.train.selection.forward`).

Reference: Della Pietra, Della Pietra and Lafferty (1997), "Inducing Features of Random Fields";
Johnson et al. (1999), section 5, for why to have fewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weft.criteria import Gaussian
from weft.errors import OptionError
from weft.evaluate.selection import SelectionScores, judgements_of
from weft.features.compile import GIVEN
from weft.models.selection.model import prepare_selection
from weft.models.selection.scores import judge
from weft.models.selection.spec import Forward, Selection
from weft.ranking import by_value
from weft.reprs import count_things
from weft.structures.alternatives import Selected
from weft.train.crossvalidation import BASELINE, ESTIMATED, crossvalidation, deal
from weft.train.estimation import fit
from weft.train.selection.choices import choices_of
from weft.train.selection.forward import selection_curve

FOLDS = 5
_PATIENCE = 2  # numbers of features without a gain
_GAIN = 0.01  # of −log PL: what gains less is left out
_SHOWN = 3  # names of features that join together


@dataclass(frozen=True, slots=True)
class Round:
    """What was added, and how good models with it are on what was held out.

    Attributes:
        added: Names of properties or features; empty for what there was at first.
        neg_log_pl: −log PL of all held-out sentences.
        accuracy: C of them; None where none is ambiguous.
        features: How many features there are, where these are counted.
        kept: Whether it is part of the model.
    """

    added: tuple[str, ...]
    neg_log_pl: float
    accuracy: float | None
    features: int | None = None
    kept: bool = True

    def __str__(self) -> str:
        more = len(self.added) - _SHOWN
        some = "".join(f"+ {name} " for name in self.added[:_SHOWN])
        some += f"and {more:,} more " if more > 0 else ""
        some += "" if self.features is None else f"({count_things(self.features, 'feature')}) "
        share = "" if self.accuracy is None else f", C {100 * self.accuracy:.2f} %"
        left = "" if self.kept else ", left out"
        return f"{some.strip() or 'nothing'}: −log PL {self.neg_log_pl:,.1f}{share}{left}"


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a model is to look at, and what it was chosen by.

    Attributes:
        selection: The choice.
        rounds: What was added, in this order; and at last what did not help.
        folds: Of the cross-validation.
    """

    selection: Selection
    rounds: tuple[Round, ...]
    folds: int

    def __str__(self) -> str:
        return "\n".join([f"by {self.folds}-fold cross-validation", *map(str, self.rounds)])


def choose_forward(
    selection: Selection,
    corpus: Sequence[Selected],
    penalty: Gaussian,
    *,
    seed: int = 0,
    threads: int | None = None,
) -> Chosen:
    """Choose properties or features, as a specification asks for.

    Args:
        selection: What there is to choose from.
        corpus: The sentences.
        penalty: What large weights cost in the meantime.
        seed: Deals sentences to folds.
        threads: How many threads to use, all by default; no result depends on it.

    Raises:
        OptionError: If there is nothing to choose from, or too little to choose by.
    """
    known = [each for each in corpus if each.analysis is not None]
    folds = min(FOLDS, len(known))
    if folds < 2:
        raise OptionError(
            "forward selection holds sentences out: give at least two, of which is "
            "known which analysis is right"
        )
    asked = replace(selection, forward=Forward.NONE)
    choose = _properties if selection.forward is Forward.PROPERTIES else _features
    return choose(asked, known, penalty, folds, seed, threads)


def _properties(
    selection: Selection,
    corpus: Sequence[Selected],
    penalty: Gaussian,
    folds: int,
    seed: int,
    threads: int | None,
) -> Chosen:
    left = {each.name: each for each in selection.properties}
    if len(left) < 2:
        raise OptionError(
            "forward=properties chooses among several properties, and there is "
            f"{len(left) or 'none'}: name more of them, or --set properties=all (packed analyses: "
            "local)"
        )
    names = {name for each in corpus for name in each.tokens.names}

    def held_out(kinds: Sequence[str]) -> dict[str, SelectionScores]:
        some = frozenset(name for name in names if name[0] in (GIVEN, *kinds))
        tried = replace(selection, only=some)
        found = crossvalidation(
            choices_of(lambda seen: fit(tried, seen, penalty=penalty, threads=1)),
            corpus,
            folds=folds,
            seed=seed,
            threads=threads,
        )
        return {name: judgements_of(each).scores() for name, each in found.judged.items()}

    given = any(name[0] == GIVEN for name in names)
    first = held_out(()) if given else held_out([next(iter(left))])
    rounds = [_round((), [first[ESTIMATED if given else BASELINE]])]
    chosen: list[str] = []
    while left:
        several = {name: held_out([*chosen, name])[ESTIMATED] for name in left}
        best = by_value(several.items(), lambda pair: -pair[1].neg_log_pl)[0][0]
        gains = several[best].neg_log_pl < (1.0 - _GAIN) * rounds[-1].neg_log_pl
        rounds.append(replace(_round((best,), [several[best]]), kept=gains))
        if not gains:
            break
        chosen.append(best)
        del left[best]
    if not chosen and not given:
        raise OptionError(f"no property helps on held-out sentences: {rounds[-1]}")
    kept = {each.name: each for each in selection.properties}
    some = frozenset(name for name in names if name[0] in (GIVEN, *chosen))
    found = replace(selection, properties=tuple(kept[name] for name in chosen), only=some)
    return Chosen(found, tuple(rounds), folds)


def _features(
    selection: Selection,
    corpus: Sequence[Selected],
    penalty: Gaussian,
    folds: int,
    seed: int,
    threads: int | None,
) -> Chosen:
    model = prepare_selection(selection, corpus)
    sizes = list(_sizes(len(model.names)))
    dealt = deal(len(corpus), folds, seed).tolist()
    pairs = list(zip(corpus, dealt, strict=True))
    curves = [
        selection_curve(
            selection,
            [each for each, own in pairs if own != fold],
            [each for each, own in pairs if own == fold],
            sizes,
            penalty=penalty,
            threads=threads,
        )
        for fold in range(folds)
    ]
    baseline = judge(model, np.zeros(len(model.names)), corpus, threads).scores()
    rounds = [_round((), [baseline])]
    best = 0
    for points in zip(*curves, strict=False):  # all folds have a model of this size
        found = _round((), [point.test for point in points])
        rounds.append(replace(found, features=points[0].features))
        if found.neg_log_pl < (1.0 - _GAIN) * rounds[best].neg_log_pl:
            best = len(rounds) - 1
        elif len(rounds) - 1 - best >= _PATIENCE:
            break
    if not best:
        raise OptionError(f"no feature helps on held-out sentences: {rounds[-1]}")
    whole = selection_curve(
        selection, corpus, corpus, sizes[:best], penalty=penalty, threads=threads
    )
    added = [point.added for point in whole]
    names = frozenset(name for some in added for name in some)
    kept = tuple(each for each in selection.properties if each.name in {kind for kind, _ in names})
    shown = [tuple(f"{kind}: {name}" for kind, name in some) for some in added]
    joined = [replace(each, added=some) for each, some in zip(rounds[1:], shown, strict=False)]
    left = [replace(each, kept=False) for each in rounds[best + 1 :]]
    rounds = [rounds[0], *joined, *left]
    return Chosen(replace(selection, properties=kept, only=names), tuple(rounds), folds)


def _sizes(features: int) -> Iterator[int]:
    """1, 2, 5, 10, 20, 50 and so on, and at last all."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if digit * power >= features:
                yield features
                return
            yield digit * power
        power *= 10


def _round(added: tuple[str, ...], several: Sequence[SelectionScores]) -> Round:
    """What several parts of the corpus come to."""
    ambiguous = sum(each.ambiguous for each in several)
    correct = sum(each.correct for each in several)
    value = sum(each.neg_log_pl for each in several)
    return Round(added, value, correct / ambiguous if ambiguous else None)
