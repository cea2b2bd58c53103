"""Functions on weighted context-free grammars."""
