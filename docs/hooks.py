"""What the site needs beyond its pages: docstrings are written for doctest, pages in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

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


def on_config(config: Any, **_: object) -> Any:
    """Teach Markdown about examples without fences."""
    from markdown.extensions import Extension
    from markdown.preprocessors import Preprocessor

    class Fences(Preprocessor):
        def run(self, lines: list[str]) -> list[str]:
            return fenced(lines)

    class Examples(Extension):
        def extendMarkdown(self, md: Any) -> None:  # noqa: N802
            # After white space is normalised, before fences are looked for.
            md.preprocessors.register(Fences(md), "examples", 27)

    config.markdown_extensions.append(Examples())
    return config


def on_page_content(html: str, **_: object) -> str:
    """Show a cross-reference of a docstring as the name it refers to."""
    return _ROLE.sub(r"<code>\1</code>", html)
