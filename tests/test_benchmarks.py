"""The benchmark runs, and compares like with like; how fast anything is, is not tested."""

import json
import os
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from weft import DISTRIBUTION
from weft.corpora import bundled

pytestmark = pytest.mark.slow


ROOT = Path(__file__).parents[1]
PARTS = ["train", "em", "mrf", "contrastive", "decode", "version"]
THREADS = ["Weft, 1 thread", "CRFsuite", "Weft, 2 threads"]


def run(*arguments):
    command = [sys.executable, "-m", "benchmarks.run", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    output = tmp_path_factory.mktemp("benchmarks") / "results.json"
    done = run("--quick", *PARTS, "--output", output)
    assert done.returncode == 0, done.stderr
    return json.loads(output.read_text(encoding="utf-8"))


def test_both_programs_make_twenty_attributes_a_token(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    data = import_module("benchmarks.data")
    sentence = ["time", "flies", "fast"], ["NN", "VBZ", "RB"]
    made = data.attributes(*sentence)
    assert made == data.attributes_by_templates(*sentence)
    assert {len(names) for names in made} == {20}


def entries(report, group):
    return report["groups"][group]["entries"]


def test_report_says_what_was_measured_where(report):
    assert report["quick"] is True
    assert report["corpus"].startswith("generated")
    tools = {DISTRIBUTION, "python-crfsuite", "hmmlearn", "numpy"}
    assert {"cpu", "cores", "python", *tools} <= set(report["machine"])
    assert report["treebank"].startswith("generated")
    assert list(report["groups"]) == [
        "train",
        "em",
        "mrf",
        "contrastive",
        "given automaton",
        "lattice sums",
        "decode, attributes given",
        "decode, from text",
        "version",
    ]


def test_training_has_as_many_weights_and_reaches_the_same_value(report):
    rows = entries(report, "train")
    assert set(THREADS) < set(rows)
    theirs = rows["CRFsuite"]
    for row in rows.values():
        # Both stop where the gradient is small, so that their line searches do not matter.
        assert row["weights"] == theirs["weights"]
        assert row["value"] == pytest.approx(theirs["value"], rel=1e-6)
        assert row["evaluations"] > row["iterations"] > 10
        assert min(row["setup_seconds"], row["peak_mb"], *row["speed_up"].values()) > 0


def test_em_starts_from_the_same_likelihood_of_as_many_tokens(report):
    group = report["groups"]["em"]
    rows = group["entries"]
    baselines = [group["baseline"], group["second_baseline"]]
    assert list(rows) == [THREADS[0], baselines[0], THREADS[2], baselines[1]]
    theirs = rows[baselines[1]]
    for row in rows.values():
        assert row["value"] == pytest.approx(theirs["value"], rel=1e-12)
        assert row["tokens"] == theirs["tokens"] > 900
        assert min(*row["speed_up"].values(), *row["second_speed_up"].values()) > 0
    # Ours also has a weight for the end after each of the tags.
    assert rows[THREADS[0]]["weights"] - theirs["weights"] > 0


def test_joint_training_does_not_depend_on_threads(report):
    rows = entries(report, "mrf")
    for order in (1, 2):
        values = {rows[f"Weft, order {order}, {n}"]["value"] for n in ("1 thread", "2 threads")}
        assert len(values) == 1


def test_contrastive_estimation_is_measured_beside_an_iteration_of_crfsuite(report):
    group = report["groups"]["contrastive"]
    rows = group["entries"]
    assert group["baseline"] in rows
    values = {rows[f"Weft, trans1, {n}"]["value"] for n in ("1 thread", "2 threads")}
    assert len(values) == 1
    assert rows["Weft, delortrans1, 1 thread"]["value"] < values.pop() < 0
    assert min(rows["Weft, trans1, 1 thread"]["speed_up"].values()) > 0


def test_given_automata_are_measured_by_the_arc(report):
    row = entries(report, "given automaton")["Weft, 1 thread"]
    assert row["cpu_nanoseconds_an_arc"] * row["arcs"] == pytest.approx(1e9 * row["cpu_seconds"])
    assert row["arcs"] > 1000


def test_lattice_sums_have_the_same_value_as_other_tools(report):
    rows = entries(report, "lattice sums")
    for row in rows.values():  # OpenFst adds up until sums change by less than a millionth
        assert row["value"] == pytest.approx(rows["Weft, 1 thread"]["value"], abs=1e-3)


def test_what_takes_the_treebanks_place_has_its_size(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    data = import_module("benchmarks.hmm_data")
    made = data.sentences(str(data.SENTENCES))
    assert len(made) == data.SENTENCES == 3_914
    assert sum(len(each.words) for each in made) == data.TOKENS == 94_084
    assert len({tag for each in made for tag in each.tags}) == data.TAGS == 45
    assert len({word for each in made for word in each.words}) == data.TYPES == 11_968
    assert all(len(each.words) == len(each.tags) > 0 for each in made)


def test_the_treebank_is_read_without_traces(data_folder, monkeypatch):
    monkeypatch.syspath_prepend(ROOT)
    monkeypatch.setenv("WEFT_DATA", str(data_folder))
    data = import_module("benchmarks.hmm_data")
    if data.wsj_folder() is None:
        pytest.skip("no wsj-sample below the folder of corpora")
    read = data.sentences(data.WSJ)
    assert (len(read), sum(len(each.words) for each in read)) == (data.SENTENCES, data.TOKENS)
    assert len({tag for each in read for tag in each.tags}) == data.TAGS
    assert len({word for each in read for word in each.words}) == data.TYPES
    assert read[0].words[:3] == ["Pierre", "Vinken", ","]
    assert read[0].tags[:3] == ["NNP", "NNP", ","]


def test_decoding_has_the_same_accuracy(report):
    rows = entries(report, "decode, attributes given")
    assert list(rows) == THREADS
    assert len({row["accuracy"] for row in rows.values()}) == 1


def test_decoding_reports_tokens_a_second(report):
    rows = entries(report, "decode, from text")
    assert set(THREADS) < set(rows)
    assert len({row["tokens"] for row in rows.values()}) == 1
    assert all(row["tokens_per_second"] > 0 for row in rows.values())


def test_unknown_part_is_refused():
    done = run("--quick", "nonsense")
    assert done.returncode == 2
    assert "there is no part 'nonsense'" in done.stderr


def test_passes_are_compared_with_those_of_crfsuite():
    command = [
        sys.executable,
        "-m",
        "benchmarks.online",
        "ap",
        "l1",
        "--corpus",
        "30",
        "--passes",
        "2",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[2:]]
    assert [row[1] for row in rows] == ["ap / perceptron", "lbfgs / lbfgs"]
    assert all(float(row[3]) >= 0 for row in rows)
    theirs, _, ours, _ = json.loads(rows[1][-1])
    assert ours == pytest.approx(theirs, rel=1e-6)


def test_a_corpus_is_sampled_and_streamed(tmp_path, monkeypatch):
    """Words and tags are drawn as often as an HMM says, and a row of figures comes out."""
    sampled = import_module("benchmarks.sampled")
    monkeypatch.chdir(ROOT)
    tagger = sampled.generator(bundled("train"))
    drawn = list(sampled.sampled(tagger, 20_000, seed=3))
    words = Counter(word for sentence in drawn for word, _ in sentence)
    counts = Counter(word for each in bundled("train") for word in each.tokens.words)
    share = counts["the"] / counts.total()
    assert words["the"] / words.total() == pytest.approx(share, rel=0.1)
    for name, seed in (("train", 1), ("test", 2)):
        sampled.write(tmp_path / f"{name}.tagged", tagger, 3_000, seed)
    row = sampled._row(tmp_path, "arow", 2, ["--buffer", "50"]).strip("| ").split(" | ")
    assert row[0] == "arow"
    assert float(row[5].split()[0]) > 60


def test_defaults_are_compared_with_counting_and_crfsuite(tmp_path):
    output = tmp_path / "found.jsonl"
    command = [sys.executable, "-m", "benchmarks.defaults", "--corpus", "english", "--first", "40"]
    command += ["--set", "adapt=no", "--output", str(output)]
    tags = [tag for each in bundled("train")[:40] for tag in each.analysis]
    title = f"| english, 40 sentences, {len(tags)} tokens, {len(set(tags))} tags |"
    for _ in range(2):  # what is there is not made again
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(title)
        rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[2:] if line]
        assert all(50 < float(row[1]) < 100 for row in rows)
    found = [json.loads(line) for line in output.read_text().splitlines()]
    assert [each["of"][-1] for each in found] == [row[0] for row in rows]
    assert len(rows) == 6
    scores = {each["of"][-1]: each["found"] for each in found}
    assert scores["crf"]["weights"] < scores["crf adapt=no"]["weights"]


ENDLESS = """
from benchmarks.job import main

def spin():
    while True:
        pass

main([spin])
"""


def test_a_job_that_takes_too_long_is_ended(tmp_path, monkeypatch):
    (tmp_path / "endless.py").write_text(ENDLESS, encoding="utf-8")
    known = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT), known]))
    job = import_module("benchmarks.job")
    with pytest.raises(TimeoutError, match="more than 1 s"):
        job.start("endless", "spin", {"limit": 1})


def test_what_ended_by_a_lower_limit_or_is_of_another_version_is_made_again(tmp_path, monkeypatch):
    defaults, made = import_module("benchmarks.defaults"), []
    output = tmp_path / "found.jsonl"

    def run(*arguments):
        made.clear()
        command = ["defaults", "--corpus", "english", "--first", "40", "--peer", "crf"]
        monkeypatch.setattr(sys, "argv", [*command, "--output", str(output), *arguments])
        defaults.compare()
        return len(made)

    def end(module, job, given):  # noqa: ARG001
        made.append(job)
        raise TimeoutError

    monkeypatch.setattr(defaults, "_files", lambda *_: {})
    monkeypatch.setattr(defaults, "start", end)
    assert run("--limit", "2")
    assert not run("--limit", "2")
    assert not run("--limit", "1")
    assert run("--limit", "3")
    assert not run("--limit", "3")
    monkeypatch.setattr(defaults, "version", lambda _: "9.9")
    assert run("--limit", "3")


def test_tags_are_written_in_other_ways():
    corpora = import_module("benchmarks.tagged_corpora")
    one, other = corpora._positional(["NOUN+Case=Nom|Number=Sing", "NOUN+Number=Sing"])
    assert len(one) == len(other)
    assert [a == b for a, b in zip(one, other, strict=True)].count(False) == 1
    assert len(set(corpora._opaque(["NOUN+_", "VERB+_", "NOUN+_"]))) == 2
