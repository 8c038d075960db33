"""`aces-ci settings`: every option with its value and where that came from."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from aces_ci.cli.options import config_options, format_option, repo_option


@click.command("settings")
@click.argument("section", required=False)
@repo_option
@config_options
@format_option("text", "json")
def COMMAND(
    section: str | None,
    repo: Path,
    config: Path | None,
    overrides: tuple[str, ...],
    format_: str,
) -> int:
    """List every setting (or those of SECTION): value, origin, meaning. Reads the working tree's aces.yml."""
    from aces_ci.policy import from_worktree
    from aces_ci.settings.explain import rows
    from aces_ci.settings.inputs import inputs_of
    from aces_ci.settings.load import load

    loaded = load(
        policy=from_worktree(repo, config),
        policy_origin="(working tree)",
        env=os.environ,
        inputs=inputs_of(os.environ, settings_only=True),
        overrides=overrides,
    )
    found = [row for row in rows(loaded) if not section or row.key == section or row.key.startswith(f"{section}.")]
    if not found:
        known = ", ".join(dict.fromkeys(row.key.split(".")[0] for row in rows(loaded)))
        raise click.UsageError(f"no setting begins with `{section}`; sections: {known}")
    if format_ == "json":
        click.echo(json.dumps({"schema_version": 1, "settings": [row.json() for row in found]}))
        return 0
    for row in found:
        click.echo(f"{row.key} = {row.shown}")
        click.echo(f"    {row.help}")
        click.echo(f"    from: {row.origin} · environment: {row.twin}")
    return 0
