"""The body does not say what has to be there before it starts.

Tools, packages, accounts and keys that are missing stop an agent in the middle of the work. Counted are the places that
name one: sentences with "requires", "needs" or "install", lines below a heading with such a word, and `compatibility`
in the frontmatter. One such place keeps a quarter of the points, a dozen keep all. A body without a block of commands
has less to lose here, 4.5 points in place of 6.5.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.grade import graded, shortfall
from aces_ci.core.reading.lexis import vocabulary
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_NEEDS = vocabulary(
    """prerequisite prerequisites require requires required requirement requirements install installed
    installation depends dependency dependencies credential credentials authenticate authenticated
    authentication setup available token key need needs needed package packages"""
) | {
    "set up",
    "must have",
    "must exist",
    "must be",
    "api key",
    "environment variable",
    "environment variables",
    "make sure",
}
_SHELL = frozenset({"sh", "bash", "shell", "zsh", "console", "python", "py", "js", "ts"})


def check(skill: Skill) -> Iterator[Problem]:
    parts = outline(skill.body)
    runs = any(code.language in _SHELL for code in parts.codes)
    found = parts.speaking_of(_NEEDS)
    found += skill.string("compatibility") is not None
    said = "says little of what" if found else "never says what"
    yield from graded(
        shortfall(found, 12),
        6.5 if runs else 4.5,
        message=f"The body {'runs commands, and ' if runs else ''}{said} "
        f"{'has to be installed or set up first' if runs else 'has to be there before the work begins'}.",
        title="little on what is needed first" if found else None,
        line=skill.opening,
    )


RULE = Rule(
    code="RE001",
    slug="needs-are-not-named",
    title="what is needed first is not named",
    dimension=Dimension.RELIABILITY,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="name the tools, versions, keys and files that must be there, and how to check for them",
    check=check,
    explained_by=("CO019",),
    requires=("SP001", "SP002"),
    fires_on="getsentry/skills/skills/create-branch",
    silent_on="anthropics/skills/skills/algorithmic-art",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\n```sh\nledger export\n```\n")}, lines=(5,)),
        Example(
            files={
                "SKILL.md": manifest(
                    "# Sample\n\nRequires ledger 3.\n\nInstall it from the shop.\n\nAn API key must be set up.\n\n"
                    "Credentials are in the vault.\n\n```sh\nledger export\n```\n"
                )
            }
        ),
    ),
)
