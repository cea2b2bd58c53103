"""Mutants: how many does the fast suite kill of those that the whole suite kills?

``python tests/mutation.py --count 200`` chooses places in the functions of all rooms of
``src/weft``, the same for the same seed. One run of all tests says which of them reach which place.
Then each mutant is tried: first by fast tests that reach it, until one fails, and by slow ones if
none does. All of that happens in ``build/mutate``, on a copy; a second call goes on there. A
test that fails without any mutation counts for nothing. Mutants that survive are named.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import resource
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "mutate"
COPY = WORK / "copy"
SOURCE = Path("src") / "weft"
LONGEST = 600
"""The processor's seconds after which a mutant that runs on counts as killed."""

PAIRS: tuple[tuple[type[ast.AST], type[ast.AST]], ...] = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn)),
    *((ast.Is, ast.IsNot), (ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.And, ast.Or)),
)
SWAPPED = {**dict(PAIRS), **{other: one for one, other in PAIRS}, ast.FloorDiv: ast.Mult}
BODIES = ("body", "orelse", "finalbody")


def change(node: ast.AST) -> str:
    """Change a node where it has a mutation, and say how; otherwise return nothing."""
    match node:
        case ast.Compare(ops=[operator]) | ast.BinOp(op=operator) | ast.BoolOp(op=operator):
            other = SWAPPED.get(type(operator))
            if other is None:
                return ""
            if isinstance(node, ast.Compare):
                node.ops = [other()]  # type: ignore[list-item]
            else:
                node.op = other()  # type: ignore[attr-defined]
            return f"{type(operator).__name__} → {other.__name__}"
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            node.value = value + 1
            return f"{value} → {value + 1}"
        case ast.If() | ast.IfExp() | ast.While():
            node.test = ast.UnaryOp(ast.Not(), node.test)
            return "not"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            node.value = ast.Constant(None)
            return "return None"
        case ast.Expr(value=ast.Call()):
            node.value = ast.Constant(None)
            return "dropped"
        case ast.AugAssign():
            node.value = ast.Constant(0 if isinstance(node.op, ast.Add | ast.Sub) else 1)
            return "without effect"
    return ""


Place = tuple[ast.AST, list[ast.stmt], int]
"""A node, and the statement that it is part of: where that stands, and its number there."""


def places(tree: ast.AST) -> Iterator[Place]:
    """Yield the nodes of functions, but for messages and annotations, always in one order."""

    def below(node: ast.AST, body: list[ast.stmt], number: int, inside: bool) -> Iterator[Place]:
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.arguments):
            return
        if inside:
            yield node, body, number
        inside = inside or isinstance(node, ast.FunctionDef)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "slice"):
                continue
            each = value if isinstance(value, list) else [value]
            for index, child in enumerate(each):
                if isinstance(child, ast.AST):
                    here = (value, index) if name in BODIES and isinstance(value, list) else None
                    yield from below(child, *(here or (body, number)), inside)

    yield from below(tree, [], 0, False)


def mutants(seed: int) -> list[dict[str, Any]]:
    """All mutants, those of the rooms in turn, each room's in an order that a seed decides."""
    rooms: dict[str, list[dict[str, Any]]] = {}
    for path in sorted((ROOT / SOURCE).rglob("*.py")):
        name = path.relative_to(ROOT / SOURCE).as_posix()
        found = [*places(ast.parse(path.read_text(encoding="utf-8")))]  # before any is changed
        for index, (node, _, _) in enumerate(found):
            names = ("lineno", "col_offset", "end_lineno", "end_col_offset")
            place = ":".join(str(getattr(node, each, 0)) for each in names)
            how = change(node)
            if how:
                room = name.partition("/")[0] if "/" in name else "weft"
                made = {"name": f"{name}:{place}: {how}", "path": name, "index": index}
                rooms.setdefault(room, []).append({**made, "room": room})
    for room, several in rooms.items():
        random.Random(f"{seed} {room}").shuffle(several)  # noqa: S311
    turns = range(max(map(len, rooms.values())))
    return [several[turn] for turn in turns for several in rooms.values() if turn < len(several)]


def write(
    path: str, *, mutated: int | None = None, watched: Sequence[tuple[int, int]] = ()
) -> None:
    """Write a module of the copy: as it is, with a mutation, or saying which places are reached."""
    text = (ROOT / SOURCE / path).read_text(encoding="utf-8")
    if mutated is not None or watched:
        tree = ast.parse(text)
        found = list(places(tree))
        if mutated is not None:
            change(found[mutated][0])
        said = [(found[index][1], found[index][2], number) for index, number in watched]
        for body, place, number in sorted(said, key=lambda each: -each[1]):
            [statement] = ast.parse(f"__import__('mutation').reach({number})").body
            body.insert(place, statement)
        text = ast.unparse(ast.fix_missing_locations(tree))
    (COPY / SOURCE / path).write_text(text, encoding="utf-8")


# As a plugin of pytest, in the copy.

FOLDER = "WEFT_MUTATION_FOLDER"
REACHED = "WEFT_MUTATION_REACHED"
CHOSEN = "WEFT_MUTATION_TESTS"
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
NOTED: set[int] = set()


def reach(number: int) -> None:
    """Note that a place is reached, here or in a process that a test starts."""
    if number not in NOTED:
        NOTED.add(number)
        with open(os.environ[REACHED], "a", encoding="utf-8") as stream:
            stream.write(f"{number}\n")


def pytest_configure() -> None:
    if FOLDER in os.environ:
        path = Path(os.environ[FOLDER], f"reached-{WORKER}.txt")
        path.write_text("", encoding="utf-8")
        os.environ[REACHED] = str(path)


def pytest_collection_modifyitems(items: list[Any]) -> None:
    if CHOSEN in os.environ:
        chosen = set(json.loads(Path(os.environ[CHOSEN]).read_text(encoding="utf-8")))
        items[:] = [each for each in items if each.nodeid in chosen]


def pytest_runtest_logreport(report: Any) -> None:
    """Write which places a test reached, whether it failed and whether it is slow."""
    if FOLDER not in os.environ or not WORKER or (report.passed and report.when != "teardown"):
        return
    path = Path(os.environ[REACHED])
    numbers = sorted({int(line) for line in path.read_text(encoding="utf-8").split()})
    path.write_text("", encoding="utf-8")
    NOTED.clear()
    is_slow = "slow" in report.keywords or report.nodeid.startswith("tests/newcomers")
    with path.with_suffix(".jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps([report.nodeid, numbers, report.failed, is_slow]) + "\n")


# As a program.


def prepare() -> Path:
    """Copy what git knows, and make an environment that imports the copy; return its Python."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0")[:-1]:
        if (ROOT / name).is_file():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, COPY / name)
    core = "from weft import kernels; print(kernels.kernels.__file__)"
    found = subprocess.run([sys.executable, "-c", core], capture_output=True, text=True, check=True)
    shutil.copy2(found.stdout.strip(), COPY / SOURCE)
    if not (WORK / "venv").exists():
        command = [sys.executable, "-m", "venv", "--without-pip", str(WORK / "venv")]
        subprocess.run(command, check=True)
    [packages] = (WORK / "venv").glob("lib/*/site-packages")
    # The environment's own .pth files, which name this source, are not read.
    others = [path for path in sys.path[1:] if path != str(ROOT / "src")]
    paths = (COPY / "src", COPY / "tests", *others)
    (packages / "copy.pth").write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
    return WORK / "venv" / "bin" / "python"


def run_tests(
    python: Path, *arguments: str, limit: int = resource.RLIM_INFINITY, **environment: str
) -> int:
    """Run tests of the copy; return the exit status, which is negative after too much time."""
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "mutation", "-p", "no:cacheprovider", *arguments],
        cwd=COPY,
        env={**os.environ, **environment},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode


def reaching(python: Path, chosen: Sequence[dict[str, Any]], tests: list[str]) -> list[list[Any]]:
    """Which tests reach which places: a row for each test that passes, of the last run."""
    kept = WORK / "reached.json"
    if kept.exists():
        before = json.loads(kept.read_text(encoding="utf-8"))
        if before["mutants"][: len(chosen)] == [each["name"] for each in chosen]:
            return before["rows"]  # type: ignore[no-any-return]
    for path in {each["path"] for each in chosen}:
        watched = [(e["index"], n) for n, e in enumerate(chosen) if e["path"] == path]
        write(path, watched=watched)
    for old in WORK.glob("reached-*"):
        old.unlink()
    run_tests(python, "-n", str(os.cpu_count()), *tests, **{FOLDER: str(WORK)})
    for path in {each["path"] for each in chosen}:
        write(path)
    lines = [line for path in WORK.glob("reached-*.jsonl") for line in path.open(encoding="utf-8")]
    rows = [json.loads(line) for line in lines]
    if not rows:
        raise ValueError(f"no test runs in {COPY}")
    failed = {row[0] for row in rows if row[2]}
    rows = [row for row in rows if row[0] not in failed]
    names = [each["name"] for each in chosen]
    kept.write_text(json.dumps({"mutants": names, "rows": rows}), encoding="utf-8")
    return rows


def outcome(python: Path, mutant: dict[str, Any], tests: dict[str, list[str]]) -> str:
    """Which tests kill a mutant: fast, slow or none; ``unreached`` if there are none to try."""
    write(mutant["path"], mutated=mutant["index"])
    try:
        for kind, several in tests.items():
            files = sorted({each.partition("::")[0] for each in several})
            chosen = WORK / "chosen.json"
            chosen.write_text(json.dumps(several), encoding="utf-8")
            if not several:
                continue
            status = run_tests(python, "-x", *files, limit=LONGEST, **{CHOSEN: str(chosen)})
            if status == pytest.ExitCode.NO_TESTS_COLLECTED:
                raise ValueError(f"{mutant['name']}: none of its tests is there")
            if status:
                return kind
    finally:
        write(mutant["path"])
    return "none" if any(tests.values()) else "unreached"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("tests", nargs="*", help="tests to choose among; all by default")
    options = parser.parse_args()
    chosen = mutants(options.seed)[: options.count]
    python = prepare()
    rows = reaching(python, chosen, options.tests)
    kept = WORK / "results.json"
    results = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    for number, mutant in enumerate(chosen):
        if mutant["name"] in results:
            continue
        by_speed: dict[str, list[str]] = {"fast": [], "slow": []}
        for name, numbers, _, is_slow in rows:
            if number in numbers:
                by_speed["slow" if is_slow else "fast"].append(name)
        results[mutant["name"]] = outcome(python, mutant, by_speed)
        kept.write_text(json.dumps(results, indent=1, ensure_ascii=False), encoding="utf-8")
        sys.stdout.write(f"{number + 1:4} {results[mutant['name']]:9} {mutant['name']}\n")
        sys.stdout.flush()
    sys.stdout.write("\n".join([*told(chosen, results), ""]))


def told(chosen: Sequence[dict[str, Any]], results: dict[str, str]) -> Iterator[str]:
    """A row for each room, how many the fast tests kill, and the names of what they do not."""
    kinds = ("fast", "slow", "none", "unreached")
    counts = Counter((each["room"], results[each["name"]]) for each in chosen)
    yield "| room | killed by fast tests | by slow ones only | by none | reached by none |"
    yield "|---|---|---|---|---|"
    for room in sorted({room for room, _ in counts}):
        yield f"| {room} | {' | '.join(str(counts[room, kind]) for kind in kinds)} |"
    fast, slow = (sum(n for (_, each), n in counts.items() if each == kind) for kind in kinds[:2])
    yield f"\nThe fast tests kill {fast} of the {fast + slow} mutants that all tests kill.\n"
    for kind in kinds[1:]:
        for each in chosen:
            if results[each["name"]] == kind:
                yield f"- {kind}: {each['name']}"


if __name__ == "__main__":
    main()
