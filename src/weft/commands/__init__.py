"""What the command line can do, as ordinary functions that never print and never exit."""

from weft.commands.catalogue import Catalogue, recipes
from weft.commands.conversion import Comparison, Conversion, compare, convert
from weft.commands.data import Data, Holding, corpora
from weft.commands.demonstration import Demonstration, demo
from weft.commands.evaluation import Evaluation, assess, evaluate
from weft.commands.grid import Grid, read_grid, train_grid
from weft.commands.inputs import Layout, layout_of
from weft.commands.inspection import Inspection, inspect
from weft.commands.neighbours import Neighbours, neighbourhood_named, neighbours_of
from weft.commands.prediction import BATCH_TOKENS, Prediction, predict, predict_marginals
from weft.commands.request import Request
from weft.commands.training import Training, Watch, train
from weft.commands.trials import Choose, Trial

__all__ = [
    "BATCH_TOKENS",
    "Catalogue",
    "Choose",
    "Comparison",
    "Conversion",
    "Data",
    "Demonstration",
    "Evaluation",
    "Grid",
    "Holding",
    "Inspection",
    "Layout",
    "Neighbours",
    "Prediction",
    "Request",
    "Training",
    "Trial",
    "Watch",
    "assess",
    "compare",
    "convert",
    "corpora",
    "demo",
    "evaluate",
    "inspect",
    "layout_of",
    "neighbourhood_named",
    "neighbours_of",
    "predict",
    "predict_marginals",
    "read_grid",
    "recipes",
    "train",
    "train_grid",
]
