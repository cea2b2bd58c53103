"""A report of models on a test file: what is found, and the page that shows it."""

from weft.commands.reporting.gather import Reported, ReportedModel, report_models
from weft.commands.reporting.page import report_page

__all__ = ["Reported", "ReportedModel", "report_models", "report_page"]
