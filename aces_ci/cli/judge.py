"""`aces-ci judge`: tier 2 on a working tree."""

from __future__ import annotations

import os
from pathlib import Path

import click

from aces_ci.cli.options import config_options, format_option, output_option, repo_option, verbosity_options


@click.command("judge")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@click.option(
    "--base", metavar="REF", help="Judge only skills that differ from the merge base with REF, on both sides."
)
@click.option("--record", type=click.Path(path_type=Path, dir_okay=False), help="Append every fresh answer to FILE.")
@format_option("text", "json")
@output_option
@repo_option
@config_options
@verbosity_options
def COMMAND(  # noqa: PLR0913 - one parameter an option
    paths: tuple[Path, ...],
    base: str | None,
    record: Path | None,
    format_: str,
    output: Path,
    repo: Path,
    config: Path | None,
    overrides: tuple[str, ...],
    color: str,
    quiet: int,
    verbose: int,
) -> int:
    """Let a model read skills by ten criteria. Needs a provider key, or a server of your own (--provider-url).

    PATH is a skill, a folder of skills, or any file inside one. Answers are kept in the output directory: what has
    not changed is not asked again. The score is advice; it does not measure whether agents do better.
    """
    del color, verbose
    from aces_ci.jobs.judge import Wanted, judge

    wanted = Wanted(
        paths=paths,
        base=base,
        record=record,
        output=output,
        repo=repo,
        config=config,
        overrides=overrides,
        as_json=format_ == "json",
        quiet=quiet,
    )
    return judge(wanted, env=dict(os.environ), out=click.echo, err=lambda line: click.echo(line, err=True))
