"""Taggers learnt from raw text and a dictionary, as Smith and Eisner (2005) compare them.

The experiments are in :mod:`weft.papers.rows.smith_eisner2005`.
"""
