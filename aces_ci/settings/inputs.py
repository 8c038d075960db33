"""Inputs of the action and the component: one table that action.yml, the component and the README are tied
to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from aces_ci.core.errors import UsageError

_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
# Variables of that form that hold no secret but a path or an address.
_HARMLESS = re.compile(r"(^SSH_|_FILE$|_URL$|_PATH$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input. `setting` is the dotted key that it sets, or None where it is no setting."""

    name: str
    help: str
    default: str = ""
    setting: str | None = None
    github_only: bool = False


INPUTS: tuple[Input, ...] = (
    Input(name="command", default="run", help="run, plan, report or post.", github_only=True),
    Input(
        name="github_token",
        default="${{ github.token }}",
        help="Token that posts the comment; needs pull-requests: write.",
        github_only=True,
    ),
    Input(
        name="api_url",
        default="${{ github.api_url }}",
        help="Address of the GitHub API.",
        github_only=True,
    ),
    Input(name="config", help="Settings file of this workflow, instead of aces.yml on the default branch."),
    Input(name="output", default="aces-results", help="Directory for reports and evidence."),
    Input(name="shard", help="Evaluate one shard, e.g. 2/4, and write evidence only."),
    Input(name="profile", setting="structural.profile", help="spec, aces or strict."),
    Input(name="min_score", setting="structural.min_score", help="Score below which gate structural is broken."),
    Input(name="judge_provider", setting="judge.provider", help="auto, off, anthropic, openai or compatible."),
    Input(name="judge_model", setting="judge.model", help="Model id of the judge."),
    Input(name="provider_url", setting="judge.base_url", help="Base URL of an OpenAI-compatible server."),
    Input(name="live_when", setting="live.when", help="auto, label or off."),
    Input(name="budget_usd", setting="budget.usd", help="Most that one run may spend, in US dollars."),
    Input(name="comment", setting="comment.enabled", help="Post and edit the sticky comment: true or false."),
    Input(name="comment_key", setting="comment.key", help="Comments with different keys live side by side."),
    Input(
        name="check_run",
        setting="comment.check_run",
        help="Also write a check run: true or false.",
        github_only=True,
    ),
    Input(
        name="environment",
        help="Deployment environment that this job waits for; its review approves a fork's commit.",
        github_only=True,
    ),
    Input(name="set", help="More settings, one key=value a line, e.g. gates.structural=block."),
)


def inputs_of(env: Mapping[str, str], *, settings_only: bool = False) -> dict[str, str]:
    """Inputs as CI handed them on (`INPUT_NAME`); an empty one counts as omitted.

    With `settings_only`, by dotted key of the setting, the lines of `set` included.

    Raises:
        UsageError: a line of `set` is no `key=value`; to leave it out could open a gate unnoticed.
    """
    given = {item: value for item in INPUTS if (value := env.get(f"INPUT_{item.name.upper()}", "").strip())}
    if not settings_only:
        return {item.name: value for item, value in given.items()}
    found = {item.setting: value for item, value in given.items() if item.setting}
    for line in env.get("INPUT_SET", "").splitlines():
        key, equals, value = line.strip().partition("=")
        if not line.strip() or line.strip().startswith("#"):
            continue
        if not equals or not key.strip():
            raise UsageError(
                f"the input `set` holds a line that is not key=value: {line.strip()[:80]}",
                code="setting",
                why="an ignored line could spend money or open a gate unnoticed",
                do="one setting a line, e.g. gates.structural=block",
            )
        found[key.strip()] = value.strip()
    return found


def secrets_of(env: Mapping[str, str]) -> list[str]:
    """Values of the environment that must never leave it; shorter ones than 8 characters cannot be told
    apart."""
    return [
        value for name, value in env.items() if _SECRET.search(name) and not _HARMLESS.search(name) and len(value) >= 8
    ]


def defaults_of(env: Mapping[str, str]) -> dict[str, str]:
    """Inputs that are no settings but options of commands, by the option's name."""
    given = inputs_of(env)
    return {name: given[name] for name in ("config", "output", "shard") if name in given}
