"""Estimation that only selectors have: features one by one, one scale for all."""
