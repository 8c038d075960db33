"""Main process of a sandbox: opens loopback for the agent's HTTP client, then becomes the agent.

    relay.py PORT=SOCKET[,PORT=SOCKET] STDIN COMMAND...

A child of it copies bytes between 127.0.0.1:PORT and the gateway's SOCKET. The agent's standard input is the file
STDIN, which is gone before the agent starts. Needs nothing but the interpreter: it is copied into every image.

Every agent waits for it, and the modules `socket`, `threading` and `pathlib` took two thirds of its time: the parts of
the interpreter that they stand on are used alone.
"""

import _socket
import _thread
import os
import select
import sys

CHUNK = 65536
LOOK_SECONDS = 1.0
"""How often it looks whether the agent is still there."""


def pump(source: _socket.socket, sink: _socket.socket) -> None:
    """Copy until the source ends; then tell the sink so, for half-closed streams are legal."""
    try:
        while data := source.recv(CHUNK):
            sink.sendall(data)
    except OSError:
        pass
    try:  # noqa: SIM105 - contextlib is one of the slow ones
        sink.shutdown(_socket.SHUT_WR)
    except OSError:
        pass


def serve(doors: "dict[_socket.socket, str]", agent: int) -> None:
    """Accept as long as the agent lives; a gateway that is not there closes the client's connection at once."""
    while os.getppid() == agent:
        for listener in select.select(list(doors), [], [], LOOK_SECONDS)[0]:
            welcome(listener, doors[listener])


def welcome(listener: _socket.socket, path: str) -> None:
    """One client to the gateway, in threads of its own. One that has gone again already is no reason to wait."""
    try:
        client = _socket.socket(fileno=listener._accept()[0])  # type: ignore[attr-defined]
        client.setblocking(True)
    except OSError:
        return
    gateway = _socket.socket(_socket.AF_UNIX)
    try:
        gateway.connect(path)
    except OSError:
        client.close()
        return
    for pair in ((client, gateway), (gateway, client)):
        _thread.start_new_thread(pump, pair)


def listen(port: int) -> _socket.socket:
    """On loopback, at once also where the last trial's connections linger."""
    listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(128)
    listener.setblocking(False)
    return listener


def main() -> None:
    """Listen before the agent exists, so that its first request cannot come too early."""
    pairs, stdin, *command = sys.argv[1:]
    doors = {}
    for pair in pairs.split(","):
        port, _, path = pair.partition("=")
        doors[listen(int(port))] = path
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
    os.unlink(stdin)  # noqa: PTH108 - so is pathlib
    os.dup2(given, 0)
    os.close(given)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"cannot run {command[0]}: {error.strerror}")


main()
