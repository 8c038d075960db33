"""What the command line of `aces-ci live` said, and the settings that follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aces_ci.core.errors import UsageError
from aces_ci.core.inert import plain
from aces_ci.policy import from_worktree
from aces_ci.settings.inputs import inputs_of
from aces_ci.settings.load import load, with_server
from aces_ci.settings.model import Harness, Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line said."""

    paths: tuple[Path, ...]
    """Or names of skills."""
    base: str | None = None
    cases: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    attempts: int | None = None
    harness: str | None = None
    model: str | None = None
    max_usd: float | None = None
    yes: bool = False
    resume: bool = False
    pull_only: bool = False
    provider_url: str | None = None
    output: Path = Path("aces-results")
    repo: Path = Path()
    config: Path | None = None
    overrides: tuple[str, ...] = ()
    quiet: int = 0

    def again(self) -> dict[str, Sequence[str]]:
        """The options that a start which goes on from this one must be given too: they decide the plan."""
        single = {
            "--base": self.base,
            "--arms": ",".join(self.arms),
            "--attempts": self.attempts,
            "--harness": self.harness,
            "--model": self.model,
            "--max-usd": self.max_usd,
            "--provider-url": self.provider_url,
            "--config": self.config,
            "--output": None if self.output == Path("aces-results") else self.output,
            "-C": None if self.repo == Path() else self.repo,
        }
        given = {name: (str(value),) for name, value in single.items() if value not in (None, "")}
        return {**given, "--case": self.cases, "--set": self.overrides}


def settings_of(wanted: Wanted, env: Mapping[str, str]) -> Settings:
    """The working tree's settings with what the command line says.

    Raises:
        UsageError: they cannot be read, or --harness and --model do not say who runs with what.
    """
    settings = load(
        policy=from_worktree(wanted.repo, wanted.config),
        policy_origin="(working tree)",
        env=env,
        inputs=inputs_of(env, settings_only=True),
        overrides=with_server(wanted.provider_url, wanted.overrides),
    ).settings
    # An image is the same for every model.
    model = wanted.model or ("any" if wanted.pull_only and wanted.harness else None)
    agents = _agents(settings.live.harnesses, wanted.harness, model)
    return settings.model_copy(update={"live": settings.live.model_copy(update={"harnesses": agents})})


def _agents(configured: tuple[Harness, ...], name: str | None, model: str | None) -> tuple[Harness, ...]:
    """Only the agent of that name, and with that model; what else is configured of it holds."""
    rows = configured if name is None else tuple(row for row in configured if row.name == name)
    if model is None:
        if not rows:
            raise UsageError(
                f"which model shall {plain(name or '', 60)} run with?",
                code="agent_model",
                why="it is not among live.harnesses, so no model is configured for it",
                do="add --model ID",
            )
        return rows
    if name is None and len(rows) > 1:
        raise UsageError(
            "--model does not say whose",
            code="whose_model",
            why=f"{len(rows)} agents are configured: {', '.join(plain(row.name, 60) for row in rows)}",
            do="add --harness NAME",
        )
    return tuple(row.model_copy(update={"model": model}) for row in rows[:1]) or (
        Harness(name=name or "", model=model),
    )
