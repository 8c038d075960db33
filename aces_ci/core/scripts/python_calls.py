"""Python code that hands a text to a shell, found in its syntax tree."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache

_SHELL = frozenset(
    {"os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "commands.getoutput"}
)
_SPAWN = frozenset(
    {
        "subprocess.run",
        "subprocess.call",
        "subprocess.check_call",
        "subprocess.check_output",
        "subprocess.Popen",
        "asyncio.create_subprocess_shell",
        "asyncio.create_subprocess_exec",
        "os.execvp",
        "pty.spawn",
    }
)


@lru_cache(maxsize=256)
def tree(text: str) -> ast.Module | None:
    """The syntax tree, or None where the text does not parse (Python 2, a fragment, a bomb)."""
    if len(text) > 400_000:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def shell_calls(text: str) -> Iterator[tuple[str | Sequence[str], int, int]]:
    """(shell text or argument list, line, column) of every call whose command is written out.

    Parts that only the run knows become `$_`, a word that the shell parser reads as dynamic.
    """
    if not any(word in text for word in ("subprocess", "os.", "popen", "Popen", "check_output", "getoutput", "spawn")):
        return
    module = tree(text)
    if module is None:
        return
    for node in ast.walk(module):
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func)
        bare = name.rsplit(".", 1)[-1] if name else ""
        if not (name in _SHELL | _SPAWN or bare in {"check_output", "Popen", "getoutput"}) or not node.args:
            continue
        first = node.args[0]
        if isinstance(first, (ast.List, ast.Tuple)):
            words = [_text(element) for element in first.elts]
            if words and any(word != "$_" for word in words):
                yield words, first.lineno, first.col_offset + 1
        elif (script := _text(first)) not in {"$_", ""}:
            yield script, first.lineno, first.col_offset + 2


def dotted(node: ast.expr) -> str:
    """`a.b.c` of an attribute chain, or "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _text(node: ast.expr) -> str:
    """A string expression with what only the run knows as `$_`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "$_"
            for part in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _text(node.left) + _text(node.right)
    if isinstance(node, ast.Call) and dotted(node.func).endswith("expanduser") and node.args:
        return _text(node.args[0])
    return "$_"
