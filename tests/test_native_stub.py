"""The stub of the native module, written by hand, against the functions that it is about."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import weft
from weft import _native

STUB = Path(weft.__file__).with_name("_native.pyi")


def written():
    """The arguments of functions and methods by their names in the stub."""
    found = {}
    waiting = [("", ast.parse(STUB.read_text(encoding="utf-8")))]
    while waiting:
        name, node = waiting.pop()
        for each in node.body:
            if isinstance(each, ast.ClassDef):
                found[each.name] = None
                waiting.append((f"{each.name}.", each))
            elif isinstance(each, ast.FunctionDef):
                more = ("*",) if each.args.vararg else ()
                found[name + each.name] = (*(argument.arg for argument in each.args.args), *more)
    return found


def bound():
    """The same of the module itself: nanobind keeps what each function is given."""
    found = {}
    for name, thing in vars(_native).items():
        if name.startswith("_"):
            continue
        if isinstance(thing, type):
            found[name] = None
            inside = {f"{name}.{each}": value for each, value in vars(thing).items()}
        else:
            inside = {name: thing}
        for place, value in inside.items():
            signature = getattr(value, "__nb_signature__", None)
            if signature is None:
                getter = getattr(value, "fget", None)
                if getter is None:
                    continue
                signature = getter.__nb_signature__
            found[place] = arguments(signature[0][0])
    return found


def arguments(signature):
    """The names in a signature, types and defaults left out."""
    text = signature[signature.index("(") + 1 : signature.rindex(")")]
    while (plain := re.sub(r"\[[^\[\]]*\]|\([^()]*\)", "", text)) != text:
        text = plain
    names = [re.split(r"[:=]", part)[0].strip() for part in text.split(",")]
    return tuple(name for name in names if name not in ("", "/", "*"))


def test_the_stub_has_the_functions_and_their_arguments():
    ours, theirs = written(), bound()
    assert len(theirs) > 50
    assert set(ours) == set(theirs)
    for name, arguments_here in ours.items():
        if arguments_here and arguments_here[-1] == "*":  # the rest, in the order of the module
            known = len(arguments_here) - 1
            assert arguments_here[:known] == theirs[name][:known], name
        else:
            assert arguments_here == theirs[name], name
