"""What a repository and a machine are ready for; never prints a key, only its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from aces_ci.changes.git import Repository
from aces_ci.changes.worktree import find
from aces_ci.core.amount import plural
from aces_ci.core.errors import AcesError
from aces_ci.policy import from_worktree
from aces_ci.settings.load import load

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")
TOKENS = ("GITHUB_TOKEN", "ACES_GITLAB_TOKEN")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One check. `needed_by` are the tiers that cannot run without it."""

    state: str
    """ok, warn or fail."""
    what: str
    so: str = ""
    do: str = ""
    needed_by: tuple[str, ...] = ()

    def stops(self, tier: str) -> bool:
        """Whether `tier` cannot run because of this."""
        return self.state == "fail" and tier in self.needed_by

    def text(self) -> str:
        """The lines of design/ux.md section 3."""
        rows = [f"{self.state:<5} {self.what}"]
        rows += [f"        so: {self.so}"] if self.so else []
        rows += [f"        do: {self.do}"] if self.do else []
        return "\n".join(rows)

    def json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def examine(
    repo: Path,
    config: Path | None,
    overrides: Sequence[str],
    provider_url: str | None,
    *,
    env: Mapping[str, str],
) -> list[Row]:
    """All checks, in the order in which a newcomer meets them."""
    rows = [*_git(repo), *_skills(repo), *_settings(repo, config, overrides)]
    return [*rows, _token(env), _key(env, provider_url), _docker()]


def _git(repo: Path) -> Iterator[Row]:
    every = ("structural", "judge", "live")
    try:
        with Repository.open(repo) as repository:
            tip = repository.default_branch_tip()
            if repository.shallow:
                do = 'actions/checkout with `fetch-depth: 0`      GitLab: GIT_DEPTH: "0"'
                yield Row(state="warn", what="git: history is cut off", so="the merge base may be missing", do=do)
            elif tip is None:
                yield Row(state="warn", what="git: no default branch found", do="name it: aces-ci run --base REF")
            else:
                yield Row(state="ok", what="git: full history, default branch found")
    except AcesError as error:
        do = "run it inside a clone, or use `aces-ci check`, which needs no history"
        yield Row(state="fail", what=error.message, so=error.why or "", do=do, needed_by=every)


def _skills(repo: Path) -> Iterator[Row]:
    found = find(repo, ())
    if not found:
        yield Row(state="warn", what="no SKILL.md found", do="aces-ci init")
        return
    yield Row(state="ok", what=plural(len(found), "skill"))
    without = [root for root, files in found if not any(path.startswith("evals/") for path in files)]
    if without:
        do = f"aces-ci evals create {without[0]}"
        yield Row(state="warn", what=f"evals: {plural(len(without), 'skill')} without, live will be skipped", do=do)


def _settings(repo: Path, config: Path | None, overrides: Sequence[str]) -> Iterator[Row]:
    try:
        document = from_worktree(repo, config)
        load(policy=document, overrides=overrides)
    except AcesError as error:
        every = ("structural", "judge", "live")
        yield Row(state="fail", what=error.message, so=error.why or "", do=error.do or "", needed_by=every)
        return
    yield Row(state="ok", what="aces.yml is valid" if document else "no aces.yml: the built-in defaults apply")


def _token(env: Mapping[str, str]) -> Row:
    for name in TOKENS:
        if env.get(name):
            return Row(state="ok", what=f"token: {name} is set")
    return Row(state="warn", what="token: none, so nothing can be posted from here", do="none is needed at a terminal")


def _key(env: Mapping[str, str], provider_url: str | None) -> Row:
    names = [name for name in KEYS if env.get(name)]
    if provider_url or names:
        return Row(state="ok", what=f"provider: {provider_url or ', '.join(names)}")
    return Row(
        state="fail",
        what=f"provider key: none of {', '.join(KEYS)}, ACES_JUDGE_BASE_URL is set",
        so="judge and live will be skipped",
        do="gh secret set ANTHROPIC_API_KEY      (or --provider-url http://localhost:11434)",
        needed_by=("judge", "live"),
    )


def _docker() -> Row:
    try:
        import docker

        client = docker.from_env(timeout=5)
        version = client.version().get("Version", "")
        client.close()
    except ImportError:
        return Row(
            state="fail",
            what="docker: the client is not installed",
            do="pip install 'aces-ci[live]'",
            needed_by=("live",),
        )
    except Exception as error:  # noqa: BLE001 - docker-py raises half a dozen unrelated classes for "no daemon"
        said = str(error).splitlines()[0][:120]
        return Row(state="fail", what="docker: no daemon answers", so=said, do="start Docker", needed_by=("live",))
    return Row(state="ok", what=f"docker {version}")
