"""Tagged sentences, and how sure a model is of their tags."""

from __future__ import annotations

from weft.models.posteriors import TagPosteriors
from weft.report.trees import escaped, tree_svg
from weft.structures.evidence import Example, Label
from weft.structures.tree import Tree

_RIVALS = 3
_LEAST = 0.005


def tagged_card(example: Example) -> str:
    """Return a sentence with its tags below its words, and its tree where it has one."""
    words = example.tokens.words
    tags = example.analysis or (None,) * len(words)
    tokens = [_token(word, _label(tag)) for word, tag in zip(words, tags, strict=True)]
    tree = tree_svg(example.parse, "its tree") if isinstance(example.parse, Tree) else ""
    return f'<div class="tokens">{"".join(tokens)}</div>{tree}'


def _label(label: Label) -> str:
    shown = "" if label is None else label if isinstance(label, str) else "|".join(sorted(label))
    return f'<span class="tag">{escaped(shown)}</span>'


def _token(word: str, below: str) -> str:
    return f'<div class="token"><div>{escaped(word)}</div>{below}</div>'


def posteriors_card(found: TagPosteriors) -> str:
    """Return a sentence with the likeliest tags of each word, and how probable they are."""
    tokens = []
    for word, ranked in zip(found.words, found.ranked(_RIVALS), strict=True):
        bars = [
            f'<div class="{"" if place else "tag"}">{escaped(tag)} '
            f'<span class="faint">{share:.2f}</span>'
            f'<span class="track"><span class="bar" style="width:{100 * share:.0f}%"></span></span>'
            "</div>"
            for place, (tag, share) in enumerate(ranked)
            if not place or share >= _LEAST
        ]
        tokens.append(_token(word, "".join(bars)))
    return f'<div class="tokens">{"".join(tokens)}</div>'
