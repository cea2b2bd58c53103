"""Which child of a node is its head."""

from weft.grammars.heads.rules import (
    HEAD_TABLES,
    HeadFinder,
    HeadRules,
    Search,
    first_child,
    head_rules_named,
    last_child,
    read_head_rules,
)

__all__ = [
    "HEAD_TABLES",
    "HeadFinder",
    "HeadRules",
    "Search",
    "first_child",
    "head_rules_named",
    "last_child",
    "read_head_rules",
]
