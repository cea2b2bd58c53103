"""Small grammars in XLE's notation, made of the sections that a test is about."""

import io

from weft.lfg import read_lfg
from weft.lfg.write import show_description, show_side

CONFIG = "ROOTCAT S. RULES (D E). TEMPLATES (D E). LEXENTRIES (D E)."


def source(rules="", lexicon="", templates="", config=CONFIG):
    """A grammar as bytes."""
    kinds = {"RULES": rules, "TEMPLATES": templates, "LEXICON": lexicon}
    sections = "".join(f"\nD E {kind} (1.0)\n{text}\n----\n" for kind, text in kinds.items())
    return f"D E CONFIG (1.0)\n{config}\n----\n{sections}".encode()


def read(rules="", lexicon="", templates="", config=CONFIG, **options):
    """Read such a grammar."""
    return read_lfg(io.BytesIO(source(rules, lexicon, templates, config)), **options)


def described(notes, templates=""):
    """What a description says once it is read, in the same notation."""
    grammar = read(lexicon=f"w X * {notes}.", templates=templates)
    assert not grammar.warnings, grammar.warnings
    return show_description(grammar.entries["w"][0].notes)


def sided(side, rules="", templates=""):
    """A right side once it is read, without the annotation ^=!."""
    grammar = read(rules=f"S --> {side}. {rules}", templates=templates)
    assert not grammar.warnings, grammar.warnings
    return show_side(grammar.rules["S"]).replace(": ^ = !;", "").replace(": ^ = ! ", ": ")
