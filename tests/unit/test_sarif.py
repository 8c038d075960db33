"""What a viewer of SARIF would turn into a link stays text."""

from __future__ import annotations

from typing import Any

from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.formats.sarif import sarif


def test_links_in_a_message_are_escaped() -> None:
    finding = Finding(
        skill="skills/a",
        code="SP004",
        severity=Severity.ERROR,
        category=Category.SPEC,
        path="skills/a/SKILL.md",
        line=2,
        title="name differs from the directory",
        message="The skill calls itself [free money](https://evil.example).",
        hint="name: a",
    )
    document: Any = sarif([finding], [], "0.4.0")
    text = document["runs"][0]["results"][0]["message"]["text"]
    assert text.startswith("The skill calls itself \\[free money\\](https://evil.example).")
