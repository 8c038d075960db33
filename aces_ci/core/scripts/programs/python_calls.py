"""Python code that hands a text to a shell, found in its syntax tree."""

from __future__ import annotations

import ast
import shlex
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from aces_ci.core.scripts.programs.python_names import Names

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
        "os.execv",
        "os.execvp",
        "os.posix_spawn",
        "pty.spawn",
    }
)
_WORTH = ("subprocess", "os.", "popen", "Popen", "check_output", "getoutput", "spawn", "system")
"""Words without which no shell is called."""
_WORDS: Mapping[str, int] = {
    "asyncio.create_subprocess_exec": 0, "os.execl": 1, "os.execlp": 1, "os.spawnlp": 2, "os.spawnl": 2,
}  # fmt: skip
"""Function -> the argument at which the words of the command begin."""
_SECOND = frozenset({"os.execv", "os.execvp", "os.posix_spawn"})


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


@lru_cache(maxsize=256)
def names_of(text: str) -> Names | None:
    """The names of a text that parses."""
    module = tree(text)
    return Names(module) if module is not None else None


def shell_calls(text: str) -> Iterator[tuple[str | Sequence[str], int, int]]:
    """(shell text or argument list, line, column) of every call whose command is written out.

    Parts that only the run knows become `$_`, a word that the shell parser reads as dynamic.
    """
    if not any(word in text for word in _WORTH):
        return
    module, names = tree(text), names_of(text)
    if module is None or names is None:
        return
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            yield from _run_by(node, names)


def words_of(call: ast.Call, names: Names) -> Iterator[str]:
    """The scripts that one call hands to a shell, lists of words joined."""
    for words, _, _ in _run_by(call, names):
        yield words if isinstance(words, str) else shlex.join(words).replace("'$_'", "$_")


def calls_shell(name: str) -> bool:
    """Whether a function of that name runs another program."""
    return name in _RUNS or name.rsplit(".", 1)[-1] in {"check_output", "Popen", "getoutput"}


def _run_by(node: ast.Call, names: Names) -> Iterator[tuple[str | Sequence[str], int, int]]:
    name = names.called(node.func)
    first = _program(name, node)
    if first is None or not calls_shell(name):
        return
    if isinstance(first, (ast.List, ast.Tuple)):
        words = [next(iter(names.texts(element)), "$_") for element in first.elts]
        if words and any(word != "$_" for word in words):
            yield words, node.lineno, node.args[0].col_offset + 1
    else:
        for script in names.texts(first):
            if script not in {"$_", ""}:
                yield script, first.lineno, first.col_offset + 2


_RUNS = _SHELL | _SPAWN | _WORDS.keys()


def _program(name: str, node: ast.Call) -> ast.expr | None:
    """What a call runs: its first argument, its second where the first repeats it, or its arguments as a list."""
    if name in _WORDS:
        return ast.List(elts=node.args[_WORDS[name] :])
    if name in _SECOND:
        return node.args[1] if len(node.args) > 1 else None
    return node.args[0] if node.args else None


def dotted(node: ast.expr) -> str:
    """`a.b.c` of an attribute chain, or "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""
