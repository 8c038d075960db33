"""Gemini CLI: the session file it keeps, or its `stream-json` output.

The output calls a command that exits with 2 a success and shows no skill body; the session file has both.
It repeats every message as it grows (the last of an id counts) and lacks a call that was cut off, which the
output has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from aces_ci.core.trace import lines as trace_lines
from aces_ci.core.trace.build import TraceBuilder, arguments_of
from aces_ci.core.trace.lines import number, record, string, text
from aces_ci.core.trace.trajectory import Extra, Metrics, Trajectory
from aces_ci.ports.converter import Log

_EXIT = re.compile(r"^Exit Code: (-?\d{1,3})$", re.MULTILINE)
_SHELL = "run_shell_command"
_CONTEXT = "<session_context>"


class GeminiCli:
    """Reads Gemini CLI 0.6x."""

    name = "gemini-cli"

    def claims(self, log: Log) -> bool:
        """An `init` event beside events with `tool_id` or `delta`, or a session line with `projectHash`."""
        return any(
            "projectHash" in event
            or (event.get("type") == "init" and "model" in event and "session_id" in event)
            or (event.get("type") == "tool_use" and "tool_id" in event)
            for data in (log.stdout, *log.files.values())
            for event in trace_lines.read(data).objects
        )

    def convert(self, log: Log) -> Trajectory | None:
        """The session where there is one, else the output; calls that only the output has come last."""
        build = TraceBuilder()
        stream = trace_lines.read(log.stdout, name="stdout")
        sessions = [trace_lines.read(data, name=path) for path, data in sorted(log.files.items())]
        session = next((lines for lines in sessions if any("projectHash" in each for each in lines.objects)), None)
        if session is None and any("projectHash" in event for event in stream.objects):
            session = stream
        build.lost += [*(session.lost if session else ()), *(stream.lost if stream is not session else ())]
        head = next((event for event in stream.objects if event.get("type") == "init"), {})
        model = log.model or string(head.get("model"))
        unsaid: str | None = None
        if session:
            found, unsaid = _session(build, session.objects)
            model = found or model
        if session is not stream:
            _stream(build, stream.objects, only_new=session is not None, unsaid=unsaid)
        build.prompt(log.prompt)
        return build.build(
            agent=self.name,
            version=log.version,
            model=model,
            origin="log",
            session=string(head.get("session_id"))
            or next((string(event.get("sessionId")) for event in (session.objects if session else ())), None),
        )


def _session(build: TraceBuilder, events: Iterable[Mapping[str, Any]]) -> tuple[str | None, str | None]:
    """The model, and the last reply where it says and calls nothing: what it called was cut off, and has its usage."""
    messages: dict[str, Mapping[str, Any]] = {}
    for event in events:
        patched = record(event.get("$set")).get("messages")
        for message in (*map(record, patched if isinstance(patched, list) else ()), event):
            identity = string(message.get("id"))
            if identity:
                messages[identity] = message
    model = unsaid = None
    for identity, message in messages.items():
        at = string(message.get("timestamp"))
        if message.get("type") == "user":
            said = text(message.get("content"))
            context: Extra | None = {"aces": "context"} if said.startswith(_CONTEXT) else None
            if "functionResponse" not in str(message.get("content"))[:200]:
                build.say("user", said, at=at, extra=context)
        elif message.get("type") == "gemini":
            model = string(message.get("model")) or model
            _reply(build, identity, message, at)
            unsaid = None if message.get("content") or message.get("toolCalls") else identity
    return model, unsaid


def _reply(build: TraceBuilder, identity: str, message: Mapping[str, Any], at: str | None) -> None:
    turn = build.turn(identity, at=at, model=string(message.get("model")))
    turn.texts.append(text(message.get("content")))
    thoughts = message.get("thoughts")
    for thought in map(record, thoughts if isinstance(thoughts, list) else ()):
        turn.thoughts += filter(None, [text(thought.get("description"))])
    tokens = record(message.get("tokens"))
    if tokens:
        turn.metrics = Metrics(
            prompt_tokens=number(tokens.get("input")),
            completion_tokens=number(tokens.get("output")) + number(tokens.get("thoughts")),
            cached_tokens=number(tokens.get("cached")),
        )
    calls = message.get("toolCalls")
    for call in map(record, calls if isinstance(calls, list) else ()):
        name, own = str(call.get("name")), str(call.get("id"))
        build.call(turn, own, name, arguments_of(call.get("args")))
        results = call.get("result")
        shown = "\n".join(
            text(record(record(part).get("functionResponse")).get("response"))
            or text(record(record(record(part).get("functionResponse")).get("response")).get("error"))
            for part in (results if isinstance(results, list) else ())
        )
        if call.get("status") in ("success", "error", "cancelled") or shown:
            build.result(own, shown, _outcome(name, shown, call.get("status")))


def _outcome(name: str, shown: str, status: object) -> Extra:
    failed = status in ("error", "cancelled")
    extra: Extra = {"is_error": failed}
    if name == _SHELL:
        found = _EXIT.search(shown)
        code = int(found.group(1)) if found else None if failed else 0
        if code is not None:
            extra.update(exit_code=code, is_error=code != 0)
    return extra


def _stream(
    build: TraceBuilder, events: Iterable[Mapping[str, Any]], *, only_new: bool, unsaid: str | None = None
) -> None:
    """The output: texts and calls between two results of tools are one turn. `unsaid`: the first new one."""
    known = build.called
    reply = 0
    fresh = True
    names: dict[str, str] = {}
    for event in events:
        at = string(event.get("timestamp"))
        kind = event.get("type")
        if kind == "message" and event.get("role") == "user" and not only_new:
            build.say("user", text(event.get("content")), at=at)
        elif kind == "message" and not only_new:
            reply, fresh = (reply + 1, False) if fresh else (reply, False)
            build.turn(f"reply-{reply}", at=at).texts.append(text(event.get("content")))
        elif kind == "tool_use" and str(event.get("tool_id")) not in known:
            reply, fresh = (reply + 1, False) if fresh else (reply, False)
            identity = str(event.get("tool_id"))
            names[identity] = str(event.get("tool_name"))
            turn = build.turn(unsaid if unsaid and reply == 1 else f"reply-{reply}", at=at)
            build.call(turn, identity, names[identity], arguments_of(event.get("parameters")))
        elif kind == "tool_result" and str(event.get("tool_id")) in names:
            fresh = True
            failed = event.get("status") != "success"
            build.result(
                str(event.get("tool_id")),
                text(event.get("output") or event.get("error")),
                {"is_error": failed} if failed else {},
            )
        elif kind == "result" and event.get("status") == "error":
            build.extra["api_error"] = text(record(event.get("error")).get("message"))[:500]


CONVERTER = GeminiCli()
