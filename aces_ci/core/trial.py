"""One trial: case x arm x harness x model x attempt, how it ended, what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from aces_ci.core.spending.connection import Connection


class Arm(StrEnum):
    """What differs between trials of one case: the target skill's presence, and nothing else."""

    WITH_SKILL = "with_skill"
    PREVIOUS = "previous"
    """The skill as it stands at the merge base."""
    BASELINE = "baseline"
    """Without the target; support skills stay."""


class Ending(StrEnum):
    """Four outcomes; only `infra_failed` is missing data, and only gateway or daemon may say so."""

    FINISHED = "finished"
    AGENT_FAILED = "agent_failed"
    TIMED_OUT = "timed_out"
    INFRA_FAILED = "infra_failed"


class Flag(StrEnum):
    """Why a trial may not be compared."""

    TAMPERED = "tampered"
    CONTAMINATED = "contaminated"
    TRACE_MISMATCH = "trace_mismatch"
    UNVERIFIED = "unverified"
    BUDGET = "budget"
    UNEQUAL_TOOLS = "unequal_tools"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens and money of one trial. `usd_micros` is millionths of a US dollar; None where no price is known."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    requests: int = 0
    usd_micros: int | None = None

    @property
    def tokens(self) -> int:
        """All tokens that passed, cached ones included."""
        return self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_write_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The record of one trial. `digest` covers everything that can change its result."""

    digest: str
    """64 hex digits; resume key and file name."""
    skill: str
    case: str
    arm: Arm
    harness: str
    model: str
    """As asked for; `resolved_model` is what answered."""
    attempt: int
    """1-based, within case x arm x harness x model."""
    stage: int = 1
    """The look that this attempt belongs to, 1-based."""
    ending: Ending
    because: str = ""
    """One clause of why it did not finish; empty when it did."""
    usage: Usage = Usage()
    seconds: float = 0.0
    resolved_model: str | None = None
    harness_version: str | None = None
    flags: tuple[Flag, ...] = ()
    trajectory: str | None = None
    """Path of the ATIF file, relative to the output directory."""
    side: str = "base"
    """Whose evals: `base` decides, `head` is the second table."""
    mode: str = "isolated"
    """Skill workspace: isolated, group."""
    recorded: str | None = None
    """ISO date when it was taken from history instead of run now: informs, never gates."""
    tools: str | None = None
    """Digest of the tool list that the model was offered; None where no request was forwarded."""
    drops: tuple[str, ...] = ()
    """What the gateway took out of the requests. Tools and drops are equal in both arms of a fair pair."""
    lost_micros: int = 0
    """What earlier tries of it cost, which infrastructure or a killed run lost: money of the run, not of the arm."""
    connections: tuple[Connection, ...] = ()
    """Through `network.allow`, refused ones included; empty where the sandbox could reach the model alone."""

    answer: str | None = None
    """Digest of the final answer; None where there is none, or no trajectory."""

    @property
    def id(self) -> str:
        """Identity in the evidence file."""
        return f"trial:{self.digest}"

    @property
    def missing(self) -> bool:
        """Whether nobody can say how the agent would have done."""
        return self.ending is Ending.INFRA_FAILED
