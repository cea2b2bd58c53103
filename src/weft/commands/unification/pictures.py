"""Analyses of sentences as pictures, as LaTeX and as a page, beside what is printed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from weft.commands.files.inputs import check_writable
from weft.commands.files.outputs import check_output
from weft.commands.unification.sentences import LineForest, Looks, resolved_tree
from weft.errors import OptionError
from weft.files import Source, write_text
from weft.report.matrices import (
    Analysis,
    analyses_page,
    avm_svg,
    latex_document,
    linked_svg,
    tree_of_avms_svg,
)
from weft.structures.avm import Avm, AvmTree
from weft.unification.matrix import numbered, to_avm, to_avm_tree
from weft.unification.trees import FeatureTree


@dataclass(slots=True)
class Pictures:
    """Where analyses are drawn.

    Attributes:
        svg: A folder for a picture of each analysis: ``1-1.svg`` is the first of line 1.
        latex: A file for the matrices of whole sentences.
        html: A file for a page of trees beside the matrices of their nodes.
        looks: How trees are shown.
        inputs: Files that must not be written over.
        force: Write over them, too.
    """

    svg: Path | None = None
    latex: Path | None = None
    html: Path | None = None
    looks: Looks = field(default_factory=Looks)
    inputs: Sequence[Source] = ()
    force: bool = False
    _matrices: list[tuple[str, Avm]] = field(default_factory=list)
    _analyses: list[Analysis] = field(default_factory=list)

    def check(self) -> None:
        """Refuse, before anything is done, what could not be written.

        Raises:
            OptionError: If something else would be lost, or a file is the standard output.
            FormatError: If a file could not be written.
        """
        if self.latex is not None and self.latex == self.html:
            raise OptionError(f"--latex and --html would both be {self.html}; name two files")
        for option, path in (("--latex", self.latex), ("--html", self.html)):
            if path is None:
                continue
            if str(path) == "-":
                raise OptionError(f"{option} - would be mixed with the trees; name a file")
            check_writable(path)
            check_output(path, self.inputs, force=self.force)

    def add(self, answer: LineForest, trees: Iterable[FeatureTree]) -> None:
        """Draw the analyses of a line."""
        for number, tree in enumerate(trees, 1):
            assert answer.forest is not None  # noqa: S101
            shown = resolved_tree(answer.forest, tree) if self.looks.resolved else tree
            title = f"{' '.join(answer.words)} ({number} of {answer.forest.count:,})"
            if self.svg is not None:
                self._draw(shown, title, f"{answer.line}-{number}.svg")
            if self.latex is not None:
                self._matrices.append((title, to_avm(shown.label)))
            if self.html is not None:
                self._analyses.append(Analysis(title, *numbered(shown)))

    def _draw(self, tree: FeatureTree, title: str, name: str) -> None:
        assert self.svg is not None  # noqa: S101
        drawn = (
            avm_svg(to_avm(tree.label), title)
            if self.looks.matrix
            else tree_of_avms_svg(to_avm_tree(tree, self.looks.plain), title)
        )
        self._write(drawn, name)

    def add_linked(self, title: str, name: str, tree: AvmTree, value: Avm) -> None:
        """Draw a tree beside a matrix, with lines between a node and what belongs to it."""
        if self.svg is not None:
            self._write(linked_svg(tree, value, title), name)
        if self.latex is not None:
            self._matrices.append((title, value))
        if self.html is not None:
            self._analyses.append(Analysis(title, tree, (value,)))

    def _write(self, drawn: str, name: str) -> None:
        assert self.svg is not None  # noqa: S101
        self.svg.mkdir(parents=True, exist_ok=True)
        check_output(self.svg / name, self.inputs, force=self.force)
        with write_text(self.svg / name) as stream:
            stream.write(drawn)

    def finish(self) -> None:
        """Write the files of all analyses."""
        if self.latex is not None:
            with write_text(self.latex) as stream:
                stream.write(latex_document(self._matrices))
        if self.html is not None:
            with write_text(self.html) as stream:
                stream.write(analyses_page("Analyses", self._analyses))
