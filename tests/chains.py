"""Small random chain models and corpora, for the tests of everything that sums over chains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weft.features.templates import templates
from weft.models import Chain, ChainModel, Extent, prepare
from weft.models.options import TagParts
from weft.structures.evidence import Evidence, Example, Sentence

TAGS = ("A", "B", "BC")
WORDS = ("u", "v", "w", "x")


def random_sentence(rng: np.random.Generator, length: int) -> Sentence:
    words = tuple(rng.choice(WORDS, length).tolist())
    attributes = tuple({f"f{rng.integers(3)}": float(rng.normal())} for _ in words)
    return Sentence((words,), attributes)


def random_labels(rng: np.random.Generator, length: int) -> tuple:
    """A tag, a set of tags, or nothing, for each token."""
    kinds = rng.integers(3, size=length)
    full = rng.choice(TAGS, length).tolist()
    return tuple(
        tag if kind == 0 else frozenset({tag, "B"}) if kind == 1 else None
        for kind, tag in zip(kinds, full, strict=True)
    )


def random_corpus(rng: np.random.Generator, sentences: int = 6, longest: int = 4) -> list[Example]:
    """Sentences of all lengths from 1, fully labelled."""
    corpus = []
    for number in range(sentences):
        sentence = random_sentence(rng, 1 + number % longest)
        tags = rng.choice(TAGS, len(sentence)).tolist()
        corpus.append(Example(sentence, tuple(tags), weight=float(rng.uniform(0.5, 2.0))))
    return corpus


def chain_options() -> dict[str, Chain]:
    """Every kind of chain: orders, with and without pairs, parts, dictionaries, boundaries."""
    base = {"templates": templates("bias word[0] word[-1] suffix1[1]|word[0]")}
    pairs = templates("bias word[0]")
    everything = {"attributes": Extent.ALL, "ngrams": Extent.ALL}
    dictionary = {"u": frozenset({"A", "BC"}), "v": frozenset({"B"})}
    options: dict[str, Chain] = {}
    for order in (1, 2):
        options[f"order{order}"] = Chain(order=order, **base)
        options[f"order{order}-all"] = Chain(order=order, **base, **everything)
        options[f"order{order}-pairs"] = Chain(order=order, **base, pair_templates=pairs)
        options[f"order{order}-parts"] = Chain(order=order, **base, tag_parts=TagParts.LETTERS)
        options[f"order{order}-parts-pairs"] = Chain(
            order=order, **base, pair_templates=pairs, tag_parts=TagParts.LETTERS
        )
        options[f"order{order}-unbounded"] = Chain(order=order, **base, boundaries=False)
        options[f"order{order}-dictionary"] = Chain(
            order=order, **base, **everything, dictionary=dictionary, pair_templates=pairs
        )
        options[f"order{order}-open"] = Chain(
            order=order, **base, **everything, dictionary=dictionary, open_tags=frozenset("AB")
        )
    return options


def labelled_options() -> dict[str, Chain]:
    """The same, and those that learn which tags are allowed from corpora without partial labels."""
    options = chain_options()
    for name in ("order1", "order2"):
        for allowed, how in (
            ("dictionary", {"allowed_count": 4}),
            ("first-pass", {"allowed_posterior": 0.1}),
        ):
            options[f"{name}-allowed-{allowed}"] = replace(options[name], allowed=allowed, **how)
    return options


def evidences_about(rng: np.random.Generator, corpus: list[Example]) -> list[Evidence]:
    """Full, partial and no labels for each sentence, so that members share sentences."""
    several = []
    for example in corpus:
        several.append(Evidence(example.tokens, example.analysis))
        several.append(Evidence(example.tokens))
        several.append(Evidence(example.tokens, random_labels(rng, len(example.tokens))))
    return several


def random_model(rng: np.random.Generator, chain: Chain) -> tuple[ChainModel, list[Example]]:
    corpus = random_corpus(rng)
    return prepare(chain, corpus), corpus
