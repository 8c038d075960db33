"""Gemini CLI: its logs are read; it is not run, because the gateway does not speak its protocol."""

from __future__ import annotations

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.opening import Opening
from aces_ci.core.trace import lines as trace_lines
from aces_ci.ports.harness import Failure, FailureKind, HarnessLog, Invocation, Launch

_NO_KEY, _MAX_TURNS, _UNTRUSTED = 41, 53, 55


class GeminiCli:
    """Google's agent CLI, for imported logs."""

    name = "gemini-cli"
    version = "0.61.0"
    apis: tuple[Protocol, ...] = ()
    recipe: str | None = None
    skills = ".gemini/skills"
    keep_home = (".gemini/tmp/",)
    opening: Opening | None = None

    def launch(self, invocation: Invocation) -> Launch:
        """Raises UsageError: importing is all that there is."""
        raise UsageError(
            "gemini-cli cannot be run by aces-ci yet",
            code="harness_import_only",
            why="the model gateway does not speak its protocol, and without the gateway a run is not verified",
            do="import its log: aces-ci trace convert --harness gemini-cli LOG",
        )

    def failure(self, log: HarnessLog) -> Failure | None:
        """SIGTERM exits with 0 and no result, and an API error with its status modulo 256."""
        results = [event for event in trace_lines.read(log.stdout).objects if event.get("type") == "result"]
        if log.exit_code == _NO_KEY:
            return Failure(kind=FailureKind.AUTHENTICATION, because="it has no key")
        if log.exit_code == _UNTRUSTED:
            return Failure(kind=FailureKind.CONFIGURATION, because="it does not trust the workspace")
        if log.exit_code == _MAX_TURNS:
            return Failure(kind=FailureKind.MAX_TURNS, because="it reached its limit of turns")
        if not results:
            kind = FailureKind.KILLED if log.killed or log.exit_code == 0 else FailureKind.TRUNCATED
            return Failure(kind=kind, because="its log has no result")
        if results[-1].get("status") == "success":
            return None
        status = {401 % 256: 401, 403 % 256: 403, 429 % 256: 429}.get(log.exit_code or 0)
        if status in (401, 403):
            return Failure(kind=FailureKind.AUTHENTICATION, because="the model refused its key")
        if status == 429:
            return Failure(kind=FailureKind.RATE_LIMIT, because="the model's rate limit")
        return Failure(kind=FailureKind.PROVIDER_ERROR, because="a request to the model failed")


HARNESS = GeminiCli()
