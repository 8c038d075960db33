"""Dangerous shapes of JavaScript, matched by text: there is no parser of it here, so only plain forms are seen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import re2

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts.hazards.hazard import Hazard, Kind

_SHAPES = (
    (
        Kind.REMOTE_CODE, "decoded-code", Severity.CRITICAL, "runs code that it decodes at run time",
        re2.compile(r"\b(eval|new Function|Function|vm\.runIn\w+Context)\s*\(\s*(atob|Buffer\.from\s*\([^)]*base64|"
            r"decodeURIComponent\s*\(\s*escape|String\.fromCharCode)"),
    ),
    (
        Kind.REMOTE_CODE, "fetched-code", Severity.CRITICAL, "runs code that it downloads at run time",
        re2.compile(r"\b(eval|new Function)\s*\(\s*(await\s+)?\(?\s*(await\s+)?(fetch|axios|got)\b"),
    ),
    (
        Kind.EXFILTRATION, "send-secret", Severity.CRITICAL, "sends the whole environment to another machine",
        re2.compile(r"(?s)\b(fetch|axios(\.post)?|got(\.post)?|request|"
            r"https?\.request)\s*\([^;]{0,300}(JSON\.stringify\s*\(\s*process\.env\s*\)|body\s*:\s*process\.env\b|"
            r"\.\.\.process\.env\b)"),
    ),
    (
        Kind.SECRET_READ, "secret-read", Severity.WARNING, "reads credentials",
        re2.compile(r"readFile(Sync)?\s*\([^;\n]{0,120}(\.ssh/id_|\.aws/credentials|\.netrc|\.git-credentials|"
            r"\.config/gh/hosts)"),
    ),
)  # fmt: skip


_SECRET = (
    r"(?:\.ssh/|id_rsa|id_ed25519|\.aws/credentials|\.netrc|\.git-credentials|\.config/gh/hosts|\.npmrc|\.gnupg|\.kube/|"
    r"\.docker/config|_history|/etc/shadow|Login Data|['\"/]\.env['\"])"
)
_HOLDS = re2.compile(
    r"\b(?:const|let|var)\s+(\w+)\s*=\s*(?:await\s+)?(?:"
    r"[^;\n]{0,80}\breadFile(?:Sync)?\s*\([^;\n]{0,160}"
    + _SECRET
    + r"|[^;\n]{0,80}\bexec(?:Sync)?\s*\([^;\n]{0,60}(?:cat|base64)\b[^;\n]{0,80}"
    + _SECRET
    + r"|JSON\.stringify\s*\(\s*process\.env\s*\)|"
    r"Object\.(?:entries|fromEntries|values|assign)\s*\([^;\n]{0,60}process\.env\s*[,)]|\{\s*\.\.\.process\.env|process\.env\s*(?:;|\n|$))"
)
"""A name that is given a private file, or the whole environment."""
_BRINGS = (
    (
        "fetched-code", "runs code that it downloads at run time",
        (
            re2.compile(r"\b(?:const|let|var)\s+\{?\s*(\w+)\s*\}?\s*=\s*[(]?\s*await\s+[(]?\s*(?:await\s+)?(?:fetch|axios|got|needle)\b"),
            re2.compile(r"\.on\s*\(\s*['\"]data['\"]\s*,\s*(?:function\s*)?[(]?\w+[)]?\s*(?:=>)?\s*\{?\s*(\w+)\s*\+="),
            re2.compile(r"\.then\s*\(\s*[(]?\w+[)]?\s*=>\s*\w+\.text\(\)\s*\)\s*\.then\s*\(\s*[(]?(\w+)[)]?\s*=>"),
        ),
    ),
    (
        "decoded-code", "runs code that it decodes at run time",
        (
            re2.compile(r"\b(?:const|let|var)\s+(\w+)\s*=\s*(?:atob\s*\(|Buffer\.from\s*\([^;\n]{0,200}['\"](?:base64|hex)['\"]|"
                r"String\.fromCharCode\s*\()"),
        ),
    ),
)  # fmt: skip
"""How code comes in, with the name that holds it."""
_RUNS = (
    r"(?:(?:^|[^.\w])(?:eval|new\s+Function|exec|execSync|spawn|spawnSync)|vm\.runIn\w+|"
    r"(?:\bcp|\bchild_process|\bchildProcess|child_process['\"]\s*\))\.(?:exec|execSync|spawn|spawnSync))\s*\(\s*"
)
_PASSED = re2.compile(r"\b(?:const|let|var)\s+(\w+)\s*=\s*([^;\n]{1,200})")
_SENDING = re2.compile(
    r"\b(?:fetch|axios(?:\.\w+)?|got(?:\.\w+)?|request(?:\.\w+)?|needle(?:\.\w+)?|superagent\.\w+|https?\.(?:request|get)|"
    r"sendBeacon|\w*(?:sock(?:et)?|client|req|ws)\.(?:write|send|end))\s*\(([^;]{0,400})"
)
_PART = re2.compile(r"JSON\.parse|\.split\(|\.match\(|\.length\b|existsSync")
"""What picks a value out of a text, or only asks about it."""
_LOCAL = re2.compile(r"https?://(?:localhost|127\.0\.0\.1)")
MAX_NAMES = 20


def _sent(text: str) -> Iterator[tuple[int, str]]:
    """Where a name is sent that holds a private file, and that name."""
    held = {match.group(1) for match in _HOLDS.finditer(text) if not _PART.search(match.group(0))}
    if not held:
        return
    for match in _PASSED.finditer(text):
        whole = any(re2.search(rf"\b{name}\b", match.group(2)) for name in held)
        if whole and not _PART.search(match.group(2)) and len(held) < MAX_NAMES:
            held.add(match.group(1))
    for match in _SENDING.finditer(text):
        for name in sorted(held):
            if re2.search(rf"\b{name}\b", match.group(1)) and not _LOCAL.search(match.group(1)):
                yield match.start(), name
                break


def _run(text: str) -> Iterator[tuple[int, str, str]]:
    """Where a name is run that holds a download or what was decoded, with shape and message."""
    for shape, message, sources in _BRINGS:
        held = {match.group(1) for source in sources for match in source.finditer(text)}
        if not held:
            continue
        for match in _PASSED.finditer(text):
            whole = any(re2.search(rf"\b{name}\b", match.group(2)) for name in held)
            if whole and not _PART.search(match.group(2)) and len(held) < MAX_NAMES:
                held.add(match.group(1))
        for name in sorted(held):
            match = re2.search(_RUNS + rf"(?:await\s+)?{name}\b(?:\.(?:text|toString|data|body)\b)?", text)
            if match:
                yield match.start(), shape, message


@lru_cache(maxsize=256)
def scan(text: str) -> tuple[Hazard, ...]:
    """Hazards of one JavaScript or TypeScript text."""
    found = [
        _hazard(text, at, text[at : at + 200], Kind.EXFILTRATION, "send-secret", Severity.CRITICAL,
                f"sends {name}, which holds private data, to another machine")
        for at, name in _sent(text)
    ]  # fmt: skip
    found += [
        _hazard(text, at, text[at : at + 80], Kind.REMOTE_CODE, shape, Severity.CRITICAL, message)
        for at, shape, message in _run(text)
    ]
    for kind, shape, severity, message, pattern in _SHAPES:
        for match in pattern.finditer(text):
            found.append(_hazard(text, match.start(), match.group(0), kind, shape, severity, message))
    return tuple(sorted(found, key=lambda hazard: (hazard.line, hazard.column)))


def _hazard(text: str, start: int, source: str, kind: Kind, shape: str, severity: Severity, message: str) -> Hazard:
    line = text.count("\n", 0, start) + 1
    column = start - text.rfind("\n", 0, start)
    return Hazard(
        kind=kind,
        shape=shape,
        severity=severity,
        message=message,
        command=0,
        line=line,
        column=column,
        end_line=line + source.count("\n"),
        end_column=column + 1,
        source=source[:400],
        confidence=Confidence.MEDIUM,
    )
