"""One evaluation case, whatever dialect it was written in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Bucket(StrEnum):
    """The four kinds of a bootstrap suite."""

    EXPLICIT = "explicit"
    IMPLICIT = "implicit"
    CONTEXTUAL = "contextual"
    NEGATIVE = "negative"


class Role(StrEnum):
    """What a check counts towards."""

    MUST = "must"
    """A prescribed step: Skill-Use compliance."""
    MUST_NOT = "must_not"
    """A prohibition: Skill-Use boundary."""
    GATE = "gate"
    """Evaluability: weight 0, but a run that fails it is not scored."""
    OUTCOME = "outcome"
    """Part of the primary endpoint."""


class CheckKind(StrEnum):
    """What a deterministic check looks at; always a structured field, never narration."""

    CONTAINS = "contains"
    NOT_CONTAINS = "not_contains"
    REGEX = "regex"
    NOT_REGEX = "not_regex"
    EQUALS = "equals"
    FILE_EXISTS = "file_exists"
    FILE_ABSENT = "file_absent"
    FILE_MATCHES = "file_matches"
    FILE_NOT_MATCHES = "file_not_matches"
    JSON_SCHEMA = "json_schema"
    COMMAND_RAN = "command_ran"
    COMMAND_NOT_RAN = "command_not_ran"
    TOOL_USED = "tool_used"
    TOOL_NOT_USED = "tool_not_used"
    TOOL_ORDER = "tool_order"
    SCRIPT_RUN = "script_run"
    EXIT_STATUS = "exit_status"
    SKILL_READ = "skill_read"
    WORKSPACE = "workspace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A deterministic assertion. `args` are the kind's own (documented in `dialects` docs); regexes are RE2."""

    id: str
    kind: CheckKind
    role: Role
    args: Mapping[str, object] = field(default_factory=dict)
    text: str = ""
    """The author's sentence for it, if any."""
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Behavior:
    """A free sentence that a judge answers yes or no."""

    id: str
    text: str
    role: Role = Role.MUST
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFile:
    """A fixture: where it stands in the repository, where the agent finds it, below the workspace."""

    source: str
    target: str
    content: str | None = None
    """Inline content, for dialects that carry it; `source` is then empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One task for an agent. Unknown is None, never an empty promise."""

    id: str
    prompt: str
    files: tuple[CaseFile, ...] = ()
    trigger: bool | None = None
    """Whether the skill should be used; False is a negative case, None says nothing about routing."""
    expected_skill: str | None = None
    acceptable_skills: tuple[str, ...] = ()
    expected_script: str | None = None
    reference: str | None = None
    """The reference answer or goal; None: accuracy and goal accuracy do not apply."""
    checks: tuple[Check, ...] = ()
    behaviors: tuple[Behavior, ...] = ()
    bucket: Bucket | None = None
    skill_invocation: str | None = None
    provenance: str = ""
    """`path#pointer` of where it was read, and in which dialect."""
    generated: bool = False
    """True where `evals create` wrote it and no person has edited it."""
    unmapped: Mapping[str, object] = field(default_factory=dict)
    """Keys of the dialect that have no place here: kept and reported."""
