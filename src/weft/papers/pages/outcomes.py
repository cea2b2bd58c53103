"""What became of experiments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from weft.papers.results import Finding, Result


@dataclass(frozen=True, slots=True)
class Reproduced:
    """An experiment, and what became of it.

    Attributes:
        name: Its name.
        title: What it is.
        differs: How our corpora differ from the paper's.
        settings: By part, its arguments.
        result: What was found; None if no part could be done.
        missing: The corpora and packages that are not there, and where to get each.
        failed: The parts that failed, each with the reason.
        seconds: The processor's, of all its parts together.
    """

    name: str
    title: str
    differs: str
    settings: Mapping[str, Mapping[str, Any]]
    result: Result | None
    missing: Mapping[str, str]
    failed: Mapping[str, str]
    seconds: float

    @property
    def paper(self) -> str:
        """The paper's name."""
        return self.name.partition("/")[0]

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        found = {} if self.result is None else {"result": self.result.as_json()}
        return {**asdict(self), "result": None, **found}


@dataclass(frozen=True, slots=True)
class Reproduction:
    """All experiments of a run.

    Attributes:
        version: The version of Weft.
        commit: That of its sources; None where it is not known.
        quick: Whether little was done, on what comes with the package.
        seed: Of whatever was drawn.
        outcomes: In the order of the report.
    """

    version: str
    commit: str | None
    quick: bool
    seed: int
    outcomes: tuple[Reproduced, ...]

    @property
    def findings(self) -> list[tuple[str, Finding]]:
        """Every finding, with the name of its experiment."""
        return [
            (each.name, finding)
            for each in self.outcomes
            if each.result is not None
            for finding in each.result.findings
        ]

    @property
    def missing(self) -> dict[str, str]:
        """The corpora and packages that are not there, and where to get each."""
        return {name: source for each in self.outcomes for name, source in each.missing.items()}

    @property
    def failed(self) -> dict[str, str]:
        """The parts that failed, each with the reason."""
        return {name: reason for each in self.outcomes for name, reason in each.failed.items()}

    def as_json(self) -> dict[str, Any]:
        """Return everything, ready for JSON."""
        return {
            "weft": self.version,
            "commit": self.commit,
            "quick": self.quick,
            "seed": self.seed,
            "experiments": [each.as_json() for each in self.outcomes],
        }
