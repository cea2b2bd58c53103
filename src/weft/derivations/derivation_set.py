"""What every set of derivations can do, however it is stored."""

from __future__ import annotations

from typing import Protocol

from weft.arrays import FloatArray


class DerivationSet(Protocol):
    """Several sums over derivations, its *members*, of one model.

    Weights of examples, links and shared denominators all come as coefficients: the gradient of
    Σ_k c_k log Z_k is Σ_k c_k E_k[f].
    """

    def __len__(self) -> int:
        """The number of members."""
        ...

    def log_partition(self, theta: FloatArray) -> FloatArray:
        """[members]: log Z, -inf where a member has no derivation."""
        ...

    def evaluate(
        self, theta: FloatArray, coefficients: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return log Z [members] and Σ_k c_k E_k[f] [θ], in one sweep."""
        ...

    def impossible(self, member: int) -> int | None:
        """The first token that no derivation of a member gets past; None if there is none."""
        ...
