"""`check --lint`: the scripts of a skill under ruff and shellcheck; advice, and said where it could not be had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import click

from aces_ci.core.finding import Finding
from aces_ci.core.reading.fingerprint import Anchors
from aces_ci.core.skill import Skill
from aces_ci.ports.runner import Completed
from aces_ci.shell import process
from aces_ci.tiers.lint import check, scripts


def linted(skill: Skill, disabled: frozenset[str]) -> tuple[Finding, ...]:
    """Findings of category lint, each with an identity that survives line moves."""
    findings, skipped = check(scripts(skill), _run)
    for entry in skipped:
        click.echo(f"note: {skill.label}: not linted: {entry.because}", err=True)
    anchors = Anchors(skill)
    prefix = "" if skill.root == "." else f"{skill.root}/"
    return tuple(
        replace(
            finding,
            fingerprint=anchors.fingerprint(
                finding.code, finding.path.removeprefix(prefix), finding.line, whole_file=finding.whole_file
            ),
        )
        for finding in findings
        if finding.code not in disabled
    )


def _run(argv: Sequence[str], stdin: bytes) -> Completed:
    return process.run(argv, stdin=stdin)
