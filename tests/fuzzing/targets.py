"""What is fuzzed: every reader of files and strings that come from users."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from fuzzing import checks, model_files, samples
from fuzzing.engine import compress, mutated


@dataclass(frozen=True, slots=True)
class Target:
    """A reader and how to fuzz it.

    Attributes:
        name: Its name, also that of the folder with its cases.
        seeds: Returns files that it accepts.
        mutate: Damages one of them.
        check: Reads an input. A ``WeftError`` refuses it; any other exception is a fault, and so
            are a crash, ten seconds, and more memory than a reader needs.
    """

    name: str
    seeds: Callable[[], list[bytes]]
    mutate: Callable[[np.random.Generator, bytes], bytes]
    check: Callable[[bytes], None]


def _target(name: str, check: Callable[[bytes], None]) -> Target:
    words = samples.WORDS.get(name, [])

    def mutate(rng: np.random.Generator, data: bytes) -> bytes:
        return mutated(rng, data, words)

    return Target(name, cache(lambda: samples.seeds(name)), mutate, check)


def _compressed(rng: np.random.Generator, data: bytes) -> bytes:
    return compress(rng, mutated(rng, data) if rng.random() < 0.5 else data, [])


TARGETS: list[Target] = [
    _target("conllu", checks.conllu),
    _target("columns", checks.columns),
    _target("tagged", checks.tagged),
    _target("text", checks.text),
    _target("crfsuite", checks.crfsuite),
    _target("brackets", checks.brackets),
    Target("gzip", cache(lambda: samples.seeds("tagged")), _compressed, checks.tagged),
    _target("prediction", checks.prediction),
    _target("parse-sets", checks.parse_sets),
    _target("packed", checks.parse_sets),
    _target("derivations", checks.derivations),
    _target("profiles", checks.profiles),
    _target("xle", checks.xle),
    _target("grammar", checks.grammar),
    _target("grammar-json", checks.grammar_json),
    _target("feature-grammar", checks.feature_grammar),
    _target("patr", checks.patr),
    _target("patr-lexicon", checks.patr),
    _target("lfg", checks.lfg),
    _target("lfg-suite", checks.lfg_suite),
    _target("network", checks.network),
    _target("transducer", checks.transducer),
    _target("dictionary", checks.dictionary),
    _target("tag-map", checks.tag_map),
    _target("head-rules", checks.head_rules),
    _target("templates", checks.templates),
    _target("template-file", checks.template_file),
    _target("evalb", checks.evalb),
    _target("settings", checks.settings),
    _target("ledger", checks.ledger),
    Target("crfsuite-model", samples.crfsuite_models, mutated, checks.crfsuite_model),
    Target("models", model_files.seeds, model_files.edit, model_files.check),
]
"""All targets."""
