"""The site as it is built: nothing is fetched from elsewhere, and the search finds words."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
LOADED = re.compile(r'<(?:script|img|iframe)[^>]* src="([^"]*)"|<link[^>]* href="([^"]*)"')
STYLED = re.compile(r"url\(\s*[\"']?([^\"')]*)|@import\s+[\"']([^\"']*)")
ELSEWHERE = re.compile(r"\w+:|//")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def words_of(text: str) -> set[str]:
    """The words that the search keeps, as the site's own setting divides them."""
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["plugins"]
    [separator] = [each["search"]["separator"] for each in settings if "search" in each]
    return set(re.split(separator, re.sub(r"<[^>]*>", " ", text).lower()))


def test_pages_load_nothing_from_elsewhere(site):
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]
    assert len(pages) > 60
    for page in pages:
        found = [one or other for one, other in LOADED.findall(page.read_text(encoding="utf-8"))]
        loaded = {path for path in found if not path.startswith("data:")}
        assert not [path for path in loaded if ELSEWHERE.match(path)], page
        missing = [path for path in loaded if not (page.parent / path.partition("#")[0]).exists()]
        assert not missing, page
        if page.parent != site / "results" or page.name != "report.html":
            assert any(path.endswith("iframe-worker.js") for path in loaded), page


def test_styles_load_nothing_from_elsewhere(site):
    styles = list(site.rglob("*.css"))
    assert len(styles) > 2
    for style in styles:
        found = [one or other for one, other in STYLED.findall(style.read_text(encoding="utf-8"))]
        loaded = {path for path in found if not path.startswith(("data:", "#"))}
        assert not [path for path in loaded if ELSEWHERE.match(path)], style
        assert not [path for path in loaded if not (style.parent / path).exists()], style


@pytest.mark.parametrize(
    "term", ["Baum-Welch", "Baum–Welch", "inside-outside", "inside–outside", "label bias"]
)
def test_the_search_of_a_folder_finds_words_of_the_glossary(site, term):
    script = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    index = json.loads(script.removeprefix("var __index = "))
    parts = [part for part in index["docs"] if part["location"].startswith("glossary.html")]
    assert any(words_of(term) <= words_of(part["text"]) for part in parts)


def test_wide_pictures_keep_a_width_to_be_read_at_and_scroll(site):
    page = (site / "guide" / "parse-selection.html").read_text(encoding="utf-8")
    [picture] = re.findall(r"<p><img[^>]*attachments.svg[^>]*>", page)
    assert "min-width" in picture
    style = (site / "site.css").read_text(encoding="utf-8")
    assert re.search(r"p:has\(> img\) \{ overflow-x: auto", style)


def test_figures_with_black_axes_stand_on_white_ground(site):
    page = (site / "results" / "index.html").read_text(encoding="utf-8")
    figures = re.findall(r'<img[^>]* src="(figures/[^"]*)"', page)
    assert len(figures) > 10
    for name in figures:
        assert 'fill="white"' in (site / "results" / name).read_text(encoding="utf-8"), name


def test_tables_are_tables_with_heads_and_without_signs_of_markdown(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r"<p>[^<]*(?:<(?!/p>)[^<]*)*\|--", text), f"{page}: a table as text"
        for table in re.findall(r"<table>.*?</table>", text, re.DOTALL):
            assert "\\|" not in table, page
            assert re.search(r"<th[^>]*>[^<]|<th[^>]*><", table.replace("<th></th>", "")), page
