"""A link leads out of the repository.

Whatever lies there on the author's machine is not there on anybody else's, and a path such as `../../../etc`
is how a skill reads what it should not.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.reference import links
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    for pointer in links(skill):
        if pointer.repository.startswith("../") or pointer.repository == "..":
            yield Problem(
                path=None if pointer.path == skill.manifest else pointer.path,
                message=f"Links to `{pointer.target}`, which lies outside of the repository.",
                line=pointer.line,
            )


RULE = Rule(
    code="CO045",
    slug="link-leaves-repository",
    title="link leaves the repository",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="link to a file of the skill",
    check=check,
    fires_beyond="NVIDIA/skills/skills/doca-argus at 7149a88",
    silent_on="NVIDIA/skills/skills/doca-aes-gcm",
    weight=8,
    cap=16,
    requires=("SP001", "SP002"),
    examples=(
        Example(files={"SKILL.md": manifest("See [up](../../../../../etc/hosts).\n")}, lines=(5,)),
        Example(files={"SKILL.md": manifest("See [a](./a.md).\n"), "a.md": "x\n"}),
    ),
)
