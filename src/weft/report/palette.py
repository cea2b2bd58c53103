"""The colours of plots: each can be seen on light and on dark ground."""

from __future__ import annotations

COLOURS = ("#2f7fd1", "#d1662f", "#2f9e62", "#a45bd1", "#b8901f", "#d14a78", "#3aa3ad", "#8a8f98")
"""What lines are told apart by."""

DASHES = ("", "6 3", "2 3", "8 3 2 3")
"""And where colours come again, or are not seen."""

INK = "#7b7f87"
"""Texts and axes, where those of the surrounding text cannot be had."""

FOR, AGAINST, RIGHT = COLOURS[0], COLOURS[1], COLOURS[2]
"""What speaks for and against, and what is right."""
