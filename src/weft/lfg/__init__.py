"""Lexical-functional grammars."""

from weft.lfg.read import read_lfg

__all__ = ["read_lfg"]
