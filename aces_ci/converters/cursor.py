"""Cursor's CLI: its `stream-json` output. Written from its documentation; no recorded run of it is at
hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from aces_ci.core.trace import lines as trace_lines
from aces_ci.core.trace.build import TraceBuilder, arguments_of
from aces_ci.core.trace.lines import record, string, text
from aces_ci.core.trace.trajectory import Extra, Trajectory
from aces_ci.ports.converter import Log


class Cursor:
    """Reads `cursor-agent --print --output-format stream-json`."""

    name = "cursor"

    def claims(self, log: Log) -> bool:
        """A `tool_call` event with `call_id`, or an init event with Cursor's `permissionMode` and
        `apiKeySource`.
        """
        return any(
            (event.get("type") == "tool_call" and "call_id" in event)
            or (event.get("subtype") == "init" and "permissionMode" in event and "claude_code_version" not in event)
            for event in trace_lines.read(log.stdout).objects
        )

    def convert(self, log: Log) -> Trajectory | None:
        """Texts and calls up to a finished call are one turn."""
        build = TraceBuilder()
        lines = trace_lines.read(log.stdout, name="stdout")
        build.lost += lines.lost
        head = next((event for event in lines.objects if event.get("subtype") == "init"), {})
        reply, fresh = 0, True
        for event in lines.objects:
            kind = event.get("type")
            if kind == "user":
                build.say("user", text(record(event.get("message")).get("content")))
            elif kind in ("assistant", "thinking") or (kind == "tool_call" and event.get("subtype") == "started"):
                reply, fresh = (reply + 1, False) if fresh else (reply, False)
                _say(build, f"reply-{reply}", event)
            elif kind == "tool_call":
                fresh = True
                _finish(build, event)
            elif kind == "result" and event.get("is_error"):
                build.extra["api_error"] = text(event.get("result"))[:500]
        build.prompt(log.prompt)
        return build.build(
            agent=self.name,
            version=log.version,
            model=log.model or string(head.get("model")),
            origin="log",
            session=string(head.get("session_id")),
        )


def _say(build: TraceBuilder, key: str, event: Mapping[str, Any]) -> None:
    turn = build.turn(key, at=_time(event.get("timestamp_ms")))
    if event.get("type") == "assistant":
        turn.texts.append(text(record(event.get("message")).get("content")))
    elif event.get("type") == "thinking":
        turn.thoughts += filter(None, [text(event.get("text"))])
    else:
        name, call = _call(event)
        build.call(turn, str(event.get("call_id")), name, arguments_of(call.get("args")))


def _finish(build: TraceBuilder, event: Mapping[str, Any]) -> None:
    _, call = _call(event)
    result = record(call.get("result"))
    good = record(result.get("success"))
    shown = next((text(good[key]) for key in ("content", "stdout", "output") if good.get(key)), "")
    bad = record(result.get("error")) or record(result.get("failure")) or record(result.get("rejected"))
    extra: Extra = {"is_error": bool(bad)}
    code = good.get("exitCode", bad.get("exitCode"))
    if isinstance(code, int):
        extra.update(exit_code=code, is_error=code != 0)
    errors = [text(good.get("stderr")), *(text(bad.get(key)) for key in ("errorMessage", "message", "stderr"))]
    build.result(str(event.get("call_id")), "\n".join(filter(None, [shown, *errors])), extra)


def _call(event: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The one entry `<name>ToolCall` of a call."""
    for name, value in record(event.get("tool_call")).items():
        return str(name), record(value)
    return "unknown", {}


def _time(milliseconds: object) -> str | None:
    if not isinstance(milliseconds, int | float) or not 0 < milliseconds < 1e14:
        return None
    moment = datetime.fromtimestamp(milliseconds / 1000, tz=UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


CONVERTER = Cursor()
