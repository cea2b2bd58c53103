"""What the site is made of beside Markdown: formulas, copy buttons, notebooks and pictures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import draw_pictures
import hooks
import pytest
import run_notebooks

DOCS = Path(__file__).parents[1] / "docs"
FORMULA = re.compile(r"^```math\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FORMULAS = [
    (page.relative_to(DOCS).as_posix(), source)
    for page in sorted(DOCS.rglob("*.md"))
    for source in FORMULA.findall(page.read_text(encoding="utf-8"))
]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
NOTEBOOKS = sorted(run_notebooks.FOLDER.glob("*.ipynb"))


def are_alike(one: str, other: str, **within: float) -> bool:
    """Whether texts are the same but for the last digits, which other processors may change."""
    numbers = [[float(each) for each in NUMBER.findall(text)] for text in (one, other)]
    return NUMBER.split(one) == NUMBER.split(other) and numbers[0] == pytest.approx(
        numbers[1], **{"rel": 0.02, **within}
    )


@pytest.mark.parametrize(("page", "source"), FORMULAS)
def test_formulas_are_read(page, source):
    assert hooks.formula(source).startswith("<math"), page


def test_there_are_formulas():
    assert len({page for page, _ in FORMULAS}) >= 10


@pytest.mark.parametrize("source", [r"\frac{a}{b", r"\alpah", r"\begin{aligned} a & b"])
def test_broken_formulas_are_refused(source):
    with pytest.raises(ValueError, match="no formula"):
        hooks.formula(source)


def test_several_commands_are_copied_without_what_they_print():
    shown = '<span class="gp">$ </span>weft a &amp;&amp; b\n<span class="go">out</span>\n$ weft c\n'
    page = f'<div class="language-console highlight"><pre><code>{shown}</code></pre></div>'
    assert 'data-copy="weft a &amp;&amp; b&#10;weft c"' in hooks.copied(page)
    python = (
        '<div class="language-pycon highlight">&gt;&gt;&gt; for a in b:\n...     c(a)\n1\n</div>'
    )
    assert 'data-copy="for a in b:&#10;    c(a)"' in hooks.copied(python)


@pytest.mark.parametrize(
    ("width", "least"), [("480", None), ("640", 448), ("480pt", 448), ("2000", 720)]
)
def test_pictures_are_not_made_too_small_to_read(tmp_path, width, least):
    (tmp_path / "a.svg").write_text(f'<svg id="a" width="{width}" height="9"></svg>')
    shown = hooks.readable('<p><img alt="a" src="a.svg" /></p>', tmp_path)
    assert re.findall(r"min-width: (\d+)px", shown) == ([] if least is None else [str(least)])


def test_options_are_kept_in_one_piece_in_running_text_alone():
    block = "<pre><code>weft train --dev a</code></pre>"
    text = "<code>--set l1=1</code>, <code>-o FILE, --out FILE</code>, <code>johnson-4</code>"
    shown = hooks.options_unbroken(f"{block}{text}, <code>shift-reduce-conditional</code>")
    assert shown.startswith(block)
    kept = re.findall(r'<span class="option">(.*?)</span>', shown)
    assert kept == ["--set", "-o", "--out", "johnson-4"]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(each, marks=() if each.stem == "inside-outside" else pytest.mark.slow)
        for each in NOTEBOOKS
    ],
    ids=lambda path: path.stem,
)
def test_notebooks_run_and_pages_show_what_they_say(path):
    for name, text in run_notebooks.run_notebook(path).items():
        there = (run_notebooks.FOLDER / name).read_text(encoding="utf-8")
        assert are_alike(there, text), f"python docs/run_notebooks.py writes {name} anew"


def test_notebooks_have_no_outputs():
    assert len(NOTEBOOKS) >= 4
    for path in NOTEBOOKS:
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            assert not cell.get("outputs"), path.name


def test_a_cell_that_fails_is_named(tmp_path):
    cells = [{"cell_type": "code", "source": ["1 / 0"]}]
    path = tmp_path / "broken.ipynb"
    path.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    with pytest.raises(ZeroDivisionError) as caught:
        run_notebooks.run_notebook(path)
    assert caught.value.__notes__ == ["in cell 1 of broken.ipynb"]


def test_pictures_that_differ_are_told_apart():
    assert are_alike("<a x='10.0'/>", "<a x='10.1'/>", abs=1.0)
    assert not are_alike("<a x='10.0'/>", "<a x='12.0'/>", abs=1.0)
    assert not are_alike("<a x='10.0'/>", "<b x='10.0'/>", abs=1.0)
    assert not are_alike("0.57", "0.43")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(each, marks=pytest.mark.slow if each == "learning" else ())
        for each in draw_pictures.PICTURES
    ],
)
def test_pictures_are_as_the_program_draws_them(name):
    there = (draw_pictures.FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    drawn = draw_pictures.light(draw_pictures.PICTURES[name]())
    assert are_alike(there, drawn, abs=1.0), "python docs/draw_pictures.py draws it anew"


def test_every_picture_is_on_a_page():
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    pictures = [path for path in DOCS.rglob("*.svg") if path.parent.name == "pictures"]
    assert len(pictures) >= len(draw_pictures.PICTURES)
    assert not [path.name for path in pictures if f"pictures/{path.name})" not in pages]
    assert not [path.name for path in pictures if "@media" in path.read_text(encoding="utf-8")]
