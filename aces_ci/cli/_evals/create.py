"""`aces-ci evals create`: draft test cases, which you edit."""

from __future__ import annotations

import os
from pathlib import Path

import click

from aces_ci.cli.options import config_options, output_option, repo_option


@click.command("create")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--full", is_flag=True, help="Two cases of each bucket instead of one.")
@click.option("--add", type=click.IntRange(1, 100), metavar="N", help="Add N cases to the suite that is there.")
@click.option("--grounded", is_flag=True, help="Let the configured model word the cases. Costs a few cents.")
@click.option("--dry-run", is_flag=True, help="Show what would be written.")
@click.option("--force", is_flag=True, help="Replace a suite; the old file is kept beside it.")
@repo_option
@output_option
@config_options
def COMMAND(  # noqa: PLR0913 - one parameter an option
    path: Path,
    full: bool,
    add: int | None,
    grounded: bool,
    dry_run: bool,
    force: bool,
    repo: Path,
    output: Path,
    config: Path | None,
    overrides: tuple[str, ...],
) -> int:
    """Draft cases for the skill at PATH: explicit, implicit, contextual and negative.

    Without a model they are templates from the skill's name, description and scripts. What evals/EVAL.md asks for
    outranks both. Edit them: put in real inputs and the exact results that you expect.
    """
    from aces_ci.jobs.draft import Order, create

    order = Order(
        path=path,
        full=full,
        add=add,
        grounded=grounded,
        dry_run=dry_run,
        force=force,
        repo=repo,
        output=output,
        config=config,
        overrides=overrides,
    )
    return create(order, env=dict(os.environ), out=click.echo, err=lambda line: click.echo(line, err=True))
