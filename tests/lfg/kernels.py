"""The kernel beside the plain solver: what all tests of it share."""

from collections import Counter

from lfg.small import words
from weft.lfg.reference.solve import Solver
from weft.lfg.solve import Kernels, needs_plain_solver, solve_block
from weft.unification import ParseLimits


def make_kernels(grammar):
    return Kernels(grammar, Solver(grammar))


def solve_both(kernels, lattice):
    """What the kernel finds, restricted and not; None where it leaves a sentence to the other."""
    kernel = kernels.find(lattice)
    if kernel is None:
        return None
    found = [
        next(solve_block(kernel, [lattice], ParseLimits(), restricted=each))
        for each in (True, False)
    ]
    return None if any(map(needs_plain_solver, found)) else [each.forest for each in found]


def agree(kernels, grammar, text):
    """The plain solver's analyses, after the kernel's were found to be the same; how they were."""
    lattice = words(grammar, text)
    plain = Solver(grammar).solve(lattice)
    forests = solve_both(kernels, lattice)
    for forest in forests or ():
        assert forest.count == len(plain)
        assert Counter(forest) == Counter(plain)
    return plain, forests
