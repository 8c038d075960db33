"""Dangerous shapes of JavaScript, matched by text: there is no parser of it here, so only plain forms are seen."""

from __future__ import annotations

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


@lru_cache(maxsize=256)
def scan(text: str) -> tuple[Hazard, ...]:
    """Hazards of one JavaScript or TypeScript text."""
    found = []
    for kind, shape, severity, message, pattern in _SHAPES:
        for match in pattern.finditer(text):
            start = match.start()
            line = text.count("\n", 0, start) + 1
            column = start - text.rfind("\n", 0, start)
            found.append(
                Hazard(
                    kind=kind,
                    shape=shape,
                    severity=severity,
                    message=message,
                    command=0,
                    line=line,
                    column=column,
                    end_line=line + match.group(0).count("\n"),
                    end_column=column + 1,
                    source=match.group(0)[:400],
                    confidence=Confidence.MEDIUM,
                )
            )
    return tuple(sorted(found, key=lambda hazard: (hazard.line, hazard.column)))
