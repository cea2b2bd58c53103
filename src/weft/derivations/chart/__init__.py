"""Sums over the trees of grammars."""
