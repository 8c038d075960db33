"""OpenCode, headless. Measured against 1.18.33."""

from __future__ import annotations

import json

from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.opening import Opening
from aces_ci.core.trace import lines as trace_lines
from aces_ci.ports.harness import Failure, FailureKind, HarnessLog, Invocation, Launch

_OFF = (
    "OPENCODE_DISABLE_MODELS_FETCH",
    "OPENCODE_DISABLE_AUTOUPDATE",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS",
)


class OpenCode:
    """An agent CLI that speaks OpenAI Chat here; its skill tool needs ripgrep in the image."""

    name = "opencode"
    version = "1.18.33"
    apis = (Protocol.CHAT,)
    recipe: str | None = "opencode"
    skills = ".config/opencode/skills"
    keep_home = (".local/share/opencode/opencode.db",)
    opening: Opening | None = Opening(prompt=25_000, answer=32_000)

    def launch(self, invocation: Invocation) -> Launch:
        """The prompt comes by stdin: as an argument it reaches the model inside quotation marks."""
        model = f"gateway/{invocation.model}"
        configuration = {
            "autoupdate": False,
            "share": "disabled",
            "model": model,
            "small_model": model,
            # Denying the whole tool would hide the target as well; this hides the one bundled skill.
            "permission": {
                "*": "allow",
                "skill": {"customize-opencode": "deny"},
                "webfetch": "deny",
                "websearch": "deny",
            },
            "provider": {
                "gateway": {
                    "npm": "@ai-sdk/openai-compatible",
                    "options": {"baseURL": f"{invocation.base_url}/v1", "apiKey": "{env:GATEWAY_TOKEN}"},
                    "models": {invocation.model: {"tool_call": True, "limit": {"context": 200_000, "output": 32_000}}},
                }
            },
        }
        return Launch(
            command=("opencode", "run", "--format", "json", "--auto", "--title", "trial", "--thinking"),
            environment={
                "OPENCODE_CONFIG_CONTENT": json.dumps(configuration, sort_keys=True),
                "GATEWAY_TOKEN": invocation.token,
                **dict.fromkeys(_OFF, "1"),
            },
            stdin=invocation.prompt.encode("utf-8"),
        )

    def failure(self, log: HarnessLog) -> Failure | None:
        """The end is a `step_finish` whose reason is `stop`; on a 500 it retries and prints nothing at all."""
        events = trace_lines.read(log.stdout).objects
        error = next((event for event in reversed(events) if event.get("type") == "error"), None)
        if error is not None:
            data = trace_lines.record(trace_lines.record(error.get("error")).get("data"))
            return _of_status(data.get("statusCode"))
        if log.killed:
            return Failure(kind=FailureKind.KILLED, because="it was killed before its last step ended")
        finishes = [event for event in events if event.get("type") == "step_finish"]
        reason = trace_lines.record(finishes[-1].get("part")).get("reason") if finishes else None
        if log.exit_code != 0:
            return Failure(kind=FailureKind.CRASHED, because=f"it exited with {log.exit_code}")
        if reason != "stop":
            return Failure(kind=FailureKind.TRUNCATED, because="its log has no end of a last step")
        return None


def _of_status(status: object) -> Failure:
    if status in (401, 403):
        return Failure(kind=FailureKind.AUTHENTICATION, because="the model refused its token")
    if status == 429:
        return Failure(kind=FailureKind.RATE_LIMIT, because="the model's rate limit")
    known = f" ({status})" if isinstance(status, int) else ""
    return Failure(kind=FailureKind.PROVIDER_ERROR, because=f"a request to the model failed{known}")


HARNESS = OpenCode()
