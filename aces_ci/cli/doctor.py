"""`aces-ci doctor`: what is ready, what is not, and the command that mends it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from aces_ci.cli.options import format_option, repo_option, server_and_config_options


@click.command("doctor")
@repo_option
@server_and_config_options
@click.option("--tier", type=click.Choice(["structural", "judge", "live"]), default="structural", show_default=True)
@format_option("text", "json")
def COMMAND(
    repo: Path,
    config: Path | None,
    overrides: tuple[str, ...],
    provider_url: str | None,
    tier: str,
    format_: str,
) -> int:
    """Check the repository, the settings, the key, Docker. Fails where what --tier needs is missing."""
    from aces_ci.jobs.readiness import examine, verdict

    rows = examine(repo, config, overrides, provider_url, env=os.environ)
    if format_ == "json":
        click.echo(json.dumps({"schema_version": 1, "checks": [row.json() for row in rows]}))
    else:
        for row in rows:
            click.echo(row.text())
        click.echo(verdict(rows))
    return 1 if any(row.stops(tier) for row in rows) else 0
