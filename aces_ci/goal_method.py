"""Which method judges goal accuracy, decided once for a run: the RAGAS worker, or our own two steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from aces_ci.core.errors import UsageError
from aces_ci.core.spending.control import Secrets, Upstream
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.own_server import own_server
from aces_ci.ports.goal_worker import GoalWorker
from aces_ci.ports.provider import ProviderFactory
from aces_ci.ports.sandbox import ImageRequest, Program, Sandbox
from aces_ci.settings.model import Settings
from aces_ci.tiers.choose_judge import Chosen, NoJudge, choose
from aces_ci.tiers.goal_room import GoalRoom
from aces_ci.tiers.purse import Purse

_OPENAI = "https://api.openai.com"
_CHAT = frozenset({"openai", "openai_chat"})
"""Providers with Chat Completions, which is what the worker speaks."""


def goal_room(
    settings: Settings,
    env: Mapping[str, str],
    sandbox: Sandbox,
    gateway: Program,
    worker: GoalWorker,
    factories: Sequence[ProviderFactory],
    purse: Purse,
    run: str = "",
) -> GoalRoom | None:
    """The worker's room; None where `two_step` judges: by the settings, without a judge, or not installed.

    `run`: as in `GoalRoom`.

    Raises:
        UsageError: the settings name the worker, and it cannot be had.
    """
    named = settings.live.goal_accuracy == worker.name
    if settings.live.goal_accuracy == "two_step":
        return None
    chosen = choose(settings, env, factories)
    if isinstance(chosen, NoJudge):
        return None
    if chosen.factory.name not in _CHAT:
        if not named:
            return None
        raise UsageError(
            f"`live.goal_accuracy: {worker.name}` needs a judge that speaks Chat Completions",
            code="goal_provider",
            why=f"provider {chosen.factory.name} does not, and {worker.name} speaks nothing else",
            do="set judge.provider to openai or compatible, or live.goal_accuracy to two_step",
        )
    try:
        image, interpreter = environment(worker, sandbox, env, build=named)
    except UsageError:
        if named:
            raise
        return None
    return GoalRoom(
        sandbox=sandbox,
        worker=worker,
        image=image,
        interpreter=interpreter,
        program=gateway,
        upstream=_upstream(chosen, sandbox.isolates),
        secrets=Secrets(keys={"judge": chosen.key} if chosen.key else {}),
        model=chosen.model,
        prices=(replace(chosen.price, model=chosen.model),) if chosen.price else (),
        purse=purse,
        cap_micros=purse.cap,
        run=run,
    )


def environment(worker: GoalWorker, sandbox: Sandbox, env: Mapping[str, str], *, build: bool) -> tuple[str, str]:
    """Image and interpreter of the worker; without images the environment of this machine.

    Raises:
        UsageError: it is not installed (`build` False), or cannot be built.
    """
    if sandbox.isolates:
        base = env.get("ACES_SANDBOX_BASE") or None
        request = ImageRequest(recipe=worker.recipe, base=base, files=worker.context(), build=build)
        return sandbox.image(request), worker.interpreter
    cache = Path(env.get("XDG_CACHE_HOME") or Path(env.get("HOME") or "~").expanduser() / ".cache")
    folder = cache / "aces-ci" / worker.name
    found = worker.build(folder) if build else worker.installed(folder)
    if found is None:
        raise UsageError(f"the {worker.name} worker is not installed in {folder}", code="not_installed")
    return "", str(found)


def _upstream(chosen: Chosen, in_container: bool) -> Upstream:
    return own_server("judge", chosen.base_url or _OPENAI, (Protocol.CHAT,), in_container=in_container)
