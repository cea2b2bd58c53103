"""``weft`` in processes forked from one that has imported it: no command waits for imports.

``python warm.py`` listens at a socket in its folder. The program of :func:`serving` sends its
arguments, folder, environment and standard streams there, and exits as the command does: pipes,
redirections and ``$?`` in a shell are those of a process.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LATE = ("weft.__main__", "weft.cluster", "weft.estimators", "weft.interfaces")
PROGRAM = """#!/bin/sh
exec '{python}' -ISE '{folder}/ask.py' "$@"
"""
ASK = """
import json, os, socket, sys
given = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
os.chdir({folder!r})  # as paths of sockets must be short
with socket.socket(socket.AF_UNIX) as server:
    server.connect("socket")
    socket.send_fds(server, [given], [0, 1, 2])
    server.shutdown(socket.SHUT_WR)
    sys.exit(server.recv(1)[0])
"""


@contextmanager
def serving(folder: Path) -> Iterator[Path]:
    """Start a server in an empty folder, and give the program ``weft`` there, which asks it."""
    program = folder / "weft"
    program.write_text(PROGRAM.format(python=sys.executable, folder=folder), encoding="utf-8")
    program.chmod(0o755)
    (folder / "ask.py").write_text(ASK.format(folder=str(folder)), encoding="utf-8")
    command = [sys.executable, __file__]
    none = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=folder, stdin=none, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"listening\n"
        yield program
        process.terminate()


def serve() -> None:
    """Answer until the process is ended."""
    from weft.cli import algebra, main

    algebra.prepare()
    _import_all()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        listening.listen()
        print("listening", flush=True)  # noqa: T201
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that answer
        while True:
            connection, _ = listening.accept()
            if not os.fork():
                listening.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                command = os.fork()
                if not command:
                    _become(connection)
                    sys.exit(main())
                _, status = os.waitpid(command, 0)
                connection.send(bytes([os.waitstatus_to_exitcode(status) % 256]))
                os._exit(0)
            connection.close()


def _import_all() -> None:
    import weft

    for module in pkgutil.walk_packages(weft.__path__, "weft."):
        if not module.name.startswith(LATE):
            importlib.import_module(module.name)


def _become(connection: socket.socket) -> None:
    """Take the arguments, the folder, the environment and the streams of the one that asks."""
    first, streams, *_ = socket.recv_fds(connection, 1 << 16, 3)
    rest = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    connection.close()
    sys.argv[1:], folder, environment = json.loads(first + rest)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)


if __name__ == "__main__":
    serve()
