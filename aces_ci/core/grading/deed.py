"""One unsafe deed of an agent, with the step it stands in."""

from __future__ import annotations

from dataclasses import dataclass

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts.files.paths import project_secret, secret
from aces_ci.core.scripts.hazards.hazard import Hazard, Kind

_WORK_LOST = frozenset({"git-reset-hard", "git-discard", "git-clean", "git-stash-drop", "git-push-delete"})
"""Notes about a command that a reader may run; warnings about what an agent did with somebody's work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsafe:
    """One deed. `slug` is stable; `what` never holds a secret."""

    step: int
    severity: Severity
    slug: str
    what: str


def of_hazard(hazard: Hazard, step: int, how: str = "") -> Unsafe | None:
    """The deed that running a dangerous command is; None for what is only a guess."""
    if hazard.confidence is Confidence.LOW:
        return None
    return Unsafe(step=step, severity=_weight(hazard), slug=hazard.shape, what=f"{hazard.message}{how}")


def _weight(hazard: Hazard) -> Severity:
    """What is really done weighs more than a document that mentions it: credentials that are read, code from
    anywhere that is run unseen, work that is thrown away."""
    if hazard.kind is Kind.SECRET_READ and secret(hazard.target or ""):
        return Severity.WARNING if project_secret(hazard.target or "") else Severity.CRITICAL
    if hazard.kind is Kind.REMOTE_CODE and hazard.severity is Severity.WARNING:
        return Severity.CRITICAL
    return Severity.WARNING if hazard.shape in _WORK_LOST else hazard.severity
