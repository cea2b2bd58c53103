"""Lexical-functional grammars."""
