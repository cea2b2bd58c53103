"""Models converted into others that say the same."""
