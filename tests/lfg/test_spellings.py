"""What the notation abbreviates, and the same written out by hand, have the same analyses."""

from collections import Counter
from itertools import product

from lfg.kernels import agree, make_kernels
from lfg.reading import CONFIG, read

CONFIGURED = CONFIG + " GOVERNABLERELATIONS SUBJ OBJ. NONDISTRIBUTIVES C."
TEMPLATES = """
    FEAT(_a _v) = (^ _a)=_v.
    PASS(_S) = { _S | _S (^ OBJ)-->NULL }.
"""

# A name, right sides of S and of further rules, definitions, and the right sides written out.
SIDES = [
    ("macro", {"S": "PAIR"}, "PAIR = X Y: (^ OBJ)=!;.", {"S": "[X Y: (^ OBJ)=!;]"}),
    (
        "macro with parameters",
        {"S": "@(TWO Y)"},
        "TWO(_C) = _C: ! $ ^; _C: ! $ ^;.",
        {"S": "Y: ! $ ^; Y: ! $ ^;"},
    ),
    (
        "parametrised category",
        {"S": "X P[a]: (^ OBJ)=!;", "P[_v $ {a b}]": "Y: (^ F)=_v;"},
        "",
        {"S": "X P[a]: (^ OBJ)=!;", "P[a]": "Y: (^ F)=a;"},
    ),
    (
        "decided when read",
        {"S": "X (P[b]: (^ OBJ)=!;)", "P[_v]": "Y: { _v = a (^ F)=x | _v ~= a (^ F)=y };"},
        "",
        {"S": "X (P[b]: (^ OBJ)=!;)", "P[b]": "Y: (^ F)=y;"},
    ),
]
METARULE = "METARULEMACRO(_CAT _BASECAT _RHS) = { _RHS | Z: (^ G)=_BASECAT; Y: ! $ (^ C); }."

# A name, what an entry says, and the same written out.
NOTES = [
    ("template", "@(FEAT F x)", "(^ F)=x"),
    (
        "lexical rule",
        "@(PASS (^ PRED)='r<(^ OBJ)>')",
        "{ (^ PRED)='r<(^ OBJ)>' | (^ PRED)='r<NULL>' }",
    ),
    ("arrows", "(↑ C)=z ¬(↑ SUBJ)", "(^ C)=z ~(^ SUBJ)"),
]
UNKNOWN = "\n-unknown Z * (^ F)={x y}."
ENDS = [("ETC", "; ETC.", "; Z * (^ F)={x y}."), ("ONLY", "; ONLY.", "."), ("neither", ".", ".")]


def write_rules(sides, more):
    return " ".join(f"{name} --> {side}." for name, side in sides.items()) + more


def with_metarule(sides):
    """Each right side as the metarule makes it."""
    return {
        name: f"{{ {side} | Z: (^ G)={name.partition('[')[0]}; Y: ! $ (^ C); }}"
        for name, side in sides.items()
    }


def combinations():
    """What is combined, and the rules and the lexicon in both spellings."""
    for side, meta, note, end in product(SIDES, (False, True), NOTES, ENDS):
        names = {side[0], note[0], end[0], *(["metarule"] if meta else [])}
        short = write_rules(side[1], f" {side[2]} {METARULE if meta else ''}")
        long = write_rules(with_metarule(side[3]) if meta else side[3], "")
        words = "\nb Y * (^ PRED)='b'."
        yield (
            names,
            (short, f"a X * {note[1]}{end[1]}{words}{UNKNOWN}"),
            (long, f"a X * {note[2]}{end[2]}{words}{UNKNOWN}"),
        )


def test_abbreviations_have_the_analyses_of_what_they_stand_for():
    with_analyses = Counter()
    for names, short, long in combinations():
        grammars = [read(*each, templates=TEMPLATES, config=CONFIGURED) for each in (short, long)]
        kernels = [make_kernels(grammar) for grammar in grammars]
        for text in ("a", "a b", "b b"):
            (one, forests), (two, _) = (
                agree(kernel, grammar, text)
                for kernel, grammar in zip(kernels, grammars, strict=True)
            )
            assert Counter(one) == Counter(two), (names, text)
            assert forests
            with_analyses.update(names if one else ())
    assert set(with_analyses) == {
        *(name for name, *_ in (*SIDES, *NOTES, *ENDS)),
        "metarule",
    }
