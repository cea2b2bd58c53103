"""Workers of a Dask cluster: the only place that imports Dask.

What is kept and what is asked are tasks that depend on each other, and so the scheduler knows how
to do again what a lost worker had; it keeps what parts are made of as bytes. Arrays are added up
four by four, in the order of parts; a worker adds those that it has, so that about one array per
worker travels for each θ.

Dask sends pickles: whoever can reach a scheduler or a worker can run programs there.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import os
import pickle
import re
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import cache, wraps
from importlib.metadata import version
from ssl import SSLError
from typing import Any, ParamSpec, TypeVar

from weft import DISTRIBUTION
from weft.arrays import FloatArray
from weft.errors import ClusterError, OptionError, WeftError, not_installed, quote
from weft.interrupts import interruptible

MISSING = not_installed("a cluster", "Dask", "dask")
"""What to do without Dask."""

_ADDRESS = re.compile(r"((tcp|tls|ws|wss)://)?[^/]+:[0-9]{1,5}")
_REACHED = 5.0  # seconds until a scheduler must have answered
_LOOK = 2.0  # seconds after which it is looked whether anybody is still at work
_ALONE = 30.0  # seconds that there may be no worker
_ARITY = 4  # arrays that are added up at a time
_TRIM = "MALLOC_TRIM_THRESHOLD_"  # which Dask sets for the workers that it starts
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h
_MORE = "Give workers more, or fewer threads each"
_TOLD = ("client", "comm.tcp", "protocol.core")  # who in Dask logs what errors say
_NONSENSE = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)
"""What Dask raises as it reads an answer in no protocol of its own; and `struct.error`."""

_REUSED = 32 * 2**20  # bytes: arrays up to that size are made in memory that was used before

P = ParamSpec("P")
R = TypeVar("R")


class Kept:
    """Something that a worker has made; where another needs it, or it was written to a disk, anew.

    Args:
        wanted: The version of Weft that all workers should have.
        make: From what is shared and a source to that thing.
        shared: What all such things share.
        source: What it is made of, packed.

    Raises:
        ClusterError: If this worker, which may have come late, has another version.
    """

    __slots__ = ("_made_of", "thing")

    def __init__(
        self, wanted: str, make: Callable[[Any, Any], Any], shared: Any, source: bytes
    ) -> None:
        _check_version(wanted)
        _reuse_memory()
        self.thing = make(shared, _unpack(source))
        self._made_of = wanted, make, shared, source

    def __reduce__(self) -> tuple[Any, ...]:
        return Kept, self._made_of

    def __sizeof__(self) -> int:
        """About as many bytes as it takes: what is compiled is larger than what it is made of."""
        return 10 * len(self._made_of[-1])


class Cluster:
    """A Dask cluster as those who sum: see :class:`~weft.criteria.spread.Workers`.

    Args:
        client: Dask's.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def keep(
        self, make: Callable[[Any, Any], Any], shared: Any, sources: Sequence[Any]
    ) -> Sequence[Any]:
        """Have something made of each source and of what all share; return who has which."""
        own = version(DISTRIBUTION)
        model = self._submit(_shared, own, _pack(shared))
        with _explained(self._client):
            crew = sorted(self._client.nthreads().items())
        seats = [address for address, threads in crew for _ in range(threads)] or [None]
        kept = []
        for place, source in enumerate(sources):
            # Neighbours are added up first, and so are one worker's, as long as it is there.
            seat = seats[place * len(seats) // len(sources)]
            kept.append((self._submit(Kept, own, make, model, _pack(source), seat=seat), seat))
        return kept

    def ask(
        self, kept: Sequence[Any], question: Any, theta: FloatArray, arguments: Sequence[Any]
    ) -> tuple[list[Any], FloatArray | None]:
        """Ask about each thing that is kept; return the answers, and the sum of the arrays."""
        from dask import annotate, delayed

        def task(function: Callable[..., Any], *given: Any) -> Any:
            return delayed(function, pure=False)(*given)

        def asked(handle: Any, argument: Any) -> Any:
            thing, seat = handle
            # Where it lies: a worker that has θ would have it sent, and make it anew.
            with annotate(**_seated(seat)):
                return task(_answer, question, thing, weights, _pack(argument))

        weights = task(_unpack, _pack(theta))
        found = [asked(handle, argument) for handle, argument in zip(kept, arguments, strict=True)]
        while len(found) > 1:
            groups = [found[first : first + _ARITY] for first in range(0, len(found), _ARITY)]
            found = [group[0] if len(group) == 1 else task(_together, group) for group in groups]
        with _explained(self._client), _unwarned():
            future = self._client.compute(found[0], optimize_graph=False)
        answers, total = self._result(future)
        return [_unpack(answer) for answer in answers], total

    def _submit(self, function: Callable[..., Any], *given: Any, seat: str | None = None) -> Any:
        with _explained(self._client), _unwarned():
            return self._client.submit(function, *given, pure=False, **_seated(seat))

    def _result(self, future: Any) -> Any:
        with _explained(self._client):
            error = self._error(future)
            if error is None:
                return future.result()
        if isinstance(error, WeftError):
            raise error  # of a worker, and says what is wrong
        raise ClusterError(_trouble(self._client, error)) from error

    def _error(self, future: Any) -> Exception | None:
        """Wait for the end of a task; return what its workers failed by, if they did."""
        alone = 0.0
        while True:
            try:
                error: Exception | None = future.exception(timeout=_LOOK)  # which is not raised
                return error
            except TimeoutError:
                alone = 0.0 if self._client.nthreads() else alone + _LOOK
                if alone >= _ALONE:
                    raise ClusterError(
                        f"the cluster at {_address(self._client)} has had no worker for "
                        f"{alone:.0f} seconds; start some, and train again"
                    ) from None


@contextmanager
def _explained(client: Any) -> Iterator[None]:
    """Say what is wrong with a cluster if a call of its client fails."""
    try:
        yield
    except (WeftError, MemoryError):  # memory of this machine: workers' errors are not raised
        raise
    except (CancelledError, OSError) as error:
        gone = f"the cluster at {_address(client)} is gone; start it, and train again"
        raise ClusterError(gone) from error
    except Exception as error:
        raise ClusterError(_trouble(client, error)) from error


def _trouble(client: Any, error: Exception) -> str:
    """What is wrong with a cluster that is there."""
    from distributed import KilledWorker

    if isinstance(error, KilledWorker):
        return (
            "several workers were lost with the same part, one after the other: were they short "
            f"of memory? {_MORE}"
        )
    if isinstance(error, MemoryError):
        return f"a worker of the cluster at {_address(client)} is short of memory. {_MORE}"
    return f"the cluster at {_address(client)} failed: {_line(error)}"


def _line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _seated(seat: str | None) -> dict[str, Any]:
    """Who does something, or another if that one is gone."""
    return {} if seat is None else {"workers": [seat], "allow_other_workers": True}


def _unwarned() -> Any:
    """What is sent is as large as it is, and is sent once."""
    import dask

    return dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"})


def _pack(value: Any) -> bytes:
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise OptionError(f"what is estimated cannot be sent to a cluster: {error}") from error


def _unpack(data: bytes) -> Any:
    return pickle.loads(data)  # noqa: S301


def _shared(wanted: str, data: bytes) -> Any:
    """What all parts need."""
    _check_version(wanted)
    return _unpack(data)


def _check_version(wanted: str) -> None:
    if version(DISTRIBUTION) != wanted:
        raise ClusterError(_other("a worker", version(DISTRIBUTION), wanted))


def _answer(
    question: Any, kept: Kept, theta: FloatArray, argument: bytes
) -> tuple[list[bytes], FloatArray | None]:
    answer, array = question(kept.thing, theta, _unpack(argument))
    return [_pack(answer)], array


def _together(
    group: Sequence[tuple[list[bytes], FloatArray | None]],
) -> tuple[list[bytes], FloatArray | None]:
    answers, total = [], None
    for some, array in group:
        answers += some
        if array is not None:
            # What others may still need is not changed.
            total = array if total is None else total + array
    return answers, total


@cache
def _reuse_memory() -> None:
    """Let a worker's arrays lie where those of the part before lay.

    Dask has glibc give memory back as soon as it is free, and ask for every large array anew.
    Each part makes some, and to get their pages takes half as long as the sums do.
    """
    if sys.platform == "linux" and _TRIM in os.environ:
        mallopt = getattr(ctypes.CDLL(None), "mallopt", lambda *_: 0)  # not all have glibc
        mallopt(_M_MMAP_THRESHOLD, _REUSED)
        mallopt(_M_TRIM_THRESHOLD, 2 * _REUSED)


def _other(who: str, theirs: str | None, own: str) -> str:
    found = "has no Weft" if theirs is None else f"has Weft {theirs}"
    return f"{who} of the cluster {found}, and this is {own}: install the same version everywhere"


def _address(client: Any) -> str:
    return str(client.scheduler.address)


def sendable(cluster: Any) -> Any:
    """Return what another process joins a cluster by: of a Dask client, the address."""
    return _address(cluster) if hasattr(cluster, "scheduler") else cluster


@contextmanager
def connect(cluster: Any) -> Iterator[Any]:
    """Join a cluster, and leave it in the end.

    Args:
        cluster: The address of its scheduler, such as ``tcp://127.0.0.1:8786``; a Dask client,
            which is left open; or what sums already.

    Raises:
        ClusterError: If nobody answers at that address, there is no worker, or one of them has
            another version of Weft.
        OptionError: If Dask is not installed, or the address is none.
    """
    if hasattr(cluster, "keep"):
        yield cluster
        return
    check_cluster(cluster)
    from distributed import Client

    if isinstance(cluster, Client):
        yield _checked(cluster)
    elif isinstance(cluster, str):
        with _quiet(), _reached(cluster) as client:
            yield _checked(client)
    else:
        raise TypeError(f"a cluster is an address or a Dask client, not {cluster!r}")


def check_cluster(cluster: Any) -> None:
    """Refuse what is no cluster, without asking the network.

    Raises:
        OptionError: If Dask is not installed, or an address is none.
    """
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise OptionError(MISSING) from None
    if isinstance(cluster, str) and not _ADDRESS.fullmatch(cluster):
        raise OptionError(f"{quote(cluster)} is no address of a cluster: write tcp://HOST:8786")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from telling what errors tell."""
    loggers = [logging.getLogger(f"distributed.{name}") for name in _TOLD]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def _reached(address: str) -> Any:
    from distributed import Client

    try:
        interruptible(_greet, address)
        return Client(address, timeout=_REACHED, set_as_default=False)
    except ClusterError:
        raise
    except (OSError, TypeError, ValueError, ImportError) as error:
        message = _unreached(address, error)
    # The client that was begun, which the error knows, is deleted now: later, when the program
    # ends, nobody would answer it, and it would say so at length.
    gc.collect()
    raise ClusterError(message)


def _greet(address: str) -> None:
    """Greet a scheduler, and leave it. A client would wait for ever for it to greet back.

    Raises:
        ClusterError: If something else answers.
    """
    from distributed.comm import connect as reach
    from distributed.comm import resolve_address
    from distributed.security import Security

    async def greet() -> None:
        given = Security().get_connection_args("client")
        comm = await asyncio.wait_for(reach(address, timeout=_REACHED, **given), _REACHED)
        comm.abort()

    resolve_address(address)  # what is wrong with an address is no answer
    try:
        asyncio.run(greet())
    except (*_NONSENSE, struct.error) as error:
        if isinstance(error.__cause__, KeyError) or _lacks_certificates(address, error):
            raise  # a scheduler with another version of Dask, or none that was asked
        raise ClusterError(
            f"the server at {address} is no Dask scheduler: give the address that the scheduler "
            "prints, not that of the dashboard"
        ) from None


def _lacks_certificates(address: str, error: Exception) -> bool:
    return isinstance(error, TypeError) and address.startswith("tls:")


def _unreached(address: str, error: Exception) -> str:
    """Why there is no client: nobody answers, or Dask has no way to such an address."""
    unread = isinstance(error, FileNotFoundError | PermissionError | SSLError)
    if unread or _lacks_certificates(address, error):
        return (
            f"no certificates to reach {address} with: {_line(error)}; name their files in Dask's "
            "configuration, distributed.comm.tls"
        )
    if isinstance(error, OSError):
        return (
            f"no scheduler answers at {address} within {_REACHED:.0f} seconds; start one with: "
            "dask scheduler --host HOST"
        )
    return f"Dask cannot use the address {address}: {_line(error)}"


def _checked(client: Any) -> Cluster:
    own = version(DISTRIBUTION)
    with _explained(client):
        versions = client.get_versions(packages=[DISTRIBUTION])
    if not versions["workers"]:
        address = _address(client)
        raise ClusterError(
            f"the cluster at {address} has no workers; start some with: dask worker {address}"
        )
    several = {"the scheduler": versions["scheduler"]}
    several |= {f"the worker {name}": each for name, each in versions["workers"].items()}
    for who, each in several.items():
        theirs = each["packages"].get(DISTRIBUTION)
        if theirs != own:
            raise ClusterError(_other(who, theirs, own))
    return Cluster(client)


def joined(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function so that its argument ``cluster`` is joined while it runs."""

    @wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> R:
        cluster = given.get("cluster")
        if cluster is None:
            return function(*args, **given)
        with connect(cluster) as workers:
            given["cluster"] = workers
            return function(*args, **given)

    return call
