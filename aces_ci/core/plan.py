"""The plan of the live tier: which trials, in which order, at which price, and whether they can decide anything.

Made once, before money is spent, as a pure function of what was read; written to `plan.json`. A rerun makes the same
plan from the same content, so that its digests find what the first run has already paid for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from aces_ci.core.amount import plural
from aces_ci.core.errors import UsageError
from aces_ci.core.event import Trust
from aces_ci.core.grading.grader import Grader
from aces_ci.core.interleave import interleaved
from aces_ci.core.spending.exchange import Protocol
from aces_ci.core.spending.forecast import Expected, Forecast, forecast
from aces_ci.core.spending.price import Price
from aces_ci.core.staging import Injection, Lineup, digest_of, digest_of_case, skill_files
from aces_ci.core.suites.case import Case
from aces_ci.core.suites.run_policy import lowered
from aces_ci.core.trial import Arm

DIGEST_VERSION = 1
ISOLATED, GROUP, BOTH = "isolated", "group", "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A harness with a model. Several contenders are strata of one test."""

    harness: str
    version: str
    model: str
    api: Protocol
    upstream: str
    """Name of the provider as the gateway knows it."""
    image: str = ""
    """Digest of the sandbox's image; empty in a plan that is only shown."""
    command: tuple[str, ...] = ()
    """Program of the `command` harness."""
    price: Price | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One skill to evaluate: what is staged, and by which cases."""

    skill: str
    """Repository-relative path; of a bundle, its folder."""
    lineup: Lineup
    cases: tuple[Case, ...]
    fixtures: Mapping[str, bytes] = field(default_factory=dict)
    """Content of the cases' files by `CaseFile.source`."""
    side: str = "base"
    """Whose evals these are: `base` decides, `head` is the second table."""
    grader: Grader | None = None
    """The author's own, of that side; None: the metrics grade alone."""
    verifiers: Mapping[str, Grader] = field(default_factory=dict)
    """By case id: what native tasks of that side bring."""
    attempts: int | None = None
    """The last look that the deciding side's run policy asks for, where it is below the plan's."""

    def grader_of(self, case: str) -> Grader | None:
        """Who grades a case beside the metrics: its task's own verifier, else the skill's grader."""
        return self.verifiers.get(case, self.grader)


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Everything else that decides, from the policy."""

    arms: tuple[Arm, ...] = (Arm.WITH_SKILL, Arm.PREVIOUS, Arm.BASELINE)
    looks: tuple[int, ...] = (3, 5, 8)
    """Cumulative attempts per arm and case at each planned look; the last one is the cap."""
    alpha: float = 0.025
    """One-sided level of *regressed*, the word that gates; divided by the number of changed skills here."""
    elsewhere: int = 0
    """Changed skills that other shards measure: with them alpha is divided as the report will divide it."""
    mode: str = ISOLATED
    """`both`: the group decides, and the lift is measured without neighbours too, for the routing premium."""
    injection: Injection = Injection.NATIVE
    limits: Mapping[str, object] = field(default_factory=dict)
    """The sandbox's limits: another limit is another trial."""
    trust: Trust = Trust.OWN
    seed: int = 0
    workers: int = 4
    turns: int = 60
    network: tuple[str, ...] = ()
    """Hosts that agents may reach beside the model."""

    @property
    def modes(self) -> tuple[str, ...]:
        """Workspaces that run; the first one decides."""
        return (GROUP, ISOLATED) if self.mode == BOTH else (self.mode,)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTrial:
    """One trial to run. `stage` is the look, 1-based, that needs it."""

    digest: str
    skill: str
    case: str
    arm: Arm
    contender: int
    """Index into `TrialPlan.contenders`."""
    attempt: int
    stage: int
    side: str
    mode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPlan:
    """The order in which trials start, and what they belong to."""

    subjects: tuple[Subject, ...]
    contenders: tuple[Contender, ...]
    design: Design
    trials: tuple[PlannedTrial, ...]
    forecast: Forecast

    @property
    def family(self) -> int:
        """Skills over which alpha is divided; a skill with evals on both sides is one."""
        return family_of(self.subjects, self.design)

    def subject(self, trial: PlannedTrial) -> Subject:
        """The subject of a trial."""
        return next(item for item in self.subjects if (item.skill, item.side) == (trial.skill, trial.side))

    def case(self, trial: PlannedTrial) -> Case:
        """The case of a trial."""
        return next(case for case in self.subject(trial).cases if case.id == trial.case)


Attainable = Callable[[int, Sequence[int], float, int], bool]
"""(cases, cumulative attempts at the looks, one-sided alpha, strata per case) to whether a verdict can be reached:
`statistics.power.attainable`."""


def make_live_plan(
    subjects: Sequence[Subject],
    contenders: Sequence[Contender],
    design: Design,
    *,
    attainable: Attainable,
    done: Iterable[str] = (),
    expected: Expected | None = None,
) -> TrialPlan:
    """Cases x arms x contenders x attempts, in an order drawn from the seed.

    `done` are digests of trials that are already there. Arms that a subject cannot have (no `previous`, an equal
    one) are left out for it.

    Raises:
        UsageError: no case, no contender, two cases of one id, one arm, or a plan that can never reach a verdict.
    """
    if not contenders:
        raise _refused("no_harness", "no harness is configured", "name one under `live.harnesses` in aces.yml")
    alpha = design.alpha / family_of(subjects, design)
    rows: list[PlannedTrial] = []
    for subject in subjects:
        _check(subject, design, alpha, len(contenders), attainable)
        rows += _trials_of(subject, contenders, design)
    ordered = interleaved(rows, design.seed)
    known = set(done)
    new = [trial for trial in ordered if trial.digest not in known]
    return TrialPlan(
        subjects=tuple(subjects),
        contenders=tuple(contenders),
        design=design,
        trials=tuple(ordered),
        forecast=forecast(
            [contenders[trial.contender].price for trial in new], len(ordered), design.workers, expected or Expected()
        ),
    )


def family_of(subjects: Sequence[Subject], design: Design) -> int:
    """Skills over which alpha is divided; a skill with evals on both sides is one."""
    return max(1, len({subject.skill for subject in subjects})) + design.elsewhere


def arms_of(subject: Subject, arms: Sequence[Arm]) -> tuple[Arm, ...]:
    """The arms that make sense for a subject: `previous` only where it exists and differs."""
    lineup = subject.lineup
    same = bool(lineup.previous) and digest_of(lineup.previous) == digest_of(lineup.target)
    return tuple(arm for arm in arms if arm is not Arm.PREVIOUS or (lineup.previous and not same))


def trial_digest(
    subject: Subject, case: Case, arm: Arm, contender: Contender, attempt: int, design: Design, mode: str
) -> str:
    """64 hex digits over everything that can change the trial's result.

    Not in it: the other arms' content, so that a change of the skill leaves the baseline's trials valid.
    """
    lineup = subject.lineup
    own = {Arm.WITH_SKILL: lineup.target, Arm.PREVIOUS: lineup.previous, Arm.BASELINE: ()}[arm]
    parts = {
        "v": DIGEST_VERSION,
        "skill": subject.skill,
        "side": subject.side,
        "case": digest_of_case(case, subject.fixtures),
        "arm": arm.value,
        "target": digest_of(own),
        "support": digest_of(staged_lineup(lineup, mode).support),
        "harness": [contender.harness, contender.version, list(contender.command)],
        "model": [contender.model, contender.api.value, contender.upstream],
        "image": contender.image,
        "mode": mode,
        "injection": design.injection.value,
        "limits": {key: design.limits[key] for key in sorted(design.limits)},
        "network": list(design.network),
        "turns": design.turns,
        "trust": design.trust.value,
        "attempt": attempt,
    }
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def staged_lineup(lineup: Lineup, mode: str) -> Lineup:
    """The lineup as the mode stages it: an isolated workspace has no neighbours."""
    support = lineup.support if mode == GROUP else ()
    return Lineup(target=lineup.target, previous=lineup.previous, support=support)


def _check(subject: Subject, design: Design, alpha: float, strata: int, attainable: Attainable) -> None:
    identities = [case.id for case in subject.cases]
    if not identities:
        raise _refused("no_cases", f"{subject.skill} has no evaluation case", "aces-ci evals create " + subject.skill)
    twice = next((name for name in identities if identities.count(name) > 1), None)
    if twice is not None:
        raise _refused("case_twice", f"{subject.skill} has two cases called `{twice}`", "give each its own id")
    arms = arms_of(subject, design.arms)
    if Arm.WITH_SKILL not in arms or len(arms) < 2:
        alone = f"`{arms[0].value}` alone" if arms else "no arm"
        raise _refused(
            "no_comparison",
            f"{subject.skill}: {alone} would run, and nothing could be compared",
            "name `with_skill` and `baseline` under `live.arms`, or give a base (--base) that has another version",
        )
    lineup = staged_lineup(subject.lineup, design.modes[0])
    for arm in arms:
        skill_files(lineup.of(arm))
    looks = looks_of(subject, design)
    if not attainable(len(identities), looks, alpha, strata):
        raise _refused(
            "never_a_verdict",
            f"{subject.skill}: {plural(len(identities), 'case')} × {plural(looks[-1], 'run')} an arm"
            f"{f', looked at {len(looks)} times,' if len(looks) > 1 else ''} can never reach a verdict",
            "add cases (aces-ci evals create --add N), or raise or leave out some of `live.attempts.looks`"
            + ("" if subject.attempts is None else ", or `attempts` in evals/config.yml"),
        )


def looks_of(subject: Subject, design: Design) -> tuple[int, ...]:
    """The looks of one subject: the plan's, or fewer."""
    return lowered(design.looks, subject.attempts)


def _trials_of(subject: Subject, contenders: Sequence[Contender], design: Design) -> list[PlannedTrial]:
    looks = looks_of(subject, design)
    return [
        PlannedTrial(
            digest=trial_digest(subject, case, arm, contender, attempt, design, mode),
            skill=subject.skill,
            case=case.id,
            arm=arm,
            contender=index,
            attempt=attempt,
            stage=next(number for number, look in enumerate(looks, start=1) if attempt <= look),
            side=subject.side,
            mode=mode,
        )
        for mode in design.modes
        for case in subject.cases
        for arm in arms_of(subject, design.arms)
        if mode == design.modes[0] or arm is not Arm.PREVIOUS
        for index, contender in enumerate(contenders)
        for attempt in range(1, looks[-1] + 1)
    ]


def _refused(code: str, message: str, do: str) -> UsageError:
    return UsageError(message, code=code, why="nothing was spent: the plan is checked before the first trial", do=do)
