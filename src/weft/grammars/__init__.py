"""Functions on weighted context-free grammars."""

from weft.grammars.equivalence import Equivalence, same_conditional, same_trees
from weft.grammars.forms.json import from_json, read_json, to_json, write_json
from weft.grammars.forms.linear import Moore, from_acceptor, from_moore, to_acceptor, to_moore
from weft.grammars.forms.nltk import from_nltk, to_nltk, tree_from_nltk, tree_to_nltk
from weft.grammars.forms.notation import format_grammar, parse_grammar, read_grammar, write_grammar
from weft.grammars.induce import (
    grammar_of,
    relative_frequencies,
    rule_counts,
    rule_index,
    rule_numbers,
)
from weft.grammars.intersection import intersect
from weft.grammars.normalise import (
    Normalised,
    Scale,
    normalise,
    normalise_conditional,
    normalise_to_length,
    paper_scale,
)
from weft.grammars.prefix import (
    END,
    Prefix,
    PrefixParser,
    begin,
    extend_prefix,
    next_symbols,
    prefix_log_prob,
    prefix_parser,
    read_prefix,
    sentence_log_prob,
)
from weft.grammars.sampling import sample_trees
from weft.grammars.sums.counting import TreeCounter, count_trees
from weft.grammars.sums.growth import Growth, growth, scale_weights
from weft.grammars.sums.lengths import endless_cycle, length_sums
from weft.grammars.sums.partition import (
    Partition,
    entropy,
    expected_counts,
    expected_length,
    expected_symbols,
    partition,
)
from weft.grammars.sums.tightness import Tightness, tightness
from weft.grammars.trim import Useless, ambiguous_cycle, trim_grammar, useless

__all__ = [
    "END",
    "Equivalence",
    "Growth",
    "Moore",
    "Normalised",
    "Partition",
    "Prefix",
    "PrefixParser",
    "Scale",
    "Tightness",
    "TreeCounter",
    "Useless",
    "ambiguous_cycle",
    "begin",
    "count_trees",
    "endless_cycle",
    "entropy",
    "expected_counts",
    "expected_length",
    "expected_symbols",
    "extend_prefix",
    "format_grammar",
    "from_acceptor",
    "from_json",
    "from_moore",
    "from_nltk",
    "grammar_of",
    "growth",
    "intersect",
    "length_sums",
    "next_symbols",
    "normalise",
    "normalise_conditional",
    "normalise_to_length",
    "paper_scale",
    "parse_grammar",
    "partition",
    "prefix_log_prob",
    "prefix_parser",
    "read_grammar",
    "read_json",
    "read_prefix",
    "relative_frequencies",
    "rule_counts",
    "rule_index",
    "rule_numbers",
    "same_conditional",
    "same_trees",
    "sample_trees",
    "scale_weights",
    "sentence_log_prob",
    "tightness",
    "to_acceptor",
    "to_json",
    "to_moore",
    "to_nltk",
    "tree_from_nltk",
    "tree_to_nltk",
    "trim_grammar",
    "useless",
    "write_grammar",
    "write_json",
]
