"""What the site needs beyond its pages: docstrings are written for doctest, pages in Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

_BLOCK = re.compile(r'<div class="language-(console|pycon) highlight">(.*?)</div>', re.DOTALL)
_PROMPTS = {"console": ("$ ",), "pycon": (">>> ", "... ")}
_NAME = re.compile(r"<m[io]>(log|exp|max)</m[io]>")
_CODE = re.compile(r"(<pre.*?</pre>)|(<code>)([^<]*--?\w[^<]*)(</code>)", re.DOTALL)
_OPTION = re.compile(r"(?<![^\s(])--?\w[\w-]*(?=[\s=,)…]|$)|^\w[\w-]{1,13}$")
_PIPE = re.compile(r"<code>[^<]*</code>")
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_ROW = re.compile(r"<tr>(.*?)</tr>", re.DOTALL)
_CELL = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.DOTALL)
_HEAD = re.compile(r"<th(?=[ >])")
_IMAGE = re.compile(r'<img(?=[^>]* src="([^":]*\.svg)")')
_WIDTH = re.compile(r'<svg[^>]* width="([\d.]+)(pt)?')
_SMALLEST, _PHONE, _WIDEST = 0.7, 340, 720
_LONG, _LONGER = 40, 120
_ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):<code>~?([^<]*)</code>")


def fenced(lines: Iterable[str]) -> list[str]:
    """Put examples into fences, so that ``>>>`` is not read as a quotation thrice over.

    >>> fenced(["Like so.", ">>> 1 + 1", "2", "", "More."])
    ['Like so.', '', '```pycon', '>>> 1 + 1', '2', '```', '', 'More.']
    """
    made: list[str] = []
    fence = example = False
    for line in lines:
        fence ^= line.lstrip().startswith("```")
        if not (fence or example) and line.startswith(">>> "):
            example = True
            made += ["", "```pycon"]
        elif example and not line.strip():
            example = False
            made.append("```")
        made.append(line if fence or example else shapes(line))
    return [*made, "```"] if example else made


def shapes(line: str) -> str:
    r"""Keep a shape that follows a bracket from being read as the target of a link.

    >>> print(shapes("Return E[f] [weights]."))
    Return E[f] \[weights].
    """
    code = "`" in line or line.startswith("    ")
    return line if code else line.replace("] [", "] \\[")


def formula(source: str) -> str:
    r"""Return a formula in MathML, which browsers show without a script; it is written in TeX.

    >>> "<mo>&#x02212;</mo>" in formula(r"t = \log Z(A) - \log Z(B)")
    True

    Raises:
        ValueError: If it is none, or has unknown commands.
    """
    from latex2mathml.converter import convert

    try:
        made = convert(" ".join(source.split()), display="block")
        ElementTree.fromstring(made)  # noqa: S314  it was made here
    except Exception as error:  # it has many
        raise ValueError(f"no formula: {source}") from error
    if "\\" in made or source.count("{") != source.count("}"):
        raise ValueError(f"no formula, by its commands or braces: {source}")
    return _NAME.sub(r'<mo lspace="0" rspace="0.17em" movablelimits="false">\1</mo>', made)


def commands(text: str, language: str) -> str:
    r"""Return what a reader would type of a block: no prompts, and nothing that was printed.

    >>> commands("$ weft recipes \\\n    --grid\nyes\n$ weft demo", "console")
    'weft recipes \\\n    --grid\nweft demo'
    """
    return "\n".join(_typed(text.splitlines(), _PROMPTS[language]))


def _typed(lines: Iterable[str], prompts: tuple[str, ...]) -> Iterator[str]:
    goes_on = False
    for line in lines:
        prompt = next((each for each in prompts if f"{line} ".startswith(each)), None)
        if prompt is not None or goes_on:
            yield line if prompt is None else line[len(prompt) :]
            goes_on = line.endswith("\\")


def copied(page: str) -> str:
    r"""Tell the copy buttons of a page's blocks what to copy.

    >>> copied('<div class="language-console highlight"><b>$ </b>ls -1\na&amp;b</div>')
    '<div class="language-console highlight" data-copy="ls -1"><b>$ </b>ls -1\na&amp;b</div>'
    """

    def tell(found: re.Match[str]) -> str:
        text = html.unescape(re.sub(r"<[^>]*>", "", found[2]))
        typed = html.escape(commands(text, found[1])).replace("\n", "&#10;")
        opening = f'<div class="language-{found[1]} highlight" data-copy="{typed}">'
        return f"{opening}{found[2]}</div>"

    return _BLOCK.sub(tell, page)


def options_unbroken(page: str) -> str:
    """Keep options and short names in running text whole: lines may be broken after any hyphen.

    >>> options_unbroken("<code>weft recipes --grid</code>")
    '<code>weft recipes <span class="option">--grid</span></code>'
    >>> options_unbroken("<code>hmm-em</code> and <code>shift-reduce-conditional</code>")
    '<code><span class="option">hmm-em</span></code> and <code>shift-reduce-conditional</code>'
    """

    def keep(found: re.Match[str]) -> str:
        if found[1]:
            return found[1]
        return found[2] + _OPTION.sub(r'<span class="option">\g<0></span>', found[3]) + found[4]

    return _CODE.sub(keep, page)


def pipes_in_tables(page: str) -> str:
    r"""Show a bar in a table's code without the backslash that keeps it from ending the cell.

    >>> pipes_in_tables(r"<table><td><code>A\|B</code></td></table> <code>A\|B</code>")
    '<table><td><code>A|B</code></td></table> <code>A\\|B</code>'
    """

    def show(found: re.Match[str]) -> str:
        return _PIPE.sub(lambda code: code[0].replace("\\|", "|"), found[0])

    return _TABLE.sub(show, page)


def columns_with_room(page: str) -> str:
    """Say which columns of tables have long texts, so that narrow screens leave these room.

    >>> row = f"<tr><td>1</td><td>{'word ' * 9}</td></tr>"
    >>> made = columns_with_room(f"<table><tr><th>n</th><th>text</th></tr>{row}</table>")
    >>> made.partition("</tr>")[0]
    '<table><tr><th>n</th><th class="long">text</th>'
    """

    def say(found: re.Match[str]) -> str:
        rows = [_CELL.findall(row) for row in _ROW.findall(found[0])]
        lengths = [
            max(len(html.unescape(re.sub(r"<[^>]*>", "", cell))) for cell in column)
            for column in zip(*rows, strict=False)
        ]
        names = iter("longer" if n > _LONGER else "long" if n > _LONG else "" for n in lengths)

        def mark(head: re.Match[str]) -> str:
            name = next(names, "")
            return f'{head[0]} class="{name}"' if name else head[0]

        return _HEAD.sub(mark, found[0])

    return _TABLE.sub(say, page)


def readable(page: str, folder: Path) -> str:
    """Keep pictures from being made so small that nobody can read them: they scroll instead.

    Args:
        page: The page.
        folder: Where it lies; paths of pictures are relative to it.
    """

    def widen(found: re.Match[str]) -> str:
        size = _WIDTH.search((folder / found[1]).read_text(encoding="utf-8"))
        width = float(size[1]) * (4 / 3 if size[2] else 1) if size else 0
        least = min(round(_SMALLEST * width), _WIDEST)
        return f'{found[0]} style="min-width: {least}px"' if least > _PHONE else found[0]

    return _IMAGE.sub(widen, page)


def on_config(config: Any, **_: object) -> Any:
    """Teach Markdown about examples without fences, and about formulas."""
    from markdown.extensions import Extension
    from markdown.preprocessors import Preprocessor
    from pymdownx.superfences import SuperFencesException

    def show(source: str, *_: object, **__: object) -> str:
        try:
            return f'<div class="formula">{formula(source)}</div>'
        except ValueError as error:
            raise SuperFencesException(str(error)) from error  # others would be passed over

    class Fences(Preprocessor):
        def run(self, lines: list[str]) -> list[str]:
            return fenced(lines)

    class Examples(Extension):
        def extendMarkdown(self, md: Any) -> None:  # noqa: N802
            # After white space is normalised, before fences are looked for.
            md.preprocessors.register(Fences(md), "examples", 27)

    config.markdown_extensions.append(Examples())
    config.mdx_configs["pymdownx.superfences"] = {
        "custom_fences": [{"name": "math", "class": "formula", "format": show}]
    }
    return config


def on_page_content(html: str, page: Any, **_: object) -> str:
    """Show a cross-reference of a docstring as the name it refers to; see to buttons and widths."""
    named = copied(_ROLE.sub(r"<code>\1</code>", html))
    pictured = readable(named, Path(page.file.abs_src_path).parent)
    return options_unbroken(columns_with_room(pipes_in_tables(pictured)))
