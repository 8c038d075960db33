"""Cursor's agent: its logs are read; it is not run, because it talks to its own service only."""

from __future__ import annotations

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.opening import Opening
from aces_ci.core.trace import lines as trace_lines
from aces_ci.ports.harness import Failure, FailureKind, HarnessLog, Invocation, Launch


class Cursor:
    """For imported logs of `cursor-agent --output-format=stream-json`."""

    name = "cursor"
    version = "unknown"
    apis: tuple[Protocol, ...] = ()
    recipe: str | None = None
    skills = ".cursor/skills"
    keep_home = ()
    opening: Opening | None = None

    def launch(self, invocation: Invocation) -> Launch:
        """Raises UsageError: importing is all that there is."""
        raise UsageError(
            "cursor cannot be run by aces-ci",
            code="harness_import_only",
            why="it reaches models through its own service, where no gateway can stand between",
            do="import its log: aces-ci trace convert --harness cursor LOG",
        )

    def failure(self, log: HarnessLog) -> Failure | None:
        """Its last event is a `result` that says whether it is an error."""
        results = [event for event in trace_lines.read(log.stdout).objects if event.get("type") == "result"]
        if results:
            if results[-1].get("is_error") is True:
                return Failure(kind=FailureKind.PROVIDER_ERROR, because="it reported an error")
            return None
        kind = FailureKind.KILLED if log.killed else FailureKind.TRUNCATED
        return Failure(kind=kind, because="its log has no result")


HARNESS = Cursor()
