"""`aces-ci evals refine`: sharpen drafted cases by what good runs did."""

from __future__ import annotations

import os
from pathlib import Path

import click

from aces_ci.cli.options import config_options, output_option, repo_option


@click.command("refine")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--from", "results", required=True, type=click.Path(path_type=Path), help="The --output folder of a live run."
)
@click.option("--grounded", is_flag=True, help="Let the model say whether an answer agrees with the author's intent.")
@click.option("--dry-run", is_flag=True, help="Show the diff and write nothing.")
@repo_option
@output_option
@config_options
def COMMAND(
    path: Path,
    results: Path,
    grounded: bool,
    dry_run: bool,
    repo: Path,
    output: Path,
    config: Path | None,
    overrides: tuple[str, ...],
) -> int:
    """Refine the drafted cases of the skill at PATH, one by one, and print the diff. A backup is kept.

    What every good run did becomes a check. Cases that a person wrote or edited (no `"generated": true`) and
    evals/EVAL.md are never touched.
    """
    from aces_ci.jobs.draft import Order
    from aces_ci.jobs.refine import run

    order = Order(
        path=path,
        grounded=grounded,
        dry_run=dry_run,
        repo=repo,
        output=output,
        config=config,
        overrides=overrides,
    )
    return run(order, results, env=dict(os.environ), out=click.echo, err=lambda line: click.echo(line, err=True))
