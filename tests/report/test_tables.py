from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console, RenderableType

from weft.models.progress import Progress
from weft.report.features import KindSummary, NamedWeight
from weft.report.tables import facts, kinds_table, percent, table, trace_table, weights_table


def shown(part: RenderableType, width: int = 80) -> list[str]:
    stream = StringIO()
    Console(file=stream, width=width).print(part)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_numbers_are_set_to_the_right_and_text_to_the_left() -> None:
    lines = shown(
        table("Words", ["word", "count", "share"], [["a", 1200, "5.00 %"], ["bb", 7, "—"]])
    )
    assert lines[0] == "Words"
    assert lines[1].split() == ["word", "count", "share"]
    assert lines[3:] == [" a      1,200   5.00 %", " bb         7        —"]


def test_words_that_look_like_markup_are_shown_as_they_are() -> None:
    assert "[red]" in "".join(shown(table("", ["word"], [["[red]"]])))
    assert "[/b]" in "".join(shown(facts({"[b]": "[/b]"})))


def test_a_table_may_be_empty() -> None:
    assert shown(table("Nothing", ["word"], []))[0] == "Nothing"


@pytest.mark.parametrize(("fraction", "text"), [(1.0, "100.00 %"), (0.0, "0.00 %"), (None, "—")])
def test_percent(fraction: float | None, text: str) -> None:
    assert percent(fraction) == text


def test_weights_have_signs() -> None:
    lines = shown(weights_table("Strongest", [NamedWeight("bigram", None, ("DT", "NN"), -1.5)]))
    assert lines[-1].split() == ["bigram", "DT", "→", "NN", "-1.500"]


def test_kinds() -> None:
    assert shown(kinds_table([KindSummary("bigram", 1234, 2.5, 1.0)]))[-1].split() == [
        "bigram",
        "1,234",
        "2.500",
        "1.000",
    ]


def test_a_long_trace_keeps_its_ends() -> None:
    trace = [Progress(k, -100.0 + k, 1.0, 0.1 * k, 0.5) for k in range(101)]
    iterations = [line.split()[0] for line in shown(trace_table(trace, rows=5))[3:]]
    assert iterations == ["0", "25", "50", "75", "100"]


def test_a_trace_without_accuracies_has_no_such_column() -> None:
    assert "held-out" not in shown(trace_table([Progress(0, -1.0, 1.0, 0.1)]))[1]
