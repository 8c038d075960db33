"""`aces-ci plan`: what a run would do, before it does."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from aces_ci.cli.options import format_option, repo_option, server_and_config_options


@click.command("plan")
@repo_option
@click.option("--base", metavar="REF", help="Compare with this instead of what the event names.")
@click.option("--head", metavar="REF", help="Evaluate this commit instead of what the event names.")
@click.option(
    "--matrix",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Print a matrix of at most N shards, none of them empty, instead of the plan.",
)
@server_and_config_options
@format_option("text", "json")
def COMMAND(
    repo: Path,
    base: str | None,
    head: str | None,
    matrix: int | None,
    config: Path | None,
    overrides: tuple[str, ...],
    provider_url: str | None,
    format_: str,
) -> int:
    """Say what a run would do: skills, tiers, trials, tokens, dollars, whether a verdict can be reached.

    With --matrix the shards of a run as JSON; on GitHub also as the step's outputs `matrix` and `count`.
    """
    from aces_ci.jobs.run import Options, plan, plan_matrix

    options = Options(
        repo=repo,
        base=base,
        head=head,
        config=config,
        overrides=overrides,
        provider_url=provider_url,
        format=format_,
    )
    env = dict(os.environ)
    if matrix is not None:
        return plan_matrix(matrix, options, env=env, stdout=sys.stdout, stderr=sys.stderr)
    return plan(options, env=env, stdout=sys.stdout, stderr=sys.stderr)
