"""Writes a Checkup in the format asked for: results on stdout or into a file, hints on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from aces_ci.cli._check import document, markdown, orders, text
from aces_ci.cli._check.examine import Examined
from aces_ci.cli.options import wants_color
from aces_ci.core.finding import Severity
from aces_ci.core.formats.code_quality import code_quality
from aces_ci.core.formats.junit import junit
from aces_ci.core.formats.sarif import sarif
from aces_ci.core.reading.checkup import Checkup
from aces_ci.core.repo_path import bytes_of, text_of
from aces_ci.core.rule import Rule
from aces_ci.shell.files import Folder
from aces_ci.shell.log import Dialect, dialect_of, inert

_TELLING = ("text", "concise")
"""Formats whose document ends with why the profile's own gate fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """How the caller wants it."""

    format: str
    output_file: Path | None
    quiet: int
    notes: bool
    color: str
    rules: Sequence[Rule]
    env: Mapping[str, str]
    cwd: Path

    def write(self, examined: Sequence[Examined], checkup: Checkup) -> None:
        """One document; with `-qq` none on stdout."""
        written = self._render(examined, checkup)
        if self.output_file is not None:
            target = self.output_file if self.output_file.is_absolute() else self.cwd / self.output_file
            Folder.at(target.parent, cwd=self.cwd).write(target.name, written)
            if not self.quiet:
                click.echo(f"written: {target}", err=True)
        elif self.quiet < 2:
            click.echo(written, nl=False, color=True)
        if self.quiet < 2 and (self.format not in _TELLING or self.output_file is not None):
            for row in text.reasons(checkup):
                click.echo(self._safe(row), err=True)
        if self.format == "text" and not self.quiet:
            self._next(checkup)

    def _render(self, examined: Sequence[Examined], checkup: Checkup) -> str:
        if self.format == "json":
            return json.dumps(document.document(checkup), ensure_ascii=True, indent=1) + "\n"
        if self.format == "sarif":
            return json.dumps(sarif(checkup.findings, self.rules, checkup.version), indent=1) + "\n"
        if self.format == "gitlab":
            return json.dumps(code_quality(checkup.findings), indent=1) + "\n"
        if self.format == "junit":
            cases = ((checked.structure.skill, checked.findings, checked.blocked) for checked in checkup.skills)
            return junit(cases, checkup.seconds)
        if self.format == "markdown":
            return _joined(markdown.markdown(checkup))
        if self.format == "github":
            return _joined(orders.orders(checkup))
        places = {finding.path: self._place(entry, finding.path) for entry in examined for finding in entry.everything}
        is_tty = self.output_file is None and sys.stdout.isatty()
        paint = text.colour if wants_color(self.color, is_tty=is_tty, env=dict(self.env)) else text.plain
        if self.format == "concise":
            rows = text.concise(checkup, notes=self.notes, shown=lambda path: places.get(path, path), paint=paint)
        else:
            rows = text.text(
                checkup,
                notes=self.notes,
                summed=not self.quiet,
                shown=lambda path: places.get(path, path),
                paint=paint,
            )
        return _joined(self._safe(row) for row in rows)

    def _place(self, entry: Examined, path: str) -> str:
        """A path that can be clicked: below the working directory, else whole; written as everywhere else."""
        whole = entry.found.top / os.fsdecode(bytes_of(path))
        return text_of(bytes(whole.relative_to(self.cwd) if whole.is_relative_to(self.cwd) else whole))

    def _safe(self, row: str) -> str:
        """In a CI log nothing of a skill may be an order; the only escape sequences are our own colours."""
        if dialect_of(self.env) is Dialect.PLAIN:
            return row
        return "\033[".join(inert(part) for part in row.split("\033["))

    def _next(self, checkup: Checkup) -> None:
        first = min(
            (finding for finding in checkup.findings if finding.severity is not Severity.INFO),
            key=lambda finding: finding.order,
            default=None,
        )
        if first is not None:
            click.echo(f"next: aces-ci explain {first.code}", err=True)


def _joined(rows: Iterable[str]) -> str:
    listed = list(rows)
    return "\n".join(listed) + "\n" if listed else ""
