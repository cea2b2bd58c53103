"""Models: which derivations exist, and which features sit where."""

from weft.models.chain import Chain
from weft.models.chain_model import ChainModel
from weft.models.options import Dictionary, Extent, Normalisation, Scheme
from weft.models.prepare import prepare

__all__ = ["Chain", "ChainModel", "Dictionary", "Extent", "Normalisation", "Scheme", "prepare"]
