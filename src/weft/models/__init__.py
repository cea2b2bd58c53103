"""Models: which derivations exist, and which features sit where."""

from weft.models.chain import Chain, ChainModel, Dictionary, Extent, Normalisation, Scheme
from weft.models.prepare import prepare

__all__ = ["Chain", "ChainModel", "Dictionary", "Extent", "Normalisation", "Scheme", "prepare"]
