"""Selection among packed lexical-functional analyses beside selection among listed ones.

``python -m benchmarks.lfg_packing [DOMAIN]`` takes the sentences of a bundled corpus, by default
``appointments``, and prints as JSON how large the forests are, how long it takes to make and to use
both forms, and the largest differences of values, gradients and probabilities at random weights.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

from weft.corpora.bundled import bundled_lfg, bundled_marked
from weft.corpora.parses.marked import marked_sets
from weft.criteria import conditional, contrast
from weft.features.compile import compile_parses
from weft.features.properties import properties
from weft.lfg.parser import load_lfg
from weft.models.selection.model import prepare_selection
from weft.models.selection.scores import MOST_LISTED, judge
from weft.models.selection.spec import Selection


def timed(work: Any) -> tuple[float, Any]:
    begin = time.process_time()
    found = work()
    return time.process_time() - begin, found


def compare(domain: str) -> dict[str, Any]:
    """Both forms of a corpus, and how they differ."""
    parser, marks = load_lfg(bundled_lfg()), bundled_marked(domain)
    seconds, results = {}, []
    for name in ("listed", "packed"):
        made, sets = timed(lambda it=name: list(marked_sets(parser, marks, packed=it == "packed")))
        examples = [compile_parses(each, properties("rules")) for each in sets]
        model = prepare_selection(Selection(), examples)
        theta = np.random.default_rng(1).normal(size=model.parameters.size)
        goal = contrast(model, examples, conditional, 1)
        used, (value, gradient) = timed(lambda it=goal, at=theta: it(at))
        seconds[name] = {"make": round(made, 1), "value and gradient": round(used, 4)}
        results.append((model.names, value, gradient, judge(model, theta, examples, 1), examples))
    (names, value, gradient, judged, listed), (others, two, other, again, packed) = results
    return {
        "domain": domain,
        "sentences": len(marks),
        "analyses": sum(len(each.tokens) for each in listed),
        "packed edges": sum(len(each.tokens) for each in packed),
        "features": len(names),
        "same features": names == others,
        "same ranks": bool((np.minimum(judged.better, MOST_LISTED) == again.better).all()),
        "value": abs(value - two) / abs(value),
        "gradient": float(abs(gradient - other).max()),
        "log probabilities": float(abs(judged.log_probs - again.log_probs).max()),
        "seconds": seconds,
    }


if __name__ == "__main__":
    print(json.dumps(compare(*(sys.argv[1:] or ["appointments"])), indent=1))
