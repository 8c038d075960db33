"""One report on both forges: the same facts, and never more than a comment holds."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from aces_ci import publication, rendering
from aces_ci.core.event import EventKind
from aces_ci.core.evidence import Evidence, RunEnded, Structure
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.settings.load import load
from aces_ci.shell.log import Log
from aces_ci.tiers.assemble import assemble
from tests.builders import a_changed_skill, a_run
from tests.contracts.forge_rigs import HEAD, NUMBER, RIGS, Rig

LIMIT = 60_000
EMOJI = "🧾 ﬁle — naïve 🏴‍☠️"


def many(skills: int, findings: int) -> list[Evidence]:
    """Evidence of a change that goes wrong everywhere, with words of one to four bytes a character."""
    event = replace(a_run().event, kind=EventKind.CHANGE_REQUEST, change_request=NUMBER, head_sha=HEAD)
    rows: list[Evidence] = [replace(a_run(), event=event)]
    for number in range(skills):
        path = f"skills/skill-{number:03d}"
        rows.append(replace(a_changed_skill(), path=path, name=path.rpartition("/")[2]))
        rows.append(Structure(skill=path, conformant=False, score=number % 101, dimensions={"correctness": 50}))
        rows += [
            Finding(
                skill=path,
                code="SP004" if line == 1 else "CO019",
                severity=Severity.ERROR if line == 1 else Severity.WARNING,
                category=Category.SPEC if line == 1 else Category.QUALITY,
                path=f"{path}/SKILL.md",
                line=line,
                title=f"thing {line} {EMOJI}"[:60],
                message=f"What is wrong at {line}, and why: {EMOJI} " * 4,
                hint=f"repair it {EMOJI}",
                new=True,
            )
            for line in range(1, findings + 1)
        ]
    return [*rows, RunEnded(seconds=1.0)]


def published(rig: Rig, evidence: Sequence[Evidence]) -> str:
    """What stands under the change request after the whole way."""
    report = assemble(evidence)
    server = {"github": "https://github.com", "gitlab": "https://gitlab.example"}[rig.name]
    report = replace(report, event=replace(report.event, forge=rig.name, server_url=server, repo="acme/agent-skills"))
    publication.post(report, rendering.pages(report, "default"), rig.forge, load(), Log(io.StringIO()))
    (body,) = rig.bodies()
    return body


def facts(body: str) -> str:
    """A comment without addresses and without the words that differ by design."""
    text = re.sub(r"\]\([^)\s]*\)", "]", body)
    return re.sub(r"pull request|merge request|\[(?:log|job)\]", "", text)


def test_the_same_report_says_the_same_on_both_forges(tmp_path: Path) -> None:
    said = {}
    for name in ("github", "gitlab"):
        (tmp_path / name).mkdir()
        with RIGS[name](tmp_path / name) as rig:
            said[name] = published(rig, many(3, 4))
    # On GitLab the code quality report has every finding, so the note leaves that fold out.
    shown = {name: facts(text).split("<details>")[0] for name, text in said.items()}
    assert shown["github"] == shown["gitlab"]
    assert "/-/blob/" in said["gitlab"]
    assert "/-/blob/" not in said["github"]
    assert re.findall(r"\d+", shown["github"]) == re.findall(r"\d+", shown["gitlab"])


@pytest.mark.parametrize("name", ["github", "gitlab"])
def test_a_hundred_and_twenty_broken_skills_fit_into_one_comment(tmp_path: Path, name: str) -> None:
    with RIGS[name](tmp_path) as rig:
        body = published(rig, many(120, 40))
    assert len(body.encode()) <= LIMIT
    assert body.startswith("<!-- aces-ci:comment v1 ")
    assert "120" in body.split("\n")[1]
    assert body.count("<details>") == body.count("</details>")
    assert whole(body)
    assert "3 of 4680" in body, "how much was left out"
    assert "the report" in body


def test_a_forge_that_finds_even_that_too_long_gets_less_and_still_the_verdict(tmp_path: Path) -> None:
    with RIGS["github"](tmp_path) as rig:
        assert rig.server is not None
        rig.server.force("POST", "s/42/", rig.too_long)
        body = published(rig, many(120, 40))
    assert "120" in body.split("\n")[1]
    assert whole(body)
    assert "<details>" not in body


def whole(body: str) -> bool:
    """No fence is left open, and every table row has as many cells as its head."""
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    fences = [token for token in tokens if token.type == "fence"]
    if any(token.content.rstrip().endswith("</sub>") for token in fences):
        return False
    head = 0
    for row in body.split("\n"):
        cells = len(re.findall(r"(?<!\\)\|", row)) if row.startswith("|") else 0
        if cells and head and cells != head:
            return False
        head = cells
    return True


def test_the_check_for_whole_markdown_can_fail() -> None:
    assert not whole("| a | b |\n|:--|:--|\n| 1 |\n")
    assert not whole("```text\nx\n<sub>end</sub>")
    assert whole("| a | b |\n|:--|:--|\n| 1 | 2 |\n")
