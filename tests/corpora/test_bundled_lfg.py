"""The lexical-functional grammar of English and its sentences."""

from __future__ import annotations

import re
from functools import cache

import pytest

from weft.corpora.bundled import DOMAINS, bundled_lfg, bundled_marked, bundled_marks
from weft.errors import OptionError
from weft.lfg.check import check_lfg
from weft.lfg.marks import find_marked, list_nodes
from weft.lfg.parser import Analyses, LfgParser, load_lfg

FEW = 60
"""Of the whole corpora, tests parse this many sentences or fewer, of all lengths.

``weft unify marks`` takes all of them."""
MOST = 40
"""Sentences with more analyses are left to that."""


@cache
def parser() -> LfgParser:
    return load_lfg(bundled_lfg())


@cache
def parsed(text: str) -> Analyses:
    return parser().parse(text)


def test_the_grammar_is_read_without_warnings() -> None:
    grammar = parser().grammar
    assert grammar.warnings == ()
    assert len(grammar.rules) >= 80
    assert len(grammar.entries) >= 2500


def test_the_grammar_has_no_likely_mistakes() -> None:
    assert not check_lfg(bundled_lfg()).problems


def left_sides() -> set[str]:
    """The categories with a rule, without the parameters of those that have some."""
    text = (bundled_lfg().parent / "rules.lfg").read_text(encoding="utf-8")
    found = re.findall(r"^(\S+) -->", re.sub(r'"[^"]*"', "", text), re.M)
    assert len(found) == len(set(found)) >= 80
    return set(map(bare, found))


def bare(label: str) -> str:
    return label.partition("[")[0]


def test_each_of_more_than_80_rules_is_in_an_analysis_that_is_meant() -> None:
    unused = left_sides()
    marks = [mark for domain in DOMAINS for mark in bundled_marked(domain)]
    for mark in sorted(marks, key=lambda mark: len(mark.words)):
        if unused.intersection(bare(bracket.label) for bracket in mark.brackets):
            found = parsed(mark.text)
            [meant] = find_marked(mark, found)
            unused -= {bare(node.label) for node in list_nodes(found[meant].tree)}
    assert not unused


@pytest.mark.parametrize("domain", DOMAINS)
def test_there_are_more_than_300_sentences(domain: str) -> None:
    marks = bundled_marked(domain)
    assert len({mark.text for mark in marks}) == len(marks) >= 300
    lengths = [sum(word[0].isalnum() for word in mark.words) for mark in marks]
    assert min(lengths) >= 3
    assert max(lengths) <= 25


@pytest.mark.parametrize("domain", DOMAINS)
def test_marks_single_out_one_analysis(domain: str) -> None:
    marks = sorted(bundled_marked(domain), key=lambda mark: len(mark.words))
    counts = []
    for mark in marks[:: len(marks) // FEW + 1]:
        found = parsed(mark.text)
        if len(found) <= MOST:
            counts.append(len(found))
            assert len(find_marked(mark, found)) == 1, mark.source
    assert len(counts) > FEW / 2
    assert sum(count > 1 for count in counts) > len(counts) / 3
    assert max(counts) > 10


@pytest.mark.parametrize("domain", DOMAINS)
def test_all_words_are_known(domain: str) -> None:
    for mark in bundled_marked(domain):
        assert parser().look_up(mark.text).unknown == (), mark.source


def test_ambiguities_are_those_of_the_language() -> None:
    # The preposition goes with the verb or the noun; as the goal of a verb it is an argument, too.
    assert len(parsed("Do not use sprays near the printer.")) == 2
    assert len(parsed("Do not throw cartridges into a fire.")) == 3
    # Compounds branch both ways, and so do their coordinations.
    assert len(parsed("The paper release lever is open.")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "The printer print the page.",
        "They prints the page.",
        "Remove tray.",
        "I depend.",
        "He want to meet.",
        "Them will come.",
        "The tray is holds paper.",
        "Could you tells me?",
        "A pages is blank.",
        "The pages are blank, isn't it?",
        "The page is blank, is it?",
        "Feed the paper page by sheet.",
        "Whatever you send it is printed.",
    ],
)
def test_what_is_no_english_has_no_analysis(text: str) -> None:
    assert parsed(text).unknown == ()
    assert len(parsed(text)) == 0


def test_unknown_domains_are_refused() -> None:
    with pytest.raises(OptionError, match="there is no domain 'manual': did you mean manuals"):
        bundled_marks("manual")
