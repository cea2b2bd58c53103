"""The kernel beside the plain solver: what all tests of it share."""

from collections import Counter

from lfg.small import words
from weft.lfg.branches import NotCompiled
from weft.lfg.compile import CompiledLfg
from weft.lfg.forest import Kernel
from weft.lfg.reference.solve import Solver
from weft.lfg.solve import can_solve, needs_plain_solver, solve_block
from weft.unification import ParseLimits


def make_kernel(grammar):
    """The kernel of a grammar; None if it does not know some construct of its rules."""
    try:
        return Kernel(CompiledLfg(grammar), Solver(grammar))
    except NotCompiled:
        return None


def solve_both(kernel, lattice):
    """What the kernel finds, restricted and not; None where it leaves a sentence to the other."""
    if kernel is None or not can_solve(kernel, lattice):
        return None
    found = [
        next(solve_block(kernel, [lattice], ParseLimits(), restricted=each))
        for each in (True, False)
    ]
    return None if any(map(needs_plain_solver, found)) else [each.forest for each in found]


def agree(kernel, grammar, text):
    """The plain solver's analyses, after the kernel's were found to be the same; how they were."""
    lattice = words(grammar, text)
    plain = Solver(grammar).solve(lattice)
    forests = solve_both(kernel, lattice)
    for forest in forests or ():
        assert forest.count == len(plain)
        assert Counter(forest) == Counter(plain)
    return plain, forests
