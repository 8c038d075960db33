"""Main process of a sandbox: opens loopback for the agent's HTTP client, then becomes the agent.

    relay.py PORT=SOCKET[,PORT=SOCKET] STDIN COMMAND...

A child of it copies bytes between 127.0.0.1:PORT and the gateway's SOCKET. The agent's standard input is the file
STDIN, which is gone before the agent starts. Needs nothing but the standard library: it is copied into every image.
"""

import os
import select
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path

CHUNK = 65536
LOOK_SECONDS = 1.0
"""How often it looks whether the agent is still there."""


def pump(source: socket.socket, sink: socket.socket) -> None:
    """Copy until the source ends; then tell the sink so, for half-closed streams are legal."""
    try:
        while data := source.recv(CHUNK):
            sink.sendall(data)
    except OSError:
        pass
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


def serve(doors: "dict[socket.socket, str]", agent: int) -> None:
    """Accept as long as the agent lives; a gateway that is not there closes the client's connection at once."""
    while os.getppid() == agent:
        for listener in select.select(list(doors), [], [], LOOK_SECONDS)[0]:
            welcome(listener, doors[listener])


def welcome(listener: socket.socket, path: str) -> None:
    """One client to the gateway, in threads of its own. One that has gone again already is no reason to wait."""
    with suppress(OSError):
        client, _ = listener.accept()
        client.setblocking(True)
        gateway = socket.socket(socket.AF_UNIX)
        try:
            gateway.connect(path)
        except OSError:
            client.close()
            return
        for pair in ((client, gateway), (gateway, client)):
            threading.Thread(target=pump, args=pair, daemon=True).start()


def main() -> None:
    """Listen before the agent exists, so that its first request cannot come too early."""
    pairs, stdin, *command = sys.argv[1:]
    doors = {}
    for pair in pairs.split(","):
        port, _, path = pair.partition("=")
        listener = socket.create_server(("127.0.0.1", int(port)), backlog=128)
        listener.setblocking(False)
        doors[listener] = path
    agent = os.getpid()
    if os.fork() == 0:
        # Its own session and no streams: the agent's output ends with the agent.
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        serve(doors, agent)
        os._exit(0)
    for listener in doors:
        listener.close()
    given = os.open(stdin, os.O_RDONLY)
    Path(stdin).unlink()
    os.dup2(given, 0)
    os.close(given)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"cannot run {command[0]}: {error.strerror}")


main()
