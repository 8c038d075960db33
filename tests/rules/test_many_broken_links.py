"""A score that has been lowered often can still be lowered."""

from __future__ import annotations

import pytest

from aces_ci.changes.parse import parse_skill
from aces_ci.core.reading.sample import manifest
from aces_ci.core.skill import FileKind, SkillFile
from aces_ci.rules.co044_broken_link import RULE
from aces_ci.rules.co046_broken_anchor import RULE as ANCHOR


def points(broken: int) -> float:
    data = manifest("# Sample\n" + "".join(f"\nSee [rates](references/{n}.md).\n" for n in range(broken))).encode()
    file = SkillFile(path="SKILL.md", kind=FileKind.REGULAR, size=len(data), data=data)
    skill = parse_skill(root="skills/sample", files={"SKILL.md": file})
    return sum(problem.deduction or 0.0 for problem in RULE.check(skill))


@pytest.mark.parametrize("broken", [1, 2, 10, 30])
def test_one_more_broken_link_costs_something_however_many_there_are(broken: int) -> None:
    assert points(broken + 1) - points(broken) > 0.5
    assert points(4 * broken) == pytest.approx(2 * points(broken))


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("rates.md", "correct the path: references/rates.md is there"),
        ("references\\rates.md", "correct the path: references/rates.md is there"),
        ("references/ratse.md", "correct the path: references/rates.md is there"),
        ("references/zones.md", "correct the path, or add references/zones.md"),
        ("../other/rates.md", "correct the path, or add ../other/rates.md"),
        ("docs/index.md", "correct the path, or add docs/index.md"),
    ],
)
def test_the_file_that_was_probably_meant_is_named(target: str, hint: str) -> None:
    texts = {"SKILL.md": manifest(f"# Sample\n\nSee [it]({target}).\n"), "references/rates.md": "# Rates\n"}
    texts["references/index.md"] = "See [rates](rates.md).\n"
    files = {
        path: SkillFile(path=path, kind=FileKind.REGULAR, size=len(text), data=text.encode())
        for path, text in texts.items()
    }
    (problem,) = RULE.check(parse_skill(root="skills/sample", files=files))
    assert problem.hint == hint


@pytest.mark.parametrize(
    ("anchor", "hint"),
    [("#set-up", "write #setup"), ("#zones", "add a heading that makes #zones, or take the link out")],
)
def test_the_heading_that_was_probably_meant_is_named(anchor: str, hint: str) -> None:
    data = manifest(f"# Sample\n\nSee [it]({anchor}).\n\n## Setup\n\nText.\n").encode()
    file = SkillFile(path="SKILL.md", kind=FileKind.REGULAR, size=len(data), data=data)
    (problem,) = ANCHOR.check(parse_skill(root="skills/sample", files={"SKILL.md": file}))
    assert problem.hint == hint
