"""A model whose every turn follows from the request alone: the same script serves all arms and all harnesses.

It looks for a skill called `tide-tally` in what it is shown. Where it is listed, it reads the skill and
runs the script that the skill names; where it is not, it looks at the file and gives up. Nothing here knows
the arm.

Run as a program it serves on a loopback port, for the gateway's container.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tests.fakes.upstream import FakeUpstream, Reply, Seen, events, whole

SKILL = "tide-tally"
USAGE = (1_000, 50, 300, 20)
_LISTED = re.compile(rf"(?:^|[\s>`*-]){SKILL}(?:</name>|:|\s*\n|`)")
_BASE = re.compile(r"Base directory for this skill:? (\S+)")
_PATH = re.compile(rf"(/[^\s<>()'\"]*{SKILL}/SKILL\.md)")
_ALIAS = re.compile(rf"\bfile: (r\d+)/{SKILL}/SKILL\.md")
_TALLY = re.compile(r"TIDE-TALLY -?\d+")
_STEP = "python3 scripts/tally.py"
_SHELLS = ("Bash", "bash", "exec_command", "shell")
_SKILL_TOOLS = ("Skill", "skill")


@dataclass(frozen=True, kw_only=True)
class View:
    """What a request shows: texts that are not the model's own, tool names, results in order."""

    shown: str
    tools: tuple[str, ...]
    results: tuple[str, ...]


def script(seen: Seen) -> Reply:
    """The reply to one request, with ids that differ from turn to turn."""
    view = _view(seen.path, seen.body)
    reply = replace(decide(view), usage=USAGE)
    turn = str(len(view.results))
    stream = bool(seen.body.get("stream"))
    data = (
        b"".join(events(seen.path, seen.body, reply))
        if stream
        else json.dumps(whole(seen.path, seen.body, reply)).encode()
    )
    for name in (b"toolu_", b"call_", b"fc_", b"msg_", b"resp_", b"rs_", b"chatcmpl-"):
        data = re.sub(b'"' + name + rb'(\d+)"', b'"' + name + turn.encode() + b'x\\1"', data)
    return Reply(raw=data, content_type="text/event-stream" if stream else "application/json")


def decide(view: View) -> Reply:
    """One turn. `text` beside a call, as real models write."""
    tally = next((found for text in view.results if (found := _TALLY.search(text))), None)
    if not view.tools:
        return Reply(text="A tide ledger")
    if tally is not None:
        return Reply(text=tally[0])
    read = next((text for text in (*view.results, view.shown) if _STEP in text), None)
    if read is not None:
        return _shell(view, f"python3 {_folder(view)}/scripts/tally.py ledger.csv", "Running the skill's script.")
    if not view.results and _LISTED.search(view.shown):
        tool = next((name for name in _SKILL_TOOLS if name in view.tools), None)
        if tool is not None:
            key = "skill" if tool == "Skill" else "name"
            return Reply(text="The tide-tally skill fits.", calls=((tool, {key: SKILL}),))
        return _shell(view, f"cat {_folder(view)}/SKILL.md", "The tide-tally skill fits.")
    if not view.results:
        return _shell(view, "cat ledger.csv", "I look at the file.")
    return Reply(text="I cannot tell the tide tally of this ledger.")


def _shell(view: View, command: str, text: str) -> Reply:
    tool = next(name for name in _SHELLS if name in view.tools)
    arguments = {"cmd": command} if tool == "exec_command" else {"command": command}
    if tool in ("Bash", "bash"):
        arguments["description"] = "one step"
    return Reply(text=text, calls=((tool, arguments),))


def _folder(view: View) -> str:
    everything = "\n".join((view.shown, *view.results))
    if found := _BASE.search(everything):
        return found[1].rstrip(".,").removeprefix("file://")
    if found := _ALIAS.search(everything):
        root = re.search(rf"`?{found[1]}`? = `?(/[^\s`]+)`?", everything)
        if root:
            return f"{root[1]}/{SKILL}"
    if found := _PATH.search(everything):
        return found[1].removesuffix("/SKILL.md")
    return f"$HOME/.claude/skills/{SKILL}"


def _view(path: str, body: Mapping[str, Any]) -> View:
    turns = body.get("input" if path.startswith("/v1/responses") else "messages") or []
    system = [body.get(name) for name in ("system", "instructions") if body.get(name)]
    shown, results = list(_texts(system)), []
    for turn in turns:
        if turn.get("role") == "assistant" or turn.get("type") in ("function_call", "reasoning"):
            continue
        if turn.get("role") == "tool" or turn.get("type") == "function_call_output":
            results.append("\n".join(_texts(turn.get("content") or turn.get("output"))))
            continue
        for part in turn["content"] if isinstance(turn.get("content"), list) else [turn.get("content")]:
            if isinstance(part, dict) and part.get("type") == "tool_result":
                results.append("\n".join(_texts(part.get("content"))))
            else:
                shown += _texts(part)
    names = [(tool.get("function") or tool).get("name") for tool in body.get("tools") or []]
    return View(shown="\n".join(shown), tools=tuple(filter(None, names)), results=tuple(results))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts(value.get("text") or value.get("content") or value.get("output"))
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


async def _serve(port: int) -> None:
    async with FakeUpstream(script).running(port):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
