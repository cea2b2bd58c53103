"""Taggers learnt from raw text and a dictionary, as Smith and Eisner (2005) compare them.

The program is :mod:`weft.papers.smith_eisner2005`.
"""
