"""``weft reproduce``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.cli import options
from weft.cli.output import messages, print_json, print_parts

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weft.papers.check import Checked
    from weft.papers.pages import Reproduction

EXAMPLES = (
    "weft reproduce --quick",
    "weft reproduce --list",
    "weft reproduce johnson-2001/table-1 --data ~/corpora",
    "weft reproduce smith-eisner-2005 --out results --jobs 4",
    "weft reproduce --check results/report.json",
)


def _names() -> list[str]:
    from weft.papers.registry import EXPERIMENTS, PAPERS

    return [*PAPERS, *(each.name for each in EXPERIMENTS)]


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            autocompletion=_names,
            help="An experiment, such as johnson-2001/table-1, or a paper, such as johnson-2001; "
            "all if none is named.",
        ),
    ] = None,
    list_: Annotated[
        bool, typer.Option("--list", help="List the experiments and what they need.")
    ] = False,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Little of everything, on the corpora that come with Weft."),
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where corpora lie, instead of the folder WEFT_DATA."),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="Where the report, and what is done, is kept; the report of a quick run in a "
            "folder quick there.",
        ),
    ] = Path("reproduced"),
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="How many processes; by default as many as there are cores."
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Random seed, 0 by default.")
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(
            metavar="REPORT",
            help="Compare a kept report.json with the figures of this run, and exit with 1 where a "
            "figure or a verdict differs. The run is quick or full, with the seed, as that of the "
            "report, and writes no report.",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Do everything anew, whatever was kept.")
    ] = False,
    json: options.Json = False,
    quiet: options.NoProgress = False,
    verbose: options.Verbose = False,  # noqa: ARG001
) -> None:
    """Make the papers' tables and figures anew, and a report of them.

    What is done is kept in the folder of the report: a run that was ended goes on where it was.
    """
    from weft.cli.progress import watching_parts
    from weft.commands.reproduction import (
        list_experiments,
        missing_things,
        read_report,
        reproduce_papers,
    )
    from weft.papers.check import compare_reports
    from weft.papers.experiment import missing_thing

    kept = None if check is None else read_report(check, quick=quick, seed=seed)
    if kept is not None:
        quick, seed = kept["quick"], kept["seed"]
    if list_:
        listed = list_experiments(names or (), data=data, quick=quick)
        if json:
            print_json({"experiments": listed})
        else:
            print_parts(_listing(listed))
        return
    for name, source in missing_things(names or (), data=data, quick=quick).items():
        typer.echo(
            f"weft: {missing_thing(name)} is not here, and what needs it is left out; get it from: "
            f"{source}",
            err=True,
        )
    console = messages()
    console.quiet = quiet
    with watching_parts(console, "reading corpora") as told:
        made = reproduce_papers(
            names or (),
            out=out,
            data=data,
            quick=quick,
            seed=seed or 0,
            jobs=jobs,
            fresh=fresh,
            written=kept is None,
            told=told,
        )
    for name, reason in made.failed.items():
        typer.echo(f"weft: error: {name} failed: {reason}", err=True)
    checked = None if kept is None else compare_reports(kept, made.as_json(), whole=not names)
    if json:
        print_json(made.as_json() if checked is None else checked.as_json())
    else:
        print_parts(_parts(made, out) if checked is None else _checked_parts(checked))
    different = checked is not None and bool(checked.differences)
    if made.failed or different or (checked is None and names and made.missing):
        raise typer.Exit(1)


def _listing(listed: list[dict[str, Any]]) -> list[RenderableType]:
    from weft.report.tables import table

    rows = [[each["name"], each["title"], _corpora(each)] for each in listed]
    shown = table("Experiments", ["name", "what it is", "needs"], rows)
    shown.columns[0].no_wrap = True  # names are copied
    return [shown]


def _corpora(listed: dict[str, Any]) -> str:
    needed = dict.fromkeys([*listed["corpora"], *listed["missing"]])
    named = [f"{each} (not here)" if each in listed["missing"] else each for each in needed]
    return ", ".join(named) or "—"


def _checked_parts(checked: Checked) -> list[RenderableType]:
    from weft.papers.check import Compared
    from weft.report.tables import table

    titles = {
        Compared.SETTINGS: "Experiments with other settings, which are not compared",
        Compared.FIGURE: "Figures that differ",
        Compared.VERDICT: "Verdicts that differ",
    }
    parts: list[RenderableType] = []
    for of, title in titles.items():
        rows = [
            [each.experiment, each.place, each.kept, each.today] for each in checked.different(of)
        ]
        if rows:
            parts.append(table(title, ["experiment", "what", "kept", "today"], rows))
    counts = {of: len(checked.different(of)) for of in Compared}
    parts.append(
        f"Compared {checked.figures:,} figures and {checked.verdicts:,} verdicts: "
        f"{counts[Compared.FIGURE]:,} figures and {counts[Compared.VERDICT]:,} verdicts differ, "
        f"and {counts[Compared.SETTINGS]:,} experiments have other settings."
    )
    return parts


def _parts(made: Reproduction, out: Path) -> list[RenderableType]:
    from weft.commands.reproduction import report_folder
    from weft.papers.pages.words import tally

    page = report_folder(out, made.quick) / "report.html"
    # The last line is the path alone, so that the shell can use it.
    return ["\n".join(_lines(made)), tally(made), f"The report is\n{page}"]


def _lines(made: Reproduction) -> Iterator[str]:
    from weft.papers.results import show_gain

    before = ""
    for name, finding in made.findings:
        if name != before:
            yield name
        before = name
        difference, _, p_value = show_gain(finding)
        tested = f": {difference} {finding.unit}, p {p_value}" if p_value else ""
        yield f"  {finding.verdict:15}  {finding.claim} ({finding.corpus}){tested}"
