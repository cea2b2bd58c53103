"""Parsers from files: treebanks, raw sentences with a grammar, and how good a parser is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from weft.arrays import IntArray
from weft.commands.files.inputs import Layout
from weft.commands.files.trees import Terminals, TreeReader
from weft.commands.parses import read_questions, written_tree
from weft.commands.parsing import counts_json
from weft.commands.request import Request
from weft.commands.selecting import Chosen
from weft.commands.tasks.tallies import PER_TOKEN, judge_trees, tree_counts, tree_figures
from weft.commands.tasks.task import Materials, Question, Task, notes_of_files
from weft.corpora.trees.cleaning import names_of
from weft.corpora.trees.spelling import escapes_in
from weft.criteria import complete
from weft.evaluate.brackets import BracketScores
from weft.evaluate.significance import Statistic, f1
from weft.files import Source, name_of
from weft.grammars.forms.notation import read_grammar
from weft.models.grammar.parser import Parser
from weft.models.grammar.scores import assess_parser
from weft.models.grammar.spec import Cfg
from weft.models.options import option
from weft.recipes import Recipe
from weft.structures.evidence import Example
from weft.train.crossvalidation import Columns, Fold


class ParserTask(Task):
    """Context-free grammars."""

    name = "parser"
    kinds = (Cfg, Parser)
    takes = frozenset({"terminals", "clean", "grammar"})

    def read(self, request: Request, plan: Recipe) -> Materials:
        """Read trees, or sentences where the criterion looks at no trees."""
        cfg: Any = plan.model
        terminals = option(Terminals, request.terminals or "words")
        reader = TreeReader(terminals, request.clean, request.layout)
        if terminals is Terminals.TAGS:
            cfg = replace(cfg, rare=0)  # all tags are known
        if request.grammar is not None:
            cfg = replace(cfg, grammar=read_grammar(request.grammar), symbols=0, rare=0)
        needed = plan.criterion is not None and plan.criterion.numerator is complete
        corpus = [each for s in request.sources for each in reader.read(s, trees=needed)]
        held_out = None
        if request.development is not None:
            held_out = reader.read(request.development, trees=True)
        notes = {
            **notes_of_files(request, corpus),
            "terminals": str(terminals),
            "spelling": " ".join(escapes_in(word for each in corpus for word in each.tokens.words)),
            "clean": names_of(reader.steps),
            **({"grammar": Path(name_of(request.grammar)).name} if request.grammar else {}),
        }
        changed = replace(plan, model=cfg)
        return Materials(changed, corpus, held_out, notes, messages=tuple(reader.messages))

    def assess(
        self, trained: Parser, corpus: Sequence[Example], threads: int | None = None
    ) -> BracketScores:
        """Compare trees with those of a corpus."""
        return assess_parser(trained, corpus, threads=threads)

    def score(self, assessed: BracketScores) -> float | None:
        """The F-score of labelled brackets."""
        return assessed.overall.f1

    def training_json(
        self, trained: Parser, given: Materials, assessed: BracketScores | None
    ) -> dict[str, Any]:
        """The number of rules, and the brackets of the development corpus."""
        return {
            "rules": trained.model.grammar.rule_count,
            "development": None if assessed is None else counts_json(assessed.overall),
            "messages": list(given.messages),
        }

    main = "f1"
    columns = {  # noqa: RUF012
        "sentences": ("trees", "count"),
        "precision": ("P", "share"),
        "recall": ("R", "share"),
        "f1": ("F1", "share"),
        "exact_match": ("exact", "share"),
        **PER_TOKEN,
    }

    def judge(
        self,
        trained: Parser,
        seen: Sequence[Example],
        test: Sequence[Example],
        plan: Recipe,  # noqa: ARG002
    ) -> Fold:
        """Count right brackets, beside those of flat trees."""
        return judge_trees(trained, seen, test)

    def figures(self, columns: Columns) -> dict[str, Any]:
        """Precision, recall, F-score and log-likelihoods."""
        return tree_figures(columns)

    def counts(self, columns: Columns) -> tuple[IntArray, Statistic]:
        """Brackets, for their F-score."""
        return tree_counts(columns), f1

    def questions(
        self,
        trained: Parser,
        source: Source,
        layout: Layout,
        chosen: Chosen,  # noqa: ARG002
    ) -> Iterator[Question]:
        """Yield sentences, with their trees where the file is a treebank."""
        for number, (asked, example) in enumerate(read_questions(trained, source, layout), 1):
            shown = partial(written_tree, example.tokens)
            name, text = example.tokens.source, " ".join(example.tokens.columns[-1])
            yield Question(str(number), name, text, asked, example, shown, shown)

    def is_labelled(self, example: Example) -> bool:
        """Whether there is a tree."""
        return example.parse is not None
