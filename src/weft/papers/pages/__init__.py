"""The report of all experiments: a page, Markdown, and JSON."""

from weft.papers.pages.outcomes import Reproduced, Reproduction
from weft.papers.pages.write import FILES, write_report

__all__ = ["FILES", "Reproduced", "Reproduction", "write_report"]
