"""`aces-ci check`: tier 1 on a working tree."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aces_ci.cli.options import (
    config_options,
    format_option,
    output_file_option,
    repo_option,
    verbosity_options,
)

if TYPE_CHECKING:
    from aces_ci.settings.load import Loaded

FORMATS = ("text", "concise", "json", "markdown", "sarif", "junit", "gitlab", "github")


@click.command("check")
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@click.option("--profile", type=click.Choice(["spec", "aces", "strict"]), help="How strict; default from aces.yml.")
@click.option("--select", multiple=True, metavar="CODE", help="Show only these codes or beginnings of codes.")
@click.option("--ignore", multiple=True, metavar="CODE", help="Neither show nor deduct for these codes.")
@click.option("--lint", is_flag=True, help="Lint the skills' scripts as well; advice.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 whatever is found.")
@click.option("--fix", is_flag=True, help="Write the fixes that cannot change what a skill means.")
@click.option("--diff", is_flag=True, help="Show those fixes as a diff and write nothing.")
@click.option("--baseline", type=click.Path(path_type=Path), help="File of known findings; may only shrink.")
@click.option("--write-baseline", is_flag=True, help="Write a first baseline file with all that is found now.")
@click.option("--update-baseline", is_flag=True, help="Take out of the baseline file what no longer occurs.")
@format_option(*FORMATS)
@output_file_option
@repo_option
@config_options
@verbosity_options
def COMMAND(  # noqa: PLR0913 - one parameter an option
    paths: tuple[Path, ...],
    profile: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    lint: bool,
    exit_zero: bool,
    fix: bool,
    diff: bool,
    baseline: Path | None,
    write_baseline: bool,
    update_baseline: bool,
    format_: str,
    output_file: Path | None,
    repo: Path,
    config: Path | None,
    overrides: tuple[str, ...],
    quiet: int,
    verbose: int,
    color: str,
) -> int:
    """Check the text of skills: specification, quality, security. No key, no network, no agent.

    PATH is a skill, a folder of skills, or any file inside one (pre-commit passes files); default is the
    working directory. Exit 1 on errors, on critical findings, and where the profile's own gate fails.
    """
    from aces_ci import compose
    from aces_ci.changes.worktree import search
    from aces_ci.cli._check.baseline import Baseline
    from aces_ci.cli._check.examine import Demand, examine
    from aces_ci.cli._check.repair import NOTHING, repair
    from aces_ci.cli._check.show import Show
    from aces_ci.core.errors import UsageError
    from aces_ci.core.finding import Severity
    from aces_ci.core.reading.codes import matching
    from aces_ci.core.reading.further_codes import FURTHER
    from aces_ci.core.reading.ignores import powerless
    from aces_ci.core.repo_path import text_of
    from aces_ci.core.rule import Profile

    started = time.perf_counter()
    loaded = _loaded(repo, config, overrides)
    settings = loaded.settings
    rules = compose.rules()
    found = search(repo, paths)
    if not found.found:
        where = " ".join(text_of(bytes(path)) for path in paths or (repo,))
        folders = f"{found.folders} folder{'' if found.folders == 1 else 's'}"
        if not paths or found.folders:
            click.echo(f"warning: no SKILL.md below {where} (searched {folders})", err=True)
    if write_baseline and update_baseline:
        raise UsageError(
            "--write-baseline and --update-baseline exclude each other",
            code="usage",
            why="the first writes a baseline file, the second takes fixed findings out of one",
            do="give --write-baseline once, where there is no file yet; from then on --update-baseline",
        )
    codes = compose.rule_codes()
    disabled = frozenset(settings.structural.ignore) | matching(ignore, codes, "--ignore")
    known = Baseline.at(
        baseline, repo, setting=settings.structural.baseline_file, write=write_baseline, update=update_baseline
    )
    demand = Demand(
        rules=rules,
        profile=Profile(profile or settings.structural.profile),
        min_score=settings.structural.min_score,
        disabled=disabled,
        selected=_selected(select, codes),
        known=known.known,
        lint=lint,
    )
    if fix or diff:
        rows = repair(found.found, demand, write=fix and not diff)
        if diff:
            click.echo("".join(rows), nl=False)
            if not rows and not quiet:
                click.echo(NOTHING, err=True)
            return 1 if rows and not exit_zero else 0
        found = search(repo, paths)
    examined = examine(found.found, demand)
    for entry in examined if not quiet else ():
        grave = [f for f in entry.everything if f.severity is Severity.CRITICAL]
        for path, line, why in powerless(entry.skill, (*codes, *FURTHER), grave):
            click.echo(f"note: {entry.skill.path_of(path)}:{line}: this aces-ignore {why}", err=True)
    show = Show(
        format=format_,
        output_file=output_file,
        quiet=quiet,
        notes=verbose > 0,
        color=color,
        rules=rules,
        env=dict(os.environ),
        cwd=Path.cwd(),
    )
    seconds = time.perf_counter() - started
    checkup = known.settle(examined, demand.profile, seconds=seconds, ignoring=bool(ignore))
    show.write(examined, checkup)
    return 1 if checkup.verdict == "fail" and not exit_zero and not write_baseline else 0


def _selected(select: tuple[str, ...], codes: tuple[str, ...]) -> frozenset[str] | None:
    """The codes to show, None for all. A selection of nothing is mostly an empty variable, and would pass anything."""
    from aces_ci.core.errors import UsageError
    from aces_ci.core.reading.codes import matching

    chosen = matching(select, codes, "--select")
    if select and not chosen:
        raise UsageError(
            "--select names no code",
            code="nothing_selected",
            why="nothing could be found then, and the check would pass whatever it reads",
            do="name a code or the beginning of one, or leave the option out; all codes: aces-ci rules",
        )
    return chosen if select else None


def _loaded(repo: Path, config: Path | None, overrides: tuple[str, ...]) -> Loaded:
    """The working tree's settings, as at every terminal command."""
    from aces_ci import compose
    from aces_ci.policy import from_worktree
    from aces_ci.set_aside import spelled_out
    from aces_ci.settings.inputs import inputs_of
    from aces_ci.settings.load import load

    loaded = load(
        policy=from_worktree(repo, config),
        policy_origin="(working tree)",
        env=os.environ,
        inputs=inputs_of(os.environ, settings_only=True),
        overrides=overrides,
    )
    return spelled_out(loaded, compose.rule_codes())
