"""Grammars as text, JSON, NLTK's objects and automata, and back."""
