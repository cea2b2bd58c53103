"""What the report says, whatever it is written in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from weft.papers.experiment import missing_thing
from weft.papers.pages.outcomes import Reproduced, Reproduction
from weft.papers.results import LEVEL, Verdict

TITLE = "The papers, reproduced"

TOO_SMALL = (
    "This is a quick run, on the small corpora that come with the package: it shows that "
    "everything works. Its figures say little of the papers' findings."
)

READING = (
    "A finding is what a paper says of its corpora, asked again of others, ours. Where it "
    "compares two systems, it is answered by a paired test on the same sentences: the difference, "
    "its 95 % interval by the bootstrap, and a two-sided p. It holds, or does not hold, where "
    f"p < {LEVEL:g}; otherwise the corpus cannot tell, and it is not significant. Where a theorem "
    "is checked, it holds or does not. Nobody writes a verdict by hand. All settings stand in the "
    "program, and were fixed before the test parts were read. There are many tests here: of twenty "
    "differences that are none, one will seem to be."
)


def about(made: Reproduction) -> str:
    """Return what was run.

    >>> about(Reproduction("0.1", "0123456789abcdef-dirty", True, 0, ()))
    'Weft 0.1, commit 0123456789ab-dirty, seed 0.'
    """
    number, *mark = (made.commit or "").partition("-")
    commit = f", commit {number[:12]}{''.join(mark)}" if number else ""
    return f"Weft {made.version}{commit}, seed {made.seed}."


def tally(made: Reproduction) -> str:
    """Return how many findings have which verdict.

    >>> tally(Reproduction("0.1", None, True, 0, ()))
    'Of 0 findings 0 hold, 0 do not hold, and 0 are not significant.'
    """
    counts = Counter(finding.verdict for _, finding in made.findings)
    return (
        f"Of {counts.total()} findings {counts[Verdict.HOLDS]} hold, {counts[Verdict.FAILS]} do "
        f"not hold, and {counts[Verdict.OPEN]} are not significant."
    )


def remarks(outcome: Reproduced) -> Iterator[str]:
    """Yield what must be said beside the figures."""
    if outcome.differs:
        yield outcome.differs
    if outcome.result is not None:
        yield from outcome.result.notes
    for name, source in outcome.missing.items():
        thing = missing_thing(name)
        yield (
            f"{thing[0].upper()}{thing[1:]} is not here: what needs it was left out. Get it from: "
            f"{source}."
        )
    for name, reason in outcome.failed.items():
        yield f"Failed: {name}: {reason}"
