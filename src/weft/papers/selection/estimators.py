"""The corpora and estimators of Johnson et al. (1999); see :mod:`weft.papers.johnson_et_al1999`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from weft.arrays import BoolArray
from weft.corpora.bundled import DOMAINS, bundled_lfg, bundled_marked
from weft.corpora.locate import corpus_folder
from weft.corpora.parses.marked import marked_sets
from weft.corpora.parses.profiles import read_profile
from weft.corpora.parses.sets import read_parse_sets
from weft.criteria import Gaussian
from weft.errors import OptionError, no_such
from weft.evaluate.selection import shuffle_analyses
from weft.features.compile import compile_parses
from weft.lfg.parser import load_lfg
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection
from weft.recipes import Recipe, find_recipe, fit_recipe, with_settings
from weft.structures.alternatives import Selected
from weft.structures.parse_set import ParseSet
from weft.train.selection.scale import JOHNSON

LISTED = ("vm", "ec", "csli")
"""Corpora of ``parse-selection``: the English Resource Grammar of 2007."""

PROFILES = ("norsource-igtest", "krg-kpsg", "porgram-core", "indra-mrs")
"""Corpora of ``hpsg-profiles``: Norwegian and Korean, listed; Portuguese and Indonesian, packed."""

MAXIMISERS = ("annealing", "line-search")
"""What the number of right choices is maximised by: the paper's way first."""

TIGHTER = Gaussian(0.49, relative=True)
"""A tenth of the paper's σ."""

Watch = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SelectionCorpus:
    """A corpus of parse sets, ready for estimation.

    Attributes:
        name: What it is called.
        examples: The sentences.
        direct: Of which the right analysis was told by bracketing and lexical entries alone;
            None where that is not said.
    """

    name: str
    examples: list[Selected]
    direct: BoolArray | None


def read_corpus(
    name: str, selection: Selection, seed: int = 0, most: int | None = None
) -> SelectionCorpus:
    """Read a corpus by its name, or its first sentences, and shuffle the analyses of each.

    Args:
        name: Its name.
        selection: What is looked at in analyses.
        seed: Of their order.
        most: Take this many of its sentences at most, from the beginning.

    Raises:
        OptionError: If there is no such corpus.
        WeftError: If it is not in the folder of corpora.
    """
    sets: list[ParseSet]
    if name in LISTED:
        sets = list(read_parse_sets(corpus_folder("parse-selection") / f"{name}.jsonl.gz"))
    elif name in PROFILES:
        sets = list(read_profile(corpus_folder("hpsg-profiles") / name))
    elif name in DOMAINS:
        # Their properties are those of the paper, which the parse sets give.
        sets = list(marked_sets(load_lfg(bundled_lfg()), bundled_marked(name)[:most]))
        selection = replace(selection, properties=())
    else:
        raise OptionError(no_such("corpus", name, (*DOMAINS, *LISTED, *PROFILES)))
    known_sets = [each for each in sets if each.right is not None][:most]
    examples = [compile_parses(each, selection.properties) for each in known_sets]
    flags = [each.flags.get("direct") for each in known_sets]
    direct = None if None in flags else np.array(flags, np.bool_)
    return SelectionCorpus(name, shuffle_analyses(examples, seed), direct)


def estimators(
    steps: int | None = None, maximiser: str | None = None
) -> dict[str, Callable[[Sequence[Selected]], Selector]]:
    """Return the estimators of table 3, and pseudo-likelihood with a tighter prior.

    Args:
        steps: How many changes simulated annealing tries, if not what the recipe says.
        maximiser: What ``max-correct`` is found by, of :data:`MAXIMISERS`; None for the paper's way
            and, as ``line search``, the other one.

    Raises:
        OptionError: If there is no such maximiser.
    """
    if maximiser not in (None, *MAXIMISERS):
        raise OptionError(no_such("maximiser", maximiser, MAXIMISERS))
    likely = replace(find_recipe("parse-selection"), penalty=JOHNSON, tuned=False)
    plans = {
        "pseudo-likelihood": likely,
        "tighter prior": replace(likely, penalty=TIGHTER),
        "max-correct": _most_correct(maximiser or MAXIMISERS[0], steps),
    }
    if maximiser is None:
        plans["line search"] = _most_correct(MAXIMISERS[1], None)
    return {name: partial(_fit, plan) for name, plan in plans.items()}


def _most_correct(maximiser: str, steps: int | None) -> Recipe:
    changed = {"optimiser": maximiser} | ({} if steps is None else {"steps": str(steps)})
    return with_settings(find_recipe("max-correct"), changed)


def _fit(plan: Recipe, corpus: Sequence[Selected]) -> Selector:
    selector: Selector = fit_recipe(plan, corpus, threads=1)
    return selector
