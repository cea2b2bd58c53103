"""What the command line can do, as ordinary functions that never print and never exit."""

from weft.commands.asking import Ask
from weft.commands.catalogue import Catalogue, Contents, recipe, recipes
from weft.commands.compatibility import Compatibility, compatibility
from weft.commands.conversion import Comparison, Conversion, compare, convert
from weft.commands.crossvalidation import (
    Validation,
    best_of,
    compare_validations,
    crossvalidate,
    crossvalidate_grid,
    for_other_recipe,
    usual_recipe,
)
from weft.commands.data import Data, Holding, corpora
from weft.commands.demonstration import Demonstration, demo
from weft.commands.evaluation import Evaluation, assess, evaluate
from weft.commands.explanation import (
    Explanation,
    SelectorInspection,
    explain,
    inspect_selector,
)
from weft.commands.files.inputs import Layout, layout_of, opened_model
from weft.commands.files.outputs import check_output
from weft.commands.grammar.conversion import GrammarConversion, convert_to_grammar
from weft.commands.grid import Grid, read_grid, train_grid
from weft.commands.inspection import Inspection, inspect
from weft.commands.neighbours import Neighbours, neighbourhood_named, neighbours_of
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
    predict_marginals,
    tag_file,
)
from weft.commands.request import Request
from weft.commands.saving import Watch
from weft.commands.selecting import (
    Chosen,
    Ranking,
    SelectionEvaluation,
    evaluate_selector,
    rank_file,
    select_file,
)
from weft.commands.training import Training, train
from weft.commands.trials import Choose, Trial
from weft.commands.uses import How, Use, use_of

__all__ = [
    "BATCH_TOKENS",
    "Ask",
    "Catalogue",
    "Choose",
    "Chosen",
    "Comparison",
    "Compatibility",
    "Contents",
    "Conversion",
    "Data",
    "Demonstration",
    "Evaluation",
    "Explanation",
    "GrammarConversion",
    "Grid",
    "Holding",
    "How",
    "Inspection",
    "Layout",
    "Neighbours",
    "Parsed",
    "ParserEvaluation",
    "ParserInspection",
    "Prediction",
    "Ranking",
    "Request",
    "SelectionEvaluation",
    "SelectorInspection",
    "Tagging",
    "Training",
    "Trial",
    "Use",
    "Validation",
    "Watch",
    "assess",
    "best_of",
    "check_output",
    "compare",
    "compare_validations",
    "compatibility",
    "convert",
    "convert_to_grammar",
    "corpora",
    "crossvalidate",
    "crossvalidate_grid",
    "demo",
    "evaluate",
    "evaluate_parser",
    "evaluate_selector",
    "explain",
    "for_other_recipe",
    "inspect",
    "inspect_parser",
    "inspect_selector",
    "layout_of",
    "neighbourhood_named",
    "neighbours_of",
    "opened_model",
    "parse_file",
    "predict",
    "predict_marginals",
    "rank_file",
    "read_grid",
    "recipe",
    "recipes",
    "select_file",
    "tag_file",
    "train",
    "train_grid",
    "use_of",
    "usual_recipe",
]
