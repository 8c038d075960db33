"""The frontmatter pre-approves every command.

`allowed-tools` lets the agent act without asking. `*`, `Bash` or `Bash(*)` approves any command whatever, also one
that a page or file talks the agent into; so do programs that run other programs (`Bash(python:*)`).
"""

from __future__ import annotations

from collections.abc import Iterator

import re2

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.skill import Skill

_ITEM = re2.compile(r"[\w.*:-]+(?:\([^()]*\))?")
_ANY = re2.compile(r"(?i)^(\*|all|bash|shell|terminal|execute|run_command|bash\(\s*(\*|:\*|\*:\*)?\s*\))$")
_RUNS = re2.compile(
    r"(?i)^bash\(\s*(sudo|sh|bash|zsh|eval|python3?|node|perl|ruby|ssh|env|xargs|curl|wget|rm)\b[ :]*\*?\s*\)$"
)


def check(skill: Skill) -> Iterator[Problem]:
    for key in ("allowed-tools", "allowed_tools"):
        entry = (skill.frontmatter or {}).get(key)
        if entry is None:
            continue
        for item in _items(entry.value):
            if _ANY.match(item):
                severity, confidence, what = Severity.WARNING, Confidence.HIGH, "every command there is"
            elif _RUNS.match(item):
                severity, confidence, what = (
                    Severity.INFO,
                    Confidence.MEDIUM,
                    "a program that can run or fetch anything",
                )
            else:
                continue
            yield Problem(
                path=skill.manifest,
                line=entry.at_key.line,
                message=f"{key} holds {item}: it approves {what} before anyone asks.",
                severity=severity,
                confidence=confidence,
            )


def _items(value: object) -> list[str]:
    if isinstance(value, str):
        return [str(item) for item in _ITEM.findall(value)]
    return [str(item).strip() for item in value] if isinstance(value, list) else []


RULE = Rule(
    code="SE013",
    slug="broad-tool-grant",
    title="pre-approves every command",
    dimension=None,
    category=Category.SECURITY,
    severity=Severity.WARNING,
    hint="name the commands the skill needs, such as Bash(git status:*)",
    check=check,
    fires_on="getsentry/skills/skills/gh-review-requests",
    silent_on="expo/skills/plugins/expo/skills/eas-update-insights",
    examples=(
        Example(files={"SKILL.md": manifest(extra="allowed-tools: Read, Bash(*)")}, lines=(4,)),
        Example(files={"SKILL.md": manifest(extra='allowed-tools: ["*"]')}, lines=(4,)),
        Example(files={"SKILL.md": manifest(extra="allowed-tools: Read, Grep, Bash(git status:*)")}),
    ),
)
