"""A plain solver of lexical-functional grammars, which says what an analysis is.

It lists the analyses of a sentence one by one: solutions of words first, then of larger and larger
constituents, each a graph of f-structures made by union–find. Only what can never become
consistent again is dropped on the way; tests are made on the finished f-structure.
"""
