"""Small lexical-functional grammars, written as they are once their notation is read."""

from weft.lfg.language import (
    DOWN,
    UP,
    At,
    Attribute,
    Category,
    Contains,
    Designator,
    Entry,
    Equal,
    Form,
    Lfg,
    Path,
    Steps,
    Symbol,
)
from weft.lfg.tokens import TokenLattice, analyse


def steps(names: str) -> Path:
    """A path of attributes: steps("OBJ NUM")."""
    parts = tuple(Attribute(name) for name in names.split())
    return parts[0] if len(parts) == 1 else Steps(parts)


def up(names: str) -> Designator:
    """(^ OBJ NUM)."""
    return At(UP, steps(names))


def down(names: str) -> Designator:
    """(! NUM)."""
    return At(DOWN, steps(names))


def is_(names: str, value: str) -> Equal:
    """(^ NUM) = sg."""
    return Equal(up(names), Symbol(value))


def pred(name: str, thematic: str = "", other: str = "") -> Equal:
    """(^ PRED) = 'see<(^ SUBJ)(^ OBJ)>'."""
    arguments = (tuple(up(each) for each in part.split()) for part in (thematic, other))
    return Equal(up("PRED"), Form(name, *arguments))


SAME = Equal(UP, DOWN)


def head(name: str) -> Category:
    """X: ^=!."""
    return Category(name, (SAME,))


def function(name: str, role: str, *more) -> Category:
    """NP: (^ SUBJ)=!."""
    return Category(name, (Equal(up(role), DOWN), *more))


def member(name: str, role: str, *more) -> Category:
    """PP: ! $ (^ ADJUNCT)."""
    return Category(name, (Contains(DOWN, up(role)), *more))


def entry(word: str, category: str, *notes) -> Entry:
    return Entry(word, category, tuple(notes))


def grammar(rules, entries, root="S", **fields) -> Lfg:
    """A grammar whose governable functions are SUBJ, OBJ, XCOMP and COMP."""
    found: dict[str, tuple[Entry, ...]] = {}
    for each in entries:
        found[each.word] = (*found.get(each.word, ()), each)
    fields.setdefault("governable", ("SUBJ", "OBJ", "XCOMP", "COMP"))
    fields.setdefault("semantic", ("ADJUNCT",))
    return Lfg("SMALL", root, rules, found, **fields)


def words(lfg: Lfg, text: str) -> TokenLattice:
    return analyse(lfg, text.split())
