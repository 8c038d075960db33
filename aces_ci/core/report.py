"""The one document that every renderer gets."""

from __future__ import annotations

from dataclasses import dataclass, field

from aces_ci.core.event import Event
from aces_ci.core.evidence import ChangedSkill, Imported, Judgement, PolicySource, Skipped, Structure
from aces_ci.core.finding import Finding
from aces_ci.core.gate import GateResult
from aces_ci.core.live import LiveSummary
from aces_ci.core.proposal import Proposed
from aces_ci.core.verdict import Verdict

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillReport:
    """All that is known of one changed skill. None means that the tier did not run; `Report.skipped` says why."""

    change: ChangedSkill
    structure: Structure | None = None
    findings: tuple[Finding, ...] = ()
    """Sorted: new before old, worst first."""
    judgements: tuple[Judgement, ...] = ()
    live: LiveSummary | None = None
    proposed: Proposed | None = None
    """What a run of agents would be, where one waits for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What the run spent. `usd_micros` None: spent, but no price is known."""

    usd_micros: int | None = 0
    judge_usd_micros: int | None = 0
    tokens: int = 0
    seconds: float = 0.0
    cap_usd_micros: int | None = None
    saved_usd_micros: int | None = None
    trials: int = 0
    """All in the evidence, those that do not count among them; `reused_trials` of them came from earlier runs."""
    reused_trials: int = 0
    judgements: int = 0
    """Readings of one side of one skill by the judge."""
    reused_judgements: int = 0
    """Those of which every answer came from an earlier run."""
    judge_saved_usd_micros: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Where the reader can go on. None where the forge has no such page."""

    report: str | None = None
    log: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Event, skills, gates, verdict, cost: `report.json` is exactly this."""

    version: str
    event: Event
    merge_base: str
    policy: PolicySource
    skills: tuple[SkillReport, ...]
    unowned: tuple[str, ...]
    gates: tuple[GateResult, ...]
    verdict: Verdict
    skipped: tuple[Skipped, ...]
    cost: Cost
    links: Links = field(default_factory=Links)
    missing_shards: tuple[int, ...] = ()
    unverified: bool = False
    """True where the evidence is the word of a fork's own job."""
    imported: tuple[Imported, ...] = ()
    """Results of other tools, unverified: shown, and read by no gate."""
    schema_version: int = SCHEMA_VERSION
