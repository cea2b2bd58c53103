"""Relative frequencies, and deleted interpolation of them: for tables of tags, words and moves."""
