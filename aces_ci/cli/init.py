"""`aces-ci init`: settings, the CI job, a first suite."""

from __future__ import annotations

from pathlib import Path

import click

from aces_ci.cli.options import repo_option


@click.command("init")
@click.option("--forge", type=click.Choice(["auto", "github", "gitlab"]), default="auto", show_default=True)
@click.option(
    "--evals/--no-evals", default=True, show_default=True, help="Draft a suite for the first skill without one."
)
@click.option("--dry-run", is_flag=True, help="Show what would be written.")
@repo_option
def COMMAND(forge: str, evals: bool, dry_run: bool, repo: Path) -> int:
    """Set a repository up: aces.yml, a CI job, a first evals/. What is there already is left alone."""
    from aces_ci.jobs.draft import init

    return init(repo, forge=forge, evals=evals, dry_run=dry_run, out=click.echo)
