"""What is said of a cause: its title, and the sentence of one that is only worth a look."""

from __future__ import annotations

from collections.abc import Mapping

from aces_ci.core.diagnosis import Cause, Diagnosis

TITLES: Mapping[Cause, str] = {
    Cause.NEVER_DISCOVERED: "the skill is not found",
    Cause.MISUSED: "the skill is read and then misleads",
    Cause.UNSTABLE: "the agent fails or times out more often",
    Cause.TRUNCATED: "the answer is cut off or beside the task",
    Cause.SKIPPED_VERIFICATION: "a check is skipped",
    Cause.MORE_CALLS: "more calls for no better answer",
    Cause.UNSAFE: "an unsafe step is new",
    Cause.LISTED_AGAIN: "the same folder is listed twice",
    Cause.READ_AGAIN: "the same file is read twice",
}
_AGAIN = {Cause.LISTED_AGAIN: "listed", Cause.READ_AGAIN: "read"}


def look(item: Diagnosis, what: str) -> str:
    """One or two sentences. `what` is the item's own, made harmless for the format at hand."""
    before = f", before in {item.compared[0]} of {item.compared[1]}," if item.compared else ""
    runs = f"In {item.seen[0]} of {item.seen[1]} runs{before}"
    if item.cause in _AGAIN:
        advice = f" {item.suggestion[0].upper()}{item.suggestion[1:]}." if item.suggestion else ""
        return f"{runs} the agent {_AGAIN[item.cause]} {what} twice with nothing changed in between.{advice}"
    advice = f" Try {item.suggestion}." if item.suggestion else ""
    return f"{runs} {TITLES[item.cause]}: {what}.{advice}"
