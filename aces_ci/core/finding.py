"""What a rule says about a place in a skill."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad. `error` belongs to category `spec` alone; security uses critical, warning and info."""

    CRITICAL = "critical"
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 is the worst; a sort key."""
        return list(Severity).index(self)


class Confidence(StrEnum):
    """How sure the rule is that it is right here; separate from how bad it would be."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Category(StrEnum):
    """Which gate may read a finding."""

    SPEC = "spec"
    QUALITY = "quality"
    SECURITY = "security"
    LINT = "lint"
    EVALS = "evals"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Replace the bytes `start:end` of `path` (skill-relative) by `text`: a fix that cannot change meaning."""

    path: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One problem at one place. Lines and columns are 1-based, in the file as it is on disk."""

    skill: str
    """Repository-relative POSIX path of the skill, "." for a root skill."""
    code: str
    """Two letters and three digits, e.g. `SP004`."""
    severity: Severity
    category: Category
    path: str
    """Repository-relative POSIX path of the file."""
    line: int
    end_line: int | None = None
    column: int | None = None
    end_column: int | None = None
    whole_file: bool = False
    """True where the file as such is meant; `line` is then 1 and links carry no line."""
    title: str
    """What is wrong in at most 60 characters, no full stop: the table cell, the annotation title."""
    message: str
    """One or two sentences: what, and why it matters to an agent."""
    hint: str
    """The concrete fix, an imperative clause."""
    url: str | None = None
    confidence: Confidence = Confidence.HIGH
    new: bool | None = None
    """Whether this change brought it; None where no comparison was made."""
    replacement: tuple[str, str] | None = None
    """(old line, new line) when one line fixes it; shown as a diff."""
    note: str = ""
    """A few words beside the mark under the source line, where a terminal shows it."""
    fingerprint: str = ""
    """Identity within its skill that survives edits elsewhere in the file."""

    @property
    def order(self) -> tuple[int, int, str, int, str]:
        """New before old, worst first, then by place."""
        return (0 if self.new is not False else 1, self.severity.rank, self.path, self.line, self.code)

    @property
    def id(self) -> str:
        """Identity within one run: code, place, and what tells two at one place apart."""
        return f"finding:{self.code}:{self.path}:{self.line}:{self.column or 0}:{self.fingerprint}"


def since(finding: Finding) -> str:
    """One word on whether the change brought it: `new`, `old`, or nothing where no comparison was made."""
    return "" if finding.new is None else "new" if finding.new else "old"
