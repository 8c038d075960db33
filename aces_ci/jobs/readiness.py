"""What a repository and a machine are ready for; never prints a key, only its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from aces_ci.changes.git import Repository
from aces_ci.changes.worktree import find
from aces_ci.core.amount import plural
from aces_ci.core.errors import AcesError
from aces_ci.core.inert import plain
from aces_ci.core.policy_file import POLICY_FILE
from aces_ci.jobs.readiness_agents import sandbox_rows
from aces_ci.jobs.readiness_row import Row
from aces_ci.policy import MISNAMED, from_worktree
from aces_ci.settings.inputs import inputs_of
from aces_ci.settings.load import load, twin, with_server
from aces_ci.settings.model import Settings

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")
TIERS = {"structural": "structure", "judge": "judge", "live": "live"}
"""What each tier is called in the last line."""
TOKENS = ("GITHUB_TOKEN", "ACES_GITLAB_TOKEN")


def examine(
    repo: Path,
    config: Path | None,
    overrides: Sequence[str],
    provider_url: str | None,
    *,
    env: Mapping[str, str],
) -> list[Row]:
    """All checks, in the order in which a newcomer meets them."""
    settings, said = _settings(repo, config, with_server(provider_url, overrides), env)
    judges = str(settings.judge.base_url) if settings and settings.judge.base_url else ""
    url = " and ".join(dict.fromkeys(name.rstrip("/") for name in (provider_url or "", judges) if name))
    return [*_git(repo), *_skills(repo), *said, _token(env), _key(env, url or None), *sandbox_rows(settings, env)]


def verdict(rows: Sequence[Row]) -> str:
    """The last line: what is ready, and for the rest how many of the items above stand in its way."""
    stopping = {tier: tuple(index for index, row in enumerate(rows) if row.stops(tier)) for tier in TIERS}
    ready = [TIERS[tier] for tier, found in stopping.items() if not found]
    said = [f"Ready for: {_listed(ready) or 'nothing yet'}."]
    for found in dict.fromkeys(found for found in stopping.values() if found):
        names = [TIERS[tier] for tier, own in stopping.items() if own == found]
        said.append(f"For {_listed(names)}: fix {plural(len(found), 'item')} above.")
    resting = [TIERS[tier] for tier in TIERS if TIERS[tier] in ready and any(tier in row.untried for row in rows)]
    if resting:
        said.append(f"What {_listed(resting)} {'rests' if len(resting) == 1 else 'rest'} on is set, not tried.")
    return " ".join(said)


def _listed(names: Sequence[str]) -> str:
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _git(repo: Path) -> Iterator[Row]:
    try:
        with Repository.open(repo) as repository:
            shallow = repository.shallow
            tip = repository.default_branch_tip()
            if tip is None:
                yield Row(state="warn", what="git: no default branch found", do="name it: aces-ci run --base REF")
                return
            # As `run` does it: a cut-off history is a fault only where the remote does not give the rest.
            repository.merge_base(tip, repository.resolve("HEAD"), "the default branch")
            what = "shallow clone" if shallow else "full history"
            yield Row(state="ok", what=f"git: {what}, merge base with the default branch found")
    except AcesError as error:
        do = error.do or "run it inside a clone, or use `aces-ci check`, which needs no history"
        yield Row(state="fail", what=error.message, so=error.why or "", do=do, needed_by=tuple(TIERS))


def _skills(repo: Path) -> Iterator[Row]:
    found = find(repo, ())
    if not found:
        yield Row(state="warn", what="no SKILL.md found", do="aces-ci init")
        return
    yield Row(state="ok", what=plural(len(found), "skill"))
    have = {root: any(path.startswith("evals/") for path in files) for root, files in found}
    some, none = ([root for root, has in have.items() if has is wanted] for wanted in (True, False))
    if some:
        yield Row(state="ok", what=f"evals: {_few(some)}")
    if none:
        yield Row(
            state="warn" if some else "fail",
            what=f"evals: {_few(none)} {'has' if len(none) == 1 else 'have'} none, live will skip {_them(none)}",
            do=f"aces-ci evals create {none[0]}",
            needed_by=("live",),
        )


def _few(roots: Sequence[str]) -> str:
    more = f" and {len(roots) - 3} more" if len(roots) > 3 else ""
    return ", ".join(plain(root, 80) for root in roots[:3]) + more


def _them(roots: Sequence[str]) -> str:
    return "it" if len(roots) == 1 else "them"


def _settings(
    repo: Path, config: Path | None, overrides: Sequence[str], env: Mapping[str, str]
) -> tuple[Settings | None, list[Row]]:
    """The settings as a command here would have them, and what there is to say about them."""
    notices: list[str] = []
    try:
        document = from_worktree(repo, config, notices.append)
        inputs = inputs_of(env, settings_only=True)
        loaded = load(policy=document, env=env, inputs=inputs, overrides=overrides)
    except AcesError as error:
        settings = None
        row = Row(state="fail", what=error.message, so=error.why or "", do=error.do or "", needed_by=tuple(TIERS))
    else:
        settings = loaded.settings
        row = Row(state="ok", what="aces.yml is valid" if document else "no aces.yml: the built-in defaults apply")
    return settings, [*(Row(state="warn", what=text, do=f"git mv {MISNAMED} {POLICY_FILE}") for text in notices), row]


def _token(env: Mapping[str, str]) -> Row:
    for name in TOKENS:
        if env.get(name):
            return Row(state="ok", what=f"token: {name} is set")
    return Row(state="warn", what="token: none, so nothing can be posted from here", do="none is needed at a terminal")


def _key(env: Mapping[str, str], provider_url: str | None) -> Row:
    names = [name for name in KEYS if env.get(name)]
    if provider_url or names:
        what = f"provider: {provider_url or ', '.join(names)} is set, not tried"
        return Row(state="ok", what=what, untried=("judge", "live"))
    return Row(
        state="fail",
        what=f"provider key: none of {', '.join(KEYS)}, {twin(('judge', 'base_url'))} is set",
        so="judge and live will be skipped",
        do=f"{_how_to_set(env, KEYS[0])}      (or --provider-url http://localhost:11434)",
        needed_by=("judge", "live"),
    )


def _how_to_set(env: Mapping[str, str], name: str) -> str:
    if env.get("GITHUB_ACTIONS") == "true":
        return f"gh secret set {name}, and hand it to the step under `env:`"
    if env.get("GITLAB_CI") == "true":
        return f"add {name} as a masked variable of the project"
    return f"export {name}=..."
