"""`aces-ci report`: evidence to verdict and every report, without a key; merges shards."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from aces_ci.cli.options import config_options, output_option, repo_option, verbosity_options


@click.command("report")
@click.argument("evidence", nargs=-1, required=True, type=click.Path(path_type=Path), envvar="ACES_REPORT_EVIDENCE")
@repo_option
@output_option
@click.option("--format", "format_", type=click.Choice(["text", "json", "markdown"]), default="text", show_default=True)
@config_options
@click.option("--post/--no-post", default=False, help="Also post, as `run` does. Default: write files only.")
@verbosity_options
def COMMAND(  # noqa: PLR0913 - the loader's constant; click hands every option by name
    evidence: tuple[Path, ...],
    repo: Path,
    output: Path,
    format_: str,
    config: Path | None,
    overrides: tuple[str, ...],
    post: bool,
    color: str,
    quiet: int,
    verbose: int,
) -> int:
    """Make the verdict and every report from EVIDENCE: evidence.jsonl files, folders that hold one, or a
    folder of such folders.

    Result files of other tools beside them (benchmark.json, aggregate-result.json, a Harbor job's folder and others,
    see docs/evals.md) are shown as "imported, unverified" and decide nothing."""
    from aces_ci.jobs.run import Options, report

    del color
    options = Options(
        repo=repo,
        output=output,
        config=config,
        overrides=overrides,
        post=post,
        format=format_,
        quiet=quiet,
        notes=verbose > 0,
    )
    return report(evidence, options, env=dict(os.environ), stdout=sys.stdout, stderr=sys.stderr)
