"""Weft and other tools on the same work: ``python -m benchmarks.run``."""
