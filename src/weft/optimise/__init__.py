"""How the weights move: optimisers that see only θ → (value, gradient)."""
