"""`aces-ci evals masked`: which items measure the skill at all."""

from __future__ import annotations

import os
from pathlib import Path

import click

from aces_ci.cli.options import config_options, format_option, output_option, repo_option


@click.command("masked")
@click.argument("path", type=click.Path(path_type=Path))
@repo_option
@output_option
@config_options
@format_option("text", "json")
def COMMAND(
    path: Path,
    repo: Path,
    output: Path,
    config: Path | None,
    overrides: tuple[str, ...],
    format_: str,
) -> int:
    """Ask a model which items of the suite at PATH it would meet without the skill. Costs a cent or so a case.

    It sees the prompt and the item, not the skill. What it would meet anyway cannot show that the skill helps.
    A prediction, not a measurement: it never gates.
    """
    from aces_ci.jobs.draft import Order, masked

    order = Order(
        path=path,
        repo=repo,
        output=output,
        config=config,
        overrides=overrides,
    )
    return masked(order, env=dict(os.environ), as_json=format_ == "json", out=click.echo)
