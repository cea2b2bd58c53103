"""Models: which derivations exist, and which features sit where."""

from weft.models.chain.model import ChainModel
from weft.models.chain.prepare import prepare
from weft.models.chain.spec import Chain
from weft.models.options import Dictionary, Extent, Normalisation, Scheme

__all__ = ["Chain", "ChainModel", "Dictionary", "Extent", "Normalisation", "Scheme", "prepare"]
