"""`check --lint`: the scripts of a skill under ruff and shellcheck; advice, and said where it could not be had."""

from __future__ import annotations

from collections.abc import Sequence

import click

from aces_ci.core.skill import Skill
from aces_ci.ports.runner import Completed
from aces_ci.shell import process
from aces_ci.tiers.lint import Linted, check, scripts, without


def linted(skill: Skill, disabled: frozenset[str]) -> Linted:
    """What linting gave, without the codes that are disabled; what could not be linted is said on stderr."""
    found = check(scripts(skill), _run)
    for entry in found.skipped:
        click.echo(f"note: {skill.label}: {entry.because}", err=True)
    return without(found, disabled)


def _run(argv: Sequence[str], stdin: bytes) -> Completed:
    return process.run(argv, stdin=stdin)
