"""Sums over the tag sequences of chains: sentences, lattices, all lengths."""
