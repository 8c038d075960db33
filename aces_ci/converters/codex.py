"""Codex: the rollout file it keeps, or its `--json` output where there is none.

The output lacks the prompt, the model, times, per-call usage and every failed or unknown tool call, so the
rollout is read first. `token_usage_record` ends one reply of the model. Newer versions wrap tools in one
called `exec`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from aces_ci.core.trace import lines as trace_lines
from aces_ci.core.trace.build import TraceBuilder, Turn, arguments_of
from aces_ci.core.trace.lines import Lines, number, record, string, text
from aces_ci.core.trace.trajectory import Extra, Metrics, Trajectory
from aces_ci.ports.converter import Log

_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,3})$", re.MULTILINE)
_CALLS = {
    "function_call": ("arguments", "function_call_output"),
    "custom_tool_call": ("input", "custom_tool_call_output"),
    "local_shell_call": ("action", "local_shell_call_output"),
}
_OUTPUTS = frozenset(output for _, output in _CALLS.values())
_HARNESS = re.compile(r"<(?:environment_context|user_instructions|skills_instructions|permissions instructions)\b")


class Codex:
    """Reads Codex 0.1xx."""

    name = "codex"

    def claims(self, log: Log) -> bool:
        """A `thread.started` event or a `session_meta` line with a `cli_version`."""
        return any(
            event.get("type") == "thread.started" or "cli_version" in record(event.get("payload"))
            for data in (log.stdout, *log.files.values())
            for event in trace_lines.read(data).objects
        )

    def convert(self, log: Log) -> Trajectory | None:
        """The rollout where there is one, else the output."""
        build = TraceBuilder()
        sources = [("stdout", log.stdout), *sorted(log.files.items())]
        read = [trace_lines.read(data, name=name) for name, data in sources]
        rollout = next((lines for lines in read if any("payload" in event for event in lines.objects)), None)
        head: dict[str, str | None] = {}
        if rollout is not None:
            build.lost += rollout.lost
            _Rollout(build, head).read(rollout.objects)
        else:
            build.lost += [sentence for lines in read for sentence in lines.lost]
            _output(build, read[0], head)
        build.prompt(log.prompt)
        return build.build(
            agent=self.name,
            version=log.version or head.get("version"),
            model=log.model or head.get("model"),
            origin="log",
            session=head.get("session"),
        )


class _Rollout:
    def __init__(self, build: TraceBuilder, head: dict[str, str | None]) -> None:
        self.build = build
        self.head = head
        self._reply = 1

    def read(self, events: Iterable[Mapping[str, Any]]) -> None:
        for event in events:
            payload = record(event.get("payload"))
            at = string(event.get("timestamp"))
            match event.get("type"):
                case "session_meta":
                    self.head["session"] = string(payload.get("id")) or string(payload.get("session_id"))
                    self.head["version"] = string(payload.get("cli_version"))
                case "turn_context":
                    self.head["model"] = string(payload.get("model"))
                case "response_item":
                    self._item(payload, at)
                case "token_usage_record":
                    self._usage(record(payload.get("usage")))
                case "event_msg":
                    self._event(payload)
                case _:
                    pass

    def _turn(self, at: str | None) -> Turn:
        return self.build.turn(f"reply-{self._reply}", at=at, model=self.head.get("model"))

    def _item(self, item: Mapping[str, Any], at: str | None) -> None:
        kind = str(item.get("type"))
        if kind == "message":
            self._message(item, at)
        elif kind == "reasoning":
            self._turn(at).thoughts += filter(None, [text(item.get("summary"))])
        elif kind in _CALLS:
            identity = str(item.get("call_id") or item.get("id"))
            name = str(item.get("name") or "local_shell")
            self.build.call(self._turn(at), identity, name, arguments_of(item.get(_CALLS[kind][0])))
        elif kind in _OUTPUTS:
            content = text(item.get("output"))
            self.build.result(str(item.get("call_id")), content, outcome(content, at))

    def _message(self, item: Mapping[str, Any], at: str | None) -> None:
        content = text(item.get("content"))
        role = item.get("role")
        if role == "assistant":
            self._turn(at).texts.append(content)
            return
        kinds = record(item.get("internal_chat_message_metadata_passthrough")).get("content_item_kinds")
        person = kinds == ["user.text"] if kinds else not _HARNESS.match(content)
        if role == "user" and person:
            self.build.say("user", content, at=at)
        else:
            self.build.say("system" if role != "user" else "user", content, at=at, extra={"aces": "context"})

    def _usage(self, usage: Mapping[str, Any]) -> None:
        key = f"reply-{self._reply}"
        if key in self.build.keys:
            self.build.turn(key).metrics = Metrics(
                prompt_tokens=number(usage.get("input_tokens")),
                completion_tokens=number(usage.get("output_tokens")),
                cached_tokens=number(usage.get("cached_input_tokens")),
            )
        self._reply += 1

    def _event(self, payload: Mapping[str, Any]) -> None:
        item = record(payload.get("item"))
        exit_code = item.get("exit_code")
        if item.get("type") == "CommandExecution" and isinstance(exit_code, int):
            self.build.annotate(str(item.get("id")), {"exit_code": exit_code})
        if payload.get("type") in ("error", "stream_error"):
            self.build.extra["api_error"] = text(payload.get("message"))[:500]


def outcome(content: str, at: str | None) -> Extra:
    """Exit code and failure as the text of a result states them."""
    found = _EXIT.search(content.split("\nOutput:\n", 1)[0])
    extra: Extra = {"at": at} if at else {}
    if found:
        extra["exit_code"] = int(found.group(1))
        extra["is_error"] = extra["exit_code"] != 0
    return extra


def _output(build: TraceBuilder, lines: Lines, head: dict[str, str | None]) -> None:
    """The `--json` events: every item a step of its own, because nothing says which reply it belongs to."""
    for event in lines.objects:
        item = record(event.get("item"))
        identity = str(item.get("id"))
        match event.get("type"):
            case "thread.started":
                head["session"] = string(event.get("thread_id"))
            case "turn.failed":
                build.extra["api_error"] = text(record(event.get("error")).get("message"))[:500]
            case "item.started" | "item.completed":
                _output_item(build, identity, item)
            case _:
                pass


def _output_item(build: TraceBuilder, identity: str, item: Mapping[str, Any]) -> None:
    known = identity in build.keys
    match item.get("type"):
        case "reasoning" if not known:
            build.turn(identity).thoughts.append(text(item))
        case "agent_message" if not known:
            build.turn(identity).texts.append(text(item))
        case "command_execution":
            if not known:
                build.call(build.turn(identity), identity, "exec_command", {"cmd": text(item.get("command"))})
            if isinstance(item.get("exit_code"), int):
                code = item["exit_code"]
                extra = {"exit_code": code, "is_error": code != 0}
                build.result(identity, text(item.get("aggregated_output")), extra)
        case "file_change":
            if not known:
                changes = item.get("changes")
                build.call(build.turn(identity), identity, "apply_patch", {"changes": changes})
            if item.get("status") in ("completed", "failed"):
                build.result(identity, str(item["status"]), {"is_error": item["status"] == "failed"})
        case _:
            pass


CONVERTER = Codex()
