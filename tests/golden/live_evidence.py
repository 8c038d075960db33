"""Evidence of whole live runs, from seeded trials with stated rates: what the golden comments are made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from aces_ci.core.change import How
from aces_ci.core.diagnosis import Diagnosed
from aces_ci.core.evidence import Evidence, Planned, RunEnded, Skipped, Structure, Tier
from aces_ci.core.score import Part, Score
from aces_ci.core.trial import Arm, Ending, Flag, Trial, Usage
from aces_ci.tiers.assemble import assemble
from aces_ci.tiers.diagnose import SkillText, diagnose
from aces_ci.tiers.worth_a_look import worth_a_look
from tests.builders import JUDGE, a_changed_skill, a_run, a_score, a_trace, a_trial

ORDER = (Arm.BASELINE, Arm.PREVIOUS, Arm.WITH_SKILL)
TOKENS = {Arm.BASELINE: (61_000, 110_000), Arm.PREVIOUS: (48_000, 90_000), Arm.WITH_SKILL: (39_000, 70_000)}


@dataclass(frozen=True)
class Told:
    """One skill's run: case to success rates (no skill, main, this); a rate of None leaves the arm out."""

    path: str
    rates: Mapping[str, tuple[float | None, float | None, float | None]]
    attempts: int
    seed: int
    negative: frozenset[str] = frozenset()
    recorded: Arm | None = None
    lost: Mapping[Arm, int] = field(default_factory=dict)
    """Trials of an arm that infrastructure lost, the last ones."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    stopped: str = ""
    """The word that the engine left when the budget ended the run."""
    how: How = How.MODIFIED
    absent: Arm | None = None
    """An arm that was planned, and of which no run came."""


def trials_of(told: Told, looks: Sequence[int] = (3, 5, 8)) -> Iterable[Evidence]:
    """Interleaved trials with all their scores."""
    rng = Random(told.seed)
    lost = dict(told.lost)
    for attempt in range(told.attempts, 0, -1):
        for case, rates in told.rates.items():
            for arm, rate in zip(ORDER, rates, strict=True):
                if rate is None or arm is told.absent:
                    continue
                gone = lost.get(arm, 0) > 0
                lost[arm] = lost.get(arm, 0) - gone
                trial = _trial(told, rng, case, arm, attempt, gone=gone, looks=looks)
                yield trial
                if not gone:
                    yield from _scores(trial, rng, rate, negative=case in told.negative)


def _trial(told: Told, rng: Random, case: str, arm: Arm, attempt: int, *, gone: bool, looks: Sequence[int]) -> Trial:
    tokens, price = TOKENS[arm]
    factor = rng.lognormvariate(0, 0.2)
    return a_trial(
        skill=told.path,
        case=case,
        arm=arm,
        attempt=attempt,
        stage=next((number for number, look in enumerate(looks, start=1) if attempt <= look), len(looks)),
        ending=Ending.INFRA_FAILED if gone else Ending.FINISHED,
        because="the provider answered 529 three times" if gone else "",
        usage=Usage(input_tokens=round(tokens * factor), requests=9, usd_micros=round(price * factor)),
        seconds=round(40 * factor, 1),
        recorded="2026-11-26T09:00:00Z" if arm is told.recorded else None,
        mode="group",
        **told.changes,
    )


def _scores(trial: Trial, rng: Random, rate: float, *, negative: bool) -> Iterable[Score]:
    luck = rng.random()
    goal = float(luck < rate)
    accuracy = sum(rng.random() < (rate + goal) / 2 for _ in range(4)) / 4
    read = trial.arm is not Arm.BASELINE and not negative and rng.random() < 0.95
    part = (
        Part(name="avoidance", value=1.0, because="the skill was not used, as the case wants")
        if negative
        else Part(name="activation", value=float(read), because="step 2 opened the skill" if read else "never opened")
    )
    judged = {"goal_accuracy": goal, "accuracy_outcome": accuracy, "accuracy": (4 * accuracy + read) / 5}
    judged["behavior_check"] = round((goal + accuracy + read) / 3, 2)
    for metric, value in judged.items():
        count = {"goal_accuracy": 1}.get(metric, 4)
        agreement = (count - (Random(trial.digest + metric).random() < 0.12), count)
        yield a_score(trial, metric=metric, value=value, method=JUDGE, agreement=agreement)
    plain = {"skill_execution": part.value, "skill_efficiency": round(0.5 + rng.random() / 2, 2), "security": 1.0}
    for metric, value in plain.items():
        parts = (part,) if metric == "skill_execution" else ()
        yield a_score(trial, metric=metric, value=value, method="deterministic", parts=parts, because="as seen")


def run_of(*told: Told, settings: Mapping[str, object] | None = None, **event: Any) -> list[Evidence]:
    """A whole evidence file: header, skills, structure, trials, scores, end."""
    run = a_run(settings={"budget": {"usd": 10.0}, "live": {"seed": 20261129}, **(settings or {})})
    if event:
        run = replace(run, event=replace(run.event, **event))
    lines: list[Evidence] = [run]
    for skill in told:
        lines.append(a_changed_skill(skill.path, how=skill.how))
        lines.append(Structure(skill=skill.path, conformant=True, score=88, previous_score=86))
        lines.append(_planned(skill, len(told)))
        lines += trials_of(skill)
        if skill.stopped:
            lines.append(Skipped(tier=Tier.LIVE, skill=skill.path, code="budget", because=skill.stopped))
    return [*lines, RunEnded(seconds=1560.0)]


def _planned(told: Told, skills: int) -> Planned:
    rates = next(iter(told.rates.values()))
    return Planned(
        skill=told.path,
        cases={case: {"negative": case in told.negative, "bucket": None} for case in told.rates},
        skills=skills,
        sandbox={"claude-code": "sha256:9b1c0d2e4f6a8091b2c3d4e5f60718293a4b5c6d7e8f90123456789abcdef012"},
        neighbours=("api-debugger",),
        arms=tuple(arm.value for arm, rate in zip(ORDER, rates, strict=True) if rate is not None),
        agents=(("claude-code", "claude-sonnet-5"),),
    )


def causes_of(lines: Sequence[Evidence], path: str) -> Diagnosed:
    """What the engine writes at its end: causes from traces in which the new flag is followed."""
    trials = [line for line in lines if isinstance(line, Trial) and line.skill == path]
    scores = [line for line in lines if isinstance(line, Score)]
    fast = a_trace("cat SKILL.md", "python scripts/export.py --fast 2026-10", "head ledger.csv")
    slow = a_trace("cat SKILL.md", "python scripts/export.py 2026-10", "python scripts/totals.py ledger.csv")
    traces = {trial.digest: fast if trial.arm is Arm.WITH_SKILL else slow for trial in trials}
    before = "---\nname: ledger-export\n---\nRun `scripts/export.py` for the month.\nThen compare the totals.\n"
    text = SkillText(path=f"{path}/SKILL.md", before=before, after=before.replace("for the month", "with `--fast`"))
    (summary,) = (skill.live for skill in assemble(lines).skills if skill.change.path == path)
    assert summary is not None
    return Diagnosed(skill=path, causes=diagnose(summary, trials, scores, traces, text))


def looks_of(lines: Sequence[Evidence], path: str) -> Diagnosed:
    """The same of a skill that lost nothing: in every tenth run of the change a folder is listed twice."""
    trials = [line for line in lines if isinstance(line, Trial) and line.skill == path]
    scores = [line for line in lines if isinstance(line, Score)]
    once = a_trace("cat SKILL.md", "ls ./logs", "head ./logs/app.log")
    twice = a_trace("cat SKILL.md", "ls ./logs", "ls -la ./logs", "head ./logs/app.log")
    mine = [trial for trial in trials if trial.arm is Arm.WITH_SKILL]
    traces = {trial.digest: once for trial in trials} | {trial.digest: twice for trial in mine[::10]}
    after = "---\nname: log-triage\n---\nRead what is in `logs/`, the newest first.\n"
    text = SkillText(path=f"{path}/SKILL.md", before=after, after=after)
    (summary,) = (skill.live for skill in assemble(lines).skills if skill.change.path == path)
    assert summary is not None
    return Diagnosed(skill=path, causes=(), worth_a_look=worth_a_look(summary, trials, scores, traces, text))


IMPROVED = Told(
    path="skills/log-triage",
    rates={
        "disk-full-at-3am": (0.2, 0.5, 1.0),
        "two-clocks": (0.35, 0.7, 0.8),
        "rotated-gz": (0.5, 0.3, 0.7),
        "oom-or-crash": (0.6, 0.5, 1.0),
        "noisy-neighbour": (0.5, 0.5, 1.0),
        "no-fault-found": (0.2, 0.8, 0.9),
    },
    attempts=5,
    seed=9,
    negative=frozenset({"no-fault-found"}),
    recorded=Arm.BASELINE,
)
REGRESSED = Told(
    path="skills/ledger-export",
    rates={
        "split-invoice": (0.1, 1.0, 0.2),
        "vat-two-rates": (0.3, 1.0, 0.35),
        "credit-note": (0.7, 0.85, 0.45),
        "empty-month": (0.25, 0.8, 0.95),
        "usd-and-eur": (0.2, 1.0, 0.85),
        "just-a-question": (0.7, 1.0, 0.85),
    },
    attempts=5,
    seed=0,
    negative=frozenset({"just-a-question"}),
)
UNDECIDED_TWIN = Told(
    path="skills/form-filler",
    rates=dict.fromkeys(("tax-form", "two-pages", "ticks", "signature", "scan", "small-talk"), (0.55, 0.7, 0.72)),
    attempts=5,
    seed=1,
)
CANNOT_TELL = Told(
    path="skills/schema-migrate",
    rates={
        "add-not-null": (0.1, 0.2, 0.7),
        "rename-live-column": (0.8, 1.0, 0.8),
        "split-table": (0.1, 0.75, 0.4),
        "backfill-in-batches": (0.2, 0.4, 1.0),
    },
    attempts=3,
    seed=0,
    stopped="the next look would pass the cap of the budget",
)
LOST = replace(CANNOT_TELL, stopped="", lost={Arm.WITH_SKILL: 5, Arm.PREVIOUS: 4})
CONTAMINATED = replace(CANNOT_TELL, stopped="", path="skills/tide-tables", changes={"flags": (Flag.CONTAMINATED,)})
NO_DIFFERENCE = Told(
    path="skills/chart-style",
    rates={f"chart-{number:02}": (0.5, 0.93, 0.93) for number in range(1, 21)},
    attempts=10,
    seed=0,
)
STORED_MAIN = replace(REGRESSED, recorded=Arm.PREVIOUS)
NEW_SKILL = replace(
    IMPROVED,
    path="skills/parcel-quote",
    rates={case: (a, None, c) for case, (a, _, c) in IMPROVED.rates.items()},
    recorded=None,
    how=How.ADDED,
)
MAIN_NEVER_RAN = replace(IMPROVED, recorded=None, absent=Arm.PREVIOUS)
NOTHING_RAN = replace(CANNOT_TELL, attempts=0)
LOST_FEW = replace(IMPROVED, recorded=None, lost={Arm.WITH_SKILL: 4, Arm.PREVIOUS: 1})
"""Improved, and the arms lost unequally many."""
REGRESSED_LOST = replace(REGRESSED, attempts=3, lost={Arm.WITH_SKILL: 1, Arm.PREVIOUS: 1})
