"""The description says what the skill does, not when to use it.

Agents choose by the description alone. Words such as "use when" with what a user would say are what connects a
request to the skill. Any of the usual forms counts, also in other languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_TRIGGER = re.compile(
    r"(?i)\b(use (?:(?:this|only|the|skill) ){0,3}(?:this|it|when|for|if|to|before|after|during|whenever|in)|"
    r"used (?:when|for|to)|using this|when(?:ever)?|if (?:the|a) user|"
    r"trigger(?:s|ed)?(?:\s*[:(\u2013\u2014-]|\s+(?:on|when|for|if|by|with|words?|phrases?|this|it)\b)|"
    r"(?:invoke[ds]?|activate[ds]?) (?:this|it|when|for|if|on|in|by|to)|applies (?:to|when)|for (?:tasks|questions)|"
    r"(?:for|any|all|users?) (?:\S+ ){0,6}requests?|requests? (?:for|to|about)|asks? (?:for|to|about)|mentions?|"
    r"should be used|helpful for|useful (?:for|when))(?!\w)|"
    r"когда|用于|使用|時|当|する際|lorsqu|quand|wenn|cuando|quando"
)
_NEVER = re.compile(r"(?i)\b(?:do not|don't|never|not) (?:use|trigger|invoke|activate)\b[^.;]*")
"""A line drawn; it says when not."""


def check(skill: Skill) -> Iterator[Problem]:
    text = _NEVER.sub(" ", skill.description or "")
    entry = (skill.frontmatter or {}).get("description")
    if entry is not None and text and not _TRIGGER.search(text):
        yield Problem(
            message="Agents choose by description alone; this one says what the skill does, not when.",
            title="description says what, not when",
            line=entry.at_key.line,
        )


RULE = Rule(
    code="DI012",
    slug="description-has-no-trigger",
    title="description has no trigger",
    dimension=Dimension.DISCOVERABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint='add "Use when ..." with the words a user would type',
    check=check,
    weight=16,
    requires=("SP001", "SP002", "SP008"),
    fires_on="openai/skills/skills/.curated/gh-address-comments",
    silent_on="anthropics/skills/skills/algorithmic-art",
    examples=(
        Example(files={"SKILL.md": manifest(description="Converts ledger exports to CSV.")}, lines=(3,)),
        Example(
            files={
                "SKILL.md": manifest(description="Converts ledgers; CSV is available on request. Invokes ledger-tools.")
            },
            lines=(3,),
        ),
        Example(files={"SKILL.md": manifest(description="Converts ledgers. Never use in the vault.")}, lines=(3,)),
        Example(
            files={"SKILL.md": manifest(description="Converts ledgers and reads their event triggers.")}, lines=(3,)
        ),
        Example(files={"SKILL.md": manifest(description="Converts ledgers. Triggers - ledger to CSV, ledger export.")}),
        Example(files={"SKILL.md": manifest()}),
        Example(files={"SKILL.md": manifest(description="把账本转换为 CSV，用户要求导出账本时使用。")}),
    ),
)
