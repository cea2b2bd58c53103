"""Mutants: how many does the fast suite kill of those that the whole suite kills?

``python tests/mutation.py --count 200`` chooses places in the functions of all rooms of
``src/weft``, the same for the same seed. One run of the fast tests records which of them reach
which place. Then the fast tests that reach a mutant are run until one fails: those of its room
first, then those that take the least time. The slow tests, without ``tests/newcomers``, try the
mutants that survive, in the same way. All of that happens in ``build/mutate``, on one copy for each
process; a second call goes on there. A test that fails without any mutation counts for nothing.
Mutants that survive are named.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import queue
import random
import resource
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "mutate"
SOURCE = Path("src") / "weft"
LONGEST = 600
"""The processor's seconds after which a mutant that runs on counts as killed, at most."""

SOON = 20
"""Seconds of the tests that are tried first: most mutants are killed by these."""

KINDS = {
    "fast": ("-m", "not slow", "--ignore", "tests/newcomers"),
    "slow": ("-m", "slow"),
}
"""Which tests are which."""

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
    copy: Path, path: str, *, mutated: int | None = None, watched: Sequence[tuple[int, int]] = ()
) -> None:
    """Write a module of a copy: unchanged, with a mutation, or noting which places are reached."""
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
    (copy / SOURCE / path).write_text(text, encoding="utf-8")


# As a plugin of pytest, in the copy.

FOLDER = "WEFT_MUTATION_FOLDER"
REACHED = "WEFT_MUTATION_REACHED"
CHOSEN = "WEFT_MUTATION_TESTS"
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")
NOTED: set[int] = set()
TOOK: dict[str, float] = {}


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
    """Write which places a test reached, whether it failed and how many seconds it took."""
    if FOLDER not in os.environ or not WORKER:
        return
    TOOK[report.nodeid] = TOOK.get(report.nodeid, 0.0) + report.duration
    if report.passed and report.when != "teardown":
        return
    path = Path(os.environ[REACHED])
    numbers = sorted({int(line) for line in path.read_text(encoding="utf-8").split()})
    path.write_text("", encoding="utf-8")
    NOTED.clear()
    row = [report.nodeid, numbers, report.failed, TOOK.pop(report.nodeid, 0.0)]
    with path.with_suffix(".jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(row) + "\n")


# As a program.

Row = tuple[str, list[int], bool, float]
"""A test: its name, the mutants that it reaches, whether it failed and the seconds it took."""


def prepare(name: str) -> Path:
    """Make a copy of what git knows, with an environment that imports it."""
    copy = WORK / name
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for each in listed.stdout.decode().split("\0")[:-1]:
        if (ROOT / each).is_file():
            (copy / each).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / each, copy / each)
    core = "from weft import kernels; print(kernels.kernels.__file__)"
    found = subprocess.run([sys.executable, "-c", core], capture_output=True, text=True, check=True)
    shutil.copy2(found.stdout.strip(), copy / SOURCE)
    if not (copy / "venv").exists():
        command = [sys.executable, "-m", "venv", "--without-pip", str(copy / "venv")]
        subprocess.run(command, check=True)
    [packages] = (copy / "venv").glob("lib/*/site-packages")
    # The environment's own .pth files, which name this source, are not read.
    others = [path for path in sys.path[1:] if path != str(ROOT / "src")]
    paths = (copy / "src", copy / "tests", *others)
    (packages / "copy.pth").write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
    return copy


def run_tests(
    copy: Path, *arguments: str, limit: int = resource.RLIM_INFINITY, **environment: str
) -> int:
    """Run tests of a copy; return the exit status, which is negative after too much time."""
    python = copy / "venv" / "bin" / "python"
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "mutation", "-p", "no:cacheprovider", *arguments],
        cwd=copy,
        env={**os.environ, **environment},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode


def reaching(
    copy: Path, chosen: Sequence[dict[str, Any]], kind: str, jobs: int, tests: list[str]
) -> list[Row]:
    """Which tests of a kind reach which mutants: those that pass, of the last run."""
    kept = WORK / f"reached-by-{kind}.json"
    names = [each["name"] for each in chosen]
    if kept.exists():
        before = json.loads(kept.read_text(encoding="utf-8"))
        if before["mutants"] == names:
            return before["rows"]  # type: ignore[no-any-return]
    for path in {each["path"] for each in chosen}:
        watched = [(e["index"], n) for n, e in enumerate(chosen) if e["path"] == path]
        write(copy, path, watched=watched)
    for old in WORK.glob("reached-gw*"):
        old.unlink()
    run_tests(copy, "-n", str(jobs), *KINDS[kind], *tests, **{FOLDER: str(WORK)})
    for path in {each["path"] for each in chosen}:
        write(copy, path)
    lines = [line for path in WORK.glob("reached-*.jsonl") for line in path.open(encoding="utf-8")]
    rows: list[Row] = [json.loads(line) for line in lines]
    if not rows:
        raise ValueError(f"no test runs in {copy}")
    failed = {name for name, _, has_failed, _ in rows if has_failed}
    rows = [row for row in rows if row[0] not in failed]
    kept.write_text(json.dumps({"mutants": names, "rows": rows}), encoding="utf-8")
    return rows


def stages(room: str, seconds: dict[str, float]) -> list[list[str]]:
    """Tests in two parts: files of a room and short ones, up to ``SOON``, then all others."""
    files: dict[str, float] = defaultdict(float)
    for name, took in seconds.items():
        files[name.partition("::")[0]] += took
    mirrored = f"tests/{room}/"
    soon: set[str] = set()
    total = 0.0
    for file in sorted(files, key=lambda each: (not each.startswith(mirrored), files[each], each)):
        total += files[file]
        if soon and total > SOON:
            break
        soon.add(file)
    first = [name for name in seconds if name.partition("::")[0] in soon]
    return [first, [name for name in seconds if name not in set(first)]]


def is_killed(copy: Path, mutant: dict[str, Any], seconds: dict[str, float]) -> bool:
    """Whether one of some tests fails with a mutation."""
    write(copy, mutant["path"], mutated=mutant["index"])
    try:
        for several in filter(None, stages(mutant["room"], seconds)):
            files = list(dict.fromkeys(each.partition("::")[0] for each in several))
            chosen = copy / "chosen.json"
            chosen.write_text(json.dumps(several), encoding="utf-8")
            limit = min(LONGEST, 60 + int(10 * sum(map(seconds.__getitem__, several))))
            status = run_tests(copy, "-x", *files, limit=limit, **{CHOSEN: str(chosen)})
            if status == pytest.ExitCode.NO_TESTS_COLLECTED:
                raise ValueError(f"{mutant['name']}: none of its tests is there")
            if status:
                return True
    finally:
        write(copy, mutant["path"])
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("tests", nargs="*", help="tests to choose among; all by default")
    options = parser.parse_args()
    chosen = mutants(options.seed)[: options.count]
    copies: queue.SimpleQueue[Path] = queue.SimpleQueue()
    made = [prepare(f"copy-{number}") for number in range(options.jobs)]
    for copy in made:
        copies.put(copy)
    kept = WORK / "results.json"
    results = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}

    def trial(mutant: dict[str, Any], seconds: dict[str, float]) -> str:
        if not seconds:
            return "unreached"
        copy = copies.get()
        try:
            return "killed" if is_killed(copy, mutant, seconds) else "survived"
        finally:
            copies.put(copy)

    for kind in KINDS:
        found = results.setdefault(kind, {})
        left = chosen
        if kind == "slow":
            left = [each for each in chosen if results["fast"][each["name"]] != "killed"]
        if all(each["name"] in found for each in left):
            continue
        rows = reaching(made[0], left, kind, options.jobs, options.tests)
        reached: list[dict[str, float]] = [{} for _ in left]
        for name, numbers, _, took in rows:
            for number in numbers:
                reached[number][name] = took
        with ThreadPoolExecutor(options.jobs) as pool:
            trials = {
                pool.submit(trial, mutant, seconds): mutant["name"]
                for mutant, seconds in zip(left, reached, strict=True)
                if mutant["name"] not in found
            }
            for done in as_completed(trials):
                found[trials[done]] = done.result()
                kept.write_text(json.dumps(results, indent=1, ensure_ascii=False), encoding="utf-8")
                sys.stdout.write(f"{kind} {done.result():9} {trials[done]}\n")
                sys.stdout.flush()
    sys.stdout.write("\n".join([*told(chosen, results), ""]))


def outcome(name: str, results: dict[str, dict[str, str]]) -> str:
    """By which tests a mutant is killed, if it is."""
    outcomes = {kind: results[kind].get(name) for kind in KINDS}
    killed = [kind for kind, each in outcomes.items() if each == "killed"]
    return (killed or ["none" if "survived" in outcomes.values() else "unreached"])[0]


def told(chosen: Sequence[dict[str, Any]], results: dict[str, dict[str, str]]) -> Iterator[str]:
    """A row for each room, how many the fast tests kill, and the names of the others."""
    outcomes = {each["name"]: outcome(each["name"], results) for each in chosen}
    kinds = ("fast", "slow", "none", "unreached")
    counts = Counter((each["room"], outcomes[each["name"]]) for each in chosen)
    yield "| room | killed by fast tests | by slow ones only | by none | reached by none |"
    yield "|---|---|---|---|---|"
    for room in sorted({room for room, _ in counts}):
        yield f"| {room} | {' | '.join(str(counts[room, kind]) for kind in kinds)} |"
    fast, slow = (sum(n for (_, each), n in counts.items() if each == kind) for kind in kinds[:2])
    yield f"\nThe fast tests kill {fast} of the {fast + slow} mutants that all tests kill.\n"
    for kind in kinds[1:]:
        yield from (f"- {kind}: {name}" for name, each in outcomes.items() if each == kind)


if __name__ == "__main__":
    main()
