"""Small random taggers of every kind, for the tests of conversions."""

from __future__ import annotations

from itertools import product

import numpy as np

from chains import TAGS, WORDS
from weft.features.templates import templates
from weft.models import Chain, Extent, Scheme, prepare
from weft.models.tagger import Tagger
from weft.structures.evidence import Example, example

_PAIRS = {"pair_templates": templates("word[0]")}
OPTIONS = {
    "plain": {},
    "features": {"templates": templates("word[0] suffix1[0] bias")},
    "pairs": {**_PAIRS, "templates": ()},
    "both": {**_PAIRS, "templates": templates("suffix1[0]")},
    "dictionary": {"dictionary": {"u": frozenset({"A", "BC"}), "v": frozenset({"B"})}},
    "observed": {"attributes": Extent.OBSERVED, "ngrams": Extent.OBSERVED},
    "parts": {"tag_parts": "letters", "templates": templates("word[0] suffix1[0]")},
    "both-parts": {**_PAIRS, "tag_parts": "letters", "attributes": Extent.OBSERVED},
    "unbounded": {"boundaries": False, **_PAIRS},
    "chunks": {"scheme": Scheme.CHUNKS, **_PAIRS},
}
MEALY = [name for name, options in OPTIONS.items() if "pair_templates" in options]
MOORE = [name for name in OPTIONS if name not in MEALY]
CHUNKS = ("B-X", "I-X", "O")


def corpus_of(rng: np.random.Generator, name: str) -> list[Example]:
    """Labelled sentences that the options allow."""
    if name == "chunks":
        return [example(["u", "v", "w"], ["B-X", "I-X", "O"]), example(["x"], ["O"])]
    allowed = {"u": ["A", "BC"], "v": ["B"]}
    corpus = [example(list(WORDS), ["A", "B", "BC", "BC"])]
    for length in (1, 2, 3, 4, 2, 3):
        words = rng.choice(WORDS, length).tolist()
        corpus.append(example(words, [str(rng.choice(allowed.get(w, TAGS))) for w in words]))
    return corpus


def random_tagger(
    rng: np.random.Generator, name: str, order: int, normalisation: str, spread: float = 2.0
) -> Tagger:
    default = {"templates": templates("word[0]"), "attributes": "all", "ngrams": "all"}
    options = {**default, **OPTIONS[name]}
    if normalisation == "joint":
        options.pop("tag_parts", None)  # an HMM has words with whole tags alone
    chain = Chain(order=order, normalisation=normalisation, **options)
    model = prepare(chain, corpus_of(rng, name))
    return Tagger(model, spread * rng.normal(size=model.parameters.size))


def examples_of(tagger: Tagger, longest: int = 3, unknown: bool = True) -> list[Example]:
    """Every tagging of every sentence of the vocabulary, and of some with an unknown word."""
    vocabulary = tagger.model.vocabulary
    sentences = [w for n in range(1, longest + 1) for w in product(vocabulary, repeat=n)]
    if unknown:
        sentences += [("never",), (vocabulary[0], "never"), ("never", vocabulary[-1], "again")]
    found = []
    for words in sentences:
        tokens = example(words).tokens
        taggings = product(tagger.model.tags, repeat=len(words))
        found += [Example(tokens, tags) for tags in taggings]
    return found
