"""Parsers from files: treebanks, raw sentences with a grammar, and how good a parser is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import exp
from pathlib import Path
from typing import Any, ClassVar

from weft.arrays import IntArray
from weft.commands.asking import json_line
from weft.commands.files.inputs import FileLayout, read_rules
from weft.commands.files.outputs import check_output
from weft.commands.files.trees import Terminals, TreeReader
from weft.commands.how import Found, How
from weft.commands.inspection import Facts
from weft.commands.parses import BATCH, Parsed, Tags, parse_file, read_questions, written_tree
from weft.commands.parsing import counts_json, evaluate_parser, inspect_parser
from weft.commands.request import Request
from weft.commands.selecting import Chosen
from weft.commands.tasks.reading import gather, notes_of_files
from weft.commands.tasks.tallies import PER_TOKEN, judge_trees, tree_counts, tree_figures
from weft.commands.tasks.task import DECODERS, LAYOUT, Materials, Question, Task
from weft.commands.tasks.tree_looks import TREES
from weft.corpora.trees.cleaning import names_of
from weft.corpora.trees.spelling import escapes_in
from weft.criteria import complete
from weft.errors import NotDefined, OptionError
from weft.evaluate.brackets import BracketScores
from weft.evaluate.significance import Statistic, f1
from weft.files import Source, name_of, write_text
from weft.grammars.sums.partition import partition
from weft.models.answers import Decoder
from weft.models.grammar.model import GrammarModel
from weft.models.grammar.spec import Cfg
from weft.models.options import Normalisation, option
from weft.models.tree_parser import TreeParser
from weft.models.tree_scores import assess_parser
from weft.recipes import Recipe
from weft.report.trees import indent_tree, tree_svg
from weft.structures.evidence import Example
from weft.structures.grammar import Grammar
from weft.structures.stream import joined
from weft.structures.tree import Tree
from weft.train.crossvalidation import Columns, Fold


class TreeTask(Task):
    """Models whose answers are trees."""

    measure = "F1"
    looks = TREES
    takes: ClassVar[Mapping[str, frozenset[str]]] = {
        "train": frozenset({"terminals", "clean"}),
        "predict": LAYOUT | {"--indent", "--svg"},
        "explain": LAYOUT,
        "evaluate": DECODERS | {"--format"},
        "inspect": frozenset({"--top"}),
    }

    def read(self, request: Request, plan: Recipe) -> Materials:
        """Read trees, or sentences where the criterion looks at no trees."""
        cfg: Any = plan.model
        terminals = option(Terminals, request.terminals or "words")
        reader = TreeReader(terminals, request.clean, request.layout)
        if terminals is Terminals.TAGS:
            cfg = replace(cfg, rare=0)  # all tags are known
        if request.grammar is not None:
            cfg = replace(cfg, grammar=read_rules(request.grammar), symbols=0, rare=0)
        needed = plan.criterion is None or plan.criterion.numerator is complete
        if request.layout.options and (needed or all(map(reader.has_trees, request.sources))):
            raise OptionError(
                f"{request.layout.options[0]} is for files of sentences, and {plan.name} learns "
                "from trees here: leave it out"
            )
        corpus = joined(
            [gather(request, partial(reader.stream, s, trees=needed)) for s in request.sources]
        )
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
        told = tuple(dict.fromkeys(reader.messages))  # a stream has been read more than once
        return Materials(changed, corpus, held_out, notes, messages=told)

    def assess(
        self,
        trained: TreeParser,
        corpus: Sequence[Example],
        threads: int | None = None,
        decoder: Decoder | None = None,
    ) -> BracketScores:
        """Compare trees with those of a corpus."""
        return assess_parser(trained, corpus, threads=threads, decoder=decoder)

    def sizes(self, trained: Any) -> dict[str, int]:  # noqa: ARG002
        """Return what is counted of a model, beside its features."""
        return {}

    def contents(self, trained: TreeParser) -> str:
        """The numbers of rules, say, and of features."""
        sizes = [f"{size:,} {name}" for name, size in self.sizes(trained).items()]
        return ", ".join([*sizes, Task.contents(self, trained)])

    def score(self, assessed: BracketScores) -> float | None:
        """The F-score of labelled brackets."""
        return assessed.overall.f1

    def training_json(
        self, trained: TreeParser, given: Materials, assessed: BracketScores | None
    ) -> dict[str, Any]:
        """The number of rules, and the brackets of the development corpus."""
        return {
            **self.sizes(trained),
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
        trained: TreeParser,
        seen: Sequence[Example],
        test: Sequence[Example],
        plan: Recipe | None,  # noqa: ARG002
    ) -> Fold:
        """Count right brackets, beside those of flat trees."""
        return judge_trees(trained, seen, test)

    def figures(self, columns: Columns) -> dict[str, Any]:
        """Precision, recall, F-score and log-likelihoods."""
        return tree_figures(columns)

    def counts(self, columns: Columns) -> tuple[IntArray, Statistic]:
        """Brackets, for their F-score."""
        return tree_counts(columns), f1

    def gold(self, example: Example) -> Any:
        """The tree, with the words as they were given."""
        tree = example.parse
        return written_tree(example.tokens, tree) if isinstance(tree, Tree) else tree

    def questions(
        self,
        trained: TreeParser,
        source: Source,
        layout: FileLayout,
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

    def tags(self, trained: TreeParser, how: How) -> Tags | None:  # noqa: ARG002
        """Return the tags that words may have for a parser that reads tags; None for no lattice."""
        return None

    def predict(self, trained: TreeParser, source: Source, how: How) -> Iterator[str]:
        """Yield trees."""
        root = trained.model.alphabet.root
        as_json = how.json or how.ask.marginals
        if how.indent and as_json:
            raise OptionError(
                "--indent prints trees over several lines, and JSON has a line per sentence: leave "
                "one of the two out"
            )
        parses = parse_file(
            trained,
            source,
            how.ask,
            layout=how.layout,
            threads=how.threads,
            batch=1 if how.typed else BATCH,
            tags=self.tags(trained, how),
        )
        for number, parsed in enumerate(parses, 1):
            if how.svg is not None:
                _draw(parsed, how.svg, number, how)
            if parsed.problem:
                flat = "" if as_json else "; a flat tree is printed"
                how.told(f"{parsed.tokens.source}: {parsed.problem}{flat}")
            if parsed.note:
                how.told(f"{parsed.tokens.source}: {parsed.note}")
            if as_json:
                yield json_line(parsed.as_json())
            elif how.indent:
                yield "".join(indent_tree(tree) + "\n\n" for tree in parsed.printed(root))
            else:
                yield parsed.brackets(root) + ("\n\n" if how.ask.several else "\n")

    def evaluate(self, trained: TreeParser, source: Source, how: How) -> Found:
        """Compare trees with those of a file."""
        found = evaluate_parser(
            trained, source, layout=how.layout, threads=how.threads, decoder=how.decoder
        )
        for message in found.messages:
            how.told(message)
        return found


class ParserTask(TreeTask):
    """Context-free grammars."""

    name = "parser"
    kinds = (Cfg, GrammarModel)
    takes: ClassVar[Mapping[str, frozenset[str]]] = {
        **TreeTask.takes,
        "train": TreeTask.takes["train"] | {"grammar"},
        "inspect": TreeTask.takes["inspect"] | {"--mass"},
    }

    def sizes(self, trained: Any) -> dict[str, int]:
        """The number of rules."""
        return {"rules": trained.model.grammar.rule_count}

    def inspect(self, trained: Any, count: int, tag: str | None, kind: str) -> Found:  # noqa: ARG002
        """List the heaviest rules."""
        return inspect_parser(trained, count=count)

    def mass(self, trained: Any, count: int) -> Found:
        """Report how much of a parser's probability its parses have.

        Raises:
            NotDefined: If its weights are no probabilities, or all trees of its grammar are parses.
        """
        product = trained.model.product
        if trained.model.normalisation is Normalisation.NONE:
            raise NotDefined("free weights of rules are no probabilities")
        if product is None:
            return Task.mass(self, trained, count)
        weighted = replace(product.grammar, weights=trained.grammar.weights[product.origins])
        shares = {
            "finished": partition(trained.grammar).log_value,
            "canonical": partition(weighted).log_value,
        }
        finished, canonical = (f"{100 * exp(share):.2f} %" for share in shares.values())
        told = {
            "finished": f"{finished} of the probability is that of finished trees",
            "canonical": f"{canonical} is that of canonical binary trees, the only parses",
        }
        return Facts(told, {name: exp(share) for name, share in shares.items()})

    def grammar(self, trained: Any) -> Grammar:
        """Return the parser's grammar."""
        found: Grammar = trained.grammar
        return found


def _draw(parsed: Parsed, folder: Path, number: int, how: How) -> None:
    """Draw a sentence's trees: 1.svg, or 1-1.svg, 1-2.svg and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    for place, tree in enumerate(parsed.trees, 1):
        path = folder / (f"{number}-{place}.svg" if how.ask.several else f"{number}.svg")
        check_output(path, how.inputs, force=how.force)
        with write_text(path) as stream:
            stream.write(tree_svg(tree, " ".join(parsed.tokens.columns[-1])))
