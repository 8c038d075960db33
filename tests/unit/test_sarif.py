"""What a viewer of SARIF would turn into a link stays text."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import Any

from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.formats.sarif import MAX_RESULTS, sarif


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


def test_more_than_the_forge_shows_are_cut_worst_first_and_stay_far_below_its_size() -> None:
    mild = Finding(
        skill="skills/a",
        code="RE007",
        severity=Severity.INFO,
        category=Category.QUALITY,
        path="skills/a/SKILL.md",
        line=1,
        title="no word on failure",
        message="m" * 3_000,
        hint="add one",
    )
    many = [replace(mild, line=line, fingerprint=f"{line:016x}") for line in range(1, MAX_RESULTS + 31)]
    worst = replace(mild, code="SE004", severity=Severity.CRITICAL, category=Category.SECURITY, line=9)
    document: Any = sarif([*many, worst], [], "0.4.0")
    (run,) = document["runs"]
    assert len(run["results"]) == MAX_RESULTS and run["results"][0]["ruleId"] == "SE004"
    (notice,) = run["invocations"][0]["toolExecutionNotifications"]
    assert "31 more findings" in notice["message"]["text"]
    assert len({result["partialFingerprints"]["acesCi/v1"] for result in run["results"]}) == MAX_RESULTS
    assert len(gzip.compress(json.dumps(document, indent=1).encode())) < 10_000_000
