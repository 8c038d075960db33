"""`aces-ci plan`: what a run would do, before it does."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from aces_ci.cli.options import config_options, repo_option


@click.command("plan")
@repo_option
@click.option("--base", metavar="REF", help="Compare with this instead of what the event names.")
@click.option("--head", metavar="REF", help="Evaluate this commit instead of what the event names.")
@click.option(
    "--matrix",
    type=click.IntRange(1, 256),
    default=8,
    show_default=True,
    metavar="N",
    help="Print a matrix of at most N shards, none of them empty.",
)
@config_options
def COMMAND(
    repo: Path,
    base: str | None,
    head: str | None,
    matrix: int,
    config: Path | None,
    overrides: tuple[str, ...],
    provider_url: str | None,
) -> int:
    """Print the shards of a run as JSON; on GitHub also as the step's outputs `matrix` and `count`."""
    from aces_ci.jobs.run import Options, plan

    options = Options(repo=repo, base=base, head=head, config=config, overrides=overrides, provider_url=provider_url)
    return plan(matrix, options, env=dict(os.environ), stdout=sys.stdout, stderr=sys.stderr)
