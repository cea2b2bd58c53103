"""Selection: which of the analyses of a sentence is right."""
