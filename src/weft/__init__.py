"""Weft: weighted forests."""
