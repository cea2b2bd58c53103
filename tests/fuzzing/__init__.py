"""Fuzzing: damaged and hostile inputs for every reader.

``targets.TARGETS`` lists what is fuzzed, ``engine`` damages seeds, ``runs`` tries the results in a
process of their own, ``guided`` lets Atheris choose them, and ``python -m fuzzing`` is the command.
"""
