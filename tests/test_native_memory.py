"""Memory that runs out in the compiled core ends in MemoryError, and in one line at the command."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="preloads, and limits memory")

TESTS = Path(__file__).parent
# Laws that reach every function of the core, in numbers and in logs, with and without threads.
LAWS = (
    "inference/test_inside_outside.py",
    "inference/test_tangent.py",
    "inference/test_best_derivations.py::test_equal_derivations_are_in_the_order_of_their_edges",
    "contracts/test_trellis.py::test_best_equals_the_forest",
    "contracts/test_trellis_extremes.py::test_any_number_of_tags",
    "contracts/test_trellis.py::test_any_number_of_threads_gives_the_same_bits",
    "contracts/test_trellis.py::test_entropy_equals_the_forest",
    "contracts/test_normalised.py::test_threads_do_not_change_a_bit",
    "contracts/test_tag_criteria.py::test_threads_do_not_change_a_bit",
    "contracts/test_tag_criteria.py::test_sentences_long_and_short",
    "contracts/test_lattices.py::test_threads_do_not_change_a_bit",
    "contracts/test_lattices.py::test_weights_of_minus_infinity_are_impossible",
    "contracts/test_lattices.py::test_written_and_other_lattices_in_one_sum",
    "contracts/test_charts.py::test_threads_do_not_change_a_bit",
    "contracts/test_charts.py::test_k_best_trees_differ_in_both_children",
    "contracts/test_charts.py::test_entropy_is_that_of_all_trees",
    "contracts/test_closest.py::test_empty_parts_are_chosen_by_rules_first",
    "derivations/chart/test_chart.py::test_scores_of_spans_go_round_cycles",
    "contracts/test_selection.py::test_threads_do_not_change_a_bit",
    "derivations/chart/test_counts.py::test_only_sentences_that_use_a_cycle_have_infinitely_many",
    "derivations/chart/test_evidence.py::test_constituents_filter_the_trees",
    "contracts/test_online.py::test_kernels_do_what_batches_do",
    "optimise/test_frank_wolfe.py::test_the_gap_bounds_how_far_the_optimum_is",
    "contracts/test_online.py::test_gradient_ascent_by_kernels_is_that_by_batches",
    "derivations/chain/test_rows.py",
    "automata/test_direct.py::test_what_is_made_is_what_the_constructor_makes",
    "models/stack/test_model.py::test_what_has_no_parse_has_the_best_stack",
    "models/stack/test_move_scores.py::test_threads_do_not_matter",
    "models/stack/test_move_scores.py::test_what_is_asked_many_times_says_the_same",
    "optimise/test_annealing.py::test_a_walk_goes_on_where_it_was",
    "optimise/test_lbfgs.py::test_the_iteration_limit",
    "optimise/test_mert.py::test_packed_analyses_are_followed_as_other_derivations_are",
    "unification/test_generate.py::test_no_sentence_at_all",
    "unification/test_parser.py::test_words_within_rules",
    "lfg/test_kernel.py::test_tests_see_what_comes_later",
    "test_kernels.py::test_free_memory_is_given_back",
    "unification/test_parser.py::test_rules_that_say_the_same_once_they_are_bound_count_once",
)

FEW_LAWS = LAWS[2:4]


def compiled(folder: Path) -> Path:
    compiler = os.environ.get("CXX", "c++")
    if shutil.which(compiler) is None:
        pytest.skip(f"no C++ compiler: {compiler!r} not found")
    made = folder / "failing_allocations.so"
    source = TESTS / "failing_allocations.cpp"
    subprocess.run(
        [compiler, "-std=c++20", "-O1", "-shared", "-fPIC", "-o", made, source], check=True
    )
    return made


def under_failures(folder: Path, laws: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    library = compiled(folder)
    environment = {
        **os.environ,
        "LD_PRELOAD": f"{library}:{os.environ.get('LD_PRELOAD', '')}",
        "PYTHONPATH": f"{TESTS}:{os.environ.get('PYTHONPATH', '')}",
        "WEFT_FAILING_ALLOCATIONS": str(library),
        "WEFT_FAILING_REPORT": str(folder / "report.json"),
    }
    plugins = ["-p", "failing_allocations", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugins, *(str(TESTS / law) for law in laws)],
        cwd=TESTS.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_failed_allocation_is_an_error_and_the_next_call_is_right(tmp_path):
    found = under_failures(tmp_path, FEW_LAWS)
    assert found.returncode == 0, f"{found.stdout[-4000:]}\n{found.stderr[-4000:]}"
    report = json.loads((tmp_path / "report.json").read_text())
    assert sum(refused for _, _, refused in report.values()) > 100
    assert all(refused for _, injected, refused in report.values() if injected)


@pytest.mark.slow
def test_every_failed_allocation_is_an_error_and_the_next_call_is_right(tmp_path):
    found = under_failures(tmp_path, LAWS)
    assert found.returncode == 0, f"{found.stdout[-4000:]}\n{found.stderr[-4000:]}"
    report = json.loads((tmp_path / "report.json").read_text())
    assert [name for name, (calls, _, _) in report.items() if not calls] == []
    # Those that allocate nothing, and so cannot fail.
    assert {name for name, (_, injected, _) in report.items() if not injected} == {
        "ChoiceCounter.walk",
        "answer_gains",
        "combine",
        "dots",
        "gather_rows",
        "move_shares",
        "spread_rows",
        "trim_memory",
    }
    # Where it was not refused the core did without: a thread that it could not have, for example.
    assert all(refused for _, injected, refused in report.values() if injected)


def limited(folder: Path, megabytes: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command `weft` in so much address space."""
    size = megabytes << 20
    return subprocess.run(
        [sys.executable, "-m", "weft", *arguments],
        cwd=folder,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)),
        capture_output=True,
        text=True,
        check=False,
    )


def refused(found: subprocess.CompletedProcess[str]) -> None:
    assert found.returncode == 1, found.stderr
    assert found.stdout == ""
    assert found.stderr.startswith("weft: error: there is not enough memory")
    assert found.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_sentence_too_long_for_a_tagger_of_order_two(tmp_path):
    # 40 tags and the boundary make 48 columns: 100,000 tokens take 0.9 GB for the best ways alone.
    lines = (" ".join(f"w{i}/T{(i + j) % 40}" for i in range(6)) for j in range(40))
    (tmp_path / "forty.tagged").write_text("\n".join(lines) + "\n")
    options = ["--train", "forty.tagged", "--recipe", "hmm", "--set", "order=2"]
    weft = [sys.executable, "-m", "weft"]
    subprocess.run([*weft, "train", "m.weft", *options], cwd=tmp_path, check=True)
    (tmp_path / "long.txt").write_text(" ".join(["w1", "w2"] * 50_000) + "\n")
    refused(limited(tmp_path, 1000, "predict", "m.weft", "long.txt"))


def test_a_sentence_too_long_for_a_chart(tmp_path):
    (tmp_path / "pairs.pcfg").write_text("S -> S S [0.4] | 'a' [0.6]\n")
    (tmp_path / "long.txt").write_text(" ".join(["a"] * 3000) + "\n")
    found = limited(
        tmp_path, 400, "grammar", "parse", "pairs.pcfg", "long.txt", "--longest", "5000"
    )
    assert found.returncode >= 0, found.stderr
    assert found.stderr == "weft: long.txt:1: there is not enough memory\n"
