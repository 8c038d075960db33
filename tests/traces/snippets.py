"""Short traces in the tools and results of each harness, from rows that say only what an agent did.

The shapes of calls and results are those of the recorded runs beside the checkout (`shared/transcripts`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from aces_ci.core.grading.cast import Cast
from aces_ci.core.suites.case import Behavior, Case, Check, CheckKind, Role
from aces_ci.core.trace.trajectory import (
    Agent,
    Observation,
    ObservationResult,
    Step,
    ToolCall,
    Trajectory,
)
from aces_ci.core.trial import Arm, Ending, Trial

HARNESSES = ("claude-code", "codex", "codex-exec", "opencode", "gemini-cli", "qwen-code", "terminus-2", "cursor")
_HOMES = {
    "claude-code": ".claude/skills",
    "codex": ".agents/skills",
    "codex-exec": "r0",
    "opencode": ".opencode/skills",
    "gemini-cli": ".gemini/skills",
    "qwen-code": ".qwen/skills",
    "terminus-2": "/runtime/skills",
    "cursor": ".cursor/skills",
}
_SHELL = {
    "claude-code": ("Bash", "command"),
    "codex": ("exec_command", "cmd"),
    "opencode": ("bash", "command"),
    "gemini-cli": ("run_shell_command", "command"),
    "qwen-code": ("run_shell_command", "command"),
    "terminus-2": ("bash_command", "keystrokes"),
    "cursor": ("shellToolCall", "command"),
}
_FILES = {
    "claude-code": ("Read", "Write", "file_path"),
    "opencode": ("read", "write", "filePath"),
    "gemini-cli": ("read_file", "write_file", "file_path"),
    "qwen-code": ("read_file", "write_file", "file_path"),
    "cursor": ("readToolCall", "writeToolCall", "path"),
}
_SKILL = {
    "claude-code": ("Skill", "skill"),
    "opencode": ("skill", "name"),
    "gemini-cli": ("activate_skill", "name"),
    "qwen-code": ("skill", "skill"),
}


def body(name: str) -> str:
    """A SKILL.md of that name."""
    return f"---\nname: {name}\ndescription: Does {name} things. Use when asked.\n---\n\n# {name}\n\nRun the script.\n"


def shell(harness: str, script: str, code: int | None, out: str) -> tuple[str, dict[str, Any], str, dict[str, Any]]:
    """Tool, arguments, result text and result extra of one shell command."""
    if harness == "codex-exec":
        source = f"const r = await tools.exec_command({{cmd: {json.dumps(script)}}});\ntext(r.output);"
        status = "" if code is None else f"Process exited with code {code}\n"
        return "exec", {"input": source}, f"Wall time: 0.1 seconds\n{status}Output:\n{out}", {}
    tool, key = _SHELL[harness]
    arguments: dict[str, Any] = {key: script + ("\n" if harness == "terminus-2" else "")}
    extra: dict[str, Any] = {}
    text = out
    if harness == "claude-code" and code:
        text, extra = f"Exit code {code}\n{out}", {"is_error": True}
    elif harness == "claude-code" and code == 0:
        extra = {"is_error": False, "exit_code": 0}
    elif harness == "codex":
        status = "" if code is None else f"Process exited with code {code}\n"
        text = f"Chunk ID: 0ea594\nWall time: 0.0000 seconds\n{status}Original token count: 7\nOutput:\n{out}"
    elif harness in {"opencode", "cursor", "terminus-2"} and code is not None:
        extra = {"exit_code": code, "is_error": code != 0}
    elif harness == "gemini-cli":
        status = f"Exit Code: {code}\n" if code else ""
        text = f"<untrusted_context>\nOutput: {out}\n{status}Process Group PGID: 9987\n</untrusted_context>"
        extra = {} if code is None else {"exit_code": code, "is_error": code != 0}
    elif harness == "qwen-code" and code is not None:
        text = f"Command: {script}\nDirectory: (root)\nOutput: {out}\nError: (none)\nExit Code: {code}\nSignal: (none)"
    return tool, arguments, text, extra


def calls(harness: str, row: Mapping[str, Any]) -> tuple[str, dict[str, Any], str | None, dict[str, Any]]:
    """Tool, arguments, result and extra of one row. `cut: true` leaves the result out."""
    tool, arguments, text, extra = _call(harness, row)
    return tool, arguments, None if row.get("cut") else text, extra


def _call(harness: str, row: Mapping[str, Any]) -> tuple[str, dict[str, Any], str, dict[str, Any]]:
    code, out = row.get("code", 0), str(row.get("out", ""))
    failed = bool(row.get("fails"))
    if "sh" in row:
        return shell(harness, row["sh"], code, out)
    if "skill" in row:
        return _load(harness, str(row["skill"]), failed)
    if "read" in row:
        path = row["read"]
        error = f"File does not exist: {path}"
        if harness not in _FILES:
            return shell(
                harness, f"cat {path}", 1 if failed else 0, f"cat: {path}: No such file or directory" if failed else out
            )
        return _FILES[harness][0], {_FILES[harness][2]: path}, error if failed else out, {"is_error": failed}
    if "write" in row:
        path, content = row["write"], str(row.get("content", "x"))
        if harness not in _FILES:
            return shell(harness, f"cat > {path} <<'EOF'\n{content}\nEOF", 0, "")
        return _FILES[harness][1], {_FILES[harness][2]: path, "content": content}, "written", {"is_error": False}
    if "tool" in row:
        return row["tool"], dict(row.get("args", {})), out, {"is_error": True} if failed else {}
    raise ValueError(f"a row without a deed: {row}")


def _load(harness: str, name: str, failed: bool) -> tuple[str, dict[str, Any], str, dict[str, Any]]:
    if harness in _SKILL:
        tool, key = _SKILL[harness]
        text = f"Unknown skill: {name}" if failed else f"Launching skill: {name}\nBase directory\n{body(name)}"
        return tool, {key: name}, text, {"is_error": failed}
    path = f"{_HOMES[harness]}/{name}/SKILL.md"
    gone = f"cat: {path}: No such file or directory"
    if harness == "cursor":
        return "readToolCall", {"path": path}, gone if failed else body(name), {"is_error": failed}
    return shell(harness, f"cat {path}", 1 if failed else 0, gone if failed else body(name))


def trajectory(harness: str, rows: Sequence[Mapping[str, Any]], prompt: str = "Do it.") -> Trajectory:
    """A step for the prompt, then one a row; a row with `say` alone is a message, `and` adds calls to its step."""
    steps = [Step(step_id=1, source="user", message=prompt)]
    for row in rows:
        number = len(steps) + 1
        deeds = [each for each in (row, *row.get("and", ())) if set(each) - {"say", "think", "and"}]
        made = [(f"call_{number}_{index}", *calls(harness, deed)) for index, deed in enumerate(deeds)]
        results = tuple(
            ObservationResult(
                source_call_id=None if harness == "terminus-2" else identity, content=text, extra=extra or None
            )
            for identity, _, _, text, extra in made
            if text is not None
        )
        steps.append(
            Step(
                step_id=number,
                source="agent",
                message=str(row.get("say", "")),
                reasoning_content=row.get("think"),
                tool_calls=tuple(
                    ToolCall(tool_call_id=identity, function_name=tool, arguments=arguments)
                    for identity, tool, arguments, _, _ in made
                )
                or None,
                observation=Observation(results=results) if results else None,
            )
        )
    return Trajectory(agent=Agent(name=harness, version="1"), steps=tuple(steps))


def case(**fields: Any) -> Case:
    """A case; checks and behaviours may be plain objects."""
    given = dict(fields)
    checks = tuple(
        Check(
            id=each.get("id", f"c{index}"),
            kind=CheckKind(each["kind"]),
            role=Role(each.get("role", "outcome")),
            args=each.get("args", {}),
            weight=each.get("weight", 1.0),
        )
        for index, each in enumerate(given.pop("checks", ()))
    )
    behaviors = tuple(
        Behavior(
            id=each.get("id", f"b{index}"),
            text=each["text"],
            role=Role(each.get("role", "must")),
            weight=each.get("weight", 1.0),
        )
        for index, each in enumerate(given.pop("behaviors", ()))
    )
    for key in ("acceptable_skills",):
        if key in given:
            given[key] = tuple(given[key])
    return Case(**{"id": "a-case", "prompt": "Do it.", **given}, checks=checks, behaviors=behaviors)


def cast(**fields: Any) -> Cast:
    """A cast whose target is `pdf` unless the row says otherwise."""
    return Cast(**{"target": ("pdf",), **{key: tuple(v) if isinstance(v, list) else v for key, v in fields.items()}})


def trial(arm: str = "with_skill", **changes: Any) -> Trial:
    """A finished trial."""
    fields: dict[str, Any] = {
        "digest": "a" * 64, "skill": "skills/pdf", "case": "a-case", "arm": Arm(arm), "harness": "claude-code",
        "model": "m", "attempt": 1, "ending": Ending.FINISHED, **changes,
    }  # fmt: skip
    return Trial(**fields)
