"""The report of all experiments: a page, Markdown, and JSON."""

from weft.papers.pages.outcomes import Reproduced, Reproduction
from weft.papers.pages.write import write_report

__all__ = ["Reproduced", "Reproduction", "write_report"]
