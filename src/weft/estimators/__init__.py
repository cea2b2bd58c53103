"""Estimators for scikit-learn: models in pipelines, cross-validation and searches over grids.

They need scikit-learn (``pip install "weft-nlp[sklearn]"``), which nothing else of Weft imports.
"""

from weft.estimators.parsers import Parser
from weft.estimators.selectors import ParseSelector
from weft.estimators.taggers import Tagger

__all__ = ["ParseSelector", "Parser", "Tagger"]
