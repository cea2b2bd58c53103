"""Shift-reduce parsers from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from weft.commands.files.inputs import open_tagger
from weft.commands.how import Found, How
from weft.commands.inspection import Facts, inspect_features
from weft.commands.parses import Tags
from weft.commands.tasks.parsers import TreeTask
from weft.commands.tracing import Tracing, trace_text
from weft.errors import NotDefined, OptionError
from weft.models.stack.feature_spec import MoveFeatures
from weft.models.stack.mass import DRAWS, canonical_share, mass_of
from weft.models.stack.model import StackModel
from weft.models.stack.spec import MoveTables
from weft.models.stack.tagged import LEAST, check_tags, read_alternatives
from weft.reprs import count_things
from weft.structures.evidence import Sentence


class StackTask(TreeTask):
    """Shift-reduce parsers."""

    name = "shift-reduce parser"
    kinds = (MoveTables, MoveFeatures, StackModel)
    takes: ClassVar[Mapping[str, frozenset[str]]] = {
        **TreeTask.takes,
        "predict": TreeTask.takes["predict"] | {"--tagger", "--tags-above"},
        "inspect": frozenset({"--top", "--kind", "--trace", "--html", "--mass"}),
    }

    def tags(self, trained: Any, how: How) -> Tags | None:
        """Return the tags of a tagger, with their probabilities; None where there is none."""
        if how.tagger is None:
            if how.least is not None:
                raise OptionError("--tags-above is about the tags of a --tagger: give one")
            return None
        tagger = open_tagger(how.tagger)
        names, least = tagger.model.tags, LEAST if how.least is None else how.least
        check_tags(trained, names)

        def read(parser: Any, sentences: Sequence[Sentence]) -> tuple[Any, list[Sentence]]:
            words = [list(each.words) for each in sentences]
            probs = tagger.marginals(words, threads=how.threads)
            return read_alternatives(parser, sentences, probs, names, least)

        return read

    def sizes(self, trained: Any) -> dict[str, int]:
        """The numbers of labels, of their pairs on the stack, and of moves."""
        table = trained.model.table
        return {
            "labels": table.labels - 1,
            "rows": (len(table.offsets) - 1) // table.looks,
            "moves": len(table.moves),
        }

    def inspect(self, trained: Any, count: int, tag: str | None, kind: str) -> Found:  # noqa: ARG002
        """List the strongest features; of a small joint parser, what becomes of its probability."""
        more = {name: [str(size)] for name, size in self.sizes(trained).items()}
        mass = Facts({}, {})
        if trained.model.joint:
            few = trained.model.table.labels <= _FEW
            mass = _mass(trained.model, count) if few else Facts({"finished": _ASK}, {})
        shown = {"root": [trained.model.root], **more, "mass": mass.as_json() or None}
        return inspect_features(trained, count, kind, mass.told, **shown)

    def mass(self, trained: Any, count: int) -> Facts:
        """Say what becomes of a joint parser's probability.

        Raises:
            NotDefined: If it is no joint parser.
        """
        if not trained.model.joint:
            raise NotDefined("moves that are given the words have no distribution over sentences")
        return _mass(trained.model, count)

    def trace(self, trained: Any, text: str, count: int | None) -> Tracing:
        """Show the best parse of a sentence move by move."""
        return trace_text(trained, text, count)


_FEW = 40  # labels, with which the mass is there at once

_ASK = "not computed, since it takes long for so many labels: weft inspect MODEL --mass computes it"


def _mass(model: StackModel, count: int) -> Facts:
    """How much a joint parser gives to finished parses, and what is lost where."""
    found = mass_of(model.table)
    lost = [
        (model.labels[top], model.labels[below], share)
        for (top, below), share in list(found.lost.items())[:count]
    ]
    pairs = [{"top": top, "below": below, "share": share} for top, below, share in lost]
    named = [f"{_percent(share)} at {top} over {below}" for top, below, share in lost]
    more = len(found.lost) - len(pairs)
    rest = [f"and {count_things(more, 'pair')} more"] if more else []
    told = {
        "finished": f"{_percent(found.finished)} of the probability is that of finished parses",
        "lost": f"{_percent(found.stuck)} at pairs of labels that have no moves"
        + (": " + "; ".join([*named, *rest]) if named else ""),
        "endless": f"{_percent(found.endless)} never ends"
        + ("" if found.converged else f", or was not found in {found.sweeps} sweeps")
        + f"; the last sweep changed probabilities by at most {max(found.change, 1e-9):.0e}",
    }
    shares = {"finished": found.finished, "lost": found.stuck, "endless": found.endless}
    if model.canonical:
        share, error = canonical_share(model)
        shares |= {"canonical": share, "canonical_error": error}
        told["canonical"] = (
            f"{_percent(share)} is that of finished parses with canonical binary trees, by "
            f"{DRAWS:,} draws (standard error {_percent(error)}); sentences have no other parses"
        )
    sweeps = {"last_change": found.change, "converged": found.converged}
    return Facts(told, {**shares, **sweeps, "pairs": pairs, "all_pairs": len(found.lost)})


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"
