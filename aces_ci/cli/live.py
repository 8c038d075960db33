"""`aces-ci live`: tier 3 at a terminal."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

import click

from aces_ci.cli.options import output_option, repo_option, server_and_config_options, verbosity_options


def _finite(ctx: click.Context, param: click.Parameter, value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise click.BadParameter("a cap is a number of dollars", ctx, param)
    return value


@click.command("live")
@click.argument("skills", nargs=-1, metavar="SKILL...", type=click.Path(path_type=Path))
@click.option("--base", metavar="REF", help="Also run the skill as it is at the merge base with REF.")
@click.option("--case", "cases", multiple=True, metavar="ID", help="Only this case; may be given again.")
@click.option("--arms", metavar="A,B", help="Only these arms of with_skill, previous, baseline.")
@click.option("--attempts", type=click.IntRange(1, 50), help="Last look of a new plan; never above the policy's.")
@click.option("--harness", help="Only this agent instead of the configured ones.")
@click.option("--model", help="Model id: of --harness, else of the one agent that is configured.")
@click.option(
    "--max-usd",
    type=click.FloatRange(min=0, max=1_000_000_000),
    callback=_finite,
    help="Spend at most this; without a terminal it starts on that word alone.",
)
@click.option("--yes", is_flag=True, help="Start without a question.")
@click.option("--resume", is_flag=True, help="Reuse what an earlier start left in the output directory.")
@click.option("--pull-only", is_flag=True, help="Prepare the images and stop; needs neither SKILL nor key.")
@output_option
@repo_option
@server_and_config_options
@verbosity_options
def COMMAND(  # noqa: PLR0913 - one parameter an option
    skills: tuple[Path, ...],
    base: str | None,
    cases: tuple[str, ...],
    arms: str | None,
    attempts: int | None,
    harness: str | None,
    model: str | None,
    max_usd: float | None,
    yes: bool,
    resume: bool,
    pull_only: bool,
    output: Path,
    repo: Path,
    config: Path | None,
    overrides: tuple[str, ...],
    provider_url: str | None,
    color: str,
    quiet: int,
    verbose: int,
) -> int:
    """Let agents do real tasks with and without a skill. Needs Docker, a provider key, and `evals/` in the skill.

    Says what it will cost and asks before it spends. Ctrl-C keeps everything; --resume goes on from there.
    """
    del color, verbose
    if not skills and not pull_only:
        raise click.MissingParameter(param_hint="'SKILL...'", param_type="argument")
    from aces_ci.jobs.live import run
    from aces_ci.jobs.live_order import Wanted
    from aces_ci.shell.screen import can_draw

    wanted = Wanted(
        paths=skills,
        base=base,
        cases=cases,
        arms=tuple(arms.split(",")) if arms else (),
        attempts=attempts,
        harness=harness,
        model=model,
        max_usd=max_usd,
        yes=yes,
        resume=resume,
        pull_only=pull_only,
        provider_url=provider_url,
        output=output,
        repo=repo,
        config=config,
        overrides=overrides,
        quiet=quiet,
    )
    ask = (lambda text: click.confirm(text, default=True, err=True)) if sys.stdin.isatty() else None
    env = dict(os.environ)
    return run(
        wanted,
        env=env,
        out=click.echo,
        err=lambda line: click.echo(line, err=True),
        confirm=ask,
        screen=sys.stderr if can_draw(sys.stderr, env) else None,
    )
