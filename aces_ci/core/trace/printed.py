"""What a call really printed: its result without the lines that the agent's program put around it."""

from __future__ import annotations

import re2

_HEADED = re2.compile(r"(?s)^(?:Chunk ID|Wall time|Exit code|Process exited|Script ).*?\nOutput:\n(.*)$")
_FENCED = re2.compile(
    r"(?s)^<untrusted_context>\nOutput: (.*?)(?:\nExit Code: -?\d+)?(?:\nProcess Group PGID: \S*)?"
    r"\n</untrusted_context>"
)
_LISTED = re2.compile(
    r"(?s)^Command: .*?\nDirectory: [^\n]*\n(?:Output|Stdout): (.*?)\n(?:Error|Stderr): (.*?)(?:\nExit Code:|$)"
)
_CODE = re2.compile(r"^(?:Error: )?Exit code:? -?\d{1,3}\n?")
HEAD = 400
"""Characters in which the lines that stand before an output end."""
_NOTHING = frozenset(
    {"(empty)", "(none)", "(no output)", "<no output>", "no output", "(bash completed with no output)"}
    | {"tool ran without output or errors", "command completed with no output."}
)


def body(output: str | None) -> str:
    """The text that the call printed; empty where there is no result, or the result says that there was nothing."""
    text = output or ""
    if text.startswith("Command: ") and (listed := _LISTED.search(text)):
        text = "\n".join(part for part in listed.groups() if not _nothing(part))
    elif text.startswith("<untrusted_context>") and (fenced := _FENCED.search(text)):
        text = fenced.group(1)
    elif "\nOutput:\n" in text[:HEAD] and (headed := _HEADED.search(text)):
        text = headed.group(1)
    if text[:12].casefold().startswith(("exit code", "error: exit")):
        text = _CODE.sub("", text, count=1)
    return "" if _nothing(text) else text


def _nothing(text: str) -> bool:
    return not text or text.isspace() or (len(text) < HEAD and text.strip().casefold() in _NOTHING)
