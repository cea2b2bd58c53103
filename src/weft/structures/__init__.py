"""Frozen data without algorithms: evidence, hypergraphs, derivations, chunks, trees."""
