"""Sums over the parses of shift-reduce parsers."""
