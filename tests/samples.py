"""Tiny corpora that several tests share."""

from __future__ import annotations

TAGGED = """\
the/DT dog/NN barks/VBZ
the/DT saw/NN cuts/VBZ
we/PRP saw/VBD the/DT dog/NN
"""
COLUMNS = """\
the DT B-NP
dog NN I-NP
barks VBZ B-VP

we PRP B-NP
saw VBD B-VP
the DT B-NP
dog NN I-NP

"""
