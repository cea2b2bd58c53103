"""Where all tags are alike, and estimation from words alone can never tell them apart.

If every token may have every tag and every tag may follow every other, then to rename the tags
changes no sum over derivations. From weights that are the same for all tags, an iteration of EM and
a step along a gradient lead to such weights again: the search never leaves them.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.models.chain.model import ChainModel
from weft.structures.evidence import Evidence, Sentence


def all_alike(model: ChainModel, evidences: Sequence[Evidence]) -> bool:
    """Say whether renaming the tags changes nothing of what evidence leaves open.

    >>> from weft.models import Chain, prepare
    >>> from weft.structures.evidence import example
    >>> corpus = [example(["the", "dog"], ["DT", "NN"])]
    >>> raw = [Evidence(corpus[0].tokens)]
    >>> all_alike(prepare(Chain(), corpus), raw)
    True
    >>> all_alike(prepare(Chain(dictionary={"the": frozenset({"DT"})}), corpus), raw)
    False
    """
    if len(model.tags) == 1 or model.open_tags is not None or model.topology.forbidden.any():
        return False
    if any(evidence.analysis is not None for evidence in evidences):
        return False
    known = (model.dictionary or {}).keys()
    texts = (each.tokens.words for each in evidences if isinstance(each.tokens, Sentence))
    return all(known.isdisjoint(words) for words in texts)
