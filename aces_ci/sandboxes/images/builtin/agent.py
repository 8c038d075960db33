"""The built-in agent: a loop of model call and shell command, nothing else.

    agent.py messages|chat MODEL TURNS < task

Events are JSON lines on standard output; the last one is `{"type": "result", "how": "done" | "max_turns" | "error"}`.
Runs inside the sandbox with the standard library alone, so that the image needs nothing but python3.
"""

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

OUTPUT_LIMIT = 20_000
"""Characters of one command's output that the model is shown: half from its head, half from its tail."""
COMMAND_SECONDS = 120
ANSWER_TOKENS = 8_000
TRIES = 3
DESCRIPTION = "Run a command with bash in the working directory. Returns output and exit code."
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}


def skills() -> str:
    """What is discoverable: name, description and place of each skill, as every harness lists them."""
    rows = []
    for manifest in sorted(Path.home().glob(".agents/skills/*/SKILL.md")):
        head = manifest.read_text("utf-8", "replace").split("\n---", 1)[0]
        name = re.search(r"^name:\s*(.+)$", head, re.M)
        description = re.search(r"^description:\s*(.+(?:\n[ \t]+.+)*)$", head, re.M)
        title = name[1].strip() if name else manifest.parent.name
        rows.append(f"- {title}: {' '.join(description[1].split()) if description else ''} (file: {manifest})")
    if not rows:
        return ""
    listed = "\n".join(rows)
    return f"\n\nSkills are folders of instructions. When a task fits one, read its file first.\n{listed}"


def post(path: str, body: dict[str, Any]) -> Any:
    """One request; tried again on 429 and 5xx, since the gateway has already waited before it says so."""
    token = os.environ["ACES_MODEL_TOKEN"]
    headers = {"content-type": "application/json", "x-api-key": token, "authorization": f"Bearer {token}"}
    headers["anthropic-version"] = "2023-06-01"
    request = urllib.request.Request(os.environ["ACES_MODEL_URL"] + path, json.dumps(body).encode(), headers)
    for attempt in range(TRIES):
        try:
            with urllib.request.urlopen(request, timeout=600) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            if (error.code < 500 and error.code != 429) or attempt == TRIES - 1:
                raise
            time.sleep(0.5 * 2**attempt)
    raise AssertionError("the loop returns or raises")


def shell(command: str) -> str:
    """Output and exit code of one command, cut in the middle."""
    try:
        done = subprocess.run(
            ["bash", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        text, code = done.stdout.decode("utf-8", "replace"), done.returncode
    except subprocess.TimeoutExpired as error:
        text, code = (error.stdout or b"").decode("utf-8", "replace"), 124
    except OSError as error:
        text, code = str(error), 126
    if len(text) > OUTPUT_LIMIT:
        half = OUTPUT_LIMIT // 2
        text = f"{text[:half]}\n[{len(text) - OUTPUT_LIMIT} characters left out]\n{text[-half:]}"
    return f"{text}\n[exit code {code}]"


def say(kind: str, **fields: object) -> None:
    """One event."""
    sys.stdout.write(json.dumps({"type": kind, "at": time.time(), **fields}) + "\n")
    sys.stdout.flush()


class Messages:
    """Anthropic Messages."""

    def __init__(self, model: str, system: str, task: str) -> None:
        tools = [{"name": "bash", "description": DESCRIPTION, "input_schema": SCHEMA}]
        self.body = {"model": model, "max_tokens": ANSWER_TOKENS, "system": system, "tools": tools}
        self.turns: list[dict[str, Any]] = [{"role": "user", "content": task}]

    def ask(self) -> tuple[str, list[tuple[str, object]]]:
        """Text and (call id, arguments) of the next turn."""
        reply = post("/v1/messages", {**self.body, "messages": self.turns})
        self.turns.append({"role": "assistant", "content": reply["content"]})
        text = "".join(part["text"] for part in reply["content"] if part["type"] == "text")
        return text, [(part["id"], part["input"]) for part in reply["content"] if part["type"] == "tool_use"]

    def answer(self, results: list[tuple[str, str]]) -> None:
        """Hand the results of the calls back."""
        blocks = [{"type": "tool_result", "tool_use_id": call, "content": text} for call, text in results]
        self.turns.append({"role": "user", "content": blocks})


class Chat:
    """OpenAI Chat Completions."""

    def __init__(self, model: str, system: str, task: str) -> None:
        tool = {"name": "bash", "description": DESCRIPTION, "parameters": SCHEMA}
        self.body = {"model": model, "tools": [{"type": "function", "function": tool}]}
        self.turns: list[dict[str, Any]] = [{"role": "system", "content": system}, {"role": "user", "content": task}]

    def ask(self) -> tuple[str, list[tuple[str, object]]]:
        """Text and (call id, arguments) of the next turn; arguments that are no JSON are an empty object."""
        message = post("/v1/chat/completions", {**self.body, "messages": self.turns})["choices"][0]["message"]
        kept = {key: message[key] for key in ("role", "content", "tool_calls") if message.get(key) is not None}
        self.turns.append({"content": "", **kept})
        calls = []
        for call in message.get("tool_calls") or []:
            try:
                calls.append((call["id"], json.loads(call["function"]["arguments"])))
            except ValueError:
                calls.append((call["id"], {}))
        return message.get("content") or "", calls

    def answer(self, results: list[tuple[str, str]]) -> None:
        """Hand the results of the calls back."""
        self.turns += [{"role": "tool", "tool_call_id": call, "content": text} for call, text in results]


def main() -> int:
    """Run until the model calls no tool. 0 done, 1 not."""
    api, model, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])
    system = "You are an agent at a shell. Do the task with the bash tool, then answer in plain text." + skills()
    talk: Messages | Chat = (Messages if api == "messages" else Chat)(model, system, sys.stdin.read())
    say("start", model=model)
    try:
        for _ in range(turns):
            text, calls = talk.ask()
            say("turn", text=text, calls=[{"id": call, "input": given} for call, given in calls])
            if not calls:
                say("result", how="done", text=text)
                return 0
            results = []
            for call, given in calls:
                command = given.get("command") if isinstance(given, dict) else None
                output = shell(command) if isinstance(command, str) else "the call has no `command`"
                say("output", id=call, output=output)
                results.append((call, output))
            talk.answer(results)
    except urllib.error.HTTPError as error:
        say("result", how="error", status=error.code)
        return 1
    except (OSError, KeyError, TypeError, ValueError, IndexError) as error:
        say("result", how="error", status=None, because=type(error).__name__)
        return 1
    say("result", how="max_turns")
    return 1


sys.exit(main())
