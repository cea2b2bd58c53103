r"""Feature grammars in the notation of PATR-II, as Shieber writes it and as PC-PATR reads it.

    Parameter: Start symbol is S.
    Let Sg be <head agreement> = singular.
    Rule {sentence} S -> NP VP:
      <S head> = <VP head>
      <S head subject> = <NP head>.
    Word uther: Sg <cat> = NP.

A rule is a context-free one with equations of paths; the first name of a path is a category of the
rule. ``NP_1`` and ``NP_2`` are two of category ``NP``; ``X``, ``X0``, ``X_1`` may be of any. A
right side may have parts in brackets, which may be missing, and alternatives ``{A / B}``, also of
equations and values. ``"word"`` is a word. What follows ``;`` or ``|`` on a line is a comment.

References: Shieber (1986), An Introduction to Unification-Based Approaches to Grammar; McConnel
(1995), PC-PATR Reference Manual.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from weft.errors import FormatError, no_such, quote
from weft.files import Source, name_of
from weft.unification.fcfg import decoded_lines
from weft.unification.grammar import (
    FeatureGrammar,
    FeatureRule,
    LeftOut,
    default_name,
    make_grammar,
)
from weft.unification.grammar import category_of as category_at
from weft.unification.limits import check_time
from weft.unification.patr.bodies import Alternatives, BodyReader, Known, Path, Step
from weft.unification.patr.build import Builder, CannotBe
from weft.unification.patr.lexicon import is_lexicon, read_entries
from weft.unification.patr.sides import Symbol, right_sides
from weft.unification.patr.tokens import END, NAME, QUOTED, TEXT, TextFile, Token, tokens_of
from weft.unification.structure import TYPE, Atom, Struct, canonical
from weft.unification.unify import Graph

_PARAMETERS = ("start symbol", "category feature", "lexical feature", "gloss feature")
_IGNORED = ("restrictor", "attribute order", "rootgloss feature")


@dataclass(frozen=True, slots=True)
class _Rule:
    token: Token
    name: str
    left: Symbol
    rights: list[tuple[Symbol, ...]]
    bodies: Alternatives


@dataclass(frozen=True, slots=True)
class _Entry:
    token: Token
    words: tuple[str, ...]
    bodies: Alternatives


@dataclass(slots=True)
class _Contents:
    encoding: str
    known: Known = field(default_factory=Known)
    statements: list[_Rule | _Entry] = field(default_factory=list)
    parameters: dict[str, Token] = field(default_factory=dict)

    def parameter(self, name: str, default: str) -> str:
        return self.parameters[name].text if name in self.parameters else default


def read_patr(source: Source, *, encoding: str = "utf-8") -> FeatureGrammar:
    r"""Read a grammar.

    Args:
        source: A path, ``-`` for the standard input, or a binary stream; gzipped or not.
        encoding: How the file's characters are written.

    Raises:
        FormatError: With line and column, if the file is no grammar.
        OptionError: If there is no such encoding.

    >>> import io
    >>> rules = b"Rule S -> NP VP: <S head> = <VP head>.\nWord Kim: <cat> = NP <num> = sg."
    >>> grammar = read_patr(io.BytesIO(rules))
    >>> print(*grammar.rules, sep="\n")
    S[head=?a] -> NP[] VP[head=?a]
    NP[num='sg'] -> 'Kim'
    """
    contents = _Contents(encoding)
    _read(source, contents, ())
    rules = [rule for each in contents.statements for rule in _made(each, contents)]
    _look_for_words(source, rules, contents.known)
    start = contents.parameter("start symbol", "")
    if not start and rules:
        start = category_at(rules[0].structure, rules[0].sides[0]) or ""
        if not start:
            message = "the first rule is for any category; add: Parameter: Start symbol is S."
            raise FormatError(message, path=name_of(source))
    try:
        whole = canonical([Struct(((TYPE, 1),)), Atom(start)])
        left_out = tuple(contents.known.left_out)
        return make_grammar(whole, rules, {}, left_out, unnamed=True)
    except FormatError as error:
        message = error.message.replace("S -> NP VP", "Rule S -> NP VP")
        raise FormatError(message, path=error.path or name_of(source), line=error.line) from None


def _read(source: Source, contents: _Contents, within: tuple[str, ...]) -> None:
    path = name_of(source)
    if path in within:
        raise FormatError(f"the file includes itself: {' → '.join((*within, path))}", path=path)
    lines = tuple(text for _, text in decoded_lines(source, contents.encoding))
    file = TextFile(path, lines)
    if is_lexicon(file):
        entries = read_entries(file, contents.known, _features(contents))
        contents.statements.extend(_Entry(*each) for each in entries)
        return
    reader = _StatementReader(tokens_of(file), contents)
    while (token := reader.next).kind != END:
        check_time()
        keyword = token.keyword
        if not keyword:
            what = "Rule, Word, Let, Define, Parameter or Include at the beginning of a line"
            reader.refuse(what)
        reader.take()
        if keyword == "end":
            return
        if keyword in ("include", "lexicon"):
            name = reader.rest_of_line(token)
            if name:
                _read(_beside(source, name, token), contents, (*within, path))
        else:
            getattr(reader, keyword)(token)


def _look_for_words(source: Source, rules: Sequence[FeatureRule], known: Known) -> None:
    """Note it if a lexicon is not read that lies beside a grammar without words."""
    if isinstance(source, str | os.PathLike) and not any(any(rule.words) for rule in rules):
        beside = FilePath(source).with_suffix(".lex")
        if beside.is_file():
            hint = f"no word is read; add a line: Lexicon {beside.name}"
            known.left_out.append(LeftOut(hint, name_of(source), 1))


def _features(contents: _Contents) -> tuple[str, str, str]:
    """The features that the fields of a lexicon give values to."""
    return (
        contents.parameter("category feature", "cat"),
        contents.parameter("lexical feature", "lex"),
        contents.parameter("gloss feature", "gloss"),
    )


def _beside(source: Source, name: str, token: Token) -> FilePath:
    if not isinstance(source, str | os.PathLike):
        raise token.error("only a file can include another one")
    path = FilePath(source).parent / name
    if not path.is_file():
        raise token.error(f"there is no file {quote(str(path))}")
    return path


class _StatementReader(BodyReader):
    """Reads statements; each is a method of the name of its keyword."""

    def __init__(self, tokens: Sequence[Token], contents: _Contents) -> None:
        super().__init__(tokens, contents.known)
        self.contents = contents

    def rest_of_line(self, keyword: Token) -> str:
        """The name of a file after a keyword, if there is one."""
        found = []
        while self.next.line == keyword.line and self.next.kind != END:
            found.append(self.take())
        if not found or found[0].kind in (".", ":"):
            return ""
        if found[0].kind == QUOTED:
            return found[0].text
        text = found[0].file.lines[keyword.line - 1][found[0].column - 1 :]
        return text.split(";")[0].split("|")[0].strip().removesuffix(".")

    def end(self) -> None:
        """Take the full stop after a statement; without one, the next statement must follow."""
        if self.next.kind == ".":
            self.take()
        elif self.next.kind != END and not self.next.keyword:
            self.refuse(
                "an equation such as <NP head> = <N head>, a full stop, or the next statement"
            )

    def rule(self, token: Token) -> None:
        """Read a rule."""
        name = self.take().text if self.next.kind == NAME else self.long_name()
        left = Symbol(self.expect(TEXT, "a category"), is_word=False)
        if self.next.kind != "=" and self.next.kind.strip("-") not in (">", "→"):
            self.refuse("'->'")
        self.take()
        rights = right_sides(self)
        if self.next.kind == ":":
            self.take()
        bodies = self.body(named=False)
        self.end()
        self.contents.statements.append(_Rule(token, name, left, rights, bodies))

    def long_name(self) -> str:
        """Read the name of a rule that goes over several lines, if there is one."""
        if self.next.kind != "{":
            return ""
        opened, words = self.take(), list[str]()
        while self.next.kind != "}":
            if self.next.kind == END:
                raise opened.error("this brace has no partner")
            words.append(self.take().text)
        self.take()
        return " ".join(words)

    def word(self, token: Token) -> None:
        """Read a word with its features."""
        if self.next.kind not in (TEXT, QUOTED):
            self.refuse("a word")
        words = tuple(self.take().text.split())
        if self.next.kind == ":":
            self.take()
        bodies = self.body(named=True)
        self.end()
        self.contents.statements.append(_Entry(token, words, bodies))

    def let(self, _: Token) -> None:
        """Read a template."""
        name = self.expect(TEXT, "the name of a template")
        if name.text in self.known.templates:
            raise name.error(f"there is a template {quote(name.text)} already")
        if self.next.text.lower() != "be":
            self.refuse("'be'")
        self.take()
        if self.next.kind == TEXT and self.next.text not in self.known.templates:
            found = self.value((), self.next)
        else:
            found = self.body(named=True)
        self.end()
        self.known.templates[name.text] = found

    def define(self, _: Token) -> None:
        """Read a lexical rule."""
        name = self.expect(TEXT, "the name of a lexical rule")
        if self.next.text.lower() != "as":
            self.refuse("'as'")
        self.take()
        found = self.body(named=False)
        self.end()
        paths = [path for steps in found for step in steps for path in _paths(step)]
        if len(found) > 1 or any(path[:1] not in (("in",), ("out",)) for path in paths):
            raise name.error("a lexical rule has equations of <in …> and <out …> only")
        self.known.lexical_rules[name.text] = found

    def constraint(self, token: Token) -> None:
        """Read the definition of a constraint, which is left out."""
        self.known.leave_out(token, "the definition of a constraint is left out")
        while self.next.kind != END and not self.next.keyword:
            self.take()

    def parameter(self, token: Token) -> None:
        """Read a parameter."""
        if self.next.kind == ":":
            self.take()
        given: list[Token] = []
        while self.next.kind != END and not self.next.keyword and self.next.kind != ".":
            given.append(self.take())
        self.end()
        words = " ".join(each.text for each in given).lower()
        if words.startswith(_IGNORED):
            return
        name = " ".join(words.split()[:2])
        if name not in _PARAMETERS:
            raise token.error(no_such("parameter", name, (*_PARAMETERS, *_IGNORED)))
        if len(given) != 4 or given[2].text.lower() != "is":
            raise token.error(f"expected 'Parameter: {name.capitalize()} is' and one name")
        self.contents.parameters[name] = given[3]


def _paths(step: Step) -> list[Path]:
    return [step.path] if isinstance(step.value, Atom) else [step.path, step.value]


def _made(statement: _Rule | _Entry, contents: _Contents) -> list[FeatureRule]:
    """The rules of a statement: one for each of its alternatives that can be."""
    found: list[FeatureRule] = []
    failed: CannotBe | None = None
    rights = statement.rights if isinstance(statement, _Rule) else [()]
    for right in rights:
        for steps in statement.bodies:
            check_time()
            category = contents.parameter("category feature", "cat")
            builder = Builder(category, contents.known.lexical_rules, Graph())
            try:
                if isinstance(statement, _Rule):
                    found.append(_rule(statement, right, steps, builder, contents.known))
                else:
                    found.append(_entry(statement, steps, builder))
            except CannotBe as error:
                failed = error
    if failed is not None and not found:
        raise failed.step.token.error(str(failed))
    return found


def _entry(entry: _Entry, steps: Sequence[Step], builder: Builder) -> FeatureRule:
    root = builder.entry(steps)
    words = [builder.graph.add_node(Atom(word)) for word in entry.words]
    structure = builder.structure([root, *words], steps[-1] if steps else None)
    rule = FeatureRule(structure, default_name(structure), entry.token.file.path, entry.token.line)
    if category_at(structure, rule.sides[0]) is None:
        what = f"the word has no category; add <{builder.category_feature}> = N, for example"
        raise entry.token.error(what)
    return rule


def _rule(
    rule: _Rule, right: Sequence[Symbol], steps: Sequence[Step], builder: Builder, known: Known
) -> FeatureRule:
    sides: list[int] = []
    named: dict[str, list[int]] = {}
    for symbol in (rule.left, *right):
        if symbol.is_word:
            sides.append(builder.graph.add_node(Atom(symbol.name)))
        else:
            sides.append(builder.side(symbol.category))
            named.setdefault(symbol.name, []).append(sides[-1])
    kept = [step for step in steps if _applies(step, rule, named, known)]
    builder.obey(kept, {name: places[0] for name, places in named.items()})
    structure = builder.structure(sides, kept[-1] if kept else None)
    name = rule.name or default_name(structure)
    return FeatureRule(structure, name, rule.token.file.path, rule.token.line)


def _applies(step: Step, rule: _Rule, named: dict[str, list[int]], known: Known) -> bool:
    """Whether all that an equation is about is there; it may be of another alternative."""
    for path in _paths(step):
        if not path:
            raise step.token.error("a path begins with a category of the rule")
        name = path[0]
        if name not in named:
            others = {symbol.name for right in rule.rights for symbol in right}
            if name not in others:
                known.leave_out(
                    step.token, f"the rule has no {quote(name)}: the equation is left out"
                )
            return False
        if len(named[name]) > 1:
            hint = f"write {name}_1 and {name}_2"
            raise step.token.error(f"the rule has {len(named[name])} of {quote(name)}; {hint}")
    return True
