"""Run the notebooks, and write each as a page of the site.

``python docs/run_notebooks.py`` writes ``docs/notebooks/NAME.md`` from ``NAME.ipynb``, with what
its cells print and draw; a test compares. Cells are run in order, in one namespace.
"""

from __future__ import annotations

import ast
import io
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "notebooks"
_FORMULA = re.compile(r"^\$\$\n(.*?)\n\$\$$", re.DOTALL | re.MULTILINE)
_SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)


def run_notebook(path: Path) -> dict[str, str]:
    """Return the files that a notebook becomes, by their names: a page, and its pictures.

    Raises:
        Exception: What a cell raises, with a note of which cell that is.
    """
    files: dict[str, str] = {}
    space: dict[str, Any] = {"__name__": "__main__"}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts = []
    for number, cell in enumerate(cells, 1):
        try:
            parts += _shown(cell, space, f"{path.stem}-{number}", files)
        except Exception as error:
            error.add_note(f"in cell {number} of {path.name}")
            raise
    parts.append(f"This page is a notebook: [{path.name}]({path.name}) is the file to run.\n")
    files[f"{path.stem}.md"] = "\n\n".join(parts)
    return files


def _shown(
    cell: Mapping[str, Any], space: dict[str, Any], name: str, files: dict[str, str]
) -> Iterator[str]:
    source = "".join(cell["source"]).rstrip()
    if cell["cell_type"] == "markdown":
        yield _FORMULA.sub(r"```math\n\1\n```", source)
        return
    yield f"```python\n{source}\n```"
    printed, value = run_cell(source, space)
    drawn = _SVG.findall(value._repr_html_()) if hasattr(value, "_repr_html_") else []
    if len(drawn) == 1:
        files[f"pictures/{name}.svg"] = f"{drawn[0]}\n"
        title = re.findall("<title>(.*)</title>", drawn[0])[0]
        yield f"![{title}](pictures/{name}.svg)"
    elif value is not None:
        printed += f"{value!r}\n"
    if printed:
        yield f"```text\n{printed.rstrip()}\n```"


def run_cell(source: str, space: dict[str, Any]) -> tuple[str, Any]:
    r"""Return what a cell prints, and the value of its last line, if that has one.

    >>> run_cell("print('a'); x = 1; x + 1", {})
    ('a\n', 2)
    """
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), space)  # noqa: S102
        asked = compile(ast.Expression(last.value), "<cell>", "eval") if last else None
        value = eval(asked, space) if asked else None  # noqa: S307
    return printed.getvalue(), value


def main() -> None:
    """Write all pages."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        for name, text in run_notebook(path).items():
            (FOLDER / name).parent.mkdir(exist_ok=True)
            (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
