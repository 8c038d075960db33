"""OpenCode: its `--format json` output, or the document that `opencode export` prints.

The output holds no prompt, no model and no running call; the export holds all three. A command that exits
with 2 is `completed` with `metadata.exit` 2; `error` means that the tool itself failed.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from aces_ci.core.trace import lines as trace_lines
from aces_ci.core.trace.build import TraceBuilder, Turn, arguments_of
from aces_ci.core.trace.lines import number, parsed, record, string, text
from aces_ci.core.trace.trajectory import Extra, Metrics, Trajectory
from aces_ci.ports.converter import Log


class OpenCode:
    """Reads OpenCode 1.x."""

    name = "opencode"

    def claims(self, log: Log) -> bool:
        """Events whose `part` has a `messageID`, an error with a `sessionID`, or an export."""
        events = trace_lines.read(log.stdout).objects
        return any(
            "messageID" in record(event.get("part")) or (event.get("type") == "error" and "sessionID" in event)
            for event in events
        ) or any(_export(data) for data in (log.stdout, *log.files.values()))

    def convert(self, log: Log) -> Trajectory | None:
        """The export where there is one, else the output."""
        build = TraceBuilder()
        exported = next((found for data in (log.stdout, *log.files.values()) if (found := _export(data))), None)
        head: dict[str, str | None] = {}
        if exported:
            _read_export(build, exported, head)
        else:
            lines = trace_lines.read(log.stdout, name="stdout")
            build.lost += lines.lost
            for event in lines.objects:
                _event(build, event, head)
        build.prompt(log.prompt)
        return build.build(
            agent=self.name,
            version=log.version or head.get("version"),
            model=log.model or head.get("model"),
            origin="log",
            session=head.get("session"),
        )


def _export(data: bytes) -> Mapping[str, Any] | None:
    if not data.lstrip().startswith(b"{") or b'"messages"' not in data or b'"info"' not in data:
        return None
    try:
        value = parsed(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and isinstance(value.get("messages"), list) else None


def _read_export(build: TraceBuilder, value: Mapping[str, Any], head: dict[str, str | None]) -> None:
    info = record(value.get("info"))
    head.update(session=string(info.get("id")), version=string(info.get("version")))
    for entry in value["messages"]:
        message = record(record(entry).get("info"))
        parts = record(entry).get("parts")
        at = _time(record(message.get("time")).get("created"))
        if message.get("role") == "user":
            shown = [part for part in map(record, parts or ()) if part.get("type") == "text"]
            build.say("user", "\n".join(text(part) for part in shown if not part.get("synthetic")), at=at)
            continue
        head["model"] = string(message.get("modelID")) or head.get("model")
        turn = build.turn(str(message.get("id")), at=at, model=head.get("model"))
        for part in map(record, parts if isinstance(parts, list) else ()):
            _part(build, turn, part)


def _event(build: TraceBuilder, event: Mapping[str, Any], head: dict[str, str | None]) -> None:
    head["session"] = string(event.get("sessionID")) or head.get("session")
    if event.get("type") == "error":
        data = record(record(event.get("error")).get("data"))
        build.extra["api_error"] = text(data.get("message"))[:500]
        build.extra["api_error_status"] = number(data.get("statusCode")) or None
        return
    part = record(event.get("part"))
    if "messageID" in part:
        _part(build, build.turn(str(part["messageID"]), at=_time(event.get("timestamp"))), part)


def _part(build: TraceBuilder, turn: Turn, part: Mapping[str, Any]) -> None:
    match part.get("type"):
        case "text":
            turn.texts.append(text(part))
        case "reasoning":
            turn.thoughts += filter(None, [text(part)])
        case "tool":
            _tool(build, turn, part)
        case "step-finish":
            tokens, cost = record(part.get("tokens")), part.get("cost")
            cache = record(tokens.get("cache"))
            read = number(cache.get("read"))
            turn.metrics = Metrics(
                prompt_tokens=number(tokens.get("input")) + read + number(cache.get("write")),
                completion_tokens=number(tokens.get("output")) + number(tokens.get("reasoning")),
                cached_tokens=read,
                cost_usd=float(cost) if isinstance(cost, int | float) else None,
            )
        case _:
            pass


def _tool(build: TraceBuilder, turn: Turn, part: Mapping[str, Any]) -> None:
    identity, state = str(part.get("callID")), record(part.get("state"))
    build.call(turn, identity, str(part.get("tool")), arguments_of(state.get("input")))
    status = state.get("status")
    if status not in ("completed", "error"):
        return
    exit_code = record(state.get("metadata")).get("exit")
    extra: Extra = {"is_error": status == "error"}
    if isinstance(exit_code, int):
        extra.update(exit_code=exit_code, is_error=exit_code != 0)
    at = _time(record(state.get("time")).get("end"))
    if at:
        extra["at"] = at
    build.result(identity, text(state.get("output") if status == "completed" else state.get("error")), extra)


def _time(milliseconds: object) -> str | None:
    if not isinstance(milliseconds, int | float) or not 0 < milliseconds < 1e14:
        return None
    moment = datetime.fromtimestamp(milliseconds / 1000, tz=UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


CONVERTER = OpenCode()
