"""Claude Code: its `stream-json` output, its session file, or both.

The stream has no prompt and no output tokens; the session file has both. One reply comes as several events
that share `message.id`; a skill's body comes as a separate user event without a person behind it and
belongs to the call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from aces_ci.core.trace import lines as trace_lines
from aces_ci.core.trace.build import TraceBuilder, Turn, arguments_of
from aces_ci.core.trace.lines import number, record, string, text
from aces_ci.core.trace.trajectory import Extra, Metrics, Trajectory
from aces_ci.ports.converter import Log

_EXIT = re.compile(r"(?:Error: )?Exit code (\d{1,3})(?:\n|$)")
_SHELL = "Bash"


class ClaudeCode:
    """Reads Claude Code 2.x."""

    name = "claude-code"

    def claims(self, log: Log) -> bool:
        """A `system/init` event that names its version, or a session line with `parentUuid`."""
        return any(
            "claude_code_version" in event or ("isSidechain" in event and "parentUuid" in event)
            for data in (log.stdout, *log.files.values())
            for event in trace_lines.read(data).objects
        )

    def convert(self, log: Log) -> Trajectory | None:
        """Stream and session merged: what the stream says first, usage and prompt from the session."""
        build = TraceBuilder()
        stream = trace_lines.read(log.stdout, name="stdout")
        sessions = [
            trace_lines.read(data, name=path) for path, data in sorted(log.files.items()) if path.endswith(".jsonl")
        ]
        build.lost += [*stream.lost, *(sentence for session in sessions for sentence in session.lost)]
        reader = _Reader(build)
        recorded = [event for session in sessions for event in session.objects]
        main = stream.objects if any(event.get("type") == "assistant" for event in stream.objects) else recorded
        reader.read(main)
        reader.settle(recorded)
        prompts = (_prompt(event) for event in recorded)
        build.prompt(log.prompt or next((found for found in prompts if found), None))
        head = next((event for event in (*stream.objects, *recorded) if event.get("subtype") == "init"), {})
        return build.build(
            agent=self.name,
            version=log.version
            or string(head.get("claude_code_version"))
            or next((found for event in recorded if (found := string(event.get("version")))), None),
            model=log.model or string(head.get("model")),
            origin="log",
            session=string(head.get("session_id"))
            or next((found for event in recorded if (found := string(event.get("sessionId")))), None),
            cost=reader.cost,
        )


class _Reader:
    def __init__(self, build: TraceBuilder) -> None:
        self.build = build
        self.cost: float | None = None
        self._last_skill: str | None = None
        self._shells: set[str] = set()

    def read(self, events: Iterable[Mapping[str, Any]]) -> None:
        for event in events:
            if event.get("parent_tool_use_id") or event.get("isSidechain"):
                self.build.extra["subagent_events"] = self.build.extra.get("subagent_events", 0) + 1
                continue
            match event.get("type"):
                case "assistant":
                    self._assistant(event)
                case "user":
                    self._user(event)
                case "result":
                    self._end(event)
                case "system" if event.get("subtype") == "api_retry":
                    self.build.extra["api_retries"] = self.build.extra.get("api_retries", 0) + 1

    def settle(self, recorded: Iterable[Mapping[str, Any]]) -> None:
        """Final usage of each reply: the stream has the numbers of the reply's start."""
        for event in recorded:
            message = record(event.get("message"))
            identity = string(message.get("id"))
            if event.get("type") != "assistant" or not identity or identity not in self.build.keys:
                continue
            self.build.turn(identity).metrics = _metrics(message, final=True)

    def _assistant(self, event: Mapping[str, Any]) -> None:
        message = record(event.get("message"))
        model = string(message.get("model"))
        if model == "<synthetic>" or event.get("is_api_error_message") or event.get("isApiErrorMessage"):
            self.build.extra["api_error"] = text(message.get("content"))[:500]
            return
        identity = string(message.get("id")) or string(event.get("uuid")) or "?"
        turn = self.build.turn(identity, at=string(event.get("timestamp")), model=model)
        turn.metrics = turn.metrics or _metrics(message, final=message.get("stop_reason") is not None)
        content = message.get("content")
        for block in content if isinstance(content, list) else [{"type": "text", "text": text(content)}]:
            self._block(turn, record(block))

    def _block(self, turn: Turn, block: Mapping[str, Any]) -> None:
        match block.get("type"):
            case "text":
                turn.texts.append(text(block))
            case "thinking":
                turn.thoughts += filter(None, [text(block.get("thinking"))])
            case "tool_use":
                identity, name = str(block.get("id")), str(block.get("name"))
                self.build.call(turn, identity, name, arguments_of(block.get("input")))
                if name == _SHELL:
                    self._shells.add(identity)
            case _:
                pass

    def _user(self, event: Mapping[str, Any]) -> None:
        content = record(event.get("message")).get("content")
        silent = bool(event.get("isSynthetic") or event.get("isMeta"))
        for block in content if isinstance(content, list) else [{"type": "text", "text": text(content)}]:
            part = record(block)
            if part.get("type") == "tool_result":
                identity = str(part.get("tool_use_id"))
                self.build.result(identity, text(part.get("content")), self._outcome(identity, part, event))
                self._last_skill = identity
            elif silent:
                owner = string(event.get("sourceToolUseID")) or self._last_skill
                if owner:
                    self.build.result(owner, text(part))
            else:
                self.build.say("user", text(part), at=string(event.get("timestamp")))

    def _outcome(self, identity: str, part: Mapping[str, Any], event: Mapping[str, Any]) -> Extra:
        failed = part.get("is_error") is True
        extra: Extra = {"is_error": failed}
        at = string(event.get("timestamp"))
        if at:
            extra["at"] = at
        if identity in self._shells:
            found = _EXIT.match(text(part.get("content")))
            if found:
                extra["exit_code"] = int(found.group(1))
            elif not failed:
                extra["exit_code"] = 0
        return extra

    def _end(self, event: Mapping[str, Any]) -> None:
        cost = event.get("total_cost_usd")
        self.cost = float(cost) if isinstance(cost, int | float) else None
        ended = {key: event.get(key) for key in ("subtype", "is_error", "terminal_reason", "api_error_status")}
        self.build.extra["result"] = {key: value for key, value in ended.items() if value is not None}


def _metrics(message: Mapping[str, Any], *, final: bool) -> Metrics | None:
    usage = record(message.get("usage"))
    if not usage:
        return None
    cached = number(usage.get("cache_read_input_tokens"))
    return Metrics(
        prompt_tokens=number(usage.get("input_tokens")) + number(usage.get("cache_creation_input_tokens")) + cached,
        completion_tokens=number(usage.get("output_tokens")) if final else None,
        cached_tokens=cached,
    )


def _prompt(event: Mapping[str, Any]) -> str | None:
    content = record(event.get("message")).get("content")
    if event.get("type") != "user" or event.get("isMeta") or event.get("isSidechain"):
        return None
    return content if isinstance(content, str) else None


CONVERTER = ClaudeCode()
