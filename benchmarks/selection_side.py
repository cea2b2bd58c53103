"""Parse selection on synthetic data: sentences × analyses × active features, all of value 1.

The corpus is the same at every run: features are drawn sentence by sentence from a generator with
a fixed seed, a few common ones more often than the many rare ones, as in real grammars.
"""

import resource
import time

import numpy as np

from weft.criteria import Contrast, Gaussian
from weft.derivations.analyses import Analyses, Bags, members_of
from weft.derivations.feature_map import FeatureMap
from weft.derivations.threads import thread_count
from weft.features.parameters import parameters
from weft.optimise.lbfgs import LBFGS


def synthetic(sentences: int, analyses: int, active: int, features: int, seed: int = 0) -> Bags:
    """Make the analyses of a corpus, in place: the features are all that takes memory."""
    rng = np.random.default_rng(seed)
    numbers = np.empty(sentences * analyses * active, np.int32)
    step = analyses * active
    for sentence in range(sentences):
        # Squares of uniform numbers: half of all occurrences are of a quarter of the features.
        drawn = np.square(rng.random(step, dtype=np.float32)) * np.float32(features)
        rows = np.minimum(drawn.astype(np.int32), features - 1).reshape(analyses, active)
        rows.sort(axis=1)
        numbers[sentence * step : (sentence + 1) * step] = rows.reshape(-1)
    count = sentences * analyses
    return Bags(
        np.arange(0, count + 1, analyses),
        FeatureMap(np.arange(0, count * active + 1, active), numbers, None, features),
        np.zeros(count),
    )


def contrast_of(bags: Bags, threads: int | None = None) -> Contrast:
    """The conditional criterion; the first analysis of each sentence is the right one."""
    sentences = len(bags.sentences) - 1
    owners = np.repeat(np.arange(sentences), 2)
    members = members_of(bags, owners, [[0], None] * sentences)
    derivations = Analyses(bags, members, thread_count(threads))
    places = np.arange(0, 2 * sentences, 2)
    return Contrast(derivations, places, places + 1, np.ones(sentences))


def measure(
    sentences: int, analyses: int, active: int, features: int, iterations: int, threads: int | None
) -> dict[str, float]:
    """Time single evaluations and whole iterations of L-BFGS."""
    began = time.perf_counter()
    bags = synthetic(sentences, analyses, active, features)
    made = time.perf_counter() - began
    objective = contrast_of(bags, threads)
    weights = np.random.default_rng(1).normal(size=features) * 0.1
    seconds, processor = [], []
    for _ in range(iterations):
        began, worked = time.perf_counter(), time.process_time()
        objective(weights)
        seconds.append(time.perf_counter() - began)
        processor.append(time.process_time() - worked)
    cost = Gaussian(1.0).objective(parameters([("given", features)]))
    began = time.perf_counter()
    options = LBFGS(max_iterations=iterations, tolerance=0.0)
    solution = options.maximise(objective + cost, np.zeros(features))
    whole = time.perf_counter() - began
    last = solution.trace[-1]
    return {
        "nonzeros": len(bags.features.features),
        "seconds_to_make": made,
        "seconds_an_evaluation": float(np.median(seconds)),
        "fastest_evaluation": min(seconds),
        "processor_seconds_an_evaluation": float(np.median(processor)),
        "seconds_an_iteration": whole / max(last.iteration, 1),
        "iterations": last.iteration,
        "evaluations": last.evaluations,
        "value": last.value,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
