"""What the live tier says of one skill: the word, the number that decided, and everything shown beside it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from aces_ci.core.diagnosis import Diagnosis
from aces_ci.core.estimate import Contrast, Estimate, Lift
from aces_ci.core.grading.skill_use_summary import SkillUseSummary
from aces_ci.core.trial import Arm


class Word(StrEnum):
    """The words for results (`docs/verdicts.md`)."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    NO_DIFFERENCE = "no_difference"
    CANNOT_TELL = "cannot_tell"
    NO_VERDICT = "no_verdict"


class Unfair(StrEnum):
    """Why a comparison is not one, worst first. The last three break not the gate `invalid`, and may never
    give a verdict that gates."""

    TAMPERED = "tampered"
    CONTAMINATED = "contaminated"
    UNEQUAL_TOOLS = "unequal_tools"
    VERSIONS = "versions"
    """Arms answered by different models or harness versions."""
    JUDGE = "judge"
    """Arms graded by different methods."""
    MISSING = "missing"
    """More than 20 % of trials lost."""
    ABSENT = "absent"
    """An arm that the plan compares never ran: incomplete rather than unfair."""
    STORED = "stored"
    """An arm was recorded on another day instead of run beside the other."""
    UNVERIFIED = "unverified"
    """No gateway saw the exchanges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmLevel:
    """One arm's mean outcome in [0, 1] with its interval, tokens and money a trial."""

    arm: Arm
    outcome: Estimate | None
    trials: int
    missing: int
    tokens: float | None
    usd_micros: float | None
    recorded: str | None = None
    """ISO date when this arm is taken from history: informs, never gates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRow:
    """Means of one case by arm, in [0, 1]; None where no trial was scored."""

    case: str
    negative: bool
    levels: tuple[tuple[Arm, float | None], ...]
    runs: int
    flagged: bool = False
    """Worse on its own exact test: look here, not a verdict."""
    bucket: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """One metric over arms and its contrast against the previous version."""

    metric: str
    levels: tuple[tuple[Arm, float | None], ...]
    change: Lift | None
    lift: Lift | None
    part: str = ""
    """`outcome` or `process`: whether merely reading the skill can move it."""
    method: str = ""
    """How it was graded, where one method graded all arms."""
    fallback: str = ""
    """Why it was graded by another method than the one that was to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """The outcome's contrasts inside one harness, model or bucket: described, never gated."""

    kind: str
    """`harness`, `model` or `bucket`."""
    name: str
    change: Lift | None
    lift: Lift | None
    flagged: bool = False
    """Worse on its own after Holm's correction over the harnesses: advice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UseLevel:
    """One form of Skill-Use over this change's trials, with its interval on this suite."""

    form: str
    """A field of `SkillUseSummary`."""
    runs: int
    level: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRow:
    """pass@k and pass^k of one arm: means over cases; None and why where a case has fewer than k runs."""

    arm: Arm
    k: int
    cases: int
    some: Estimate | None
    every: Estimate | None
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioRow:
    """with_skill over the comparator minus 1: -0.19 is 19 % less. Without an estimate `because` says why."""

    what: str
    """`tokens`, `usd` or `seconds`."""
    contrast: Contrast
    estimate: Estimate | None
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One way to settle what cannot be told yet."""

    kind: str
    """`go_on`, `more_cases` or `target`."""
    cases: int
    attempts: int
    """Per arm and case, in total."""
    runs: int
    """New runs over all arms."""
    usd_micros: float | None
    """Estimated from this run's mean cost of a trial; None where no price is known."""
    shows: float
    """The lift in [0, 1] that would then be seen four times of five."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRow:
    """A host beside the model: connections to it over all arms by how they ended, and their bytes."""

    host: str
    """Empty: requests that named none. Of a host that is not allowed an agent chose the name."""
    allowed: bool
    """By `live.sandbox.network.allow`."""
    trials: int = 0
    reached: int = 0
    refused: int = 0
    failed: int = 0
    cut: int = 0
    sent: int = 0
    """Bytes from the sandboxes to it."""
    received: int = 0
    reasons: tuple[str, ...] = ()
    """Why connections did not end well, each once, at most three."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """This push against the last one of the change request: described, never tested."""

    head: str
    """The last push, 40 hex digits."""
    outcome: Estimate | None
    because: str = ""
    """Why there is no estimate."""
    fixed: int = 0
    """Findings of the text that are gone; `new` those that came."""
    new: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSummary:
    """The live result of one skill."""

    skill: str
    word: Word
    because: str
    """The clause behind the word; for no_verdict why the run was not fair."""
    change: Lift | None
    lift: Lift | None
    arms: tuple[ArmLevel, ...]
    cases: tuple[CaseRow, ...]
    metrics: tuple[MetricRow, ...]
    rules_out_drop: float | None = None
    smallest_detectable: float | None = None
    look: int = 1
    looks: int = 1
    basis: Contrast = Contrast.CHANGE
    """The contrast that `word` speaks of: `lift` where there is no previous version to compare with."""
    unfair: tuple[Unfair, ...] = ()
    cannot_gate: str = ""
    """Why the word must not block: evals of the head's own, a stored arm, …; empty where it may."""
    crossed: bool = False
    """Whether an alpha boundary was crossed, whatever the floor and the missing trials said."""
    futile: bool = False
    """Going on is not expected to settle it."""
    stopped: str = ""
    """Why it stopped before the last look, as in `by the budget`; empty where it did not."""
    missing: int = 0
    """Of the planned ones, trials without an outcome: lost, not scored, or never there."""
    planned: int = 0
    """Trials that the plan has up to `attempts`, over all arms of the deciding side and workspace."""
    beyond: int = 0
    """Trials past `attempts` that are there and do not count, because the looks had ended or none was complete."""
    lost: tuple[int, int, int, int] = (0, 0, 0, 0)
    """In the deciding contrast: of this change (of), of the other arm (of), trials without an outcome."""
    lost_unequally: bool = False
    """Whether the arms lost so differently that the word had to hold at the worst as well (rule R)."""
    failed: int = 0
    """Of them, agents that failed or timed out: results, not missing."""
    agents: int = 1
    """Harness x model combinations, each a stratum of every case."""
    noise: float | None = None
    """Chance that two identical skills differ by 5 points or more in a run like this one."""
    missing_bounds: tuple[float, float] | None = None
    """Where the change could lie if the missing trials had gone the worst ways."""
    alpha: float = 0.025
    """One-sided level of this skill's test, already divided by the changed skills."""
    skills: int = 1
    options: tuple[Option, ...] = ()
    population: Estimate | None = None
    """The change for tasks like these; None and `population_because`."""
    population_because: str = ""
    groups: tuple[GroupRow, ...] = ()
    passes: tuple[PassRow, ...] = ()
    ratios: tuple[RatioRow, ...] = ()
    routing_premium: Estimate | None = None
    """Lift in the group workspace minus lift in the isolated one."""
    head: LiveSummary | None = None
    """The head's own evals: a second table, never gated."""
    diagnosis: tuple[Diagnosis, ...] = ()
    worth_a_look: tuple[Diagnosis, ...] = ()
    """Seen in the traces where nothing was lost; explains no number."""
    notes: tuple[str, ...] = ()
    """Sentences that a reader must see beside the numbers."""
    floor: float = 0.05
    margin: float = 0.10
    seed: int | None = None
    spent: tuple[float, float] = (0.0, 0.0)
    """Alpha spent so far on (regressed, improved): what a rerun that lost its trials starts from."""
    attempts: int = 0
    """Per arm and case that the numbers rest on."""
    activation: tuple[int, int, int, int] | None = None
    """Read where it should (of), read where it should not (of); None where it was not graded."""
    skill_use: SkillUseSummary | None = None
    """Of this change's trials; None where none was scored."""
    skill_use_levels: tuple[UseLevel, ...] = ()
    """The same numbers with their intervals."""
    versions: tuple[str, ...] = ()
    """Harness with its version, and the model that answered, per harness."""
    connections: tuple[HostRow, ...] = ()
    """To hosts beside the model, allowed ones first; empty where sandboxes could reach the model alone."""
    judge: str = ""
    answers: tuple[int, int] | None = None
    """Different final answers, summed over cells (case, arm, agent), of all runs that gave one; None where unknown."""
    agreement: tuple[int, int] | None = None
    """Items on which two votes agree, of all with two votes."""
    flip_rate: float | None = None
    mode: str = ""
    max_drop: float | None = None
    """The drop that must be ruled out, where the policy asks for it."""
    sandbox: tuple[str, ...] | None = None
    """Digests of the images; empty where agents ran without a sandbox, None where the evidence does not say."""
    network: tuple[str, ...] | None = None
    """Hosts that agents could reach beside the model; None where the evidence does not say."""
    neighbours: tuple[str, ...] | None = None
    """Skills beside the target in every arm; None where the evidence does not say."""
    since: Since | None = None
    """Against the last push; None where there is none that is remembered."""
