r"""Parse sets in JSON lines: analyses from any grammar, and which of them is right.

Every line is an object:

    {"id": "17", "text": "it rains", "right": 0, "analyses": [
        {"derivation": "(subj-head (it it) (rain_v1 rains))"},
        {"derivation": "(np (it it) (rain_n1 rains))", "features": {"plural": 1}, "score": -0.5}]}

===========  ===================================================================================
id           a name, unique in the file, if the sentence is to be asked for; else the line's number
text         the sentence, for people to read; may be left out
analyses     at least one; each has a *derivation* in brackets or as a list
             (:mod:`weft.corpora.parses.derivations`), or *features*, names with numbers, or both;
             and perhaps a *score*, its log-weight by a reference distribution
right        the number of the right analysis, from 0, or a list of several; null if not known
forest       instead of analyses, a list of edges: each has a *node* (a name), a *rule*, *children*
             (names of nodes) or *words*, and perhaps *features*, a *score*, and a *name* that is
             shown; ``right`` then lists the numbers of the edges of the right analysis
root         the forest's top node
weight       how often the sentence counts, 1 by default
===========  ===================================================================================

Other keys are left alone, but for those that are true or false, which sentences can be chosen by.
``parses``, ``gold`` and ``d`` are read as ``analyses``, ``right`` and ``derivation``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NoReturn

from weft.corpora.parses.derivations import read_derivation, tree_of_list, write_derivation
from weft.errors import FormatError, abbreviate
from weft.files import Source, name_of, read_lines
from weft.structures.parse_set import Candidate, Packed, PackedEdge, ParseSet

Skip = Callable[[FormatError], None]
"""Told of every record that is left out because it is broken."""

_NAMES = {"parses": "analyses", "gold": "right", "d": "derivation"}


def read_parse_sets(source: Source, *, skip: Skip | None = None) -> Iterator[ParseSet]:
    r"""Read the parse sets of a file, one at a time.

    Args:
        source: A path, ``-`` for the standard input, or a binary stream; gzipped or not.
        skip: Told of records that are broken, which are then left out; by default the first one
            is an error.

    Raises:
        FormatError: With the line, if a record is broken and is not to be skipped.

    >>> import io
    >>> line = b'{"id": "a", "right": 1, "analyses": [{"features": {"x": 2}}, {"features": {}}]}'
    >>> [parse_set] = read_parse_sets(io.BytesIO(line))
    >>> parse_set.right, parse_set.analyses[0].features
    ((1,), {'x': 2.0})
    """
    path = name_of(source)
    for number, line in read_lines(source):
        if not line.strip():
            continue
        try:
            yield _parse_set(line, number, path)
        except FormatError as error:
            if skip is None:
                raise
            # Of an error that is kept only the message is: frames of thousands are slow to collect.
            error.__context__ = None
            skip(error.with_traceback(None))


def parse_set_line(parse_set: ParseSet) -> str:
    """Write a parse set as a line of JSON.

    >>> parse_set_line(ParseSet("a", "", (Candidate(features={"x": 2.0}),), right=(0,)))
    '{"id": "a", "text": "", "right": 0, "analyses": [{"features": {"x": 2.0}}]}'
    """
    record: dict[str, Any] = {"id": parse_set.id, "text": parse_set.text, "right": None}
    if parse_set.right is not None:
        one = len(parse_set.right) == 1 and not isinstance(parse_set.analyses, Packed)
        record["right"] = parse_set.right[0] if one else list(parse_set.right)
    if parse_set.weight != 1.0:
        record["weight"] = parse_set.weight
    if isinstance(parse_set.analyses, Packed):
        record["root"] = parse_set.analyses.root
        record["forest"] = [_edge_json(edge) for edge in parse_set.analyses.edges]
    else:
        record["analyses"] = [_candidate_json(each) for each in parse_set.analyses]
    return json.dumps({**record, **parse_set.flags}, ensure_ascii=False, allow_nan=False)


def _candidate_json(candidate: Candidate) -> dict[str, Any]:
    shown = {} if candidate.tree is None else {"derivation": write_derivation(candidate.tree)}
    return {**shown, **_extras_json(candidate.features, candidate.score)}


def _edge_json(edge: PackedEdge) -> dict[str, Any]:
    below = {"words": list(edge.words)} if edge.words else {"children": list(edge.children)}
    extras = _extras_json(edge.features, edge.score)
    name = {"name": edge.name} if edge.name else {}
    return {"node": edge.node, "rule": edge.rule, **below, **extras, **name}


def _extras_json(features: Mapping[str, float], score: float) -> dict[str, Any]:
    given = {"features": dict(features)} if features else {}
    return {**given, **({"score": score} if score else {})}


class _RecordError(ValueError):
    """What is wrong with a record, before its line is known."""


def _refuse(message: str) -> NoReturn:
    raise _RecordError(message)


def _parse_set(line: str, number: int, path: str) -> ParseSet:
    try:
        record = json.loads(line, parse_constant=_not_finite)
    except json.JSONDecodeError as error:
        message = f"this is no JSON ({error.msg}), and a parse set is expected: one object per line"
        raise FormatError(message, path=path, line=number, column=error.colno) from None
    except _RecordError as error:
        raise FormatError(str(error), path=path, line=number) from None
    except ValueError as error:  # a number of more digits than Python reads
        message = f"this is no JSON ({abbreviate(str(error))})"
        raise FormatError(message, path=path, line=number) from None
    except RecursionError:
        message = "this JSON is nested too deeply; expected an object with analyses"
        raise FormatError(message, path=path, line=number) from None
    try:
        return _read_record(record, number, f"{path}:{number}")
    except _RecordError as error:
        raise FormatError(str(error), path=path, line=number) from None


def _not_finite(text: str) -> NoReturn:
    _refuse(f"{text} is no number; write numbers that are finite")


def _read_record(record: Any, number: int, source: str) -> ParseSet:
    record = _object(record, "a line")
    weight = _number(record.get("weight", 1.0), "weight")
    if weight < 0:
        _refuse(f"'weight' must be at least 0, not {weight}")
    analyses: tuple[Candidate, ...] | Packed
    if "forest" in record:
        analyses = _packed(record)
        count = len(analyses.edges)
    else:
        analyses, marked = _candidates(record.get("analyses"))
        count = len(analyses)
        if marked and record.get("right") is None:
            record = {**record, "right": marked}
    return ParseSet(
        id=_text(record.get("id", number), "id"),
        text=_text(record.get("text", ""), "text"),
        analyses=analyses,
        right=_right(record.get("right"), count),
        weight=weight,
        flags={key: value for key, value in record.items() if isinstance(value, bool)},
        source=source,
    )


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        _refuse(f"{what} must be an object {{...}}, not {_shown(value)}")
    return {_NAMES.get(str(key), str(key)): each for key, each in value.items()}


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        _refuse(f"{what} must be a list [...], not {_shown(value)}")
    return value


def _text(value: Any, what: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        _refuse(f"'{abbreviate(what)}' must be a text, not {_shown(value)}")
    return str(value)


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        _refuse(f"'{abbreviate(what)}' must be a number, not {_shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        _refuse(f"'{abbreviate(what)}' must be a finite number")
    return number


def _shown(value: Any) -> str:
    return abbreviate(json.dumps(value, ensure_ascii=False))


def _features(value: Any) -> dict[str, float]:
    if not isinstance(value, dict):
        _refuse(f"'features' must be an object of names with numbers, not {_shown(value)}")
    return {name: _number(each, name) for name, each in value.items()}


def _candidates(value: Any) -> tuple[tuple[Candidate, ...], list[int]]:
    """The analyses, and the numbers of those that say of themselves that they are right."""
    items = [_object(each, "an analysis") for each in _list(value, "'analyses'")]
    if not items:
        _refuse("'analyses' is empty; a sentence needs at least one")
    marked = [place for place, item in enumerate(items) if item.get("right") is True]
    return tuple(_candidate(item, place) for place, item in enumerate(items)), marked


def _candidate(item: dict[str, Any], place: int) -> Candidate:
    if "derivation" not in item and "features" not in item:
        _refuse(f"analysis {place} has neither a 'derivation' nor 'features'")
    tree = None
    if "derivation" in item:
        given = item["derivation"]
        try:
            if isinstance(given, list):
                tree = tree_of_list(given)
            else:
                tree = read_derivation(_text(given, "derivation")).tree
        except FormatError as error:
            where = f", character {error.column}" if error.column else ""
            _refuse(f"the derivation of analysis {place}{where}: {error.message}")
    features = _features(item.get("features", {}))
    return Candidate(tree, features, _number(item.get("score", 0.0), "score"))


def _packed(record: dict[str, Any]) -> Packed:
    if "root" not in record:
        _refuse("a forest needs a 'root', the name of its top node")
    edges = tuple(_edge(each) for each in _list(record["forest"], "'forest'"))
    if not edges:
        _refuse("'forest' is empty; a sentence needs at least one analysis")
    packed = Packed(edges, _text(record["root"], "root"))
    nodes = {edge.node for edge in edges}
    for name in [packed.root, *(child for edge in edges for child in edge.children)]:
        if name not in nodes:
            _refuse(f"the forest has no edge for the node '{abbreviate(name)}'")
    return packed


def _edge(value: Any) -> PackedEdge:
    item = _object(value, "an edge")
    for key in ("node", "rule"):
        if key not in item:
            _refuse(f"an edge needs a '{key}': {_shown(value)}")
    children = _texts(item.get("children", []), "children")
    words = _texts(item.get("words", []), "words")
    if children and words:
        _refuse(f"an edge has 'children' or 'words', not both: {_shown(value)}")
    return PackedEdge(
        _text(item["node"], "node"),
        _text(item["rule"], "rule"),
        children,
        words,
        _features(item.get("features", {})),
        _number(item.get("score", 0.0), "score"),
        _text(item.get("name", ""), "name"),
    )


def _texts(value: Any, what: str) -> tuple[str, ...]:
    return tuple(_text(each, what) for each in _list(value, f"'{abbreviate(what)}'"))


def _right(value: Any, count: int) -> tuple[int, ...] | None:
    if value is None:
        return None
    numbers = value if isinstance(value, list) else [value]
    if not numbers:
        return None
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < count:
            _refuse(f"'right' must be a number from 0 to {count - 1}, not {_shown(number)}")
    return tuple(dict.fromkeys(numbers))


def keep_flagged(parse_sets: Iterable[ParseSet], flag: str) -> Iterator[ParseSet]:
    """Yield the parse sets of which a flag is true.

    >>> one = ParseSet("a", "", (Candidate(),), flags={"direct": True})
    >>> other = ParseSet("b", "", (Candidate(),), flags={"direct": False})
    >>> [each.id for each in keep_flagged([one, other], "direct")]
    ['a']
    """
    return (each for each in parse_sets if each.flags.get(flag))
