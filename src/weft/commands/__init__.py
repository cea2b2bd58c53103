"""What the command line can do, as ordinary functions that never print and never exit."""

from weft.commands.asking import Ask
from weft.commands.catalogue import Catalogue, Contents, recipe, recipes
from weft.commands.comparison import ComparedModel, Comparison, compare_models
from weft.commands.compatibility import Compatibility, compatibility
from weft.commands.conversion import Agreement, ConvertedModel, compare, convert
from weft.commands.crossvalidation import (
    Validation,
    best_of,
    compare_validations,
    crossvalidate,
    crossvalidate_grid,
    for_other_recipe,
    usual_recipe,
)
from weft.commands.data import Data, Holding, corpora, fetch
from weft.commands.demonstration import Demonstration, demo
from weft.commands.evaluation import Assessment, Evaluation, assess, evaluate
from weft.commands.explanation import (
    Explanation,
    explain,
)
from weft.commands.exports import EXPORTS, ModelExport, export
from weft.commands.files.inputs import FileLayout, layout_of, open_model
from weft.commands.files.outputs import check_output
from weft.commands.grid import Grid, read_grid, train_grid
from weft.commands.how import Found, How, Traced
from weft.commands.inspection import Facts, FeatureInspection, Inspection, inspect, inspect_features
from weft.commands.learning import LearningCurve, learning_curve
from weft.commands.neighbours import Neighbours, find_neighbourhood, neighbours_of
from weft.commands.parses import Parsed, parse_file
from weft.commands.parsing import (
    ParserEvaluation,
    ParserInspection,
    evaluate_parser,
    inspect_parser,
)
from weft.commands.prediction import (
    BATCH_TOKENS,
    Prediction,
    Tagging,
    predict,
    tag_file,
)
from weft.commands.request import Request
from weft.commands.saving import Watch
from weft.commands.selecting import (
    Chosen,
    Ranking,
    SelectionEvaluation,
    evaluate_selector,
    select_file,
)
from weft.commands.tasks import Task, task_of, used
from weft.commands.tracing import Tracing, trace_text
from weft.commands.training import Training, train
from weft.commands.trials import Choose, Trial

__all__ = [
    "BATCH_TOKENS",
    "EXPORTS",
    "Agreement",
    "Ask",
    "Assessment",
    "Catalogue",
    "Choose",
    "Chosen",
    "ComparedModel",
    "Comparison",
    "Compatibility",
    "Contents",
    "ConvertedModel",
    "Data",
    "Demonstration",
    "Evaluation",
    "Explanation",
    "Facts",
    "FeatureInspection",
    "FileLayout",
    "Found",
    "Grid",
    "Holding",
    "How",
    "Inspection",
    "LearningCurve",
    "ModelExport",
    "Neighbours",
    "Parsed",
    "ParserEvaluation",
    "ParserInspection",
    "Prediction",
    "Ranking",
    "Request",
    "SelectionEvaluation",
    "Tagging",
    "Task",
    "Traced",
    "Tracing",
    "Training",
    "Trial",
    "Validation",
    "Watch",
    "assess",
    "best_of",
    "check_output",
    "compare",
    "compare_models",
    "compare_validations",
    "compatibility",
    "convert",
    "corpora",
    "crossvalidate",
    "crossvalidate_grid",
    "demo",
    "evaluate",
    "evaluate_parser",
    "evaluate_selector",
    "explain",
    "export",
    "fetch",
    "find_neighbourhood",
    "for_other_recipe",
    "inspect",
    "inspect_features",
    "inspect_parser",
    "layout_of",
    "learning_curve",
    "neighbours_of",
    "open_model",
    "parse_file",
    "predict",
    "read_grid",
    "recipe",
    "recipes",
    "select_file",
    "tag_file",
    "task_of",
    "trace_text",
    "train",
    "train_grid",
    "used",
    "usual_recipe",
]
