"""`aces-ci evals replay`: which checks tell a good run from a bad one."""

from __future__ import annotations

from pathlib import Path

import click

from aces_ci.cli.options import format_option


@click.command("replay")
@click.argument("case_file", type=click.Path(path_type=Path))
@click.option("--passing", required=True, type=click.Path(path_type=Path), help="A trace of a run that did well.")
@click.option("--failing", required=True, type=click.Path(path_type=Path), help="A trace of a run that did not.")
@click.option("--case-id", help="The case, where CASE_FILE holds more than one.")
@click.option("--skill", help="Name of the skill.")
@format_option("text", "json")
def COMMAND(case_file: Path, passing: Path, failing: Path, case_id: str | None, skill: str | None, format_: str) -> int:
    """Run each check of a case on two traces. Exit 1 where one is dead: it says the same of both, or the opposite."""
    from aces_ci.jobs.replay import replay

    return replay(
        case_file=case_file,
        case_id=case_id,
        passing=passing,
        failing=failing,
        skill=skill,
        as_json=format_ == "json",
        out=click.echo,
    )
