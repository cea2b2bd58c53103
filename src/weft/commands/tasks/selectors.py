"""Selectors from files: parse sets, and how good choices among their analyses are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from weft.arrays import IntArray
from weft.commands.asking import json_line
from weft.commands.files.inputs import FileLayout, StrPath, open_model
from weft.commands.how import Found, How
from weft.commands.inspection import inspect_features
from weft.commands.request import Request
from weft.commands.selecting import (
    Chosen,
    check_reference,
    check_some,
    compiled_file,
    compiled_sets,
    evaluate_selector,
    scores_json,
    select_file,
)
from weft.commands.tasks.looks import ANALYSES
from weft.commands.tasks.reading import gather, notes_of_files
from weft.commands.tasks.task import Materials, Question, Task
from weft.corpora.parses.derivations import write_derivation
from weft.corpora.parses.sets import read_parse_sets
from weft.criteria import Unit
from weft.errors import FormatError, OptionError
from weft.evaluate.diagnostics import diagnose
from weft.evaluate.selection import SelectionScores, judgements_of
from weft.evaluate.significance import Statistic, accuracy
from weft.files import Source, name_of
from weft.models.answers import Answering, Decoder
from weft.models.selection.model import SelectionModel
from weft.models.selection.scores import judge
from weft.models.selection.selector import Selector
from weft.models.selection.spec import Selection
from weft.recipes import Recipe
from weft.report.tables import percent
from weft.structures.alternatives import Selected
from weft.structures.parse_set import Packed, ParseSet
from weft.structures.stream import Corpus, Stream, joined, token_count
from weft.train.crossvalidation import Columns, Fold
from weft.train.selection.choices import choice_counts, judge_choices

_PARSE_SETS = frozenset({"--only", "--skip-broken"})


class SelectorTask(Task):
    """Choices among the analyses of a grammar."""

    name = "model for parse sets"
    kinds = (Selection, SelectionModel)
    measure = "Right choices"
    looks = ANALYSES
    takes: ClassVar[Mapping[str, frozenset[str]]] = {
        "train": frozenset({"only", "skip_broken", "reference", "universe"}),
        "predict": _PARSE_SETS,
        "explain": _PARSE_SETS,
        "evaluate": _PARSE_SETS,
        "inspect": frozenset({"--top", "--kind"}),
    }

    def read(self, request: Request, plan: Recipe) -> Materials:
        """Read parse sets, whose trees are forgotten when their features are known."""
        chosen = Chosen(request.only, request.skip_broken)
        selection: Any = plan.model
        corpus = joined(
            [
                gather(request, partial(compiled_file, chosen, source, selection))
                for source in request.sources
            ]
        )
        check_some(corpus, [name_of(source) for source in request.sources])
        held_out = None
        if request.development is not None:
            held_out = list(compiled_file(chosen, request.development, selection))
        notes = notes_of_files(request, corpus)
        del notes["tokens"]  # which are analyses or edges here
        notes |= {"only": request.only} if request.only else {}
        messages: tuple[str, ...] = ()
        if request.reference is not None:
            notes["reference"] = Path(request.reference).name
            messages = (check_reference(corpus, notes["reference"]),)
        return Materials(plan, corpus, held_out, notes, messages=messages, broken=chosen.left_out)

    def plan(self, request: Request, plan: Recipe) -> Recipe:
        """Give the model its reference distribution, and its universe."""
        selection: Any = plan.model
        if request.universe is not None:
            selection = replace(selection, universe=_universe(request.universe))
            plan = replace(plan, model=selection)
        if request.reference is None:
            return plan
        reference = open_model(request.reference)
        if not isinstance(reference, Answering):
            raise OptionError(f"{request.reference}: such a model says nothing of analyses")
        return replace(plan, model=replace(selection, reference=reference))

    def assess(
        self,
        trained: Selector,
        corpus: Sequence[Selected],
        threads: int | None = None,
        decoder: Decoder | None = None,  # noqa: ARG002
    ) -> SelectionScores:
        """Compare choices with the right ones."""
        return judge(trained.model, trained.weights, corpus, threads).scores()

    def extent(self, trained: Selector, corpus: Corpus) -> str:
        """The numbers of sentences that have several analyses, and of all analyses."""
        if isinstance(corpus, Stream):
            return f"{token_count(corpus):,} analyses or edges"
        several = self.assess(trained, corpus).ambiguous
        return f"{several:,} ambiguous, {sum(map(_size, corpus)):,} analyses or edges"

    def remarks(self, trained: Selector, corpus: Corpus) -> list[str]:
        """The choices on the training corpus, and which features say too little or too much."""
        if isinstance(corpus, Stream):
            return []
        share = percent(self.assess(trained, corpus).accuracy)
        found = diagnose(corpus)
        chosen = trained.notes.get("forward", "").splitlines()
        return [
            *(
                f"Forward selection {line}:" if not place else f"  {line}"
                for place, line in enumerate(chosen)
            ),
            f"Features of the corpus: {found.features:,}; {found.pseudo_constant:,} "
            f"pseudo-constant, which decide nothing; {found.pseudo_maximal:,} pseudo-maximal and "
            f"{found.pseudo_minimal:,} pseudo-minimal, which only a penalty holds back.",
            f"Right choices on the training corpus: {share} of the ambiguous sentences",
        ]

    def is_labelled(self, example: Selected) -> bool:
        """Whether it is said which analysis is right."""
        return example.analysis is not None

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
        self,
        trained: Selector,
        seen: Sequence[Selected],
        test: Sequence[Selected],
        plan: Recipe | None,
    ) -> Fold:
        """Judge choices; of an estimator that only counts them, with a fitted scale, too."""
        criterion = None if plan is None else plan.criterion
        scale = criterion is not None and criterion.unit is Unit.CHOICE
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
        layout: FileLayout,  # noqa: ARG002
        chosen: Chosen,
    ) -> Iterator[Question]:
        """Yield parse sets."""
        for each, example in compiled_sets(chosen, source, trained.model.selection):
            given = example.evidence(labelled=False)
            shown = partial(_derivation, each)
            yield Question(each.id, each.id, each.text, given, example, shown, lambda a: a)

    def training_json(
        self, trained: Selector, given: Materials, assessed: SelectionScores | None
    ) -> dict[str, Any]:
        """The number of analyses, which features there are, and the choices on both corpora."""
        found = diagnose(given.corpus)
        return {
            "analyses": sum(map(_size, given.corpus)),
            "diagnosis": {
                "features": found.features,
                "pseudo_constant": found.pseudo_constant,
                "pseudo_maximal": found.pseudo_maximal,
                "pseudo_minimal": found.pseudo_minimal,
            },
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
        properties = [str(each) for each in trained.model.selection.properties]
        return inspect_features(trained, count, kind, properties=properties)


def _universe(path: StrPath) -> ParseSet:
    """The only parse set of a file.

    Raises:
        FormatError: If it has none, or several.
    """
    found = list(islice(read_parse_sets(path), 2))
    if len(found) != 1:
        raise FormatError(
            f"a universe is one parse set, with the analyses of all sentences, and here "
            f"{'is none' if not found else 'are several'}: write it with 'weft unify propose'",
            path=name_of(path),
        )
    return found[0]


def _size(example: Selected) -> int:
    return len(example.tokens)


def _derivation(parse_set: ParseSet, answer: Any) -> str | None:
    """The derivation of a listed analysis, if it has one."""
    analyses = parse_set.analyses
    tree = None if isinstance(analyses, Packed) else analyses[answer].tree
    if tree is None:
        return None
    written = write_derivation(tree)
    return written if isinstance(written, str) else json.dumps(written, ensure_ascii=False)
