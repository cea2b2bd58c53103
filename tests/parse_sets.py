"""Random parse sets, and what they are when everything is listed."""

import itertools

import numpy as np

from weft.features.compile import compile_parses
from weft.structures.alternatives import Selected, alternatives
from weft.structures.parse_set import Candidate, Packed, PackedEdge, ParseSet
from weft.structures.tree import Tree


def random_examples(
    rng: np.random.Generator, sentences: int, features: int = 6, *, counts: bool = True, base=False
) -> list[Selected]:
    """Sentences with one to six analyses; some are right, and some features are in none."""
    found = []
    for _ in range(sentences):
        rows = []
        for _ in range(rng.integers(1, 7)):
            some = rng.random(features) < 0.5
            values = rng.integers(1, 4, features) if counts else np.ones(features)
            rows.append({("given", f"f{j}"): float(values[j]) for j in range(features) if some[j]})
        weights = rng.normal(size=len(rows)) if base else None
        right = rng.choice(len(rows), size=rng.integers(1, min(2, len(rows)) + 1), replace=False)
        found.append(
            Selected(alternatives(rows, weights), tuple(right.tolist()), float(rng.integers(1, 4)))
        )
    return found


def matrix(model, tokens) -> np.ndarray:
    """Φ of a sentence's listed analyses, dense, by plain loops."""
    dense = np.zeros((len(tokens), model.parameters.size))
    for row in range(len(tokens)):
        for place in range(tokens.offsets[row], tokens.offsets[row + 1]):
            name = tokens.names[tokens.columns[place]]
            value = 1.0 if tokens.values is None else tokens.values[place]
            if name in model.index:
                dense[row, model.index[name]] += value
    return dense


def random_packed(rng: np.random.Generator, words: int = 4) -> Packed:
    """A chart over some words: every span has one to three edges, of a few rules."""
    edges = []
    for start in range(words):
        kinds = rng.choice(["n", "v", "a"], size=rng.integers(1, 3), replace=False)
        node, word = f"{start}-{start + 1}", f"w{start}"
        edges += [PackedEdge(node, f"{word}_{kind}", (), (word,)) for kind in kinds]
    for width in range(2, words + 1):
        for start in range(words - width + 1):
            end = start + width
            splits = list(range(start + 1, end))
            for split in rng.choice(
                splits, size=rng.integers(1, min(3, len(splits)) + 1), replace=False
            ):
                below = (f"{start}-{split}", f"{split}-{end}")
                for rule in rng.choice(["S", "NP", "VP"], size=rng.integers(1, 3), replace=False):
                    given = {"long": float(width)} if rng.random() < 0.3 else {}
                    score = float(rng.normal())
                    edges.append(PackedEdge(f"{start}-{end}", str(rule), below, (), given, score))
    order = rng.permutation(len(edges))
    return Packed(tuple(edges[k] for k in order), f"0-{words}")


def derivations(packed: Packed, node: str | None = None) -> list[tuple[Tree, tuple[int, ...]]]:
    """All trees of a packed forest with the numbers of their edges, by plain recursion."""
    node = packed.root if node is None else node
    found = []
    for number, edge in enumerate(packed.edges):
        if edge.node != node:
            continue
        if edge.words:
            found.append((Tree(edge.rule, edge.words), (number,)))
            continue
        for below in itertools.product(*(derivations(packed, child) for child in edge.children)):
            tree = Tree(edge.rule, tuple(each for each, _ in below))
            found.append((tree, (number, *(k for _, used in below for k in used))))
    return found


def both_ways(
    rng: np.random.Generator, properties, words: int = 4
) -> tuple[Selected, Selected, list]:
    """A packed forest and the same analyses listed, the same one right; and each one's edges."""
    packed = random_packed(rng, words)
    listed = derivations(packed)
    right = int(rng.integers(len(listed)))
    edges = packed.edges
    candidates = []
    for tree, used in listed:
        given: dict[str, float] = {}
        for number in used:
            for name, value in edges[number].features.items():
                given[name] = given.get(name, 0.0) + value
        candidates.append(Candidate(tree, given, sum(edges[number].score for number in used)))
    forest = compile_parses(
        ParseSet("f", "", packed, tuple(sorted(set(listed[right][1])))), properties
    )
    flat = compile_parses(ParseSet("l", "", tuple(candidates), (right,)), properties)
    return forest, flat, [used for _, used in listed]
