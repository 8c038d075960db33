"""What a JavaScript text has a shell run."""

from __future__ import annotations

from collections.abc import Iterator

import re2

from aces_ci.core.scripts.programs.javascript_text import read

_SPAWN = re2.compile(
    r"\b(?:exec|execSync|spawnSync|spawn)\s*\(\s*(?:`([^`]+)`|\"((?:[^\"\\\n]|\\.)+)\"|'((?:[^'\\\n]|\\.)+)')"
)
_PROCESSES = re2.compile(r"child_process|execa\b|shelljs|\bzx\b|Bun\.|Deno\.")
_OWNER = re2.compile(r"(\w+)\s*\.\s*$")
_SHELLS_OF_NODE = frozenset({"cp", "child_process", "childProcess", "child", "proc", "shell", "shelljs", "Bun", "Deno"})
_IMPORTED = re2.compile(
    r"(\w+)\s*=\s*(?:await\s+)?(?:require|import)\(\s*['\"](?:node:)?child_process|"
    r"import\s+(?:\*\s+as\s+)?(\w+)\s+from\s+['\"](?:node:)?child_process"
)
NO_CALL = "It may be no call of a shell: a text, or a method of that name."


def find(text: str) -> Iterator[tuple[int, str, str]]:
    """(offset, command, doubt) of each call: a method of that name may be anybody's, a text may only speak of it."""
    parts = read(text)
    shell = _PROCESSES.search(text) is not None
    owners = _SHELLS_OF_NODE | {name for names in _IMPORTED.findall(text) for name in names if name}
    for match in _SPAWN.finditer(text):
        if parts.comment(match.start()):
            continue
        group = next(number for number in (1, 2, 3) if match.group(number) is not None)
        owner = _OWNER.search(text[max(0, match.start() - 40) : match.start()])
        runs = shell and not parts.text(match.start()) and (owner is None or owner.group(1) in owners)
        yield match.start(group), match.group(group), "" if runs else NO_CALL
