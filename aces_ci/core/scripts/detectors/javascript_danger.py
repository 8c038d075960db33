"""Dangerous shapes of JavaScript, matched by text: there is no parser of it here, so only plain forms are seen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import re2

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts.hazards import hosts, sureness
from aces_ci.core.scripts.hazards.hazard import Hazard, Kind
from aces_ci.core.scripts.programs.javascript_text import read

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
_PART = re2.compile(
    r"JSON\.parse|\.split\(|\.match\(|\.length\b|existsSync|\.(?:address|publicKey|pubkey|fingerprint)\b"
)
"""What picks a value out of a text, only asks about it, or takes of a key what is made to be shown."""
_LOCAL = re2.compile(r"https?://(?:localhost|127\.0\.0\.1)")
_STRONG = re2.compile(
    r"\.ssh|id_rsa|id_ed25519|\.aws|\.netrc|\.git-credentials|\.config/gh|\.gnupg|_history|shadow|"
    r"Login Data|process\.env"
)
_ADDRESS = re2.compile(r"\b(\w+)\s*[:=]\s*['\"`](https?://[^'\"`\s]+)")
MAX_NAMES = 20
NEAR = 800
"""Characters before a call in which what it runs must have come in."""
BY_NAME_ALONE = "A name elsewhere in the file is all that links the two."
IN_A_TEXT = "It stands inside a text."


def _sent(text: str) -> Iterator[tuple[int, str, str]]:
    """Where a name is sent that holds a private file, that name, and why it may be daily work."""
    sources = [match for match in _HOLDS.finditer(text) if not _PART.search(match.group(0))]
    held = {match.group(1) for match in sources}
    strong = any(_STRONG.search(match.group(0)) for match in sources)
    if not held:
        return
    _hand_on(text, held)
    for match in _SENDING.finditer(text):
        for name in sorted(held):
            if re2.search(
                rf"(?:^|[^.\w]){name}\b(?:\.(?:toString|trim)\b|\s*(?:[^\s.?\[\w]|$))", match.group(1)
            ) and not _LOCAL.search(match.group(1)):
                kinds = hosts.kinds(hosts.urls(_with_addresses(text, match.group(1))))
                yield match.start(), name, sureness.leaving(".ssh" if strong else "settings", kinds)
                break


def _hand_on(text: str, held: set[str]) -> None:
    """Add the names that are given a held one as a whole, in the order of the text."""
    for match in _PASSED.finditer(text):
        whole = any(re2.search(rf"(?:^|[^.\w]){name}\b", match.group(2)) for name in held)
        if whole and not _PART.search(match.group(2)) and len(held) < MAX_NAMES:
            held.add(match.group(1))


def _with_addresses(text: str, call: str) -> str:
    """A call with the addresses that its names stand for."""
    known = {match.group(1): match.group(2) for match in _ADDRESS.finditer(text)}
    return " ".join((call, *(url for name, url in known.items() if re2.search(rf"\b{name}\b", call))))


def _run(text: str) -> Iterator[tuple[int, str, str, str]]:
    """Where a name is run that holds a download or what was decoded, with shape, message and doubt."""
    for shape, message, sources in _BRINGS:
        held = {match.group(1) for source in sources for match in source.finditer(text)}
        if not held:
            continue
        _hand_on(text, held)
        for name in sorted(held):
            match = re2.search(
                _RUNS + rf"(?:await\s+)?{name}\b(?:\.(?:text|toString|data|body)\b(?:\(\w*\))?)?\s*[,)]", text
            )
            if match:
                before = text[max(0, match.start() - NEAR) : match.end()]
                bound = any(source.search(before) for source in sources)
                sure = sureness.serving(before) if shape == "fetched-code" else sureness.payload(before, ())
                yield match.start(), shape, message, sure if bound else BY_NAME_ALONE


@lru_cache(maxsize=256)
def scan(text: str) -> tuple[Hazard, ...]:
    """Hazards of one JavaScript or TypeScript text."""
    found = [
        _hazard(text, at, text[at : at + 200], Kind.EXFILTRATION, "send-secret", Severity.CRITICAL,
                f"sends {name}, which holds private data, to another machine", doubt)
        for at, name, doubt in _sent(text)
    ]  # fmt: skip
    found += [
        _hazard(text, at, text[at : at + 80], Kind.REMOTE_CODE, shape, Severity.CRITICAL, message, doubt)
        for at, shape, message, doubt in _run(text)
    ]
    for kind, shape, severity, message, pattern in _SHAPES:
        for match in pattern.finditer(text):
            doubt = _shape_doubt(shape, text, match.start(), match.end())
            found.append(_hazard(text, match.start(), match.group(0), kind, shape, severity, message, doubt))
    return tuple(sorted(found, key=lambda hazard: (hazard.line, hazard.column)))


def _spoken(text: str, start: int) -> bool:
    """Whether the call that begins at an offset stands in a comment or a text."""
    opens = text.find("(", start)
    return read(text).comment(start) or read(text).text(opens if opens >= 0 else start)


def _shape_doubt(shape: str, text: str, start: int, end: int) -> str:
    near = text[start : end + 200]
    if shape == "decoded-code":
        return sureness.payload(near, (text[max(0, start - NEAR) : end],))
    if shape == "fetched-code":
        return sureness.serving(_with_addresses(text, near))
    if shape == "send-secret":
        kinds = hosts.kinds(hosts.urls(_with_addresses(text, near)))
        return sureness.leaving("the whole environment", kinds)
    return ""


def _hazard(
    text: str, start: int, source: str, kind: Kind, shape: str, severity: Severity, message: str, doubt: str = ""
) -> Hazard:
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
        doubt=doubt or (IN_A_TEXT if _spoken(text, start) else ""),
    )
