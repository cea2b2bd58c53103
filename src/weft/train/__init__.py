"""Training: the only place where model, corpus, criterion, penalty and optimiser meet."""

from weft.train.climbs import Optimiser, Term
from weft.train.estimation import fit
from weft.train.selection.forward import ModelOfSome, selection_curve
from weft.train.selection.scale import JOHNSON, with_scale

__all__ = ["JOHNSON", "ModelOfSome", "Optimiser", "Term", "fit", "selection_curve", "with_scale"]
