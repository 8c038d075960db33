"""A small agent of our own: one shell tool, for those who have a key and no agent CLI."""

from __future__ import annotations

from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.opening import Opening
from aces_ci.core.trace import lines as trace_lines
from aces_ci.ports.harness import Failure, FailureKind, HarnessLog, Invocation, Launch

_KINDS = {
    "max_turns": (FailureKind.MAX_TURNS, "it reached its limit of turns"),
    401: (FailureKind.AUTHENTICATION, "the model refused its token"),
    403: (FailureKind.AUTHENTICATION, "the model refused its token"),
    429: (FailureKind.RATE_LIMIT, "the model's rate limit"),
}


class Builtin:
    """`images/builtin/agent.py`: lists skills by name, description and place; the model reads them by shell."""

    name = "builtin"
    version = "1"
    apis = (Protocol.MESSAGES, Protocol.CHAT)
    recipe: str | None = "builtin"
    skills = ".agents/skills"
    keep_home: tuple[str, ...] = ()
    opening: Opening | None = Opening(prompt=500, answer=8_000)

    def launch(self, invocation: Invocation) -> Launch:
        """Standard library only; python3 is in every image, because the relay needs it."""
        return Launch(
            command=(
                "python3",
                "-I",
                "/opt/aces/agent.py",
                invocation.api.value,
                invocation.model,
                str(invocation.turns),
            ),
            environment={"ACES_MODEL_URL": invocation.base_url, "ACES_MODEL_TOKEN": invocation.token},
            stdin=invocation.prompt.encode("utf-8"),
        )

    def failure(self, log: HarnessLog) -> Failure | None:
        """The last line is a `result`: `done`, `max_turns`, or `error` with the HTTP status."""
        events = trace_lines.read(log.stdout).objects
        result = events[-1] if events and events[-1].get("type") == "result" else None
        if result is None:
            if log.killed:
                return Failure(kind=FailureKind.KILLED, because="it was killed before its result")
            kind = FailureKind.TRUNCATED if log.exit_code == 0 else FailureKind.CRASHED
            return Failure(kind=kind, because="its log has no result")
        if result.get("how") == "done":
            return None
        key = result.get("status") if result.get("how") == "error" else result.get("how")
        fallback = (FailureKind.PROVIDER_ERROR, "a request to the model failed")
        kind, because = _KINDS.get(key, fallback) if isinstance(key, int | str) else fallback
        return Failure(kind=kind, because=because)


HARNESS = Builtin()
