"""The rule as a value: code, metadata, prose, check and the examples that are its tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from aces_ci.core.finding import Category, Confidence, Edit, Severity
from aces_ci.core.skill import Skill


class Dimension(StrEnum):
    """The four of tier 1, with their weights in the overall score."""

    CORRECTNESS = "correctness"
    DISCOVERABILITY = "discoverability"
    RELIABILITY = "reliability"
    EFFICIENCY = "efficiency"


WEIGHTS: Mapping[Dimension, float] = {
    Dimension.CORRECTNESS: 0.35,
    Dimension.DISCOVERABILITY: 0.25,
    Dimension.RELIABILITY: 0.25,
    Dimension.EFFICIENCY: 0.15,
}


class Profile(StrEnum):
    """How strict `check` is: `spec` never gates on the score, `aces` at 70, `strict` wants every field."""

    SPEC = "spec"
    ACES = "aces"
    STRICT = "strict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What a check found. Only `message` is needed; the rule's own texts fill the rest."""

    message: str
    path: str | None = None
    """Skill-relative; None means the manifest."""
    line: int = 1
    end_line: int | None = None
    column: int | None = None
    end_column: int | None = None
    whole_file: bool = False
    once: bool = False
    """Said of the skill as such: its line is only where to begin, and no part of what it is known by."""
    hint: str | None = None
    title: str | None = None
    deduction: float | None = None
    """Points off the dimension's 100; None takes the rule's `weight`."""
    severity: Severity | None = None
    confidence: Confidence | None = None
    replacement: tuple[str, str] | None = None
    edits: tuple[Edit, ...] = ()
    note: str = ""
    """A few words beside the mark under the source line."""
    quiet: bool = False
    """Takes points, and is too small to be worth a reader's line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A skill written as files, and the lines on which the rule must fire (none: it must be silent)."""

    files: Mapping[str, str]
    lines: tuple[int, ...] = ()
    path: str = ""
    """The file that the lines are of; the manifest where it is left out."""
    directory: str = "sample"
    why: str = ""
    siblings: Mapping[str, str] = field(default_factory=dict)
    """Name to description of the skills beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of tier 1. The module's docstring is its page; `slug` names the problem."""

    code: str
    slug: str
    title: str
    """The finding's title: what is wrong, at most 60 characters, no full stop."""
    dimension: Dimension | None
    """None for rules that take nothing off the score: spec, security and lint."""
    category: Category
    severity: Severity
    hint: str
    check: Callable[[Skill], Iterable[Problem]]
    examples: tuple[Example, ...]
    weight: float = 0.0
    """Points off its dimension's 100 for each problem, unless the problem carries its own deduction."""
    cap: float = 100.0
    """The most that this rule can take off its dimension."""
    requires: tuple[str, ...] = ()
    """Codes that must be silent first; else this rule is skipped because of them."""
    explained_by: tuple[str, ...] = ()
    """Codes whose finding says it all: this rule then takes its points without a line of its own."""
    profiles: frozenset[Profile] = field(default_factory=lambda: frozenset(Profile))
    confidence: Confidence = Confidence.HIGH
    strict_severity: Severity | None = None
    """The severity under `strict`, where it differs."""
    fires_on: str = ""
    """A public skill of the corpus where it fires; shown in the docs."""
    fires_beyond: str = ""
    """Where no skill of the corpus makes it fire: a public one elsewhere that does, with its commit."""
    silent_on: str = ""
    """One where it rightly does not."""
    prose: str = ""
    """Filled from the module's docstring by the loader."""
