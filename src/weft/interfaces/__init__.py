"""Models as other programs know theirs: a component for spaCy, a tagger for NLTK.

Each module imports the program that it is for, which nothing else of Weft does.
"""
