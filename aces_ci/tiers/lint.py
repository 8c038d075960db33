"""Script lint: ruff on Python, shellcheck on shell, both fed bytes and blind to the skill's own configuration.

Advisory: a finding never gates. What could not be linted is said, not passed over. Comments that silence a linter are
its configuration too; `aces-ignore` with a reason is what sets a finding aside, as everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import PurePosixPath

from aces_ci.core import docs
from aces_ci.core.evidence import Skipped, Tier
from aces_ci.core.finding import Category, Confidence, Finding, Severity
from aces_ci.core.reading.ignores import ignores
from aces_ci.core.repo_path import join
from aces_ci.core.skill import Skill, SkillFile, Snapshot, universal_newlines
from aces_ci.ports.runner import Completed, Runner
from aces_ci.tiers.lint_remark import Remark, fix, of_ruff, of_shellcheck, shortened

MAX_SCRIPT = 400_000
"""Bytes of a script that is linted."""
MAX_SCRIPTS = 200
"""Scripts linted in one run; the rest is reported as not linted."""

RUFF = (
    "ruff", "check", "--isolated", "--ignore-noqa", "--no-cache", "--quiet", "--output-format", "json",
    "--target-version", "py314",
    "--select", "E9,F,PLE,B006,B008,B015,B018,B020,B023,B904",
    "--extend-select", "S102,S110,S112,S301,S307,S323,S501,S506,S602,S604,S605,S608",
    "--ignore", "F401,F841,F541",
    "--config", 'lint.flake8-bugbear.extend-immutable-calls = ["typer.Option", "typer.Argument"]',
)  # fmt: skip
"""Faults that change what a script does; style is not an evaluator's business. `py314`: newest syntax accepted."""
SHELLCHECK = (
    "shellcheck", "--norc", "--format", "json1", "--severity", "info", "--wiki-link-count", "0",
    "--exclude", "SC1009,SC1073,SC1090,SC1091",
)  # fmt: skip
"""Without "not following" (what a script sources is not given to it here, which is no fault of the script) and without
the two that only lead up to the error itself."""
_SILENCED = re.compile(rb"(#[ \t]*)shellcheck(?=[ \t][^\n]*\bdisable=)")
"""shellcheck has no switch against its own directives; as another word they are comments."""
_PYTHON = frozenset({".py", ".pyi"})
_SHELL = {".sh": "bash", ".bash": "bash", ".ksh": "ksh", ".dash": "dash"}
_SHEBANGS = ("bash", "dash", "ksh", "sh")


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """One script. `skill` and `path` are repository-relative."""

    skill: str
    path: str
    data: bytes
    dialect: str
    """`python`, or a shell that shellcheck knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linted:
    """What linting gave: findings in order of place; for a skill with a script that could not be linted, why."""

    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    ignored: Mapping[str, str] = field(default_factory=dict)
    """As `Structure.ignored`: `CODE path:line` of what a comment in the script sets aside, to its reason."""


def scripts(skill: Skill | Snapshot, only: Collection[str] | None = None) -> tuple[Script, ...]:
    """The lintable scripts of a skill; `only` keeps those of the given skill-relative paths (changed files)."""
    found = []
    for file in skill.files.values():
        dialect = _dialect(file)
        if dialect and file.data is not None and (only is None or file.path in only):
            path = join(skill.root, file.path)
            found.append(Script(skill=skill.root, path=path, data=file.data, dialect=dialect))
    return tuple(sorted(found, key=lambda script: script.path))


def lint(files: Sequence[Script], run: Runner) -> tuple[Finding, ...]:
    """Findings of category lint, severity warning or info, in order of place."""
    return check(files, run).findings


def check(files: Sequence[Script], run: Runner) -> Linted:
    """The same with what is missing from the findings, and why."""
    findings: list[Finding] = []
    ignored: dict[str, str] = {}
    skipped: dict[str, Skipped] = {}
    for number, script in enumerate(files):
        because = None
        if number >= MAX_SCRIPTS:
            because = f"more than {MAX_SCRIPTS} scripts"
        elif len(script.data) > MAX_SCRIPT:
            because = f"{script.path} is longer than {MAX_SCRIPT} bytes"
        elif script.dialect == "python" and not _utf8(script.data):
            because = f"{script.path} is not UTF-8, and ruff reads nothing else"
        else:
            argv = (*RUFF, "--stdin-filename", "script.py", "-") if script.dialect == "python" else _shell(script)
            data = script.data if script.dialect == "python" else _SILENCED.sub(rb"\1silence", script.data)
            because = _judge(script, run(argv, data), findings, ignored)
        if because:
            # The tier's name stands before it, and the text was read all the same.
            told = f"scripts not linted: {because}"
            skipped.setdefault(
                script.skill,
                Skipped(tier=Tier.STRUCTURAL, skill=script.skill, code="lint_incomplete", because=told),
            )
    ordered = tuple(sorted(findings, key=lambda finding: finding.order))
    return Linted(findings=ordered, skipped=tuple(skipped.values()), ignored=ignored)


def _utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def without(linted: Linted, codes: Collection[str]) -> Linted:
    """The same without findings, and ignores, of codes that nobody wants."""
    return replace(
        linted,
        findings=tuple(finding for finding in linted.findings if finding.code not in codes),
        ignored={place: reason for place, reason in linted.ignored.items() if place.split()[0] not in codes},
    )


def told_apart(findings: Iterable[Finding], before: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, each new or old against those of the same scripts at the merge base."""
    known = frozenset(finding.fingerprint for finding in before)
    return tuple(replace(finding, new=finding.fingerprint not in known) for finding in findings)


def _shell(script: Script) -> tuple[str, ...]:
    return (*SHELLCHECK, "--shell", script.dialect, "-")


def _judge(script: Script, done: Completed, findings: list[Finding], ignored: dict[str, str]) -> str | None:
    """Adds the findings of one run, or says why there are none to be had."""
    tool = "ruff" if script.dialect == "python" else "shellcheck"
    if done.missing:
        return f"{tool} is not installed (pip install 'aces-ci[lint]')"
    if done.timed_out or done.truncated:
        return f"{tool} did not finish on {script.path}"
    if done.exit_code not in {0, 1}:
        return f"{tool} failed on {script.path} with exit code {done.exit_code}"
    try:
        remarks = list(of_ruff(done.stdout) if tool == "ruff" else of_shellcheck(done.stdout))
    except (ValueError, TypeError, KeyError):
        return f"{tool} gave no readable answer on {script.path}"
    findings.extend(_folded(script, tool, remarks, ignored))
    return None


def _folded(script: Script, tool: str, remarks: Iterable[Remark], ignored: dict[str, str]) -> Iterator[Finding]:
    """One finding a rule and file, at its first place: forty unquoted variables are one habit."""
    text = universal_newlines(script.data.decode("utf-8", "replace"))
    notes, lines = tuple(ignores(text)), text.split("\n")
    first: dict[str, tuple[Remark, int]] = {}
    for remark in remarks:
        code = _CODES[_kind(tool, remark)]
        note = next((note for note in notes if note.covers(code, remark.line)), None)
        if note is not None:
            ignored[f"{code} {script.path}:{remark.line}"] = note.reason
            continue
        known, count = first.get(remark.rule, (remark, 0))
        first[remark.rule] = (known, count + 1)
    for remark, count in first.values():
        kind = _kind(tool, remark)
        syntax = kind == "syntax"
        code, said = _CODES[kind], remark.message.rstrip(".")
        line = lines[remark.line - 1] if 0 < remark.line <= len(lines) else ""
        words = " ".join(line.split())
        name = script.path if script.skill == "." else script.path.removeprefix(f"{script.skill}/")
        mark = sha256("\0".join((code, remark.rule, name, words)).encode("utf-8", "surrogatepass"))
        more = f" The same in {count - 1} more places." if count > 2 else " The same once more." if count == 2 else ""
        yield Finding(
            skill=script.skill,
            code=code,
            severity=Severity.WARNING if remark.serious else Severity.INFO,
            category=Category.LINT,
            path=script.path,
            line=max(1, remark.line),
            end_line=remark.end_line,
            column=remark.column,
            end_column=remark.end_column,
            title="script does not parse" if syntax else shortened(f"{tool} {remark.rule}: {said}"),
            message=f"{tool} {remark.rule}: {said}.{more}",
            hint=fix(tool, remark, line, syntax=syntax),
            url=docs.rule(code),
            confidence=Confidence.HIGH if syntax else Confidence.MEDIUM,
            fingerprint=mark.hexdigest()[:16],
        )


def _kind(tool: str, remark: Remark) -> str:
    parses = remark.rule != "invalid-syntax" and not (tool == "shellcheck" and remark.rule in _SYNTAX)
    return tool if parses else "syntax"


_CODES = {"syntax": "LI001", "ruff": "LI002", "shellcheck": "LI003"}
CODES = frozenset(_CODES.values())
"""What a finding of lint can be called."""
_SYNTAX = frozenset({"SC1072", "SC1088", "SC1089"})
"""Where shellcheck stopped reading. Others of its thousand, such as SC1087, a shell does read, in another way."""


def _dialect(file: SkillFile) -> str | None:
    suffix = PurePosixPath(file.path).suffix.lower()
    first = (file.data or b"")[:200].split(b"\n", 1)[0]
    interpreter = ""
    if first.startswith(b"#!"):
        words = first[2:].decode("utf-8", "replace").split()
        words = [word for word in words if not word.startswith("-") and not word.endswith("/env")]
        interpreter = PurePosixPath(words[0]).name if words else ""
    if suffix in _PYTHON or interpreter.startswith("python"):
        return "python"
    if interpreter in _SHEBANGS:
        return interpreter
    if interpreter:
        return None
    return _SHELL.get(suffix)
