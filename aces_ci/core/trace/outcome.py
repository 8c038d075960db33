"""Whether a call worked, from what its result states: exit code, error mark, or an error message at its edge.

Words inside an output prove nothing: "0 errors found" is a success, and a log that is read may be full of
failures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import re2

from aces_ci.core.scripts.shell.command import Command, Within
from aces_ci.core.trace.tools import Deed

_STATED = re2.compile(
    r"(?m)^(?:Error: )?Exit code:? (-?\d{1,3})$"
    r"|^Process exited with code (-?\d{1,3})$|^Exit Code: (-?\d{1,3})$"
)
_FIRST = re2.compile(
    r"(?i)^(?:<tool_use_error>|error\b[:\s]|error executing|fatal: |unknown (?:skill|tool)\b|tool not found"
    r"|file (?:does not exist|not found)|no such file|enoent\b|permission denied|path not found|invalid tool"
    r"|failed to |could not (?:find|open|read)|skill .{1,80} not found|ripgrep execution failed|\[error\])"
)
_BEGINNINGS = (
    "<tool_use_error>", "error", "fatal: ", "unknown ", "tool not found", "file ", "no such file", "enoent",
    "permission denied", "path not found", "invalid tool", "failed to ", "could not ", "skill ", "ripgrep ", "[error]",
)  # fmt: skip
"""How a line begins that `_FIRST` can match: most lines are ruled out without it."""
_SHELL_LINE = re2.compile(
    r"^(?:/\S+/)?[\w.+-]+: (?:line \d+: |cannot |can't )?.*"
    r"(?:command not found|No such file or directory|Permission denied|Is a directory|not found"
    r"|invalid option|unrecognized option|Operation not permitted|cannot open)\b"
    r"|^Traceback \(most recent call last\):|^\w*(?:Error|Exception)(?:: |$)|^(?:fatal|error): |^usage: "
    r"|^npm (?:ERR!|error)|^E: "
)
_QUIET = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "diff", "cmp", "test", "[", "[[", "pgrep", "which", "type"})
"""Programs whose exit code 1 is an answer, not a failure."""
_HANDED = frozenset({Within.STRING, Within.REMOTE, Within.CONTAINER})
_PROBES = frozenset({"command", "hash"})
_LOOK = 4_000
"""Characters from either end of an output that are looked at."""
_EDGE = 3
"""Lines at the beginning and the end of an output that may hold the error message of a shell command."""


def exit_code(extra: Mapping[str, object] | None, output: str) -> int | None:
    """The exit code that the result carries (our own `exit_code`) or states in its first lines; else None."""
    stated = (extra or {}).get("exit_code")
    if isinstance(stated, int) and not isinstance(stated, bool):
        return stated
    head = "\n".join(output[:_LOOK].split("\nOutput:\n", 1)[0].splitlines()[:6])
    tail = "\n".join(output[-_LOOK:].splitlines()[-6:])
    for edge in (head, tail):
        found = _STATED.search(edge)
        if found:
            return int(next(group for group in found.groups() if group is not None))
    return None


def failed(
    deed: Deed, extra: Mapping[str, object] | None, output: str | None, commands: Sequence[Command]
) -> bool | None:
    """Whether the call failed. None: nothing says so, and there is no result at all.

    An exit code of 1 from a program that answers a question by it (grep, diff, test, which) is no failure.
    """
    if output is None:
        return None
    code = exit_code(extra, output)
    if deed is Deed.SHELL and code is not None:
        return code != 0 and not (code == 1 and _asks(commands))
    if _marked(extra) is not None:
        return bool(_marked(extra)) and not (deed is Deed.SHELL and _asks(commands) and not output.strip())
    first = next((line for line in output[:_LOOK].splitlines() if line.strip()), "").strip()
    if first.casefold().startswith(_BEGINNINGS) and _FIRST.search(first):
        return True
    if deed is not Deed.SHELL:
        return False
    last = [line.strip() for line in output[-_LOOK:].splitlines() if line.strip()][-_EDGE:]
    return any(_SHELL_LINE.search(line) for line in (first, *last))


def ended(extra: Mapping[str, object] | None, output: str | None) -> bool | None:
    """Whether a shell call as a whole ended with exit code 0; None where neither a code nor a mark says so."""
    code = exit_code(extra, output) if output is not None else None
    if code is not None:
        return code == 0
    marked = _marked(extra)
    return None if marked is None else not marked


def _marked(extra: Mapping[str, object] | None) -> bool | None:
    """`is_error` as we, or Harbor's converters, wrote it down."""
    for holder in (extra or {}, (extra or {}).get("tool_result_metadata")):
        value = holder.get("is_error") if isinstance(holder, Mapping) else None
        if isinstance(value, bool):
            return value
    return None


def acting(commands: Sequence[Command]) -> tuple[Command, ...]:
    """The commands that do something themselves: a shell that only runs the script it was handed does not."""
    handed = {command.parent for command in commands if command.within & _HANDED}
    return tuple(command for command in commands if command.words and command.index not in handed)


def _asks(commands: Sequence[Command]) -> bool:
    own = [command for command in acting(commands) if not command.within & {Within.SUBSTITUTION, Within.PROCESS}]
    last = own[-1] if own else None
    return last is not None and (last.name in _QUIET or last.name in _PROBES)
