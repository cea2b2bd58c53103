"""The pages say what is so: commands, options and settings exist, links lead somewhere."""

from __future__ import annotations

import importlib
import re
import shlex
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

import weft
from weft import DISTRIBUTION
from weft.cli.app import app
from weft.commands.catalogue import TEMPLATE_FUNCTIONS
from weft.corpora import FORMATS
from weft.criteria import CRITERIA, read_penalty
from weft.recipes import OPTIMISERS, RECIPES, every_setting, find_recipe, with_settings

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")]
)
COMMANDS = get_command(app).commands  # type: ignore[attr-defined]
ANYWHERE = {"-h", "--help"}
CHECKS = {
    "--format": lambda name: FORMATS[name],
    "--penalty": lambda text: text == "auto" or read_penalty(text),
    "--recipe": find_recipe,
}
"""Options whose values can be tried without a file."""


def check_settings(words):
    """Try the settings of a command on its recipe, or on one that has such settings."""
    pairs = list(pairwise(words))
    named = [value for option, value in pairs if option == "--recipe" and value != "NAME"]
    for option, text in pairs:
        if option == "--set" and text not in PLACEHOLDERS:
            key, value = text.split("=", 1)
            of_selection = key in ("properties", "relevance", "steps", "hot", "cold")
            recipe = "max-correct" if of_selection else named[0] if named else "crf"
            with_settings(find_recipe(recipe), {key: value})


FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?<!`)`(weft [^`\n]+)`(?!`)")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PLACEHOLDERS = {"TEXT", "NAME", "KEY=VALUE", "gaussian:VARIANCE", "tex", "ordr=2"}
"""What stands for a value in explanations, and the mistakes that the pages show."""

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def options_of(command: str | None) -> set[str]:
    top = COMMANDS[command] if command else get_command(app)
    # A group has the options of all its commands.
    parts = [top, *(top.commands.values() if command and hasattr(top, "commands") else [])]
    names = {name for part in parts for param in part.params for name in param.opts}
    return ANYWHERE | {name for name in names if name.startswith("-")}


def shell_lines(text: str) -> Iterator[str]:
    for language, block in FENCE.findall(text):
        if language == "console":
            yield from re.findall(r"^\$ (.*)$", block.replace("\\\n", " "), re.MULTILINE)


def invocations(text: str) -> Iterator[list[str]]:
    """Every call of the program, in blocks and in the running text, as a list of words."""
    lines = [*shell_lines(text), *INLINE.findall(FENCE.sub("", text))]
    for line in lines:
        words = shlex.split(line, comments=True)
        calls: list[list[str]] = [[]]
        for word in words:
            if word in {"|", "&&", ";"}:
                calls.append([])
            else:
                calls[-1].append(word)
        yield from (call[1:] for call in calls if call and call[0] == "weft" and len(call) > 1)


def slug(heading: str) -> str:
    """A heading's anchor, as Markdown's table of contents and code hosts make it."""
    plain = re.sub(r"[`*]|\[|\]\([^)]*\)", "", heading).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain))


def anchors_of(page: Path) -> set[str]:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def test_pages_are_found():
    assert len(PAGES) > 20
    assert sum(1 for page in PAGES for _ in invocations(page.read_text(encoding="utf-8"))) > 50


@pages
def test_commands_and_options_exist(page):
    for command, *words in invocations(page.read_text(encoding="utf-8")):
        if command.startswith("-"):
            assert command in options_of(None), command
            continue
        if command == "COMMAND":
            continue
        assert command in COMMANDS, f"weft {command}"
        known = options_of(command)
        for word in words:
            if re.match(r"--?[a-z]", word):
                assert word in known, f"weft {command} {word}"


@pages
def test_values_of_options_are_accepted(page):
    for words in invocations(page.read_text(encoding="utf-8")):
        for option, value in pairwise(words):
            if option in CHECKS and value not in PLACEHOLDERS:
                CHECKS[option](value)
        check_settings(words)


@pages
def test_links_lead_somewhere(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        place = (page.parent / path).resolve() if path else page
        assert place.exists(), target
        # The site is built of docs/ alone.
        assert DOCS not in page.parents or place.is_relative_to(DOCS), target
        if anchor:
            assert anchor in anchors_of(place), target


@pages
def test_fences_are_closed_and_examples_are_run(page):
    text = page.read_text(encoding="utf-8")
    assert len(re.findall(r"^```", text, re.MULTILINE)) % 2 == 0
    for language, block in FENCE.findall(text):
        if ">>> " in block:
            assert language == "pycon"
            # Otherwise doctest takes the fence for output.
            assert block.endswith("\n\n"), block
    assert ">>> " not in FENCE.sub("", text)


def leaves(nav: str | dict | list) -> list[str]:
    """The pages of a navigation, whose parts are pages, lists, or names of either."""
    if isinstance(nav, str):
        return [nav]
    below = nav.values() if isinstance(nav, dict) else nav
    return [page for part in below for page in leaves(part)]


def test_every_page_of_the_site_is_in_its_navigation():
    listed = leaves(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])
    there = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert sorted(listed) == sorted(there)


def test_the_guide_has_every_command_and_option():
    text = (DOCS / "guide" / "command-line.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"## weft {name}\n" in text
        for option in options_of(name) | options_of(None):
            assert re.search(rf"`(weft )?{option}[` ]", text), f"weft {name} {option}"


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("guide/command-line.md", [*every_setting(), *RECIPES]),
        ("guide/formats.md", FORMATS),
        ("guide/features.md", [name for name in TEMPLATE_FUNCTIONS if name != "column2"]),
        ("guide/choosing.md", [*OPTIMISERS, *(name for name in CRITERIA if ":" not in name)]),
    ],
)
def test_the_guide_has_every_choice(page, names):
    text = (DOCS / page).read_text(encoding="utf-8")
    assert not [name for name in names if f"`{name}`" not in text]


@pytest.mark.parametrize(
    "word",
    "Baum–Welch,CKY,CRF,Forward–backward,Inside–outside,Label bias,Log-linear,Maximum entropy,MERT,"
    "Structured perceptron,Viterbi".lower().split(","),
)
def test_the_glossary_has_the_words_of_the_field(word):
    text = (DOCS / "glossary.md").read_text(encoding="utf-8").lower()
    terms = re.findall(r"^(.+)\n:   ", text, re.MULTILINE)
    assert any(word in term for term in terms)


def test_references_are_to_what_exists():
    for page in (DOCS / "reference").glob("*.md"):
        for name in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE):
            module, _, attribute = name.rpartition(".")
            assert hasattr(importlib.import_module(module), attribute), name


@pytest.mark.parametrize("page", ["docs/how-it-works.md", "CONTRIBUTING.md"])
def test_the_layers_are_those_that_are_checked(page):
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [layers] = [
        each["layers"] for each in settings["tool"]["importlinter"]["contracts"] if "layers" in each
    ]
    text = (ROOT / page).read_text(encoding="utf-8")
    [shown] = re.findall(r"^    cli → .*(?:\n        → .*)*", text, re.MULTILINE)
    assert [each.split() for each in shown.split("→")] == [
        each.replace("weft.", "").split() for each in layers
    ]


def test_the_reference_lists_every_public_name():
    page = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    assert [name for name in weft.__all__ if f"`weft.{name}`" not in page] == []


def test_no_text_installs_the_distribution_of_another_project():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["name"] == DISTRIBUTION
    wrong = re.compile(r"""\bweft\[[a-z]+\]|pip install (-U )?['"]?weft\b(?!-)""")
    pages = [*PAGES, *(ROOT / "src").rglob("*.py")]
    assert [str(path) for path in pages if wrong.search(path.read_text(encoding="utf-8"))] == []
