"""Parses move by move, as a table and as a page."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser

import pytest
from rich.console import Console

import weft
from weft.models.stack.spec import MoveTables
from weft.models.stack.trace import trace_parse
from weft.report.moves import moves_page, moves_table, summary
from weft.structures.tree import Tree

EVIL = '<script>alert("&")</script>'


def traced(words=("a", "b"), count=3):
    trees = [
        Tree("S", (Tree("A", ("a",)), "b")),
        Tree("S", (Tree("C", ("a",)), Tree("D", ("b",)))),
        Tree("S", (Tree("A", (EVIL,)), "b")),
    ]
    return trace_parse(weft.fit(MoveTables("conditional", rare=0), trees), words, count)


class Page(HTMLParser):
    """What a page has; refuses what is not closed, or closed twice."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.setdefault(self.open[-1] if self.open else "", []).append(data)

    def of_class(self, name):
        return [each for _, each in self.tags if name in (each.get("class") or "").split()]


def test_the_page_has_a_step_per_move_and_one_for_the_tree():
    trace = traced()
    page = Page(moves_page(trace))
    assert len(page.of_class("step")) == len(trace.steps) + 1
    heads = [text.split(". ")[1] for text in page.texts["h2"] if ". " in text]
    assert heads == [str(step.made.move) for step in trace.steps]
    assert len(page.of_class("made")) == len(trace.steps)
    assert len(page.of_class("rival")) == sum(len(step.rivals) for step in trace.steps) > 0
    assert len(page.of_class("item")) == sum(len(step.stack) for step in trace.steps)
    assert len(page.of_class("top")) == sum(bool(step.stack) for step in trace.steps)
    widths = [float(re.findall(r"[0-9.]+", each["style"])[0]) for each in page.of_class("bar")]
    assert sum(widths) == pytest.approx(100 * len(trace.steps), abs=0.1)


def test_the_page_needs_nothing_else_and_is_a_list_without_javascript():
    text = moves_page(traced())
    page = Page(text)
    names = {name for _, each in page.tags for name in each}
    assert not names & {"src", "href", "srcset", "action", "data"}
    assert "@import" not in text
    assert "url(" not in text
    assert set(re.findall(r"https?://[^\"' ]*", text)) == {"http://www.w3.org/2000/svg"}
    assert {tag for tag, _ in page.tags} >= {"nav", "style", "script", "ol"}
    [nav] = [each for tag, each in page.tags if tag == "nav"]
    assert "hidden" in nav  # until the script shows it
    assert not page.of_class("shown")
    assert not any(each.get("hidden", "") is None for tag, each in page.tags if tag == "li")
    [script] = page.texts["script"]
    assert "ArrowRight" in script
    [style] = page.texts["style"]
    assert "prefers-color-scheme: dark" in style
    assert any(each.get("name") == "viewport" for tag, each in page.tags if tag == "meta")


def test_the_page_can_be_read_on_a_narrow_screen():
    text = moves_page(traced(("a", "b")))
    page = Page(text)
    [viewport] = [each for _, each in page.tags if each.get("name") == "viewport"]
    assert viewport["content"] == "width=device-width, initial-scale=1"
    [style] = page.texts["style"]
    rules = dict(re.findall(r"([^{}]+){([^{}]*)}", style))
    widths = re.findall(r"(?<![-\w])(?:min-)?width: *([0-9.]+)(px|rem|em)", style)
    assert [pair for pair in widths if float(pair[0]) > 1] == []
    assert "overflow-wrap: anywhere" in next(v for k, v in rules.items() if k.strip() == "body")
    # Trees are as wide as they are, and scroll within what they are in.
    for name in (".stack", ".tree"):
        assert "overflow-x: auto" in next(v for k, v in rules.items() if k.strip() == name)
    drawn = sum(tag == "svg" for tag, _ in page.tags)
    assert drawn == len(page.of_class("item")) + len(page.of_class("tree"))


def test_every_step_is_reached_by_buttons_and_keys():
    page = Page(moves_page(traced()))
    assert sum(tag == "button" for tag, _ in page.tags) == 2
    assert sum(each.get("id") == "where" for _, each in page.tags) == 1
    [script] = page.texts["script"]
    for reached in ('querySelectorAll(".step")', "show(now - 1)", "show(now + 1)", "show(0)"):
        assert reached in script
    assert "steps.length - 1, place" in script  # no step is beyond the last
    assert {"ArrowLeft", "ArrowRight", "Home", "End"} <= set(re.findall(r"\w+", script))


def test_words_are_escaped():
    text = moves_page(traced((EVIL, "b")))
    page = Page(text)
    assert sum(tag == "script" for tag, _ in page.tags) == 1
    assert page.texts["h1"] == [f"{EVIL} b"]
    assert EVIL not in text


def test_the_table_fits_into_80_columns():
    stream = io.StringIO()
    trace = traced()
    console = Console(file=stream, width=80, highlight=False)
    console.print(moves_table(trace))
    lines = stream.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("shift(" in line for line in lines) == 3
    rival = next(line for line in lines if "· " in line and "move," not in line)
    assert re.search(r"· reduce1\([AC]\) +0\.\d{4}", rival)


def test_the_summary_says_how_probable_the_parse_is():
    trace = traced(("a", "b"))
    [share] = re.findall(r"([0-9.]+) % of the sum", summary(trace))
    assert float(share) == pytest.approx(100 * trace.share, abs=0.01)
    assert "what is next" in summary(trace)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_page_can_be_read_by_day_and_at_night():
    """Contrasts as WCAG 2.1 asks for: 4.5 of text, 3 of what is drawn."""
    text = moves_page(traced())
    schemes = [
        dict(re.findall(r"--(\w+): (#\w{6})", each))
        for each in re.findall(r":root {(.*?)}", text, re.S)
    ]
    assert len(schemes) == 2
    assert "@media (prefers-color-scheme: dark)" in text
    least = {"text": 4.5, "faint": 4.5, "label": 4.5, "made": 3.0, "rival": 3.0}
    for colours in schemes:
        for name, wanted in least.items():
            for behind in ("page", "soft"):
                pair = sorted(luminance(colours[each]) for each in (name, behind))
                assert (pair[1] + 0.05) / (pair[0] + 0.05) >= wanted, (name, behind)
