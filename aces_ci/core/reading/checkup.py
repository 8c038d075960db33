"""What `aces-ci check` found, and what it makes of it: the one value that its formats get."""

from __future__ import annotations

from dataclasses import dataclass

from aces_ci.core.evidence import Structure
from aces_ci.core.finding import Finding, Severity
from aces_ci.core.rule import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One skill. `lines` are the source lines that findings point at, by (path, line)."""

    structure: Structure
    findings: tuple[Finding, ...]
    manifest: str
    """Repository-relative."""
    source: dict[tuple[str, int], str]
    blocked: str | None = None
    """Why the profile's own gate fails, apart from errors; None where it does not."""

    @property
    def verdict(self) -> str:
        """`fail`, `warn` or `pass`."""
        if self.blocked or any(f.severity in (Severity.CRITICAL, Severity.ERROR) for f in self.findings):
            return "fail"
        return "warn" if any(f.severity is Severity.WARNING for f in self.findings) else "pass"

    @property
    def unreadable(self) -> Finding | None:
        """The finding that says why there is no score."""
        return next((f for f in self.findings if f.code in ("SP001", "SP002")), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkup:
    """All skills of one call, in order of paths."""

    version: str
    profile: Profile
    skills: tuple[Checked, ...]
    seconds: float
    known: int = 0
    """Findings that the baseline file lists and that are therefore not shown."""
    fixed: int = 0
    """Entries of the baseline file that no longer occur."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Of all skills, each skill's own order kept."""
        return tuple(finding for skill in self.skills for finding in skill.findings)

    @property
    def verdict(self) -> str:
        """The worst of the skills'."""
        verdicts = {skill.verdict for skill in self.skills}
        return next((word for word in ("fail", "warn") if word in verdicts), "pass")


def count(findings: tuple[Finding, ...], *severities: Severity) -> int:
    """How many findings are of these severities."""
    return sum(1 for finding in findings if finding.severity in severities)


def gate(
    structure: Structure, findings: tuple[Finding, ...], *, min_score: int, contract: frozenset[str]
) -> str | None:
    """Why the profile blocks although nothing is an error; `contract` are the codes that `strict` insists on."""
    if structure.profile == Profile.ACES and structure.score is not None and structure.score < min_score:
        return f"score {structure.score} is below {min_score}"
    if structure.profile == Profile.STRICT:
        missing = sorted({finding.code for finding in findings if finding.code in contract})
        if missing:
            return f"profile strict asks for {', '.join(missing)}"
    return None
