"""`aces-ci run`: the main job, as action.yml and the component call it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from aces_ci.cli.options import output_option, repo_option, server_and_config_options, verbosity_options


@click.command("run")
@repo_option
@click.option("--base", metavar="REF", help="Compare with this instead of what the event names.")
@click.option("--head", metavar="REF", help="Evaluate this commit instead of what the event names.")
@click.option("--shard", metavar="I/N", help="Evaluate one shard and write evidence only.")
@output_option
@click.option("--format", "format_", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@server_and_config_options
@click.option("--resume", is_flag=True, help="Reuse the live runs that a start which was killed left in the output.")
@click.option("--no-post", is_flag=True, help="Write every report, post nothing.")
@verbosity_options
def COMMAND(  # noqa: PLR0913 - the loader's constant; click hands every option by name
    repo: Path,
    base: str | None,
    head: str | None,
    shard: str | None,
    output: Path,
    format_: str,
    config: Path | None,
    overrides: tuple[str, ...],
    provider_url: str | None,
    resume: bool,
    no_post: bool,
    color: str,
    quiet: int,
    verbose: int,
) -> int:
    """Find the changed skills, run the tiers, write reports, post the comment, decide the exit code."""
    from aces_ci.jobs.run import Options, run

    del color
    options = Options(
        repo=repo,
        base=base,
        head=head,
        shard=shard,
        output=output,
        config=config,
        overrides=overrides,
        provider_url=provider_url,
        post=not no_post,
        resume=resume,
        format=format_,
        quiet=quiet,
        notes=verbose > 0,
    )
    return run(options, env=dict(os.environ), stdout=sys.stdout, stderr=sys.stderr)
