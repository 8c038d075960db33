"""`aces-ci post`: posts a report that another job wrote."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from aces_ci.cli.options import repo_option


@click.command("post")
@click.argument("path", required=False, type=click.Path(path_type=Path), metavar="[REPORT.json|DIR]")
@repo_option
@click.option(
    "--workflow",
    default=".github/workflows/skills.yml",
    show_default=True,
    metavar="PATH",
    help="GitHub: the workflow whose runs are believed to be what they say.",
)
@click.option("--job", default="aces-ci", show_default=True, metavar="NAME", help="GitLab: the job of that kind.")
@click.option(
    "--artifact", default="aces-results", show_default=True, metavar="NAME", help="GitHub: the artifact it left."
)
@click.option(
    "--change",
    type=click.IntRange(min=1),
    metavar="N",
    help="GitLab: the merge request to post under; default: every open one of a fork.",
)
def COMMAND(path: Path | None, repo: Path, workflow: str, job: str, artifact: str, change: int | None) -> int:
    """Post a report.

    Without a path the report is that of the run which started this job (`workflow_run`), or on GitLab of a merge
    request's head pipeline, by default of every open one of a fork. It comes from somebody else's job, is checked
    against what the forge says of that job, and only a comment is made of it. With a path it is the report of an
    earlier step of this very run.
    """
    from aces_ci.jobs.post import Options, post

    gitlab = os.environ.get("GITLAB_CI") == "true"
    options = Options(path=path, repo=repo, source=job if gitlab else workflow, artifact=artifact, change=change)
    return post(options, env=dict(os.environ), stderr=sys.stderr)
