"""N. Smith and J. Eisner (2005), "Contrastive estimation", ACL.

Section 5.1 learns trigram taggers from raw text and a tagging dictionary, by EM and by contrastive
estimation with several neighbourhoods, and scores them on the words to which the dictionary gives
several tags, beside supervised taggers and a random choice. :func:`unlabelled_table` does so on any
corpus that has parts, and ``--curve FILE`` draws its figure 2:

    python -m weft.papers.smith_eisner2005 --corpus wsj-sample --method trans1 --method em

Section 5.2 dilutes the dictionary: ``--dilute "count<3"``, and adds spelling features:
``--spelling``; with ``--development 5000`` the smoothing is chosen as there, by the criterion
itself on this many words more. Its footnote 7 compares the models under all criteria:
:func:`models_by_criteria`, ``--criteria``. How much depends on the start is what ``--restarts 10``
shows, of recipes as they are: :func:`restart_table`.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from weft.corpora.parts import DIVIDED
from weft.errors import OptionError
from weft.models.options import TagNgrams, option
from weft.optimise.em import MeasuredOn
from weft.papers.contrastive.criteria import criteria_tables, models_by_criteria
from weft.papers.contrastive.figure2 import EVERY, LearntTable, draw, tables, unlabelled_table
from weft.papers.contrastive.learning import METHODS, Climber, Settings
from weft.papers.contrastive.restarts import restart_table, restart_tables
from weft.papers.program import Run, program, start
from weft.report.figures import check_picture_name

QUICK = 500
"""Words that are enough to see that it works."""

_DEFAULT = Settings()


@program(known=DIVIDED, default=["wsj-sample"])
def main(
    run: Run,
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"One of {', '.join(EVERY)}; repeat it for several.  [default: all]",
        ),
    ] = None,
    smoothing: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N", help="EM's λ and the others' variance, or none; repeat it for several."
        ),
    ] = None,
    dilute: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE",
            help="Leave words out of the dictionary: count<3; repeat it for several.",
        ),
    ] = None,
    spelling: Annotated[bool, typer.Option("--spelling", help="Add spelling features.")] = False,
    words: Annotated[
        list[int] | None,
        typer.Option(metavar="N", min=1, help="Take this many words; repeat it for several."),
    ] = None,
    development: Annotated[
        int, typer.Option(metavar="N", min=0, help="Choose the smoothing by this many words more.")
    ] = 0,
    tag_map: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Make the tags coarse: penn-17 or penn-universal."),
    ] = None,
    tag_ngrams: Annotated[
        str,
        typer.Option(metavar="WHICH", help="Tag n-grams with weights: longest or every."),
    ] = _DEFAULT.tag_ngrams,
    em_start: Annotated[
        str, typer.Option("--start", metavar="NAME", help="Where EM starts: uniform or counts.")
    ] = _DEFAULT.start,
    tolerance: Annotated[
        float, typer.Option(metavar="N", min=0, help="The relative gain at which training ends.")
    ] = _DEFAULT.tolerance,
    measured_on: Annotated[
        str,
        typer.Option(metavar="WHAT", help="What EM's gain is of: the likelihood, or the value."),
    ] = _DEFAULT.measured_on,
    optimiser: Annotated[
        str, typer.Option(metavar="NAME", help="Whose L-BFGS climbs the others: scipy or weft.")
    ] = _DEFAULT.optimiser,
    curve: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw accuracy by smoothing, of the first table."),
    ] = None,
    criteria: Annotated[
        bool, typer.Option("--criteria", help="Look at every model with every criterion instead.")
    ] = False,
    restarts: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=2, help="Climb by recipes as they are from N random starts instead."
        ),
    ] = None,
) -> None:
    """Learn taggers from raw text and a dictionary, as Smith and Eisner (2005) do."""
    settings = Settings(
        option(TagNgrams, tag_ngrams),
        spelling,
        em_start,
        tolerance,
        option(MeasuredOn, measured_on),
        option(Climber, optimiser),
        run.threads,
    )
    if curve is not None:
        check_picture_name(curve)
    sizes: list[int | None] = [*words] if words else [None]
    if run.quick:
        sizes, development = [QUICK], min(development, QUICK)

    def watch(text: str) -> None:
        run.tell(f"training {text}")

    smoothings = [None if text == "none" else _smoothing(text) for text in smoothing or ["1"]]
    for corpus in run.corpora:
        if criteria:
            compared = models_by_criteria(
                corpus,
                method or METHODS,
                smoothing=smoothings[0] or 0.0,
                words=sizes[0],
                settings=settings,
                watch=watch,
            )
            run.show(compared.as_json(), criteria_tables(compared))
            continue
        if restarts is not None:
            again = restart_table(
                corpus,
                restarts,
                words=sizes[0],
                seed=run.seed,
                threads=run.threads,
                watch=watch,
            )
            run.show(again.as_json(), restart_tables(again))
            continue
        for size, dilution in product(sizes, dilute or [""]):
            made = unlabelled_table(
                corpus,
                method or EVERY,
                smoothings=smoothings,
                dilution="" if dilution == "none" else dilution,
                words=size,
                development=development,
                tag_map=tag_map,
                settings=settings,
                watch=watch,
            )
            if curve is not None:
                draw(curve, made)
                curve = None
            run.show(made.as_json(), [*tables(made), _summary(made)])


def _smoothing(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"--smoothing {text}: expected a number, or none") from None


def _summary(made: LearntTable) -> str:
    diluted_by = f" (diluted: {made.dilution})" if made.dilution else ""
    spelt = ", spelling" if made.settings.spelling else ""
    return (
        f"{made.tokens:,} words, {made.ambiguous_tokens:,} of them ambiguous; "
        f"{made.tags_a_token:.2f} tags per word{diluted_by}{spelt}."
    )


if __name__ == "__main__":
    start(main)
