"""`aces-ci evals validate`: what was read from which file in which dialect, and what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from aces_ci.cli.options import format_option, repo_option
from aces_ci.core.amount import plural


@click.command("validate")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@repo_option
@click.option("--cases", is_flag=True, help="Add every case in its canonical form (json).")
@click.option("--attempts", type=click.IntRange(1, 50), default=8, show_default=True, help="Last look of the plan.")
@format_option("text", "json")
def COMMAND(paths: tuple[Path, ...], repo: Path, cases: bool, attempts: int, format_: str) -> int:
    """Read the suites of the skills at PATHS. Exit 1 when a file has an error."""
    from aces_ci.jobs.suites import suites_below

    rows: list[dict[str, Any]] = []
    for suite in suites_below(repo, paths, attempts=attempts):
        rows.extend(suite.rows(cases=cases))
    if format_ == "json":
        click.echo(json.dumps({"schema_version": 1, "files": rows}, allow_nan=False))
    else:
        for row in rows:
            click.echo(_text(row))
        if not rows:
            click.echo("no evaluation file found", err=True)
            click.echo("next: aces-ci evals create PATH", err=True)
    return 1 if any(row["errors"] for row in rows) else 0


def _text(row: dict[str, Any]) -> str:
    dialect = row["dialect"] or "no dialect"
    lines = [f"{row['path']}: read {plural(row['cases'], 'case')} ({row['negatives']} negative), {dialect}"]
    if row["ignored_keys"]:
        lines.append(f"  kept without use: {', '.join(row['ignored_keys'][:12])}")
    for kind in ("errors", "warnings"):
        for remark in row[kind]:
            line = f":{remark['line']}" if remark["line"] else ""
            lines.append(f"  {kind[:-1]}: {remark['path']}{line} {remark['message']}")
            lines.append(f"    fix: {remark['hint']}")
    return "\n".join(lines)
