"""Shells and files that JavaScript, Perl, Ruby, PHP, Lua or AWK calls: matched by text, for there is no parser here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import re2

from aces_ci.core.scripts.files.touch import How, Touch

_TEXT = r"""(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`]*)`|\$?([A-Za-z_][\w.\[\]'"()]*))"""
"""A literal, or a name for one: `p`, `$p`, `process.env.HOME`, `os.homedir()`."""
_SHELLS = re2.compile(
    r"\b(?:exec|execSync|execFile|execFileSync|spawn|spawnSync|system|popen|shell_exec|passthru|proc_open|os\.execute"
    r"|io\.popen|qx|do shell script)\b\s*\(?\s*" + _TEXT + r"(?:\s*,\s*\[([^\]]*)\])?"
)
_QUOTED = re2.compile(r"(?:^|[=\s(;])(?:`([^`\n]+)`|(?:%x|qx)[{(/]([^})/\n]+)[})/])")
_DELETES = re2.compile(
    r"\b(rmSync|rmdirSync|unlinkSync|removeSync|emptyDirSync|rimraf|rimrafSync|rm_rf|rm_r|rmtree|remove_tree"
    r"|remove_entry|remove_dir|deltree|unlink|rmdir|rm|remove|delete)\b\s*\(?\s*(?:glob\s*\(?\s*)?" + _TEXT
)
_READS = re2.compile(
    r"\b(?:readFileSync|readFile|file_get_contents|readfile|File\.read|IO\.read|File\.open|read_text|slurp|open|io\.open)"
    r"\b\s*\(?\s*" + _TEXT
)
_WRITES = re2.compile(
    r"\b(?:writeFileSync|writeFile|appendFileSync|appendFile|truncateSync|file_put_contents|File\.write|IO\.write)"
    r"\b\s*\(?\s*" + _TEXT
)
_ASSIGNED = re2.compile(r"(?:\b(?:const|let|var|my|local)\s+|^\s*|;\s*)\$?(\w+)\s*=\s*(?:\"([^\"\n]*)\"|'([^'\n]*)')")
_HOMES = re2.compile(
    r"^(?:process\.env\.HOME|(?:require\(['\"](?:node:)?os['\"]\)|os)\.homedir\(\)|Dir\.home|ENV.*HOME.*)$"
)
_DEEP = frozenset({"rmSync", "removeSync", "emptyDirSync", "rimraf", "rimrafSync", "rm_rf", "rm_r", "rmtree", "rm",
                   "remove_tree", "remove_entry", "remove_dir", "deltree"})  # fmt: skip
_LISTED = re2.compile(r"\"([^\"]*)\"|'([^']*)'")
MAX_CHARACTERS = 100_000


@lru_cache(maxsize=1024)
def shell_calls(text: str) -> tuple[str, ...]:
    """Every shell text that is handed to a shell, or list of words joined to one."""
    text = text[:MAX_CHARACTERS]
    known = _constants(text)
    found = []
    for match in _SHELLS.finditer(text):
        script = _value(match, known, 1)
        listed = [one or other for one, other in _LISTED.findall(match.group(5) or "")]
        if script:
            found.append(" ".join([script, *listed]))
    for match in _QUOTED.finditer(text):
        found.append(match.group(1) or match.group(2))
    return tuple(found)


@lru_cache(maxsize=1024)
def touches(text: str) -> tuple[Touch, ...]:
    """Every file that is read, written or deleted under a name that is written out."""
    text = text[:MAX_CHARACTERS]
    known = _constants(text)
    return tuple(
        Touch(how=how, path=path, deep=deep, line=text.count("\n", 0, at) + 1)
        for how, path, deep, at in _touches(text, known)
    )


def _touches(text: str, known: Mapping[str, str]) -> Iterator[tuple[How, str, bool, int]]:
    for match in _DELETES.finditer(text):
        path = _value(match, known, 2)
        if path:
            yield How.DELETE, path, match.group(1) in _DEEP, match.start()
    for how, pattern in ((How.READ, _READS), (How.WRITE, _WRITES)):
        for match in pattern.finditer(text):
            path = _value(match, known, 1)
            if path:
                yield how, path, False, match.start()


def _constants(text: str) -> Mapping[str, str]:
    return {name: one or other for name, one, other in _ASSIGNED.findall(text)}


def _value(match: re2._Match[str], known: Mapping[str, str], first: int) -> str | None:
    for group in range(first, first + 3):
        literal: str | None = match.group(group)
        if literal is not None:
            return literal
    name: str = match.group(first + 3) or ""
    name = name if "(" in name else name.rstrip(")")
    return "~" if _HOMES.match(name) else known.get(name)
