"""Functions on weighted context-free grammars."""

from weft.grammars.induce import (
    grammar_of,
    relative_frequencies,
    rule_counts,
    rule_index,
    rule_numbers,
)
from weft.grammars.notation import format_grammar, parse_grammar, read_grammar, write_grammar
from weft.grammars.partition import (
    Partition,
    entropy,
    expected_counts,
    expected_length,
    expected_symbols,
    partition,
)

__all__ = [
    "Partition",
    "entropy",
    "expected_counts",
    "expected_length",
    "expected_symbols",
    "format_grammar",
    "grammar_of",
    "parse_grammar",
    "partition",
    "read_grammar",
    "relative_frequencies",
    "rule_counts",
    "rule_index",
    "rule_numbers",
    "write_grammar",
]
