"""`aces-ci demo`: the main job on a small repository history, without key and without network."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from aces_ci.cli.options import output_option


@click.command("demo")
@output_option
def COMMAND(output: Path) -> int:
    """Show what a pull request would hear: a real history, a real comment, no key."""
    from aces_ci.jobs.run import Options, run
    from aces_ci.shell.demo import demo_repository

    with demo_repository() as repository:
        click.echo("A catalogue of skills; a branch adds one skill and edits another; main has moved on.\n", err=True)
        options = Options(repo=repository, base="main", head="work", output=output, format="markdown", post=False)
        # Only what a terminal has: a CI's variables would make this its own pull request.
        run(options, env={}, stdout=sys.stdout, stderr=sys.stderr)
    click.echo(f"\nreports: {output}/ (comment.md, report.html, report.json, and the rest)", err=True)
    click.echo("next: aces-ci check     in a repository of yours", err=True)
    return 0
