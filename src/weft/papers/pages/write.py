"""The files of the report."""

from __future__ import annotations

import json
from pathlib import Path

from weft.files import write_text
from weft.papers.pages.markdown import markdown_report, picture_name
from weft.papers.pages.outcomes import Reproduction
from weft.papers.pages.page import html_report
from weft.papers.registry import PAPERS
from weft.report.plots import on_white


def write_report(folder: Path, made: Reproduction) -> None:
    """Write the report into a folder: a page, Markdown with its pictures, and JSON.

    Raises:
        FormatError: If it cannot be written.
    """
    (folder / "figures").mkdir(exist_ok=True)
    texts = {
        "report.html": html_report(made, PAPERS),
        "report.md": markdown_report(made, PAPERS),
        "report.json": json.dumps(made.as_json(), indent=1, ensure_ascii=False, allow_nan=False)
        + "\n",
    }
    for outcome in made.outcomes:
        for number, picture in enumerate(outcome.result.pictures if outcome.result else (), 1):
            texts[picture_name(outcome, number)] = on_white(picture.svg)
    for name, text in texts.items():
        with write_text(folder / name) as stream:
            stream.write(text)
