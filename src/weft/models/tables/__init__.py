"""Taggers whose probabilities are tables: relative frequencies, interpolated.

The four taggers of Johnson (2001, section 3) and a Mealy hidden Markov model. :class:`Tables` says
which one; :func:`estimate_tables` counts a labelled corpus and gives a :class:`TableModel`.
"""

from weft.models.tables.estimate import estimate_tables
from weft.models.tables.form import Form
from weft.models.tables.model import TableModel
from weft.models.tables.spec import Tables
from weft.models.tables.storage import pack_tables, unpack_tables

__all__ = ["Form", "TableModel", "Tables", "estimate_tables", "pack_tables", "unpack_tables"]
