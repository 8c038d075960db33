"""A skill on which our own reading failed: blocked and said, so that nobody passes by breaking the reader."""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.evidence import Structure
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.repo_path import join

CODE = "SP001"


def unreadable(root: str, manifest: str, because: str) -> Iterator[Structure | Finding]:
    """Evidence that tier 1 could not look: no score, and an error against the specification.

    `because` is one clause without text of the skill.
    """
    yield Structure(skill=root, conformant=False, score=None, name=root.rsplit("/", 1)[-1])
    yield Finding(
        skill=root,
        code=CODE,
        severity=Severity.ERROR,
        category=Category.SPEC,
        path=join(root, manifest),
        line=1,
        whole_file=True,
        title="skill could not be read to its end",
        message=f"Reading this skill ended in a fault of aces-ci ({because}), so nothing can be said of it.",
        hint="take out what is unusual in its files, and report the fault with them",
        new=None,
    )
