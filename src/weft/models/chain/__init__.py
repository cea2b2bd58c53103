"""Chains: taggers whose tag sequences have weights."""
