"""Tier 3 as a terminal and the main job run it: from settings and skills to a plan, from trials to scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from aces_ci.core.errors import UsageError
from aces_ci.core.event import Trust
from aces_ci.core.grading.grader import Grader
from aces_ci.core.live_plan import LivePlan, PlannedCase
from aces_ci.core.plan import Contender, Design, Subject, TrialPlan, family_of, looks_of, make_live_plan
from aces_ci.core.skill import Skill
from aces_ci.core.spending.control import Secrets, Upstream
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.own_server import own_server
from aces_ci.core.spending.price import Price
from aces_ci.core.spending.price_table import price_of
from aces_ci.core.staging import Injection, Lineup, without_suite
from aces_ci.core.suites.case import Case, Role
from aces_ci.core.suites.run_policy import Grading
from aces_ci.ports.harness import Harness
from aces_ci.ports.sandbox import MIB, Limits
from aces_ci.settings.model import Settings
from aces_ci.statistics.power import attainable
from aces_ci.tiers.choose_judge import overriding

PROVIDERS = (
    ("anthropic", "ANTHROPIC_API_KEY", "https://api.anthropic.com", (Protocol.MESSAGES,)),
    ("openai", "OPENAI_API_KEY", "https://api.openai.com", (Protocol.RESPONSES, Protocol.CHAT)),
)
_UNITS = {"m": MIB, "g": 1024 * MIB}


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Who answers the agents, and with which keys."""

    upstreams: tuple[Upstream, ...]
    secrets: Secrets

    def for_api(self, apis: Sequence[Protocol]) -> tuple[Protocol, str] | None:
        """The first protocol that a provider here speaks, and that provider."""
        for api in apis:
            for upstream in self.upstreams:
                if api in upstream.protocols:
                    return api, upstream.name
        return None


def access(env: Mapping[str, str], provider_url: str | None, *, in_container: bool) -> Access:
    """Providers from the keys in the environment, or one server of the user's own.

    Raises:
        UsageError: there is neither.
    """
    if provider_url:
        return _own_server(provider_url, env.get("ACES_PROVIDER_KEY") or env.get("OPENAI_API_KEY"), in_container)
    found = [(name, env[key], url, protocols) for name, key, url, protocols in PROVIDERS if env.get(key)]
    if not found:
        raise UsageError(
            "no provider key is set",
            code="no_key",
            why="agents need a model: none of ANTHROPIC_API_KEY, OPENAI_API_KEY is set",
            do="set one, or name a server of your own with --provider-url",
        )
    return Access(
        upstreams=tuple(Upstream(name=name, base_url=url, protocols=kinds) for name, _, url, kinds in found),
        secrets=Secrets(keys={name: key for name, key, _, _ in found}),
    )


def server_of(settings: Settings, named: str | None) -> str | None:
    """The agents' own model server: the one that the command line has `named`, else the judge's."""
    return named or (str(settings.judge.base_url) if settings.judge.base_url else None)


def every_provider() -> Access:
    """All providers without a key: enough to plan, not to start."""
    return Access(
        upstreams=tuple(Upstream(name=name, base_url=url, protocols=kinds) for name, _, url, kinds in PROVIDERS),
        secrets=Secrets(keys={}),
    )


def contenders(
    settings: Settings, harnesses: Mapping[str, Harness], reach: Access, images: Mapping[str, str]
) -> tuple[Contender, ...]:
    """The configured harnesses with their models. Raises UsageError: unknown, another version, no provider."""
    return tuple(
        _contender(row.name, row.model, row.version, row.command, settings, harnesses, reach, images)
        for row in settings.live.harnesses
    )


def limits_of(settings: Settings) -> Limits:
    """The sandbox's limits as the policy has them."""
    box = settings.live.sandbox
    memory = int(box.memory[:-1]) * _UNITS[box.memory[-1]]
    return Limits(seconds=float(box.timeout), cpus=box.cpus, memory_bytes=memory)


def design_of(settings: Settings, trust: Trust = Trust.OWN) -> Design:
    """Everything that decides, from the settings.

    Raises:
        UsageError: a change from a fork, and the policy asks for a sandbox without isolation or for hosts beside
            the model.
    """
    box = settings.live.sandbox
    if box.network.allow and trust is Trust.FORK:
        raise UsageError(
            f"the policy lets sandboxes reach {', '.join(box.network.allow)}, and changes from forks never may",
            code="network_allow",
            why="without these hosts the cases would fail in every arm, and a worse skill would look unchanged",
            do="run it from a branch of this repository, or take the hosts out of live.sandbox.network.allow",
        )
    if box.backend == "process" and trust is Trust.FORK:
        raise UsageError(
            "changes from forks are not run without isolation",
            code="no_isolation",
            why="an agent would run as a process of this machine, beside its files and its network",
            do="set live.sandbox.backend to docker",
        )
    return Design(
        arms=settings.live.arms,
        looks=settings.live.attempts.looks,
        alpha=settings.live.alpha_regressed,
        mode=settings.live.workspace.mode,
        injection=Injection(settings.live.workspace.injection),
        limits=asdict(limits_of(settings)),
        trust=trust,
        seed=settings.live.seed,
        workers=settings.live.concurrency,
        network=tuple(sorted(set(box.network.allow))),
    )


def analysis_of(plan: TrialPlan, settings: Settings) -> LivePlan:
    """The comparison that was fixed before the first trial, from the same settings that the evidence carries.

    The plan's looks hold where the command line narrowed them.
    """
    # Of each skill the deciding side, which comes first: a case that the change adds keeps no look of it open.
    deciding = {subject.skill: subject for subject in reversed(plan.subjects)}
    cases = {case.id: case for subject in deciding.values() for case in subject.cases}
    recorded = settings.model_dump(mode="json", include={"live", "gates"})
    return replace(
        LivePlan.of(recorded, "", skills=plan.family),
        looks=plan.design.looks,
        lowered={item.skill: looks_of(item, plan.design) for item in plan.subjects if item.attempts is not None},
        cases={
            name: PlannedCase(negative=case.trigger is False, bucket=case.bucket.value if case.bucket else None)
            for name, case in cases.items()
        },
    )


def subject_of(
    after: Skill,
    before: Skill | None,
    cases: Sequence[Case],
    support: Iterable[Skill] = (),
    side: str = "base",
    grader: Grader | None = None,
    verifiers: Mapping[str, Grader] | None = None,
) -> Subject:
    """One skill with its cases; fixtures are files of the skill, named from it or from the repository.

    A suite outside the usual folders (`tests/eval.yaml`) is no part of what an agent gets with the skill.
    """
    fixtures: dict[str, bytes] = {}
    for skill in filter(None, (before, after)):
        for path, file in skill.files.items():
            if file.data is not None:
                fixtures[path] = fixtures[skill.path_of(path)] = file.data
    own = frozenset(case.provenance.partition("#")[0] for case in cases)
    target, previous = (tuple(without_suite(skill, own) for skill in (side,) if skill) for side in (after, before))
    lineup = Lineup(target=target, previous=previous, support=tuple(support))
    return Subject(
        skill=after.root,
        lineup=lineup,
        cases=tuple(cases),
        fixtures=fixtures,
        side=side,
        grader=grader,
        verifiers=verifiers or {},
    )


def gradeable(plan: TrialPlan, judged: bool) -> None:
    """Refuse a plan of which nothing could be scored. Raises UsageError."""
    alone = any(
        item.verifiers or (item.grader is not None and item.grader.mode is Grading.CUSTOM_ONLY)
        for item in plan.subjects
    )
    if (
        judged
        or alone
        or any(check.role is Role.OUTCOME for item in plan.subjects for case in item.cases for check in case.checks)
    ):
        return
    raise UsageError(
        "no outcome could be scored: there is no judge, and no case checks its outcome by itself",
        code="no_judge",
        why="nothing was spent: agents would run, and nobody could say how they did",
        do="set a provider key for the judge, or add checks to the cases",
    )


def _contender(
    name: str,
    model: str,
    version: str | None,
    command: tuple[str, ...],
    settings: Settings,
    harnesses: Mapping[str, Harness],
    reach: Access,
    images: Mapping[str, str],
) -> Contender:
    harness = harnesses.get(name)
    if harness is None or not harness.apis:
        known = ", ".join(sorted(key for key, item in harnesses.items() if item.apis))
        raise UsageError(f"there is no harness `{name}` to run", code="no_harness", do=f"choose one of {known}")
    if version is not None and version != harness.version:
        raise UsageError(
            f"{name} {version} is not shipped",
            code="harness_version",
            why=f"this version of aces-ci has the recipe and the digest of {harness.version}",
            do=f"leave `version` out, or write {harness.version}",
        )
    way = reach.for_api(harness.apis)
    if way is None:
        spoken = ", ".join(api.value for api in harness.apis)
        raise UsageError(
            f"no provider here speaks what {name} speaks ({spoken})",
            code="no_key",
            why="each agent talks to its own kind of model",
            do="set the key of that provider, or choose another harness",
        )
    return Contender(
        harness=name,
        version=harness.version,
        model=model,
        api=way[0],
        upstream=way[1],
        image=images.get(name, ""),
        command=command,
        price=price_of(model, prices_of(settings)),
    )


def prices_of(settings: Settings) -> tuple[Price, ...]:
    """Prices that the policy names, in the gateway's unit."""
    return tuple(overriding(row) for row in settings.prices)


def _own_server(url: str, key: str | None, in_container: bool) -> Access:
    upstream = own_server("own", url, tuple(Protocol), in_container=in_container)
    return Access(upstreams=(upstream,), secrets=Secrets(keys={"own": key} if key else {}))


def plannable(
    subjects: Sequence[Subject], who: Sequence[Contender], design: Design, leave: Callable[[Subject, UsageError], None]
) -> Sequence[Subject]:
    """The subjects that can be planned; `leave` hears of each other one, so that none keeps the rest from running.

    With none left all come back: what is wrong is then told of the whole plan.
    """
    alone = replace(design, alpha=design.alpha / family_of(subjects, design), elsewhere=0)
    kept, left = [], []
    for subject in subjects:
        try:
            make_live_plan([subject], who, alone, attainable=attainable)
            kept.append(subject)
        except UsageError as error:
            left.append((subject, error))
    for subject, why in left if kept else ():
        leave(subject, why)
    return kept or subjects


def narrowed(plan: Design, *, attempts: int | None, arms: Sequence[str] = ()) -> Design:
    """The design as the command line narrows it: a last look, some arms. Never a higher cap than the policy's.

    Raises:
        UsageError: an arm that the policy does not have.
    """
    unknown = next((arm for arm in arms if arm not in {known.value for known in plan.arms}), None)
    if unknown is not None:
        known = ", ".join(arm.value for arm in plan.arms)
        raise UsageError(f"there is no arm `{unknown[:40]}`", code="no_arm", do=f"choose among {known}")
    last = min(attempts or plan.looks[-1], plan.looks[-1])
    looks = (*(look for look in plan.looks if look < last), last)
    chosen = tuple(arm for arm in plan.arms if not arms or arm.value in arms)
    return replace(plan, looks=looks, arms=chosen)
