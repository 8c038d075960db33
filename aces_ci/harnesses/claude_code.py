"""Claude Code, headless. Measured against 2.1.332."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.opening import Opening
from aces_ci.core.trace import lines as trace_lines
from aces_ci.ports.harness import Failure, FailureKind, HarnessLog, Invocation, Launch

_SETTINGS = {
    # Its own skills, and the one that a built-in plugin brings, would be listed beside the target in every arm.
    # `--disable-slash-commands` is no way out: it takes the Skill tool away and hides the target too.
    "disableBundledSkills": True,
    "enabledPlugins": {"cc-plugin-plugin-authoring@builtin": False},
}
_HOSTED = ("WebSearch", "WebFetch")


class ClaudeCode:
    """Anthropic's agent CLI, one native binary."""

    name = "claude-code"
    version = "2.1.332"
    apis = (Protocol.MESSAGES,)
    recipe: str | None = "claude-code"
    skills = ".claude/skills"
    keep_home = (".claude/projects/",)
    opening: Opening | None = Opening(prompt=55_000, answer=32_000)

    def launch(self, invocation: Invocation) -> Launch:
        """The prompt comes by stdin: variadic flags would swallow it as an argument."""
        return Launch(
            command=(
                "claude",
                "-p",
                "--output-format",
                "stream-json",
                "--verbose",
                "--dangerously-skip-permissions",
                "--max-turns",
                str(invocation.turns),
                "--model",
                invocation.model,
                "--settings",
                json.dumps(_SETTINGS, sort_keys=True),
                "--disallowedTools",
                *_HOSTED,
            ),
            environment={
                "ANTHROPIC_BASE_URL": invocation.base_url,
                "ANTHROPIC_API_KEY": invocation.token,
                "ANTHROPIC_MODEL": invocation.model,
                # Titles and summaries go to the same model: the gateway knows one model a trial.
                "ANTHROPIC_SMALL_FAST_MODEL": invocation.model,
                "ANTHROPIC_DEFAULT_HAIKU_MODEL": invocation.model,
                "IS_SANDBOX": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "CLAUDE_CODE_MAX_RETRIES": str(invocation.retries),
                "DISABLE_AUTOUPDATER": "1",
                "DISABLE_TELEMETRY": "1",
                "DISABLE_ERROR_REPORTING": "1",
            },
            stdin=invocation.prompt.encode("utf-8"),
        )

    def failure(self, log: HarnessLog) -> Failure | None:
        """Its `result` event decides: an API error has `subtype: success` there and `is_error: true`."""
        events = trace_lines.read(log.stdout).objects
        result = next((event for event in reversed(events) if event.get("type") == "result"), None)
        if result is not None:
            return _of_result(result, log)
        if log.killed:
            return Failure(kind=FailureKind.KILLED, because="it was killed before its result")
        if b"cannot be used with root" in log.stderr:
            return Failure(kind=FailureKind.CONFIGURATION, because="it refuses to run as root")
        if log.exit_code == 0:
            return Failure(kind=FailureKind.TRUNCATED, because="its log has no result")
        return Failure(kind=FailureKind.CRASHED, because=f"it exited with {log.exit_code} and no result")


def _of_result(result: Mapping[str, Any], log: HarnessLog) -> Failure | None:
    if result.get("subtype") == "error_max_turns" or result.get("terminal_reason") == "max_turns":
        return Failure(kind=FailureKind.MAX_TURNS, because="it reached its limit of turns")
    if result.get("is_error") is not True:
        if log.exit_code == 0:
            return None
        return Failure(kind=FailureKind.CRASHED, because=f"it exited with {log.exit_code} after its result")
    status = result.get("api_error_status")
    if status in (401, 403) or "Not logged in" in trace_lines.text(result.get("result")):
        return Failure(kind=FailureKind.AUTHENTICATION, because="the model refused its token")
    if status == 429:
        return Failure(kind=FailureKind.RATE_LIMIT, because="the model's rate limit")
    known = f" ({status})" if isinstance(status, int) else ""
    return Failure(kind=FailureKind.PROVIDER_ERROR, because=f"a request to the model failed{known}")


HARNESS = ClaudeCode()
