"""What is measured of Weft on lattices."""

from __future__ import annotations

import time

import numpy as np

from benchmarks.job import Clock, Result, main
from benchmarks.lattice_data import paths as explicit_paths
from benchmarks.lattice_data import task
from weft.criteria import contrastive as contrastive_by
from weft.criteria.contrasts import contrast
from weft.inference import inside_outside
from weft.structures.evidence import Evidence
from weft.structures.hypergraph import Hypergraph


def contrastive(corpus: str, passes: int, threads: int, neighbourhood: str = "trans1") -> Result:
    """Evaluate the contrastive objective and its gradient, numerator and denominator."""
    these = task(corpus)
    began = time.perf_counter()
    objective = contrast(these.model, these.corpus, contrastive_by(neighbourhood), threads)
    objective(these.theta)
    setup = time.perf_counter() - began
    clock = Clock()
    for _ in range(passes):
        clock.start()
        value, _ = objective(these.theta)
        clock.lap()
    return {
        **clock.laps(),
        "setup_seconds": setup,
        "weights": len(these.theta),
        "value": value,
    }


def sums(corpus: str, passes: int, threads: int, count: int) -> Result:
    """Sum over the lattices of the first sentences, from weights to log Z."""
    these = task(corpus)
    lattices = these.lattices(count)
    began = time.perf_counter()
    members = these.model.derivations([Evidence(each) for each in lattices], threads)
    members.log_partition(these.theta)
    setup = time.perf_counter() - began
    clock = Clock()
    for _ in range(passes):
        clock.start()
        value = float(members.log_partition(these.theta).sum())
        clock.lap()
    return {**clock.laps(), "setup_seconds": setup, "value": value}


def paths(corpus: str, passes: int, threads: int) -> Result:  # noqa: ARG001
    """Sum over a given automaton: log Z and the marginals of all arcs, from weights in logs."""
    these = explicit_paths(task(corpus))
    offsets = np.arange(len(these.heads) + 2) - 1  # the first vertex has an edge without a tail
    heads = np.concatenate([[0], these.heads])
    graph = Hypergraph(these.states, heads, np.maximum(offsets, 0), these.tails)
    weights = np.concatenate([[0.0], these.weights])
    clock = Clock()
    for _ in range(passes):
        clock.start()
        value, _ = inside_outside(graph, weights)
        clock.lap()
    return {**clock.laps(), "arcs": len(these.heads), "value": value}


if __name__ == "__main__":
    main((contrastive, sums, paths))
