"""What `network.allow` means for a trial: a proxy in its environment, the same in every arm, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from aces_ci.core.live import HostRow
from aces_ci.core.spending.connection import Connection, Passage
from aces_ci.core.spending.control import Listener
from aces_ci.core.trial import Trial

USER = "aces"
_HERE = "localhost,127.0.0.1,::1"
"""Never by way of the proxy: the model is there."""


def listeners(offered: Sequence[Listener], hosts: Sequence[str]) -> tuple[Listener, ...]:
    """Where the gateway shall listen: without allowed hosts there is no proxy that could be mistaken."""
    return tuple(offered) if hosts else tuple(replace(item, tunnel_path=None) for item in offered)


def environment(proxy: str, token: str) -> dict[str, str]:
    """Variables that curl, git, pip, npm and most HTTP libraries read.

    None for plain HTTP: port 443 is the only one, and agents speak to their model in plain HTTP on loopback.
    """
    url = f"http://{USER}:{token}@{proxy}"
    return {
        "HTTPS_PROXY": url,
        "https_proxy": url,
        "NO_PROXY": _HERE,
        "no_proxy": _HERE,
        # Node reads the others only when told so.
        "NODE_USE_ENV_PROXY": "1",
    }


def host_rows(trials: Iterable[Trial], allowed: Sequence[str]) -> tuple[HostRow, ...]:
    """Allowed hosts in their order, unused ones too; then those that were refused, most asked for first."""
    by_host: dict[str, list[tuple[Trial, Connection]]] = {host: [] for host in allowed}
    for trial in trials:
        for connection in trial.connections:
            by_host.setdefault(connection.host, []).append((trial, connection))
    rows = [_row(host, found, host in allowed) for host, found in by_host.items()]
    return tuple(sorted(rows, key=lambda row: (not row.allowed, 0 if row.allowed else -row.refused)))


def _row(host: str, found: Sequence[tuple[Trial, Connection]], allowed: bool) -> HostRow:
    count = {passage: sum(item.passage is passage for _, item in found) for passage in Passage}
    return HostRow(
        host=host,
        allowed=allowed,
        trials=len({trial.digest for trial, _ in found}),
        reached=count[Passage.REACHED],
        refused=count[Passage.REFUSED],
        failed=count[Passage.FAILED],
        cut=count[Passage.CUT],
        sent=sum(item.sent for _, item in found),
        received=sum(item.received for _, item in found),
        reasons=tuple(dict.fromkeys(item.because for _, item in found if item.because))[:3],
    )
