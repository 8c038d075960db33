"""`aces-ci grade`: the metrics of one trace."""

from __future__ import annotations

import os
from pathlib import Path

import click

from aces_ci.cli.options import config_options, format_option, output_option, repo_option


@click.command("grade")
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--case", "case_file", type=click.Path(path_type=Path), required=True, help="The case, or a dataset.")
@click.option("--case-id", metavar="ID", help="Which case, where the file holds several.")
@click.option("--skill", metavar="NAME", help="The target skill, or its folder; else the one that the case expects.")
@click.option("--decoy", "decoys", multiple=True, metavar="NAME", help="A skill that was there to mislead. Repeatable.")
@click.option("--support", multiple=True, metavar="NAME", help="A neighbour that may be used. Repeatable.")
@click.option(
    "--arm", type=click.Choice(["with_skill", "previous", "baseline"]), default="with_skill", show_default=True
)
@click.option("--preloaded", is_flag=True, help="The skill's body stood in the context from the start.")
@click.option("--workspace", type=click.Path(path_type=Path, file_okay=False), help="Files the run left behind.")
@click.option("--evidence", type=click.Path(path_type=Path, dir_okay=False), help="Append the scores to this file.")
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Score only this one. Repeatable.")
@click.option("--judge", is_flag=True, help="Ask a model what needs one; costs money.")
@format_option("text", "json")
@output_option
@repo_option
@config_options
def COMMAND(  # noqa: PLR0913 - one parameter an option
    trace: Path,
    case_file: Path,
    case_id: str | None,
    skill: str | None,
    decoys: tuple[str, ...],
    support: tuple[str, ...],
    arm: str,
    preloaded: bool,
    workspace: Path | None,
    evidence: Path | None,
    metrics: tuple[str, ...],
    judge: bool,
    format_: str,
    output: Path,
    repo: Path,
    config: Path | None,
    overrides: tuple[str, ...],
) -> int:
    """Score the trajectory TRACE (ATIF) against a case; without --judge what needs one says so.

    A trace that was read from a file is unverified: its scores inform, they decide nothing.
    """
    from aces_ci.jobs.grade import Wanted, run

    wanted = Wanted(
        trace=trace,
        case_file=case_file,
        case_id=case_id,
        skill=skill,
        decoys=decoys,
        support=support,
        arm=arm,
        preloaded=preloaded,
        workspace=workspace,
        evidence=evidence,
        metrics=metrics,
        judge=judge,
        output=output,
        repo=repo,
        config=config,
        overrides=overrides,
        as_json=format_ == "json",
    )
    return run(wanted, env=dict(os.environ), out=click.echo)
