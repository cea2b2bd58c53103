"""Lattice sums equal those of OpenFst: compose with the chain, then sum over all paths.

Through pynini where that can be imported, else through OpenFst's own programs where they are on the
path. Neither is needed to build or to use Weft.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from chains import TAGS, WORDS
from weft.automata.neighbourhoods import del1subseq, del1word, delortrans1, trans1
from weft.features.templates import templates
from weft.models import Chain, prepare
from weft.models.chain.neighbours import lattice_trellis
from weft.structures.evidence import Evidence, example
from weft.structures.lattice import Lattice, arcs_of

PROGRAMS = ("fstcompile", "fstarcsort", "fstcompose", "fstshortestdistance")
HAS_PYNINI = find_spec("pynini") is not None
HAS_PROGRAMS = all(map(shutil.which, PROGRAMS))

pytestmark = pytest.mark.skipif(
    not HAS_PYNINI and not HAS_PROGRAMS,
    reason="neither pynini nor OpenFst's programs are installed",
)


@dataclass
class Machine:
    """Arcs (source, input, output, target, cost), and costs of ending; state 0 is the first."""

    arcs: list[tuple[int, int, int, int, float]]
    ends: dict[int, float]


def acceptor(strings: Lattice, numbers: dict[str, int]) -> Machine:
    labels = [numbers[word] for word in strings.symbols]
    arcs = [(s, labels[word], labels[word], t, 0.0) for s, word, t in arcs_of(strings)]
    return Machine(arcs, {int(state): 0.0 for state in np.flatnonzero(strings.final)})


def chain_machine(order: int, transitions: np.ndarray, emission: np.ndarray, tags: int) -> Machine:
    """States are the tags of the last words, numbered as they are met; labels count from 1."""
    start = (tags,) * order
    states, arcs, ends = {start: 0}, [], {}
    for history in (waiting := [start]):
        row = transitions[0, history[0]] if order == 1 else transitions[history[1], history[0]]
        ends[states[history]] = -row[tags]
        for tag in range(tags):
            after = (*history, tag)[1:]
            if after not in states:
                states[after] = len(states)
                waiting.append(after)
            for word, scores in enumerate(emission):
                cost = -(row[tag] + scores[tag])
                arcs.append((states[history], word + 1, tag + 1, states[after], cost))
    return Machine(arcs, ends)


def total_by_pynini(strings: Machine, chain: Machine) -> float:
    import pynini

    def fst(machine: Machine) -> pynini.Fst:
        made = pynini.Fst("log64")
        last = max(max(arc[0], arc[3]) for arc in machine.arcs)
        made.add_states(last + 1)
        made.set_start(0)
        for source, reads, writes, target, cost in machine.arcs:
            weight = pynini.Weight("log64", cost)
            made.add_arc(source, pynini.Arc(reads, writes, weight, target))
        for state, cost in machine.ends.items():
            made.set_final(state, pynini.Weight("log64", cost))
        return made.arcsort("ilabel")

    both = pynini.compose(fst(strings), fst(chain))
    distances = pynini.shortestdistance(both, reverse=True, delta=1e-12)
    return -float(distances[both.start()])


def total_by_programs(strings: Machine, chain: Machine, folder: Path) -> float:
    for name, machine in (("strings", strings), ("chain", chain)):
        rows = [f"{s} {t} {i} {o} {cost!r}" for s, i, o, t, cost in machine.arcs]
        rows += [f"{state} {cost!r}" for state, cost in machine.ends.items()]
        (folder / f"{name}.txt").write_text("\n".join(rows) + "\n", encoding="ascii")
        run(folder, "fstcompile", "--arc_type=log64", f"{name}.txt", f"{name}.fst")
        run(folder, "fstarcsort", "--sort_type=ilabel", f"{name}.fst", f"{name}.sorted")
    run(folder, "fstcompose", "strings.sorted", "chain.sorted", "both.fst")
    lines = run(folder, "fstshortestdistance", "--reverse", "--delta=1e-12", "both.fst")
    return -float(lines.split("\n")[0].split()[1])


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_sums_equal_those_of_openfst(rng, order, scale, tmp_path):
    corpus = [example(list(WORDS), [str(tag) for tag in rng.choice(TAGS, len(WORDS))])]
    chain = Chain(order=order, templates=templates("word[0]"), attributes="all", ngrams="all")
    model = prepare(chain, [*corpus, example(list(TAGS), list(TAGS))])
    theta = scale * rng.normal(size=model.parameters.size)
    sentences = [rng.choice(WORDS, length).tolist() for length in (1, 2, 4, 7)]
    several = [
        make(words) for make in (del1word, trans1, delortrans1, del1subseq) for words in sentences
    ]
    everything = Evidence(Lattice.from_sentence(WORDS))  # so that all words have a row, in order
    members = lattice_trellis(model, [everything, *map(Evidence, several)])
    steps = members._scores.at(theta)
    emission, _ = steps.tokens(0)
    machine = chain_machine(order, steps.transitions, emission[: len(WORDS)], len(TAGS))
    numbers = {word: number for number, word in enumerate(WORDS, 1)}
    values = members.log_partition(theta)[1:]
    for strings, value in zip(several, values, strict=True):
        accepted = acceptor(strings, numbers)
        if HAS_PYNINI:
            assert value == pytest.approx(total_by_pynini(accepted, machine), rel=2e-8, abs=1e-8)
        if HAS_PROGRAMS:
            total = total_by_programs(accepted, machine, tmp_path)
            assert value == pytest.approx(total, rel=1e-5, abs=1e-5)  # they print few digits
