"""Stochastic shift-reduce parsers."""
