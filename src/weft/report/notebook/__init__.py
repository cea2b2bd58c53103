"""Pictures of records in notebooks: HTML that needs no other file, in light and dark."""

from weft.report.notebook.pictures import picture_of

__all__ = ["picture_of"]
