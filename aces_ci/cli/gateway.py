"""`aces-ci gateway`: the model gateway's process, started by the live tier and not by people."""

from __future__ import annotations

import sys

import click

from aces_ci.core.errors import UsageError


@click.command("gateway", short_help="The model gateway process (used by the live tier).")
def COMMAND() -> None:
    """Serve models to sandboxes under a policy and a budget.

    Orders come as JSON lines on standard input: secrets, configuration, then trials. Events leave as JSON
    lines on standard output. The process ends when standard input does. See docs/gateway.md.
    """
    try:
        from aces_ci.gateway.program import run
    except ModuleNotFoundError as error:
        raise UsageError(
            "the model gateway is not installed",
            code="gateway_missing",
            why=f"{error.name} is missing",
            do="pip install 'aces-ci[live]'",
        ) from None
    if sys.stdin.isatty():
        raise UsageError(
            "the gateway takes its orders from standard input, and this is a terminal",
            code="gateway_terminal",
            why="its first line is a provider key, which belongs on no screen",
            do="run `aces-ci live`, which starts it",
        )
    run(sys.stdin.buffer, sys.stdout.buffer)
