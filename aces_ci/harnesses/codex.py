"""Codex, headless. Measured against 0.171.0."""

from __future__ import annotations

import json

from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.opening import Opening
from aces_ci.core.staging import StagedFile
from aces_ci.core.trace import lines as trace_lines
from aces_ci.ports.harness import Failure, FailureKind, HarnessLog, Invocation, Launch

# A provider of our own: the built-in one ignores the base URL in the environment, tries WebSockets first and adds
# fields of its own. `web_search` off: it is on by default and runs at the provider, past every sandbox.
_CONFIG = """\
model = {model}
model_provider = "gateway"
check_for_update_on_startup = false
web_search = "disabled"
[features]
plugins = false
apps = false
[skills.bundled]
enabled = false
[analytics]
enabled = false
[feedback]
enabled = false
[model_providers.gateway]
name = "gateway"
base_url = {base_url}
env_key = "GATEWAY_TOKEN"
wire_api = "responses"
request_max_retries = {retries}
stream_max_retries = {retries}
"""


class Codex:
    """OpenAI's agent CLI, static binaries."""

    name = "codex"
    version = "0.171.0"
    apis = (Protocol.RESPONSES,)
    recipe: str | None = "codex"
    skills = ".agents/skills"
    keep_home = (".codex/sessions/",)
    opening: Opening | None = Opening(prompt=30_000, answer=32_000)
    """It names no limit of its own; the gateway puts its own."""

    def launch(self, invocation: Invocation) -> Launch:
        """It has no switch for a number of turns: the gateway's cap on requests and the deadline bound it."""
        config = _CONFIG.format(
            # A JSON string is a TOML string as well.
            model=json.dumps(invocation.model),
            base_url=json.dumps(f"{invocation.base_url}/v1"),
            retries=invocation.retries,
        )
        return Launch(
            command=(
                "codex",
                "exec",
                "--json",
                "--skip-git-repo-check",
                "--dangerously-bypass-approvals-and-sandbox",
                "-",
            ),
            environment={"CODEX_HOME": f"{invocation.home}/.codex", "GATEWAY_TOKEN": invocation.token},
            stdin=invocation.prompt.encode("utf-8"),
            home=(StagedFile(path=".codex/config.toml", data=config.encode("utf-8")),),
        )

    def failure(self, log: HarnessLog) -> Failure | None:
        """Only `turn.failed` is a failure: items and events called `error` are notices."""
        events = trace_lines.read(log.stdout).objects
        failed = next((event for event in reversed(events) if event.get("type") == "turn.failed"), None)
        if failed is not None:
            return _of_message(trace_lines.text(trace_lines.record(failed.get("error")).get("message")))
        completed = any(event.get("type") == "turn.completed" for event in events)
        if completed and log.exit_code == 0:
            return None
        if log.killed:
            return Failure(kind=FailureKind.KILLED, because="it was killed before the end of its turn")
        if log.exit_code == 0:
            return Failure(kind=FailureKind.TRUNCATED, because="its log has no end of a turn")
        if not events:
            return Failure(kind=FailureKind.CONFIGURATION, because=f"it exited with {log.exit_code} at once")
        return Failure(kind=FailureKind.CRASHED, because=f"it exited with {log.exit_code}")


def _of_message(message: str) -> Failure:
    if "401" in message or "403" in message or message.startswith("Missing environment variable"):
        return Failure(kind=FailureKind.AUTHENTICATION, because="the model refused its token")
    if "429" in message:
        return Failure(kind=FailureKind.RATE_LIMIT, because="the model's rate limit")
    return Failure(kind=FailureKind.PROVIDER_ERROR, because="a request to the model failed")


HARNESS = Codex()
