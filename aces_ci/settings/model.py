"""Every setting: name, type, default and help. The one place that knows them."""

from __future__ import annotations

import itertools
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, HttpUrl, StringConstraints, field_validator

from aces_ci.core.gate import Mode
from aces_ci.core.rule import Profile
from aces_ci.core.spending import hosts
from aces_ci.core.trial import Arm

Glob = Annotated[str, StringConstraints(min_length=1, max_length=500)]
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Section(BaseModel):
    """A group of settings. Unknown keys are errors: an ignored key could spend money or open a gate unnoticed."""

    # Built once, with the whole: a command that reads no settings does not pay for their parts.
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True, defer_build=True)


class Skills(Section):
    """Which folders count."""

    include: tuple[Glob, ...] = Field(("**",), description="Globs of skill folders to look at.")
    exclude: tuple[Glob, ...] = Field((), description="Globs of skill folders to leave out.")


class Structural(Section):
    """Tier 1."""

    profile: Profile = Field(
        Profile.SPEC, description="How strict: spec, aces (score below min_score fails) or strict."
    )
    min_score: int = Field(70, ge=0, le=100, description="The score below which gate `structural` is broken.")
    baseline_file: str | None = Field(None, description="Known findings to leave out; may only shrink.")
    ignore: tuple[str, ...] = Field((), description="Codes that are not reported.")
    lint: bool = Field(True, description="Lint changed scripts (advice).")


class Calibration(Section):
    """What `aces-ci calibrate judge` measured, pasted by a person; the gate reads it."""

    judge: str = Field(description="The judge's name as printed: resolved model and prompt version.")
    edition: str = Field("", description="Digest of rules, criteria and votes; another one is another judge.")
    sampling: str = Field("", description="Sampling parameters that were sent; other ones make another judge.")
    items: int = Field(ge=1, description="Labelled items.")
    kappa: Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)] = Field(description="Cohen's kappa.")
    false_yes: Fraction = Field(description="Upper end of the 95 % interval of false passes.")
    false_no: Fraction = Field(description="Upper end of the 95 % interval of false failures.")


LEAST_RATE = 0.001
"""US dollars per million tokens: below this our unit, a billionth of a dollar a token, knows only nothing."""
MOST_DOLLARS = 1_000_000_000


def _rate(value: float) -> float:
    if 0 < value < LEAST_RATE:
        raise ValueError(
            "must be US dollars per million tokens: so small a number looks like the price of one token and would "
            "count as free (3 dollars per million are 3, not 0.000003)"
        )
    return _amount(value)


def _amount(value: float) -> float:
    if value > MOST_DOLLARS:
        raise ValueError(f"must be at most {MOST_DOLLARS} US dollars")
    return value


Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False), AfterValidator(_amount)]
Rate = Annotated[float, Field(ge=0, strict=True, allow_inf_nan=False), AfterValidator(_rate)]


class ModelPrice(Section):
    """Price of one model in US dollars per million tokens; outranks the built-in table."""

    model: Annotated[str, StringConstraints(min_length=1)] = Field(description="Exact name, or a pattern with *.")
    input: Rate = Field(description="Uncached input.")
    output: Rate = Field(description="Output.")
    cache_read: Rate | None = Field(None, description="Unset: as input.")
    cache_write: Rate | None = Field(None, description="Unset: as input.")


class Judge(Section):
    """Tier 2."""

    provider: Literal["auto", "off", "anthropic", "openai", "openai_chat", "compatible", "recorded"] = Field(
        "auto", description="Who judges; auto takes the one provider whose key exists."
    )
    model: str | None = Field(None, description="Model id; unset takes the provider's default for judging.")
    base_url: HttpUrl | None = Field(None, description="Base URL of an OpenAI-compatible server.")
    votes: int = Field(2, ge=1, le=3, description="Votes a criterion; a third is asked when two differ.")
    concurrency: int = Field(4, ge=1, le=32, description="Questions under way at once.")
    seconds: float = Field(
        300, gt=0, allow_inf_nan=False, description="Time of one question, tries included; a model on a CPU wants more."
    )
    recordings: str | None = Field(None, description="File of recorded answers for provider `recorded`.")
    min_score: float = Field(6.0, ge=0, le=10, description="The score below which gate `judge` is broken.")
    calibration: Calibration | None = Field(
        None, description="What `calibrate judge` printed; without it the judge informs and never gates."
    )


class Harness(Section):
    """One agent to evaluate with."""

    name: str = Field(description="Harness: claude-code, codex, opencode, builtin, command.")
    model: str = Field(description="Model id as the provider knows it.")
    version: str | None = Field(None, description="Exact CLI version; unset takes the one shipped.")
    command: tuple[str, ...] = Field((), description="For harness `command`: the program and its arguments.")


class Workspace(Section):
    """Which skills the agent sees."""

    mode: Literal["isolated", "group", "both"] = Field(
        "isolated", description="Target alone, or with its neighbours; both: with them, and the lift alone as well."
    )
    include: tuple[Glob, ...] = Field((), description="Neighbours in group mode and in both: paths of skills.")
    injection: Literal["native", "preloaded"] = Field("native", description="Name and path only, or the whole body.")


class Attempts(Section):
    """How often each case runs in each arm."""

    looks: tuple[Annotated[int, Field(ge=1, le=50)], ...] = Field(
        (3, 5, 8), description="Attempts per arm and case at each planned look, rising."
    )

    @field_validator("looks")
    @classmethod
    def _rising(cls, looks: tuple[int, ...]) -> tuple[int, ...]:
        if not looks or any(a >= b for a, b in itertools.pairwise(looks)):
            raise ValueError("must rise, e.g. [3, 5, 8]")
        return looks


def _host(name: str) -> str:
    if why := hosts.wrong_with(name):
        raise ValueError(why)
    return name


HostName = Annotated[str, AfterValidator(_host), Field(json_schema_extra={"pattern": hosts.PATTERN})]


class Network(Section):
    """What a sandbox may reach beside the model. Never for forks."""

    allow: tuple[HostName, ...] = Field((), description="Exact host names, port 443; changes from forks get none.")

    @field_validator("allow")
    @classmethod
    def _few(cls, allow: tuple[str, ...]) -> tuple[str, ...]:
        if len(allow) > hosts.MOST:
            raise ValueError(f"takes at most {hosts.MOST} hosts; put what the tasks need into an image instead")
        return allow


class Sandbox(Section):
    """Where a trial runs."""

    backend: Literal["docker", "process", "harbor"] = Field(
        "docker", description="docker, process (no isolation) or harbor."
    )
    network: Network = Field(default_factory=Network)
    cpus: float = Field(2, gt=0, le=64, description="Processors of one trial.")
    memory: str = Field("4g", pattern=r"^[0-9]+[mg]$", description="Memory of one trial.")
    timeout: int = Field(600, ge=10, le=7200, description="Seconds until a trial is ended.")


class Weights(Section):
    """Weights of the composite, equal by default (`docs/metrics.md`)."""

    security: float = Field(1, ge=0, allow_inf_nan=False, description="Weight of this metric in the composite.")
    skill_execution: float = Field(1, ge=0, allow_inf_nan=False, description="Weight of this metric in the composite.")
    skill_efficiency: float = Field(1, ge=0, allow_inf_nan=False, description="Weight of this metric in the composite.")
    accuracy: float = Field(1, ge=0, allow_inf_nan=False, description="Weight of this metric in the composite.")
    goal_accuracy: float = Field(1, ge=0, allow_inf_nan=False, description="Weight of this metric in the composite.")
    behavior_check: float = Field(1, ge=0, allow_inf_nan=False, description="Weight of this metric in the composite.")


class Live(Section):
    """Tier 3."""

    when: Literal["auto", "label", "off"] = Field("auto", description="auto: own changes to a skill with evals/.")
    harnesses: tuple[Harness, ...] = Field(
        (Harness(name="claude-code", model="claude-sonnet-5"),), description="Agents to evaluate with."
    )
    arms: tuple[Arm, ...] = Field(tuple(Arm), description="with_skill, previous, baseline.")
    workspace: Workspace = Field(default_factory=Workspace)
    attempts: Attempts = Field(default_factory=Attempts)
    target_lift: Fraction = Field(0.20, description="The lift that a plan is priced for.")
    margin: Fraction = Field(0.10, description="`no difference` needs the 90 % interval inside this.")
    floor: Fraction = Field(0.05, description="No verdict for a smaller lift.")
    max_drop: Fraction | None = Field(
        None, description="A drop that every run must rule out, else gate `regression` breaks; null asks nothing."
    )
    alpha_regressed: float = Field(
        0.025, gt=0, le=0.1, description="One-sided error of `regressed`, divided by the changed skills."
    )
    goal_accuracy: Literal["auto", "ragas", "two_step"] = Field(
        "auto",
        description="Method of goal accuracy: ragas (its worker is built where it is missing), two_step, or auto: ragas"
        " where the worker is installed.",
    )
    weights: Weights = Field(default_factory=Weights)
    sandbox: Sandbox = Field(default_factory=Sandbox)
    concurrency: int = Field(4, ge=1, le=64, description="Trials under way at once.")
    seed: int = Field(20261129, description="Seed of the interleaving.")


class Budget(Section):
    """Caps on one run."""

    usd: Dollars | None = Field(10.0, description="US dollars; null for none.")
    minutes: float | None = Field(60.0, gt=0, allow_inf_nan=False, description="Minutes; null for none.")


class Gates(Section):
    """What each gate does: block, advise or off."""

    spec: Mode = Field(Mode.BLOCK, description="Findings of category spec.")
    structural: Mode = Field(Mode.ADVISE, description="Score below structural.min_score.")
    security: Mode = Field(Mode.BLOCK, description="Critical security findings new in this change.")
    judge: Mode = Field(Mode.ADVISE, description="Judge score, only above the calibration bar.")
    regression: Mode = Field(Mode.BLOCK, description="Outcome against the previous version.")
    lift: Mode = Field(Mode.ADVISE, description="Outcome against no skill.")
    evals: Mode | Literal["auto"] = Field("auto", description="Cases removed or weakened; auto blocks forks only.")
    invalid: Mode | Literal["auto"] = Field(
        "auto", description="Unfair comparisons; auto blocks only tampered or contaminated ones."
    )
    incomplete: Mode = Field(Mode.ADVISE, description="A shard is missing.")
    inconclusive: Mode = Field(Mode.ADVISE, description="The live tier cannot tell.")
    coverage: Mode = Field(Mode.OFF, description="Evals present, never fewer.")


class Comment(Section):
    """What is posted."""

    enabled: bool = Field(True, description="Post and edit the sticky comment.")
    key: str = Field(
        "default", pattern=r"^[a-z0-9-]{1,40}$", description="Comments with different keys live side by side."
    )
    check_run: bool = Field(False, description="Also write a check run (GitHub).")


class Settings(Section):
    """All of `aces.yml`."""

    version: Literal[1] = Field(1, description="Version of this file's format.")
    skills: Skills = Field(default_factory=Skills)
    structural: Structural = Field(default_factory=Structural)
    judge: Judge = Field(default_factory=Judge)
    live: Live = Field(default_factory=Live)
    budget: Budget = Field(default_factory=Budget)
    prices: tuple[ModelPrice, ...] = Field((), description="Prices of models, before the built-in table.")
    gates: Gates = Field(default_factory=Gates)
    comment: Comment = Field(default_factory=Comment)
