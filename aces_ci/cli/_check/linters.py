"""`check --lint`: the scripts of a skill under ruff and shellcheck; advice, and said where it could not be had."""

from __future__ import annotations

from collections.abc import Sequence

import click

from aces_ci.core.finding import Finding
from aces_ci.core.skill import Skill
from aces_ci.ports.runner import Completed
from aces_ci.shell import process
from aces_ci.tiers.lint import check, scripts


def linted(skill: Skill, disabled: frozenset[str]) -> tuple[Finding, ...]:
    """Findings of category lint; what could not be linted is said on stderr."""
    findings, skipped = check(scripts(skill), _run)
    for entry in skipped:
        click.echo(f"note: {skill.label}: not linted: {entry.because}", err=True)
    return tuple(finding for finding in findings if finding.code not in disabled)


def _run(argv: Sequence[str], stdin: bytes) -> Completed:
    return process.run(argv, stdin=stdin)
