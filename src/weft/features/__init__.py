"""Features: attributes of tokens, and the coordinates of θ."""
