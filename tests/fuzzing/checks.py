"""What is tried with an input: it is read, and what was read is written and read again."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import islice, product
from pathlib import Path

import numpy as np

from fuzzing import samples
from weft import commands
from weft.automata import read_transducer
from weft.commands.files.ledger import read_ledger
from weft.commands.lfg.suites import read_expectations
from weft.commands.trials import read_trial
from weft.corpora import (
    Attributes,
    Brackets,
    Columns,
    Conllu,
    Format,
    Tagged,
    Text,
    read_dictionary,
    read_dilution,
    read_tag_map,
)
from weft.corpora.beginnings import beginning
from weft.corpora.formats import looks_like
from weft.corpora.parses.derivations import read_derivation
from weft.corpora.parses.profiles import read_profile
from weft.corpora.parses.sets import parse_set_line, read_parse_sets
from weft.corpora.parses.xle.files import read_xle
from weft.corpora.tags.crfpp import read_template_file
from weft.corpora.tags.maps import tag_map_text
from weft.corpora.trees.brackets import read_trees
from weft.corpora.trees.redwoods import read_redwoods
from weft.criteria import read_penalty
from weft.errors import WeftError
from weft.evaluate.bracket_parameters import read_bracket_parameters, same_as
from weft.features.compile import compile_parses
from weft.features.properties import properties
from weft.features.templates import find_function
from weft.features.templates import templates as read_templates
from weft.grammars.forms.json import read_json, to_json
from weft.grammars.forms.notation import format_grammar, parse_grammar, read_grammar
from weft.grammars.heads import read_head_rules
from weft.lfg import read_lfg
from weft.lfg.check import check_lfg
from weft.lfg.networks import Network, analyses, read_network
from weft.lfg.splitting import split_by
from weft.lfg.tokens import analyse
from weft.lfg.write import write_lfg
from weft.models.crfsuite import read_crfsuite
from weft.models.tagger import Tagger
from weft.recipes import RECIPES, with_settings
from weft.structures.evidence import Sentence
from weft.structures.tree import Tree
from weft.unification import (
    FeatureGrammar,
    FeatureParser,
    ParseLimits,
    read_fcfg,
    read_patr,
    resolve,
)
from weft.unification.check import check_features
from weft.unification.fcfg import decoded_lines
from weft.unification.why import find_reasons

_MOST_TOKENS = 2_000
_LONGEST_MESSAGE = 6_000


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _each(attempts: Iterable[Callable[[], object]]) -> None:
    """Try all of several ways; an input that one of them accepts is accepted."""
    problems: list[WeftError] = []
    tried = 0
    for attempt in attempts:
        tried += 1
        try:
            attempt()
        except WeftError as error:
            problems.append(error)
    assert all(len(str(error)) < _LONGEST_MESSAGE for error in problems)
    if tried and len(problems) == tried:
        raise problems[0]


def _formats(data: bytes, several: Sequence[Format]) -> None:
    """Read a corpus in several ways, with labels and without."""
    pairs = product(several, (True, False))
    _each(partial(_round_trip, each, data, labelled) for each, labelled in pairs)


def _round_trip(corpus_format: Format, data: bytes, labelled: bool) -> None:
    """What is rendered says the same when it is read again."""
    for number, record in enumerate(corpus_format.read(io.BytesIO(data), labelled=labelled)):
        if number > 200:
            break
        tokens = record.example.tokens
        own = record.example.analysis or ()
        tags = [tag if isinstance(tag, str) else "X" for tag in own] or ["X"] * len(tokens)
        # Not at the very start, where a word could pass for a byte-order mark.
        text = "\n" + corpus_format.render(record, tags)
        [again] = _reading(corpus_format).read(io.BytesIO(text.encode()))
        assert again.example.tokens.words == tokens.words, (tokens.words, again.example.tokens)
        assert again.example.analysis in (tuple(tags), None), (tags, again.example.analysis)


def _reading(corpus_format: Format) -> Format:
    """The format in which a rendered text is read: plain text comes out with tags."""
    if isinstance(corpus_format, Text):
        return Tagged()
    return replace(corpus_format, partial=False)  # type: ignore[type-var]


def conllu(data: bytes) -> None:
    _formats(data, [Conllu(), Conllu(partial=True)])
    list(Conllu("feats", ("lemma", "upos"), partial=True).read(io.BytesIO(data)))


def columns(data: bytes) -> None:
    _formats(data, [Columns(), Columns(2, (1,)), Columns(partial=True)])


def tagged(data: bytes) -> None:
    looks_like(beginning(io.BytesIO(data))[0])
    _formats(data, [Tagged(), Tagged(partial=True)])


def text(data: bytes) -> None:
    _formats(data, [Text()])


def crfsuite(data: bytes) -> None:
    _formats(data, [Attributes(), Attributes(partial=True)])


def brackets(data: bytes) -> None:
    looks_like(beginning(io.BytesIO(data))[0])
    for unescape in (False, True):
        for record in read_trees(io.BytesIO(data), unescape=unescape):
            assert record.tree.label is not None
    _formats(data, [Brackets(), Brackets(unescape=True)])


@cache
def _taggers() -> list[Tagger]:
    made = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for suffix, seed in (("tagged", "tagged"), ("conllu", "conllu"), ("crfsuite", "crfsuite")):
            path = folder / f"train.{suffix}"
            path.write_bytes(samples.seeds(seed)[0])
            settings = {"iterations": "3"}
            training = commands.train(folder / "m.weft", [path], settings=settings, threads=1)
            made.append(training.trained)
    return made


def _predicted(tagger: Tagger, data: bytes) -> None:
    tokens = 0
    ask = commands.Ask(marginals=True)
    for each in commands.tag_file(tagger, io.BytesIO(data), ask, threads=1):
        sentence = each.prediction
        assert len(sentence.tokens) == len(sentence.tags)
        tokens += len(sentence.tokens)
        if tokens > _MOST_TOKENS:
            break


def prediction(data: bytes) -> None:
    _each(partial(_predicted, tagger, data) for tagger in _taggers())
    short = data[:10_000]
    _each(partial(commands.evaluate, tagger, io.BytesIO(short), threads=1) for tagger in _taggers())


def parse_sets(data: bytes) -> None:
    skipped: list[WeftError] = []
    several = read_parse_sets(io.BytesIO(data), skip=skipped.append)
    for parse_set in several:
        line = parse_set_line(parse_set)
        [again] = read_parse_sets(io.BytesIO(line.encode("utf-8", "surrogatepass")))
        assert parse_set_line(again) == line
        for names in ("", "rules"):
            try:
                compile_parses(parse_set, properties(names) if names else ())
            except WeftError as error:
                skipped.append(error)
    if skipped:
        raise skipped[0]


def xle(data: bytes) -> None:
    for parse_set in read_xle(io.BytesIO(data)):
        line = parse_set_line(parse_set)
        [again] = read_parse_sets(io.BytesIO(line.encode("utf-8", "surrogatepass")))
        assert parse_set_line(again) == line
        compile_parses(parse_set, properties("rules"))


def derivations(data: bytes) -> None:
    found = read_derivation(_text(data))
    assert isinstance(found.tree, Tree)


def profiles(data: bytes) -> None:
    """A profile as one text: ``%% NAME`` begins a file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "profile")
        folder.mkdir()
        for part in data.split(b"%% ")[1:]:
            title, _, content = part.partition(b"\n")
            if title in (b"relations", b"item", b"parse", b"result", b"preference", b"edge"):
                (folder / title.decode()).write_bytes(content)
        skipped: list[WeftError] = []
        _each(
            (
                lambda: list(read_profile(folder)),
                lambda: list(read_profile(folder, skip=skipped.append)),
                lambda: list(read_redwoods(folder)),
            )
        )


def grammar(data: bytes) -> None:
    found = read_grammar(io.BytesIO(data))
    written = format_grammar(found)
    assert format_grammar(parse_grammar(written)) == written


def feature_grammar(data: bytes) -> None:
    read = read_fcfg(io.BytesIO(data))
    again = "\n".join([f"% start {read.start}", *map(str, read.rules)])
    assert len(read_fcfg(io.BytesIO(again.encode())).rules) <= len(read.rules)
    _parsed(read)


def patr(data: bytes) -> None:
    _parsed(read_patr(io.BytesIO(data)))


def _parsed(read: FeatureGrammar) -> None:
    """Sentences have trees, mistakes are found, and what fails has reasons."""
    limits = ParseLimits(edges=2000, megabytes=10, seconds=1, truncate=True)
    parser = FeatureParser(read)
    for words in ("Kim sees Kim", ""):
        for tree in islice(parser.parse(words, limits), 3):
            resolve(read, tree)
    check_features(read)
    find_reasons(parser, ["Kim", "sees"], limits=limits)


def lfg(data: bytes) -> None:
    read = read_lfg(io.BytesIO(data), limit=100_000)
    check_lfg(io.BytesIO(data))
    for text in ("Kim sees the cow.", "", "- +Pl new york"):
        analyse(read, text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "g.lfg"
        write_lfg(path, read)
        again = read_lfg(path)
    assert (again.rules, again.unknown) == (read.rules, read.unknown)


def lfg_suite(data: bytes) -> None:
    found = read_expectations(decoded_lines(io.BytesIO(data), "utf-8"), "suite")
    assert all(each.text == each.text.strip() and each.line > 0 for each in found)


def network(data: bytes) -> None:
    found = read_network(io.BytesIO(data))
    for text in ("cows", "a cow.", ""):
        analyses(found, text)
        if isinstance(found, Network):
            split_by(found, text)


def grammar_json(data: bytes) -> None:
    to_json(read_json(io.BytesIO(data)))


def transducer(data: bytes) -> None:
    _each(
        partial(read_transducer, io.BytesIO(data), acceptor=acceptor) for acceptor in (False, True)
    )


def crfsuite_model(data: bytes) -> None:
    tagger = read_crfsuite(io.BytesIO(data))
    given = Sentence((("_", "_"),), (list(tagger.model.chain.index.given), ["first"]))
    [probs] = tagger.marginals([given])
    assert np.isfinite(probs).all()


def dictionary(data: bytes) -> None:
    read_dictionary(io.BytesIO(data))


def tag_map(data: bytes) -> None:
    found = read_tag_map(io.BytesIO(data))
    assert read_tag_map(io.BytesIO(tag_map_text(found).encode())) == found


def head_rules(data: bytes) -> None:
    rules = read_head_rules(io.BytesIO(data))
    for label in ("NP", "VP", "X"):
        assert rules(Tree(label, ("DT", "NN", "CC", "NP"))) in range(4)


def templates(data: bytes) -> None:
    for each in read_templates(_text(data)):
        assert read_templates(str(each)) == (each,)


def template_file(data: bytes) -> None:
    found = read_template_file(io.BytesIO(data))
    for each in (*found.templates, *found.pair_templates):
        assert read_templates(str(each)) == (each,)
        for atom in each.atoms:
            assert isinstance(find_function(atom.function)("Weft-1"), str)


def evalb(data: bytes) -> None:
    found = read_bracket_parameters(io.BytesIO(data))
    same_as(found.equal_labels)
    same_as(found.equal_words)


def settings(data: bytes) -> None:
    """Settings, a line each, for every recipe; also penalties, dilutions and grids."""
    given = dict(line.partition("=")[::2] for line in _text(data).split("\n")[:50])
    _each(
        partial(with_settings, recipe, {key: value})
        for recipe in RECIPES.values()
        for key, value in given.items()
    )
    readers = (read_penalty, read_dilution, lambda each: commands.read_grid([f"order={each}"]))
    _each(partial(read, value) for read in readers for value in given.values())


def ledger(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "ledger.json")
        path.write_bytes(data)
        read_ledger(path, "grid", "trials", read_trial)
