"""Which child of a node is its head."""

from weft.grammars.heads.rules import (
    HEAD_TABLES,
    HeadFinder,
    HeadRules,
    HeadSearch,
    choose_head_rules,
    find_head_rules,
    first_child,
    last_child,
    read_head_rules,
)

__all__ = [
    "HEAD_TABLES",
    "HeadFinder",
    "HeadRules",
    "HeadSearch",
    "choose_head_rules",
    "find_head_rules",
    "first_child",
    "last_child",
    "read_head_rules",
]
