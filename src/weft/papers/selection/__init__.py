"""Rankers of analyses, as Johnson et al. (1999) compare them.

The program is :mod:`weft.papers.johnson_et_al1999`.
"""
