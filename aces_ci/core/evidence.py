"""Evidence: everything a verdict may rest on, one append-only line each.

All that comes after (verdict, report, comment) can be made again from these lines alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from aces_ci.core.change import Because, How, Part
from aces_ci.core.diagnosis import Diagnosed
from aces_ci.core.event import Event
from aces_ci.core.finding import Finding
from aces_ci.core.proposal import Proposed
from aces_ci.core.score import Score
from aces_ci.core.trial import Trial

SCHEMA_VERSION = 1


class Tier(StrEnum):
    """The three tiers: text by rules, text by a model, agents at work."""

    STRUCTURAL = "structural"
    JUDGE = "judge"
    LIVE = "live"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySource:
    """Where gates and budgets were read from."""

    ref: str
    """Branch, or `built-in defaults`, or `working tree`."""
    sha: str | None = None
    path: str | None = None
    head_differs: bool = False
    """The head changes the policy file; takes effect after merge."""
    head_problem: str | None = None
    baseline_grows: int = 0
    """Findings that the head's baseline file lists and that of the default branch does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """The first line of every evidence file: what is evaluated, by whose rules."""

    event: Event
    merge_base: str
    policy: PolicySource
    settings: Mapping[str, object] = field(default_factory=dict)
    """The settings that decide: gates, thresholds, plan of looks, weights; and those of the comment."""
    unowned: tuple[str, ...] = ()
    shard: tuple[int, int] | None = None
    """(index, count), 1-based; None when one process runs all."""
    tool: str = "aces-ci"
    version: str = ""
    started: str = ""
    """ISO 8601, UTC."""

    @property
    def id(self) -> str:
        """One header a shard."""
        index, count = self.shard or (1, 1)
        return f"run:{index}/{count}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSkill:
    """One changed skill, as planned."""

    path: str
    name: str
    how: How
    previous_path: str | None = None
    parts: tuple[Part, ...] = ()
    files: tuple[str, ...] = ()
    because: Because | None = None
    shard: int = 1
    has_evals: bool = False

    @property
    def id(self) -> str:
        """One a path."""
        return f"skill:{self.path}"

    @property
    def label(self) -> str:
        """The folder's name, or the declared name for the root skill."""
        return self.path.rsplit("/", 1)[-1] if self.path != "." else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """Tier 1's numbers for one skill. `score` is None where the manifest could not be read."""

    skill: str
    conformant: bool
    score: int | None
    dimensions: Mapping[str, int] = field(default_factory=dict)
    previous_score: int | None = None
    """At the merge base; None for a new skill."""
    skipped_rules: Mapping[str, str] = field(default_factory=dict)
    """Code of the rule to why it was not run."""
    profile: str = "spec"
    name: str = ""
    deductions: Mapping[str, float] = field(default_factory=dict)
    """Code of the rule to the points of the overall score that it took, largest first."""
    ignored: Mapping[str, str] = field(default_factory=dict)
    """`CODE path:line` of a finding that a comment in the file sets aside, to the reason given there."""
    known: int = 0
    """Findings that the baseline file lists and that are therefore left out."""
    recorded_score: int | None = None
    """What the baseline file holds the skill to, where it knows it."""

    @property
    def id(self) -> str:
        """One a skill."""
        return f"structure:{self.skill}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """One asking of one criterion."""

    score: float
    passed: bool
    reason: str
    quote: str = ""
    line: int | None = None
    """Where the quote begins in `path`, 1-based; found by us, not taken from the judge."""
    path: str = ""
    """Skill-relative file of the quote."""
    fix: str = ""
    """The judge's own suggestion, one sentence."""
    searched: str = ""
    """Of a fault of omission: what was looked for and not found; the quote is then the place where it belongs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One rubric criterion for one skill: its votes, or why there are none."""

    skill: str
    criterion: str
    side: str = "head"
    """`head`, or `base` for the skill at the merge base."""
    votes: tuple[Vote, ...] = ()
    score: float | None = None
    """0 to 10, computed by us from the votes; None: not applicable or unanswered."""
    because: str = ""
    judge: str = ""
    """Resolved model and prompt version."""
    injection_suspected: bool = False
    usd_micros: int | None = 0
    tokens: int = 0
    cached: bool = False
    """Every vote was reused; `usd_micros` and `tokens` are then what they once cost."""
    sampling: str = ""
    """The sampling parameters that were really sent, e.g. `temperature 0`; empty: the model's own."""
    edition: str = ""
    """Digest of all that the judge was asked with: rules, form, every criterion's wording, number of votes."""

    @property
    def id(self) -> str:
        """One a skill, side and criterion."""
        return f"judgement:{self.skill}:{self.side}:{self.criterion}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A tier that did not run for a skill (or for all: `skill` None), and why: never green, never red."""

    tier: Tier
    skill: str | None
    code: str
    """A stable word: no_key, no_evals, fork, label, gate_failed, no_docker, budget, …"""
    because: str
    """One clause, as it stands behind the colon in the comment."""

    @property
    def id(self) -> str:
        """One a tier and skill."""
        return f"skipped:{self.tier.value}:{self.skill or '*'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """Somebody else's result, labelled as such: imported, unverified; never gates."""

    source: str
    """Path, and the tool that wrote it."""
    skill: str
    metric: str
    arm: str
    value: float | None
    n: int = 0
    because: str = ""

    @property
    def id(self) -> str:
        """One a source, metric and arm."""
        return f"imported:{self.source}:{self.skill}:{self.metric}:{self.arm}"


GATE_FAILED = "gate_failed"
"""Code of `Skipped` for a judge that was not asked, since a gate blocks whatever it would say."""
CUT_SHORT = frozenset({"budget", "stopped"})
"""Codes of `Skipped` in the live tier that speak of the rest of a run that began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What was fixed before the first trial of one skill: its cases, and over how many skills alpha is divided."""

    skill: str
    side: str = "base"
    """`base` decides; `head` is the second table."""
    cases: Mapping[str, Mapping[str, bool | str | None]] = field(default_factory=dict)
    """Case id to `negative` and `bucket`."""
    skills: int = 1
    sandbox: Mapping[str, str] = field(default_factory=dict)
    """Harness to the digest of its image; empty where agents run without one."""
    isolated: bool = True
    """False: agents ran as processes of the machine, without a sandbox."""
    network: tuple[str, ...] = ()
    """Hosts that agents may reach beside the model."""
    neighbours: tuple[str, ...] = ()
    """Labels of the skills that stand beside the target in every arm."""
    spent: tuple[float, float] = (0.0, 0.0)
    """Alpha that earlier runs spent on (regressed, improved) of this very comparison, and whose trials are gone."""
    looks: tuple[int, ...] = ()
    """Of this skill, where its own run policy lowered them; empty: the settings'."""
    arms: tuple[str, ...] = ()
    """Arms that run on this side; empty in evidence of a version that did not say."""
    agents: tuple[tuple[str, str], ...] = ()
    """(harness, model) of everybody who runs the cases; empty as above."""

    @property
    def id(self) -> str:
        """One a skill and side."""
        return f"planned:{self.skill}:{self.side}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LastPush:
    """What the last measured push of the same change request left of one skill."""

    skill: str
    head: str
    outcomes: tuple[tuple[str, str, str, tuple[float, ...]], ...] = ()
    """(case, harness, model, outcomes in [0, 1] of its runs), where this push has the same case, agent and judge."""
    findings: tuple[str, ...] = ()
    """Fingerprints of its findings."""

    @property
    def id(self) -> str:
        """One a skill."""
        return f"last_push:{self.skill}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded:
    """The last line of a shard that came to its end; without it the shard is incomplete."""

    shard: tuple[int, int] | None = None
    seconds: float = 0.0

    @property
    def id(self) -> str:
        """One a shard."""
        index, count = self.shard or (1, 1)
        return f"end:{index}/{count}"


Evidence = (
    RunStarted
    | ChangedSkill
    | Structure
    | Finding
    | Judgement
    | Trial
    | Score
    | Skipped
    | Imported
    | Diagnosed
    | Planned
    | Proposed
    | LastPush
    | RunEnded
)
PAID = (Judgement, Trial, Score)
"""Lines that cost money to make again."""
