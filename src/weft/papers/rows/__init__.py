"""The experiments of each paper, as rows of one table; see :mod:`weft.papers.registry`."""
