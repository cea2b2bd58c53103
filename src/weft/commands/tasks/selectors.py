"""Selectors from files: parse sets, and how good choices among their analyses are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from weft.arrays import IntArray
from weft.commands.files.inputs import Layout
from weft.commands.request import Request
from weft.commands.selecting import Chosen, check_some, compiled_file, scores_json
from weft.commands.tasks.task import Materials, Question, Task, notes_of_files
from weft.criteria import Unit
from weft.evaluate.selection import SelectionScores, judgements_of
from weft.evaluate.significance import Statistic, accuracy
from weft.files import Source, name_of
from weft.models.selection.scores import judge
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection
from weft.recipes import Recipe
from weft.structures.alternatives import Selected
from weft.structures.parse_set import Packed, ParseSet
from weft.structures.tree import bracketed
from weft.train.crossvalidation import Columns, Fold
from weft.train.selection.choices import choice_counts, judge_choices


class SelectorTask(Task):
    """Choices among the analyses of a grammar."""

    name = "selector"
    kinds = (Selection, Selector)
    takes = frozenset({"only", "skip_broken"})

    def read(self, request: Request, plan: Recipe) -> Materials:
        """Read parse sets, whose trees are forgotten when their features are known."""
        chosen = Chosen(request.only, request.skip_broken)
        selection: Any = plan.model
        properties = selection.properties
        corpus = [
            each for source in request.sources for each in compiled_file(chosen, source, properties)
        ]
        check_some(corpus, [name_of(source) for source in request.sources])
        held_out = None
        if request.development is not None:
            held_out = list(compiled_file(chosen, request.development, properties))
        notes = notes_of_files(request, corpus)
        del notes["tokens"]  # which are analyses or edges here
        notes |= {"only": request.only} if request.only else {}
        broken = tuple(map(str, chosen.broken))
        return Materials(plan, corpus, held_out, notes, broken=broken)

    def assess(
        self, trained: Selector, corpus: Sequence[Selected], threads: int | None = None
    ) -> SelectionScores:
        """Compare choices with the right ones."""
        return judge(trained.model, trained.weights, corpus, threads).scores()

    def score(self, assessed: SelectionScores) -> float | None:
        """The share of right choices."""
        return assessed.accuracy

    main = "correct"
    columns = {  # noqa: RUF012
        "ambiguous": ("sentences", "count"),
        "correct": ("C", "share"),
        "neg_log_pl": ("−log PL", "number"),
        "expected_accuracy": ("expected", "share"),
        "top.2": ("top 2", "share"),
        "top.5": ("top 5", "share"),
    }

    def dealt(self, corpus: Sequence[Selected]) -> list[Selected]:
        """Leave out those without a right analysis."""
        return [each for each in corpus if each.analysis is not None]

    def judge(
        self, trained: Selector, seen: Sequence[Selected], test: Sequence[Selected], plan: Recipe
    ) -> Fold:
        """Judge choices; of an estimator that only counts them, with a fitted scale, too."""
        scale = plan.criterion is not None and plan.criterion.unit is Unit.CHOICE
        return judge_choices(trained, seen, test, scale=scale)

    def figures(self, columns: Columns) -> dict[str, Any]:
        """Right choices, their probability and their place in the ranking."""
        return scores_json(judgements_of(columns).scores())

    def counts(self, columns: Columns) -> tuple[IntArray, Statistic]:
        """Right choices in ambiguous sentences, for their share."""
        return choice_counts(judgements_of(columns)), accuracy

    def questions(
        self,
        trained: Selector,
        source: Source,
        layout: Layout,  # noqa: ARG002
        chosen: Chosen,
    ) -> Iterator[Question]:
        """Yield parse sets."""
        for each in chosen.read(source):
            [example] = trained.compiled([each])
            given = example.evidence(labelled=False)
            shown = partial(_derivation, each)
            yield Question(each.id, each.id, each.text, given, example, shown, lambda a: a)

    def training_json(
        self, trained: Selector, given: Materials, assessed: SelectionScores | None
    ) -> dict[str, Any]:
        """The number of analyses, and the choices on both corpora."""
        return {
            "analyses": sum(len(each.tokens) for each in given.corpus),
            "training": scores_json(self.assess(trained, given.corpus)),
            "development": None if assessed is None else scores_json(assessed),
            "broken": list(given.broken),
        }


def _derivation(parse_set: ParseSet, answer: Any) -> str | None:
    """The derivation of a listed analysis, if it has one."""
    analyses = parse_set.analyses
    tree = None if isinstance(analyses, Packed) else analyses[answer].tree
    return None if tree is None else bracketed(tree)
