"""Models and results as people read them: named features, tables, pictures."""
