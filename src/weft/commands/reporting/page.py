"""The report as one page that needs no other file and no network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.commands.pictures import confusion_grid, sure_lines, trace_lines
from weft.commands.reporting.gather import Reported, ReportedModel
from weft.commands.reporting.mistakes import Marked, Mistake
from weft.evaluate.calibration import Calibration
from weft.evaluate.confusion import Confusion
from weft.evaluate.significance import PairedTest
from weft.report.document import Cell, anchor, document, markup_table
from weft.report.markup import STYLE, bars_html, grid_html, lines_html
from weft.report.shapes import Bars, Lines
from weft.report.tables import figure_of, percent, show_figure
from weft.report.trees import escaped
from weft.reprs import count_things

_MORE_STYLE = """
mark { background: none; color: var(--bad); font-weight: 700; }
.right mark { color: var(--good); }
.mistake { margin: .75rem 0; padding-left: .75rem; border-left: 3px solid var(--line); }
.mistake p { margin: .1rem 0; }
.command { white-space: pre-wrap; }
@media print { details { display: block; } }
"""

_MISTAKES = 15
_MARKS = {"better": "holds", "worse": "fails", "not significant": "open"}
_AGAIN = "How to make this again"


def report_page(found: Reported) -> str:
    """Return the report as an HTML page of its own."""
    title = f"{', '.join(each.name for each in found.models)} on {Path(found.test).name}"
    body = "\n".join(["<header>", f"<h1>{escaped(title)}</h1>", "</header>", *_body(found)])
    return document(title, body, STYLE + _MORE_STYLE)


def _body(found: Reported) -> Iterator[str]:
    yield from _contents(found)
    yield "<main>"
    yield _heading("Data")
    yield from _data(found)
    yield _heading("How good")
    yield _scores(found)
    yield from _tests(found)
    yield _heading("Calibration")
    yield from _calibration(found)
    for number, each in enumerate(found.models, 1):
        yield f'<h2 id="model-{number}">{escaped(each.name)}</h2>'
        yield from _model(each)
    yield _heading(_AGAIN)
    yield from _again(found)
    yield "</main>"


def _contents(found: Reported) -> Iterator[str]:
    names = [(each, anchor(each)) for each in ("Data", "How good", "Calibration")]
    names += [(each.name, f"model-{number}") for number, each in enumerate(found.models, 1)]
    names += [(_AGAIN, anchor(_AGAIN))]
    links = "".join(f'<li><a href="#{to}">{escaped(name)}</a></li>' for name, to in names)
    yield f'<nav class="contents" aria-label="Contents"><ul>{links}</ul></nav>'


def _heading(text: str) -> str:
    return f'<h2 id="{anchor(text)}">{text}</h2>'


def _data(found: Reported) -> Iterator[str]:
    yield (
        f"<p>{escaped(Path(found.test).name)}: {found.sentences:,} sentences that say what is "
        f"right, {escaped(found.extent)}.</p>"
    )
    yield from (_why("left out", problem) for problem in found.broken)
    heads = [(name, False) for name in ("model", "recipe", "criterion", "penalty")]
    heads += [("trained on", False), ("sentences", True), ("size", False)]
    rows = []
    for each in found.models:
        notes = each.trained.notes
        told = (notes.get(key, "") or "—" for key in ("recipe", "criterion", "penalty", "files"))
        count = notes.get("sentences", "")
        cells: list[Cell] = [(each.name, ""), *((text, "") for text in told)]
        shown = f"{int(count):,}" if count.isdecimal() else "—"
        rows.append([*cells, (shown, "number"), (each.contents, "")])
    yield markup_table("", heads, rows)


def _scores(found: Reported) -> str:
    task = found.models[0].task
    baseline = found.models[0].baseline
    rows = [] if baseline is None else [("baseline", "", baseline)]
    rows += [
        (each.name, f"{percent(each.low)} to {percent(each.high)}", each.figures)
        for each in found.models
    ]
    kept = [
        (key, *shown)
        for key, shown in task.columns.items()
        if any(figure_of(row, key) is not None for _, _, row in rows)
    ]
    kept.sort(key=lambda each: each[0] != found.models[0].headline.key)  # it comes first
    heads = [("", False), *((header, True) for _, header, _ in kept)]
    heads.insert(2, (f"{found.measure}, 95 % interval", True))
    cells = []
    for name, between, row in rows:
        figures = [show_figure(figure_of(row, key), form) for key, _, form in kept]
        figures.insert(1, between)
        cells.append([(name, ""), *((figure, "number") for figure in figures)])
    return markup_table("", heads, cells)


def _tests(found: Reported) -> Iterator[str]:
    if not found.tests:
        return
    yield (
        '<p class="note">Paired tests on the same sentences: the difference, its 95 % interval by '
        "the bootstrap, and a two-sided p by approximate randomisation.</p>"
    )
    heads = [("", False), ("difference, points", True), ("95 % interval", True), ("p", True)]
    rows = [
        _test(f"{found.models[other].name} against {found.models[one].name}", tested)
        for (one, other), tested in found.tests.items()
    ]
    yield markup_table("Which is better", [*heads, ("", False)], rows)


def _test(name: str, tested: PairedTest) -> list[Cell]:
    return [
        (name, ""),
        (f"{100 * tested.difference:+.2f}", "number"),
        (f"{100 * tested.low:+.2f} to {100 * tested.high:+.2f}", "number"),
        (f"{tested.p_value:.4f}", "number"),
        (tested.verdict, f"verdict {_MARKS[tested.verdict]}"),
    ]


def _calibration(found: Reported) -> Iterator[str]:
    known = {
        each.name: each.calibration
        for each in found.models
        if isinstance(each.calibration, Calibration)
    }
    yield (
        '<p class="note">Answers are right as often as their probabilities say where the curve is '
        "the diagonal. The error is the mean distance from it.</p>"
    )
    if known:
        drawn = sure_lines(known, errors=False)
        ideal = "ideal"
        while ideal in drawn.lines:  # as a model may be called
            ideal = f"the {ideal}"
        lines = {**drawn.lines, ideal: [(0.0, 0.0), (1.0, 1.0)]}
        yield lines_html(Lines(drawn.title, drawn.across, drawn.up, lines))
        heads = [("", False), ("answers", True), ("error", True), ("Brier score", True)]
        yield markup_table(
            "",
            heads,
            [
                [
                    (name, ""),
                    (f"{int(each.counts.sum()):,}", "number"),
                    (percent(each.error), "number"),
                    (f"{each.brier:.4f}", "number"),
                ]
                for name, each in known.items()
            ],
        )
    yield from (
        _why(each.name, each.calibration)
        for each in found.models
        if isinstance(each.calibration, str)
    )


def _why(name: str, reason: str) -> str:
    shown = ": ".join(filter(None, (name, reason)))
    return f'<p class="note">{escaped(shown)}.</p>'


def _model(each: ReportedModel) -> Iterator[str]:
    yield "<h3>Confusion</h3>"
    yield from _confusion(each.confusion)
    yield "<h3>The most telling features</h3>"
    yield bars_html(each.features) if isinstance(each.features, Bars) else _why("", each.features)
    yield "<h3>Errors in context</h3>"
    surest = "; of these the model is surest" if each.mistakes else ""
    yield f"<p>{count_things(each.wrong, 'sentence')} with a wrong answer{surest}.</p>"
    yield from map(_mistake, each.mistakes)
    if len(each.trained.trace) > 1:
        yield "<h3>Training</h3>"
        yield from map(lines_html, trace_lines(each.trained.trace))


def _confusion(found: Confusion | str) -> Iterator[str]:
    if isinstance(found, str):
        yield _why("", found)
        return
    if not found.mistakes:
        yield "<p>There is no mistake.</p>"
        return
    yield grid_html(confusion_grid(found))
    heads = [("gold", False), ("predicted", False), ("count", True)]
    rows: list[list[Cell]] = [
        [(gold, ""), (predicted, ""), (f"{count:,}", "number")]
        for gold, predicted, count in found.mistakes[:_MISTAKES]
    ]
    yield markup_table("Most frequent mistakes", heads, rows)


def _mistake(found: Mistake) -> str:
    lines = [f"<p><strong>{escaped(found.id)}</strong> {escaped(found.text)}</p>"]
    lines.append(f"<p>given, with probability {found.probability:.3f}: {_marked(found.wrong)}</p>")
    if found.right:
        lines.append(f'<p class="right">right: {_marked(found.right)}</p>')
    if found.note:
        lines.append(f'<p class="note">{escaped(found.note)}</p>')
    if found.reasons:
        told = "; ".join(f"{each.feature} ({each.difference:+.2f})" for each in found.reasons)
        lines.append(f'<p class="note">What decided, in log-odds: {escaped(told)}</p>')
    return f'<div class="mistake">{"".join(lines)}</div>'


def _marked(pieces: Marked) -> str:
    return " ".join(
        f"<mark>{escaped(text)}</mark>" if differs else escaped(text) for text, differs in pieces
    )


def _again(found: Reported) -> Iterator[str]:
    digest = f", SHA-256 {found.digest}" if found.digest else ""
    yield f"<p>Weft {escaped(found.version)}. Test file {escaped(found.test)}{digest}.</p>"
    commands = [each.command for each in found.models if each.command is not None]
    shown = "\n".join([*commands, found.command])
    yield f'<pre class="command">{escaped(shown)}</pre>'
    for each in found.models:
        rows = [[(key, ""), (value, "")] for key, value in each.trained.notes.items() if value]
        rows.append([("SHA-256", ""), (each.digest, "")])
        yield f"<details open><summary>All that {escaped(each.name)} remembers</summary>"
        yield markup_table("", [("note", False), ("", False)], rows) + "</details>"
