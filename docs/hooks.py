"""What the site needs beyond its pages: docstrings refer to code as Sphinx does, pages do not."""

import re

_ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):<code>~?([^<]*)</code>")


def on_page_content(html: str, **_: object) -> str:
    """Show a cross-reference of a docstring as the name it refers to."""
    return _ROLE.sub(r"<code>\1</code>", html)
