"""What commands do with a model, by its kind: the only place where they ask which kind it is.

``predict``, ``evaluate`` and ``inspect`` are written once. A kind of model says how each is done,
and which options it has a use for; what it has none for is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from weft.commands.asking import PLAIN, Ask, json_line
from weft.commands.evaluation import evaluate
from weft.commands.explanation import inspect_selector
from weft.commands.files.inputs import UNSAID, Layout
from weft.commands.files.outputs import check_output
from weft.commands.files.recognition import Told
from weft.commands.inspection import inspect
from weft.commands.parses import BATCH, Parsed, parse_file
from weft.commands.parsing import evaluate_parser, inspect_parser
from weft.commands.prediction import BATCH_TOKENS, predict, tag_file
from weft.commands.selecting import Chosen, evaluate_selector, select_file
from weft.errors import OptionError
from weft.files import Source, write_text
from weft.models.chain.model import ChainModel
from weft.models.grammar.model import GrammarModel
from weft.models.grammar.parser import Parser
from weft.models.model import Trained
from weft.models.selection.model import SelectionModel
from weft.models.selection.selector import Selector
from weft.models.tables import TableModel
from weft.models.tagger import Decoder, Tagger
from weft.report.trees import indented, tree_svg


@dataclass(frozen=True, slots=True)
class How:
    """How a file is read, asked about and answered; each kind of model takes what concerns it.

    Attributes:
        ask: What is asked about each sentence.
        layout: What is said about the file's format.
        chosen: Which parse sets are taken.
        json: Whether answers are written as JSON, an object a sentence.
        indent: Whether trees are written over several lines.
        svg: A folder that trees are drawn in, too.
        inputs: The files that are read, which no drawing may replace.
        force: Whether it may.
        decoder: How answers are chosen that are compared with others.
        tag_map: A map that makes gold tags coarse.
        strict: Whether a gold tag is refused that the dictionary excludes.
        typed: Whether sentences are typed, and so each is answered at once.
        threads: How many threads to use, all by default; no result depends on it.
        told: Told what a user may want to know.
    """

    ask: Ask = PLAIN
    layout: Layout = UNSAID
    chosen: Chosen = field(default_factory=Chosen)
    json: bool = False
    indent: bool = False
    svg: Path | None = None
    inputs: tuple[Path, ...] = ()
    force: bool = False
    decoder: Decoder | None = None
    tag_map: str | None = None
    strict: bool = False
    typed: bool = False
    threads: int | None = None
    told: Told = lambda message: None  # noqa: ARG005


class Found(Protocol):
    """What a command has found: for programs here, and for people in :mod:`weft.cli`."""

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        ...


@dataclass(frozen=True, slots=True)
class Use:
    """What commands do with a kind of model.

    Attributes:
        kind: What such a model is called.
        predict: Yields what is written of each sentence of a file.
        evaluate: Says how good a model is on a file.
        inspect: Looks into a model, given how many features to list, a tag and a pattern of kinds.
        takes: By command, the options that it has a use for beside those that every kind has.
    """

    kind: str
    predict: Callable[[Any, Source, How], Iterator[str]]
    evaluate: Callable[[Any, Source, How], Found]
    inspect: Callable[[Any, int, str | None, str], Found]
    takes: Mapping[str, frozenset[str]]

    def check(self, command: str, options: Iterable[str]) -> None:
        """Refuse options that a command takes, but has no use for with such a model.

        Args:
            command: The command.
            options: Those that were given, such as ``--svg``.

        Raises:
            OptionError: With what to do.
        """
        special = frozenset().union(*(each.takes[command] for each in USES.values()))
        mine = self.takes[command]
        for option in options:
            if option in special - mine:
                able = [each.kind for each in USES.values() if option in each.takes[command]]
                some = [kind for kind in able if not kind.startswith(tuple(f"{k} " for k in able))]
                raise OptionError(
                    f"{option} is for a {' or a '.join(some)}, and this model is a {self.kind}: "
                    f"leave it out; beside what every model takes, weft {command} takes for a "
                    f"{self.kind}: {', '.join(sorted(mine)) or 'nothing'}"
                )


def use_of(model: Trained) -> Use:
    """Return what commands do with a model.

    Raises:
        OptionError: If no command knows models of its kind.
    """
    use = USES.get(type(model.model))
    if use is None:
        raise OptionError(f"no command knows what to do with a {type(model.model).__name__}")
    return use


def _tagged(tagger: Tagger, source: Source, how: How) -> Iterator[str]:
    ask = how.ask
    if not how.json and not ask.several and not ask.marginals:
        yield from predict(
            tagger,
            source,
            layout=how.layout,
            decoder=ask.decoder,
            threads=how.threads,
            batch_tokens=1 if how.typed else BATCH_TOKENS,
            told=how.told,
        )
        return
    for tagging in tag_file(
        tagger,
        source,
        ask,
        layout=how.layout,
        threads=how.threads,
        batch_tokens=1 if how.typed else BATCH_TOKENS,
        told=how.told,
    ):
        if how.json or ask.marginals:
            yield json_line(tagging.as_json())
        else:
            yield tagging.lines + "\n"


def _parsed(parser: Parser, source: Source, how: How) -> Iterator[str]:
    grammar = parser.model.grammar
    root = grammar.nonterminals[grammar.start]
    as_json = how.json or how.ask.marginals
    if how.indent and as_json:
        raise OptionError(
            "--indent prints trees over several lines, and JSON has a line a sentence: leave one "
            "of the two out"
        )
    parses = parse_file(
        parser,
        source,
        how.ask,
        layout=how.layout,
        threads=how.threads,
        batch=1 if how.typed else BATCH,
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
            yield "".join(indented(tree) + "\n\n" for tree in parsed.printed(root))
        else:
            yield parsed.brackets(root) + ("\n\n" if how.ask.several else "\n")


def _draw(parsed: Parsed, folder: Path, number: int, how: How) -> None:
    """Draw a sentence's trees: 1.svg, or 1-1.svg, 1-2.svg and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    for place, tree in enumerate(parsed.trees, 1):
        path = folder / (f"{number}-{place}.svg" if how.ask.several else f"{number}.svg")
        check_output(path, how.inputs, force=how.force)
        with write_text(path) as stream:
            stream.write(tree_svg(tree, " ".join(parsed.tokens.columns[-1])))


def _selected(selector: Selector, source: Source, how: How) -> Iterator[str]:
    ask = how.ask
    older = not how.json and not ask.marginals and ask.sample is None and ask.decoder is None
    found = select_file(selector, source, ask, chosen=how.chosen, threads=how.threads)
    for each in found:
        yield json_line(each.ranking_json() if older else each.as_json())


def _evaluated_tagger(tagger: Tagger, source: Source, how: How) -> Found:
    return evaluate(
        tagger,
        source,
        layout=how.layout,
        decoder=how.decoder,
        threads=how.threads,
        tag_map=how.tag_map,
        strict=how.strict,
        told=how.told,
    )


def _evaluated_parser(parser: Parser, source: Source, how: How) -> Found:
    found = evaluate_parser(
        parser, source, layout=how.layout, threads=how.threads, decoder=how.decoder
    )
    for message in found.messages:
        how.told(message)
    return found


def _evaluated_selector(selector: Selector, source: Source, how: How) -> Found:
    return evaluate_selector(selector, source, chosen=how.chosen, threads=how.threads)


def _inspected(tagger: Tagger, count: int, tag: str | None, kind: str) -> Found:
    return inspect(tagger, count=count, tag=tag, kind=kind)


_LAYOUT = frozenset({"--format", "--column", "--inputs"})
_PARSE_SETS = frozenset({"--only", "--skip-broken"})
_DECODERS = frozenset({"--posterior", "--viterbi"})
_GOLD = _LAYOUT | _DECODERS | {"--partial", "--tag-map"}

_TAGGER = Use(
    "tagger",
    _tagged,
    _evaluated_tagger,
    _inspected,
    {
        "predict": _LAYOUT,
        "explain": _LAYOUT,
        "evaluate": _GOLD | {"--strict"},
        "inspect": frozenset({"--top", "--tag", "--kind"}),
    },
)

USES: dict[type, Use] = {
    ChainModel: _TAGGER,
    TableModel: Use(
        "tagger made of tables",
        _tagged,
        _evaluated_tagger,
        _inspected,
        {"predict": _LAYOUT, "explain": _LAYOUT, "evaluate": _GOLD, "inspect": frozenset()},
    ),
    GrammarModel: Use(
        "parser",
        _parsed,
        _evaluated_parser,
        lambda parser, count, tag, kind: inspect_parser(parser, count=count),  # noqa: ARG005
        {
            "predict": _LAYOUT | {"--indent", "--svg"},
            "explain": _LAYOUT,
            "evaluate": _DECODERS | {"--format"},
            "inspect": frozenset({"--top"}),
        },
    ),
    SelectionModel: Use(
        "model for parse sets",
        _selected,
        _evaluated_selector,
        lambda selector, count, tag, kind: inspect_selector(selector, count=count, kind=kind),  # noqa: ARG005
        {
            "predict": _PARSE_SETS,
            "explain": _PARSE_SETS,
            "evaluate": _PARSE_SETS,
            "inspect": frozenset({"--top", "--kind"}),
        },
    ),
}
"""What is done with each kind of model; one more line for one more kind."""
