"""A score that has been lowered often can still be lowered."""

from __future__ import annotations

import pytest

from aces_ci.changes.parse import parse_skill
from aces_ci.core.reading.sample import manifest
from aces_ci.core.skill import FileKind, SkillFile
from aces_ci.rules.co044_broken_link import RULE


def points(broken: int) -> float:
    data = manifest("# Sample\n" + "".join(f"\nSee [rates](references/{n}.md).\n" for n in range(broken))).encode()
    file = SkillFile(path="SKILL.md", kind=FileKind.REGULAR, size=len(data), data=data)
    skill = parse_skill(root="skills/sample", files={"SKILL.md": file})
    return sum(problem.deduction or 0.0 for problem in RULE.check(skill))


@pytest.mark.parametrize("broken", [1, 2, 10, 30])
def test_one_more_broken_link_costs_something_however_many_there_are(broken: int) -> None:
    assert points(broken + 1) - points(broken) > 0.5
    assert points(4 * broken) == pytest.approx(2 * points(broken))
