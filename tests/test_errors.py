"""Messages stay short, whatever a file holds."""

from __future__ import annotations

import pytest

from weft.errors import (
    LONGEST_MESSAGE,
    LONGEST_TEXT,
    LONGEST_VALUE,
    FormatError,
    OptionError,
    WeftError,
    abbreviate,
    quote,
)

HUGE = "x" * 4_000_000


def test_a_short_value_is_echoed_as_it_is():
    value = "x" * LONGEST_VALUE
    assert abbreviate(value) == value
    assert quote(value) == repr(value)


def test_of_a_long_value_the_beginning_is_echoed():
    assert abbreviate(HUGE) == "x" * (LONGEST_VALUE - 1) + "…"
    assert quote(HUGE) == repr("x" * (LONGEST_VALUE - 1) + "…")
    assert len(quote([HUGE])) == LONGEST_VALUE


@pytest.mark.parametrize("kind", [WeftError, OptionError, FormatError])
def test_a_long_message_keeps_its_beginning_and_its_end(kind):
    text = str(kind(f"the value '{HUGE}' is long; give a short one"))
    assert len(text) <= LONGEST_MESSAGE
    assert text.startswith("the value 'xxx")
    assert text.endswith("xxx' is long; give a short one")


def test_of_a_long_line_what_is_around_the_character_is_shown():
    line = f"{'a' * 1000}B{'c' * 1000}"
    place, shown, caret = str(FormatError("no", line=1, column=1001, text=line)).split("\n")
    assert place == "1:1001: no"
    assert shown.strip() == "…" + "a" * (LONGEST_TEXT // 2) + "B" + "c" * 149 + "…"
    assert shown[caret.index("^")] == "B"


@pytest.mark.parametrize("column", [1, 300, 301, 5000])
def test_the_caret_is_under_the_character(column):
    line = "".join(chr(0x4E00 + place) for place in range(5000))
    _, shown, caret = str(FormatError("no", column=column, text=line)).split("\n")
    assert shown[caret.index("^")] == line[column - 1]
