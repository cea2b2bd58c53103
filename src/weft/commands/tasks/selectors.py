"""Selectors from files: parse sets, and how good choices among their analyses are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from weft.commands.asking import json_line
from weft.commands.explanation import inspect_selector
from weft.commands.how import Found, How
from weft.commands.request import Request
from weft.commands.selecting import (
    Chosen,
    check_some,
    compiled_file,
    evaluate_selector,
    scores_json,
    select_file,
)
from weft.commands.tasks.task import Materials, Task, notes_of_files
from weft.evaluate.selection import SelectionScores
from weft.files import Source, name_of
from weft.models.answers import Decoder
from weft.models.selection.model import SelectionModel
from weft.models.selection.scores import judge
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection
from weft.recipes import Recipe
from weft.report.tables import percent
from weft.structures.alternatives import Selected

_PARSE_SETS = frozenset({"--only", "--skip-broken"})


class SelectorTask(Task):
    """Choices among the analyses of a grammar."""

    name = "model for parse sets"
    kinds = (Selection, SelectionModel)
    measure = "Right choices"
    takes: ClassVar[Mapping[str, frozenset[str]]] = {
        "train": frozenset({"only", "skip_broken"}),
        "predict": _PARSE_SETS,
        "evaluate": _PARSE_SETS,
        "inspect": frozenset({"--top", "--kind"}),
    }

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
        self,
        trained: Selector,
        corpus: Sequence[Selected],
        threads: int | None = None,
        decoder: Decoder | None = None,  # noqa: ARG002
    ) -> SelectionScores:
        """Compare choices with the right ones."""
        return judge(trained.model, trained.weights, corpus, threads).scores()

    def extent(self, trained: Selector, corpus: Sequence[Selected]) -> str:
        """The numbers of sentences that have several analyses, and of all analyses."""
        several = self.assess(trained, corpus).ambiguous
        return f"{several:,} ambiguous, {sum(map(_size, corpus)):,} analyses or edges"

    def remarks(self, trained: Selector, corpus: Sequence[Selected]) -> list[str]:
        """The choices on the training corpus."""
        share = percent(self.assess(trained, corpus).accuracy)
        return [f"Right choices on the training corpus: {share} of the ambiguous sentences"]

    def is_labelled(self, example: Selected) -> bool:
        """Whether it is said which analysis is right."""
        return example.analysis is not None

    def training_json(
        self, trained: Selector, given: Materials, assessed: SelectionScores | None
    ) -> dict[str, Any]:
        """The number of analyses, and the choices on both corpora."""
        return {
            "analyses": sum(map(_size, given.corpus)),
            "training": scores_json(self.assess(trained, given.corpus)),
            "development": None if assessed is None else scores_json(assessed),
            "broken": list(given.broken),
        }

    def predict(self, trained: Selector, source: Source, how: How) -> Iterator[str]:
        """Yield the analyses of each parse set in their order."""
        ask = how.ask
        older = not how.json and not ask.marginals and ask.sample is None and ask.decoder is None
        for each in select_file(trained, source, ask, chosen=how.chosen, threads=how.threads):
            yield json_line(each.ranking_json() if older else each.as_json())

    def evaluate(self, trained: Selector, source: Source, how: How) -> Found:
        """Compare choices with the right ones of a file."""
        return evaluate_selector(trained, source, chosen=how.chosen, threads=how.threads)

    def inspect(self, trained: Selector, count: int, tag: str | None, kind: str) -> Found:  # noqa: ARG002
        """List the strongest features."""
        return inspect_selector(trained, count=count, kind=kind)


def _size(example: Selected) -> int:
    return len(example.tokens)
