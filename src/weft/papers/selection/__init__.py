"""Rankers of analyses, as Johnson et al. (1999) compare them.

The experiments are in :mod:`weft.papers.rows.johnson_et_al1999`.
"""
