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
    return solve_all(kernels, [lattice])[0]


def solve_all(kernels, lattices):
    """What the kernel finds for each sentence, all that one kernel knows at once."""
    found = [None] * len(lattices)
    chosen = [kernels.find(lattice) for lattice in lattices]
    for kernel in {id(each): each for each in chosen if each is not None}.values():
        places = [place for place, each in enumerate(chosen) if each is kernel]
        some = [lattices[place] for place in places]
        both = [solve_block(kernel, some, ParseLimits(), restricted=each) for each in (True, False)]
        for place, *solved in zip(places, *both, strict=True):
            if not any(map(needs_plain_solver, solved)):
                found[place] = [each.forest for each in solved]
    return found


def agree(kernels, grammar, text):
    """The plain solver's analyses, after the kernel's were found to be the same; how they were."""
    return agree_all(kernels, grammar, [text])[0]


def agree_all(kernels, grammar, texts):
    """The same for several sentences."""
    lattices = [words(grammar, text) for text in texts]
    found = []
    for lattice, forests in zip(lattices, solve_all(kernels, lattices), strict=True):
        plain = Solver(grammar).solve(lattice)
        for forest in forests or ():
            assert forest.count == len(plain)
            assert Counter(forest) == Counter(plain)
        found.append((plain, forests))
    return found
