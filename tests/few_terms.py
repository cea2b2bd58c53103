"""Sums of many terms that look at few weights each, for optimisers that go over them in passes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.optimise.batches import Problem


@dataclass
class Rows:
    """A batch: the sum of some terms, in the coordinates that they have."""

    places: np.ndarray
    terms: list
    size: int

    def __call__(self, weights):
        theta = np.zeros(self.size)
        theta[self.places] = weights
        value, gradient = 0.0, np.zeros(self.size)
        for term in self.terms:
            found, slope = term(theta)
            value += found
            gradient += slope
        return value, gradient[self.places]


@dataclass
class FewTerms:
    """Terms, and the coordinates that each looks at."""

    terms: list
    places: list
    size: int
    hinges: bool
    concave: bool = True
    streamed: bool = False

    def __len__(self):
        return len(self.terms)

    def __call__(self, theta):
        return Rows(np.arange(self.size), self.terms, self.size)(theta)

    @property
    def sizes(self):
        return [len(self)]

    def sections(self):
        yield self

    def batch(self, terms):
        places = np.unique(np.concatenate([self.places[i] for i in terms]))
        return Rows(places, [self.terms[i] for i in terms], self.size)

    def sweep(self, *_):
        return None

    def ascend(self, *_):
        return None


def logistic(rng, rows=60, size=12, each=4):
    """Logistic regression on sparse inputs."""
    places = [np.sort(rng.choice(size, each, replace=False)) for _ in range(rows)]
    truth = rng.normal(size=size)

    def term(mine):
        inputs = np.zeros(size)
        inputs[mine] = rng.normal(size=each)
        signed = inputs if rng.random() < 1 / (1 + np.exp(-inputs @ truth)) else -inputs

        def evaluate(theta):
            score = signed @ theta
            return -float(np.logaddexp(0.0, -score)), signed * np.exp(-np.logaddexp(0.0, score))

        return evaluate

    return FewTerms([term(mine) for mine in places], places, size, hinges=False)


def hinges(rng, rows=20, size=8, each=4, labels=4):
    """−max_y (cost(y) − θ·ψ(y)), with ψ = 0 and no cost for the first y: what was observed."""
    places = [np.sort(rng.choice(size, each, replace=False)) for _ in range(rows)]
    features = np.zeros((rows, labels, size))
    for row, mine in enumerate(places):
        features[row][1:, mine] = rng.normal(size=(labels - 1, each))
    costs = np.concatenate([np.zeros((rows, 1)), rng.integers(1, 4, (rows, labels - 1))], axis=1)

    def term(row):
        def evaluate(theta):
            scores = features[row] @ theta - costs[row]
            best = int(np.argmin(scores))
            return float(scores[best]), features[row, best]

        return evaluate

    return FewTerms([term(row) for row in range(rows)], places, size, True), features, costs


def problem_of(terms, rng=None, precision=0.5):
    """A penalty of one precision around zeros, or of several around something else."""
    if rng is None:
        return Problem(terms, np.full(terms.size, precision), np.zeros(terms.size))
    return Problem(terms, rng.uniform(0.2, 2.0, terms.size), rng.normal(size=terms.size))


def penalised(problem):
    """The objective as L-BFGS takes it."""

    def evaluate(theta):
        value, gradient = problem.terms(theta)
        distance = theta - problem.centre
        return value - problem.penalty(theta), gradient - problem.precisions * distance

    return evaluate
