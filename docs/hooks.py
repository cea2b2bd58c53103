"""What the site needs beyond its pages: docstrings are written for doctest, pages in Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree import ElementTree

_BLOCK = re.compile(r'<div class="language-(console|pycon) highlight">(.*?)</div>', re.DOTALL)
_PROMPTS = {"console": ("$ ",), "pycon": (">>> ", "... ")}
_NAME = re.compile(r"<m[io]>(log|exp|max)</m[io]>")
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


def on_page_content(html: str, **_: object) -> str:
    """Show a cross-reference of a docstring as the name it refers to; see to copy buttons."""
    return copied(_ROLE.sub(r"<code>\1</code>", html))
