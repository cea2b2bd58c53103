"""Weft: weighted forests. Estimate taggers, parsers and parse rankers by any criterion.

Names are imported when they are first used, so that ``import weft`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft import estimators as estimators
    from weft import plot as plot
    from weft import unify as unify
    from weft.commands.family import Family as Family
    from weft.commands.family import register as register
    from weft.criteria import Dirichlet as Dirichlet
    from weft.criteria import Gaussian as Gaussian
    from weft.criteria import conditional as conditional
    from weft.criteria import contrastive as contrastive
    from weft.criteria import joint as joint
    from weft.criteria import marginal as marginal
    from weft.features.templates import templates as templates
    from weft.models import Chain as Chain
    from weft.models import Extent as Extent
    from weft.models import Normalisation as Normalisation
    from weft.models import Scheme as Scheme
    from weft.models.grammar.parser import Parser as Parser
    from weft.models.grammar.spec import Cfg as Cfg
    from weft.models.selection.selector import Selector as Selector
    from weft.models.selection.spec import Selection as Selection
    from weft.models.storage import load_model as load
    from weft.models.storage import save_model as save
    from weft.models.tables import Form as Form
    from weft.models.tables import Tables as Tables
    from weft.models.tagger import Decoder as Decoder
    from weft.models.tagger import Tagger as Tagger
    from weft.optimise.em import EM as EM
    from weft.optimise.lbfgs import LBFGS as LBFGS
    from weft.structures.evidence import Example as Example
    from weft.structures.evidence import Sentence as Sentence
    from weft.structures.evidence import example as example
    from weft.structures.stream import Stream as Stream
    from weft.train import fit as fit

    __version__: str

DISTRIBUTION = "weft-nlp"
"""The name that ``pip`` installs Weft by; the import and the command are ``weft``."""

_HOMES = {
    "Cfg": ("weft.models.grammar.spec", "Cfg"),
    "Chain": ("weft.models", "Chain"),
    "Decoder": ("weft.models.tagger", "Decoder"),
    "Dirichlet": ("weft.criteria", "Dirichlet"),
    "EM": ("weft.optimise.em", "EM"),
    "Example": ("weft.structures.evidence", "Example"),
    "Extent": ("weft.models", "Extent"),
    "Family": ("weft.commands.family", "Family"),
    "Form": ("weft.models.tables", "Form"),
    "Gaussian": ("weft.criteria", "Gaussian"),
    "LBFGS": ("weft.optimise.lbfgs", "LBFGS"),
    "Normalisation": ("weft.models", "Normalisation"),
    "Parser": ("weft.models.grammar.parser", "Parser"),
    "Scheme": ("weft.models", "Scheme"),
    "Selection": ("weft.models.selection.spec", "Selection"),
    "Selector": ("weft.models.selection.selector", "Selector"),
    "Sentence": ("weft.structures.evidence", "Sentence"),
    "Stream": ("weft.structures.stream", "Stream"),
    "Tables": ("weft.models.tables", "Tables"),
    "Tagger": ("weft.models.tagger", "Tagger"),
    "conditional": ("weft.criteria", "conditional"),
    "contrastive": ("weft.criteria", "contrastive"),
    "example": ("weft.structures.evidence", "example"),
    "fit": ("weft.train", "fit"),
    "joint": ("weft.criteria", "joint"),
    "load": ("weft.models.storage", "load_model"),
    "marginal": ("weft.criteria", "marginal"),
    "register": ("weft.commands.family", "register"),
    "save": ("weft.models.storage", "save_model"),
    "templates": ("weft.features.templates", "templates"),
}

__all__ = [
    "EM",
    "LBFGS",
    "Cfg",
    "Chain",
    "Decoder",
    "Dirichlet",
    "Example",
    "Extent",
    "Family",
    "Form",
    "Gaussian",
    "Normalisation",
    "Parser",
    "Scheme",
    "Selection",
    "Selector",
    "Sentence",
    "Stream",
    "Tables",
    "Tagger",
    "conditional",
    "contrastive",
    "example",
    "fit",
    "joint",
    "load",
    "marginal",
    "plot",
    "register",
    "save",
    "templates",
    "unify",
]


_ROOMS = {"estimators": "weft.estimators", "plot": "weft.plot", "unify": "weft.unify"}
"""Modules by the names that users know them by."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # which takes longer than all else here

        return version(DISTRIBUTION)
    if name in _ROOMS:
        return import_module(_ROOMS[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'weft' has no attribute '{name}'")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return __all__
