"""A cluster of two processes sums as one does, also when one of them is lost."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import socket
import struct
import sys
import threading
from concurrent.futures import CancelledError
from importlib.metadata import version
from operator import mul

import dask
import numpy as np
import pytest
from distributed import Client, KilledWorker, LocalCluster
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from typer.testing import CliRunner

import weft
from weft.cli.app import app
from weft.cluster import Cluster, Kept, _checked, _shared, connect
from weft.corpora import bundled
from weft.errors import ClusterError, OptionError, WeftError
from weft.estimators import Tagger
from weft.optimise.lbfgs import LBFGS
from weft.train import fit

CORPUS = bundled("train")[:40]
CHAIN, _ = weft.Chain().adapted(CORPUS)  # with the templates that recipes take for so few tokens
OWN = version("weft-nlp")
FEW = LBFGS(max_iterations=6)
CLOSED = {"dashboard_address": "127.0.0.1:0", "worker_dashboard_address": "127.0.0.1:0"}
"""No port is open to others, not even those of Dask's pages about itself."""


@pytest.fixture(autouse=True, scope="module")
def _patient():
    """A busy machine may take longer to answer than people wait."""
    waits = {"distributed.comm.timeouts.connect": "600s", "distributed.comm.timeouts.tcp": "600s"}
    with pytest.MonkeyPatch.context() as patch, dask.config.set(waits):
        patch.setattr("weft.cluster._REACHED", 600.0)
        yield


@pytest.fixture(scope="module")
def two():
    """Two processes that listen on this machine only, and nowhere else."""
    with LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", **CLOSED) as local:
        yield local


@pytest.fixture(scope="module")
def alone():
    """What one worker finds, in a thread of this process."""
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **CLOSED) as local,
        Client(local, set_as_default=False) as client,
    ):
        return trained(client)


def trained(cluster, progress=None):
    return fit(CHAIN, CORPUS, optimiser=FEW, cluster=cluster, progress=progress)


def bits(tagger):
    return tagger.weights.tobytes()


def test_any_number_of_workers_gives_the_same_bits(alone, two):
    found = trained(two.scheduler_address)
    assert len(found.trace) == FEW.max_iterations + 1
    assert bits(found) == bits(alone)


@pytest.mark.slow
def test_a_lost_workers_parts_are_done_again(alone, two):
    seen = []

    def end_one(step):
        if step.iteration == 3:
            seen.extend(processes(two))
            os.kill(seen[0], signal.SIGKILL)

    found = trained(two.scheduler_address, progress=end_one)
    assert os.getpid() not in seen
    assert len(set(seen)) == 2
    assert seen[0] not in processes(two)
    assert bits(found) == bits(alone)


def processes(local):
    with Client(local, set_as_default=False) as client:
        return sorted(client.run(os.getpid).values())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is as Dask found it")
def test_workers_use_their_memory_again(two):
    with Client(two, set_as_default=False) as client:
        client.wait_for_workers(2)  # one may have been lost
        trained(client)
        found = client.run(pages_of_arrays)
    assert len(found) == 2
    assert max(found.values()) < 4000


def pages_of_arrays():
    """How many pages ten arrays of 1200 each take, one after the other."""
    import resource  # which not all systems have

    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        np.ones(600 * resource.getpagesize() // 4)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_on_the_command_line(alone, two, tmp_path):
    text, model = tmp_path / "a.tagged", tmp_path / "m.weft"
    lines = (map("/".join, zip(e.tokens.words, e.analysis, strict=True)) for e in CORPUS)
    text.write_text("".join(f"{' '.join(line)}\n" for line in lines), encoding="utf-8")
    address = two.scheduler_address
    done = run("train", model, "--train", text, "--cluster", address, "--set", "iterations=6")
    assert done.exit_code == 0, done.output
    assert bits(weft.load(model)) == bits(alone)
    done = run("train", model, "--train", text, "--cluster", address, "--grid", "order=1|2")
    assert done.exit_code == 2
    assert "--cluster" in done.stderr


def run(*options):
    return CliRunner().invoke(app, [str(each) for each in options])


def test_other_versions_are_refused(two, monkeypatch):
    monkeypatch.setattr("weft.cluster.version", lambda _: "9.9")
    with pytest.raises(ClusterError, match=r"the scheduler of the cluster has Weft .* this is 9.9"):
        trained(two.scheduler_address)


OTHER = r"a worker of the cluster has Weft 9.9, and this is "


def test_a_late_worker_of_another_version_is_refused(monkeypatch):
    """Who gets what is shared, and who gets a part that another worker has made."""
    data = pickle.dumps(4)
    sent = pickle.dumps(Kept(OWN, pow, 3, data))
    monkeypatch.setattr("weft.cluster.version", lambda _: "9.9")
    for receive in (
        lambda: _shared(OWN, data),
        lambda: Kept(OWN, pow, 3, data),
        lambda: pickle.loads(sent),  # noqa: S301
    ):
        with pytest.raises(ClusterError, match=OTHER + OWN):
            receive()


def test_nobody_answers(monkeypatch):
    monkeypatch.setattr("weft.cluster._REACHED", 0.2)
    with pytest.raises(ClusterError, match=r"no scheduler answers at tcp://127.0.0.1:1 within"):
        trained("tcp://127.0.0.1:1")


def framed(content):
    """What a scheduler sends, with other contents."""
    return struct.pack("<QQQ", 16 + len(content), 1, len(content)) + content


HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "no scheduler answers at .* within 0 seconds"),
        (HTTP, "at .* is no Dask scheduler: .* not that of the dashboard"),
        (b"\1" + bytes(7) + b"\xff", "at .* is no Dask scheduler"),
        (b"\xff" * 40, "at .* is no Dask scheduler"),
        (framed(b"\x03"), "at .* is no Dask scheduler"),
        (framed(b"\xc1"), "at .* is no Dask scheduler"),
        (framed(b"\x80"), "Dask versions may not be in sync"),
    ],
)
def test_servers_that_are_no_scheduler(monkeypatch, caplog, answer, message):
    """One says nothing, as the dashboard; one answers in HTTP; some in no protocol."""
    if answer is None:
        monkeypatch.setattr("weft.cluster._REACHED", 0.2)
    done = threading.Event()

    def serve(server):
        with server.accept()[0] as connection:
            if answer is not None:
                connection.recv(10)
                connection.sendall(answer)
            done.wait()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=serve, args=(server,), daemon=True)
        thread.start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        try:
            with pytest.raises(ClusterError, match=message), connect(address):
                pass
        finally:
            done.set()
            thread.join()
    assert not caplog.records


@pytest.mark.parametrize(
    ("several", "message"),
    [
        (["--train", "nofile"], "nofile: cannot be read"),
        (["--optimiser", "sgd"], "a cluster, which sums over all examples at once, is of no use"),
        (["--stream"], "leave out --stream or --cluster"),
        (["--recipe", "johnson-4"], "tables are counted, which takes no cluster"),
        (["--format", "brackets"], "brackets"),
    ],
)
def test_the_network_is_asked_last(tmp_path, monkeypatch, several, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.tagged").write_text("a/A\n", encoding="utf-8")
    train = [] if "--train" in several else ["--train", "a.tagged"]
    done = run("train", "m.weft", "--cluster", "tcp://127.0.0.1:1", *train, *several)
    assert done.exit_code != 0
    assert message in " ".join(done.stderr.split())
    assert "no scheduler answers" not in done.stderr


def test_an_address_is_looked_at_before_files(tmp_path):
    done = run("train", tmp_path / "m", "--cluster", "quux://here:1", "--train", tmp_path / "none")
    assert done.exit_code == 2
    assert "is no address of a cluster" in done.stderr


WITHOUT = "no certificates to reach tls://127.0.0.1:1 with: "
MISNAMED = {f"distributed.comm.tls.{name}": "/none" for name in ("ca-file", "client.cert")}


@pytest.mark.parametrize(
    ("address", "configured", "message"),
    [
        ("tls://127.0.0.1:1", {}, WITHOUT + "TypeError: TLS expects"),
        ("tls://127.0.0.1:1", MISNAMED, WITHOUT + "FileNotFoundError"),
        # UnicodeError, and UnicodeEncodeError from Python 3.13 on.
        ("tcp://a..b:1", {}, "Dask cannot use the address tcp://a..b:1: Unicode"),
    ],
)
def test_what_dask_cannot_use_is_said_at_once(tmp_path, address, configured, message):
    """And nothing is left that would complain when the program ends."""
    text = tmp_path / "a.tagged"
    text.write_text("a/A\n", encoding="utf-8")
    with dask.config.set(configured):
        done = run("train", tmp_path / "m.weft", "--train", text, "--cluster", address)
    assert done.exit_code == 1
    assert done.stderr.startswith(f"weft: error: {message}")
    assert not [each for each in gc.get_objects() if isinstance(each, Client) and is_open(each)]


def is_open(client):
    return client.status != "closed"


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "quux://here:1", "", "tcp://here:port", "ucx://here:1"]
)
def test_what_is_no_address_is_refused(address):
    with pytest.raises(OptionError, match="is no address of a cluster: write tcp://HOST:8786"):
        trained(address)


def test_what_is_no_cluster_is_refused():
    with pytest.raises(TypeError, match="an address or a Dask client, not 8786"):
        trained(8786)


def test_without_workers_there_is_nobody_to_ask():
    with (
        LocalCluster(n_workers=0, processes=False, **CLOSED) as nobody,
        Client(nobody, set_as_default=False) as client,
        pytest.raises(ClusterError, match="has no workers; start some with: dask worker inproc"),
    ):
        trained(client)


def test_without_dask_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(OptionError, match=r"pip install 'weft-nlp\[dask\]'"):
        trained("tcp://127.0.0.1:8786")


class Stub:
    """A client, and the result of all its tasks: an error of a worker, or one that is raised."""

    class scheduler:  # noqa: N801
        address = "tcp://stub:1"

    def __init__(self, returned=None, raised=None, crew=None):
        self._returned, self._raised, self._crew = returned, raised, crew

    def nthreads(self):
        if self._crew is not None:
            raise self._crew
        return {}

    def exception(self, timeout):  # noqa: ARG002
        if self._raised is not None:
            raise self._raised
        return self._returned

    def get_versions(self, packages):  # noqa: ARG002
        raise self._raised

    def submit(self, *_, **__):
        raise self._raised

    compute = submit

    def result(self):
        raise CancelledError


GONE = "tcp://stub:1 is gone; start it"


@pytest.mark.parametrize(
    ("stub", "message"),
    [
        (Stub(raised=TimeoutError()), "tcp://stub:1 has had no worker for 30 seconds"),
        (Stub(raised=TimeoutError(), crew=OSError()), GONE),
        (Stub(raised=ConnectionResetError()), GONE),
        (Stub(), GONE),  # what was cancelled has no error until its result is asked for
        (Stub(TimeoutError("of a task")), "failed: TimeoutError: of a task"),
        (Stub(MemoryError()), "a worker of the cluster at tcp://stub:1 is short of memory"),
        (Stub(KilledWorker.__new__(KilledWorker)), "several workers were lost with the same part"),
        (Stub(RuntimeError("no\nway")), "failed: RuntimeError: no way"),
        (Stub(OptionError("of a worker")), "of a worker"),
    ],
)
def test_troubles_are_named(stub, message):
    with pytest.raises(WeftError, match=message):
        Cluster(stub)._result(stub)


@pytest.mark.parametrize(
    "call",
    [
        lambda stub: _checked(stub),
        lambda stub: Cluster(stub).keep(pow, 3, [4]),
        lambda stub: Cluster(stub).ask([(4, None)], pow, np.zeros(1), [None]),
    ],
)
def test_every_call_of_a_client_may_find_that_the_cluster_is_gone(call):
    with pytest.raises(ClusterError, match=GONE):
        call(Stub(raised=OSError()))


def test_a_worker_that_is_short_of_memory_says_so(two):
    with (
        connect(two.scheduler_address) as workers,
        pytest.raises(ClusterError, match=r"a worker of .* is short of memory. Give workers more"),
    ):
        workers.ask(workers.keep(mul, b"x", [2**60]), pow, np.zeros(1), [None])


def test_memory_of_this_machine_is_no_workers():
    stub = Stub(raised=MemoryError())
    with pytest.raises(MemoryError):
        Cluster(stub)._result(stub)


def test_what_is_kept_is_made_anew_where_it_is_moved():
    kept = Kept(OWN, pow, 3, pickle.dumps(4))
    assert pickle.loads(pickle.dumps(kept)).thing == kept.thing == 81  # noqa: S301
    assert sys.getsizeof(kept) > len(pickle.dumps(4))


def test_what_cannot_be_sent_is_refused(two):
    with connect(two.scheduler_address) as workers, pytest.raises(OptionError, match="be sent"):
        workers.keep(pow, lambda: 1, [])


@pytest.mark.slow
def test_estimators_with_a_client_are_cloned_and_pickled(alone, two):
    inputs = [each.tokens.words for each in CORPUS], [each.analysis for each in CORPUS]
    with Client(two, set_as_default=False) as client:
        tagger = Tagger(settings={"iterations": 6}, cluster=client)
        copied = clone(tagger)
        assert copied.cluster is client
        sent = pickle.loads(pickle.dumps(copied))  # noqa: S301
        assert sent.cluster == two.scheduler_address
        assert copied.cluster is client
        search = GridSearchCV(tagger, {"settings__order": [1, 2]}, cv=2, error_score="raise")
        search.fit(*inputs)
    assert search.cv_results_["params"] == [{"settings__order": 1}, {"settings__order": 2}]
    assert bits(sent.fit(*inputs).model_) == bits(alone)
