"""The kernels: the one place that imports the compiled core.

Arrays go in and come out; ``_native.pyi`` has all signatures. Whatever else offers these functions,
on a graphics card for example, can stand here instead, and nothing else need know.
"""

from __future__ import annotations

from weft import _native as kernels
from weft._native import CanonicalFilter, MoveScorer, StepMixtures

__all__ = ["CanonicalFilter", "MoveScorer", "StepMixtures", "kernels"]
