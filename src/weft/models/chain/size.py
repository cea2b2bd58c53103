"""Templates by the size of a corpus: the one place where the default depends on it.

A feature of a pair of words, or of a word two tokens away, helps where it occurs again. In a small
corpus, or where a tag has few tokens, it does not; and such features, which are most of all, take
the weight from those that do. ``docs/guide/size.md`` has what was measured.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from weft.features.templates import Template, default_templates
from weft.models.chain.prepare import tags_of
from weft.structures.evidence import Example

FEW_TOKENS = 4_000
"""Fewer tokens than these are few."""

FEW_PER_TAG = 64
"""Fewer tokens per tag than these are few, too."""

MANY_TOKENS = 250_000
"""As many as these are enough for any tags, so that no more of a long file is read."""


def is_wide(model: Any) -> bool:
    """Whether a model has usual templates that small corpora do without."""
    index = getattr(model, "index", None)
    return index is not None and not _WIDE.isdisjoint(index.templates)


_WIDE = set(default_templates(1)) - set(default_templates(1, narrow=True))


def templates_by_size(corpus: Iterable[Example]) -> tuple[tuple[Template, ...] | None, str]:
    """Return the templates that suit a corpus, and what was chosen; None for the usual ones.

    >>> from weft import example
    >>> _, why = templates_by_size([example("the dog barks".split(), "DT NN VBZ".split())])
    >>> why
    'templates of single words in a window of 1, for 3 tokens and 3 tags'
    """
    names, tokens, columns = set[str](), 0, set[int]()
    for each in corpus:
        if each.tokens.attributes is not None or tokens >= MANY_TOKENS:
            return None, ""
        names |= tags_of([each])
        tokens += len(each.tokens)
        columns.add(len(each.tokens.columns))
    tags = len(names)
    if not tags or tokens >= max(FEW_TOKENS, FEW_PER_TAG * tags):
        return None, ""
    why = f"templates of single words in a window of 1, for {tokens:,} tokens and {tags} tags"
    return default_templates(min(columns), narrow=True), why
