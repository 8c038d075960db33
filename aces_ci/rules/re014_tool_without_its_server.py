"""A tool of an MCP server is named without the server.

Several servers may offer a `search`. Agents resolve `Server:tool` (or `mcp__server__tool`) and guess otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_SERVER = re.compile(r"(?i)\bMCP\b")
_TOOL = re.compile(r"(?i)\b(?:call|use|invoke|run) (?:the )?`([a-z][a-z0-9]*_[a-z0-9_]+)` (?:MCP )?tool\b")
_QUALIFIED = re.compile(r"mcp__\w+|`[\w-]+[:.][\w-]+`")


def check(skill: Skill) -> Iterator[Problem]:
    if not _SERVER.search(skill.body) or _QUALIFIED.search(skill.body):
        return
    for number, line in enumerate(skill.body.split("\n"), start=1):
        match = _TOOL.search(line)
        if match:
            yield Problem(message=f"The tool `{match[1]}` is named without its MCP server.", line=skill.at(number))
            return


RULE = Rule(
    code="RE014",
    slug="tool-without-its-server",
    title="MCP tool is named without its server",
    dimension=Dimension.RELIABILITY,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="write `server:tool`",
    check=check,
    weight=4,
    requires=("SP001", "SP002"),
    fires_on="K-Dense-AI/claude-scientific-skills/scientific-skills/bgpt-paper-search",
    silent_on="getsentry/skills/skills/skill-scanner",
    examples=(
        Example(files={"SKILL.md": manifest("With the ledger MCP server, call the `list_books` tool.\n")}, lines=(5,)),
        Example(files={"SKILL.md": manifest("With the ledger MCP server, call the `ledger:list_books` tool.\n")}),
    ),
)
