"""Qwen Code: the chat file it keeps, or its `stream-json` output.

The output shows a skill's description where its body was given to the model; the chat file has the body.
Blocks of one reply carry different ids in the output, so consecutive ones are one turn there.
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
_API_ERROR = "[API Error:"


class QwenCode:
    """Reads Qwen Code 0.2x."""

    name = "qwen-code"

    def claims(self, log: Log) -> bool:
        """A `system/init` event with `qwen_code_version`, or chat lines with `provenance` and `parts`."""
        return any(
            any("qwen" in str(key) for key in event)
            or ("provenance" in event and ("parts" in record(event.get("message")) or "uuid" in event))
            for data in (log.stdout, *log.files.values())
            for event in trace_lines.read(data).objects
        )

    def convert(self, log: Log) -> Trajectory | None:
        """The chat where there is one, else the output."""
        build = TraceBuilder()
        stream = trace_lines.read(log.stdout, name="stdout")
        chats = [trace_lines.read(data, name=path) for path, data in sorted(log.files.items())]
        chat = next((lines for lines in (*chats, stream) if any("provenance" in each for each in lines.objects)), None)
        build.lost += [*(chat.lost if chat else ()), *(stream.lost if stream is not chat else ())]
        head = next((event for event in stream.objects if event.get("subtype") == "init"), {})
        if chat:
            _chat(build, chat.objects)
        else:
            _stream(build, stream.objects)
        build.prompt(log.prompt)
        first = chat.objects[0] if chat else {}
        return build.build(
            agent=self.name,
            version=log.version or string(first.get("version")) or string(head.get("qwen_code_version")),
            model=log.model or string(head.get("model")),
            origin="log",
            session=string(head.get("session_id")) or string(first.get("sessionId")),
        )


def _chat(build: TraceBuilder, events: Iterable[Mapping[str, Any]]) -> None:
    for event in events:
        at, message = string(event.get("timestamp")), record(event.get("message"))
        parts = message.get("parts")
        listed = list(map(record, parts if isinstance(parts, list) else ()))
        match event.get("type"):
            case "user":
                build.say("user", "\n".join(text(part) for part in listed if "text" in part), at=at)
            case "assistant":
                _reply(build, str(event.get("uuid")), event, listed, at)
            case "tool_result":
                for part in listed:
                    answer = record(part.get("functionResponse"))
                    response = record(answer.get("response"))
                    shown = text(response.get("output")) or text(response.get("error"))
                    extra = _outcome(str(answer.get("name")), shown, failed="error" in response)
                    build.result(str(answer.get("id")), shown, {**extra, **({"at": at} if at else {})})
            case _:
                pass


def _reply(
    build: TraceBuilder, identity: str, event: Mapping[str, Any], parts: list[Mapping[str, Any]], at: str | None
) -> None:
    said = "".join(text(part) for part in parts if "text" in part and not part.get("thought"))
    if said.startswith(_API_ERROR):
        build.extra["api_error"] = said[:500]
        return
    turn = build.turn(identity, at=at, model=string(event.get("model")))
    turn.texts.append(said)
    turn.thoughts += [text(part) for part in parts if part.get("thought")]
    usage = record(event.get("usageMetadata"))
    if usage:
        turn.metrics = Metrics(
            prompt_tokens=number(usage.get("promptTokenCount")),
            completion_tokens=number(usage.get("candidatesTokenCount")),
            cached_tokens=number(usage.get("cachedContentTokenCount")),
        )
    for part in parts:
        call = record(part.get("functionCall"))
        if call:
            build.call(turn, str(call.get("id")), str(call.get("name")), arguments_of(call.get("args")))


def _stream(build: TraceBuilder, events: Iterable[Mapping[str, Any]]) -> None:
    reply, fresh = 0, True
    names: dict[str, str] = {}
    for event in events:
        message = record(event.get("message"))
        content = message.get("content")
        blocks = list(map(record, content if isinstance(content, list) else [{"type": "text", "text": text(content)}]))
        if event.get("type") == "assistant":
            if text(content).startswith(_API_ERROR):
                build.extra["api_error"] = text(content)[:500]
                continue
            reply, fresh = (reply + 1, False) if fresh else (reply, False)
            turn = build.turn(f"reply-{reply}", model=string(message.get("model")))
            usage = record(message.get("usage"))
            if number(usage.get("input_tokens")):
                turn.metrics = Metrics(
                    prompt_tokens=number(usage.get("input_tokens")),
                    completion_tokens=number(usage.get("output_tokens")),
                    cached_tokens=number(usage.get("cache_read_input_tokens")),
                )
            for block in blocks:
                if block.get("type") == "text":
                    turn.texts.append(text(block))
                elif block.get("type") == "thinking":
                    turn.thoughts += filter(None, [text(block.get("thinking"))])
                elif block.get("type") == "tool_use":
                    identity = str(block.get("id"))
                    names[identity] = str(block.get("name"))
                    build.call(turn, identity, names[identity], arguments_of(block.get("input")))
        elif event.get("type") == "user":
            fresh = True
            for block in blocks:
                if block.get("type") == "tool_result":
                    identity = str(block.get("tool_use_id"))
                    shown = text(block.get("content"))
                    extra = _outcome(names.get(identity, ""), shown, failed=block.get("is_error") is True)
                    build.result(identity, shown, extra)


def _outcome(name: str, shown: str, *, failed: bool) -> Extra:
    extra: Extra = {"is_error": failed}
    if name == _SHELL:
        found = _EXIT.search(shown)
        code = int(found.group(1)) if found else None if failed else 0
        if code is not None:
            extra.update(exit_code=code, is_error=code != 0)
    return extra


CONVERTER = QwenCode()
