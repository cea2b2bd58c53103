"""Grammars: parsers whose rules have weights."""
