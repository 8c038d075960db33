"""What a person can do next, in the words of the forge where it is read."""

from __future__ import annotations

from aces_ci.core.inert import code

GITLAB = "gitlab"
JOB, LIVE_JOB = "aces-ci", "aces-ci:live"
"""Jobs of the GitLab component; tied to it by a test."""
ACCEPT = "aces:accept"


def start_live(forge: str, pipeline: str | None = None) -> str:
    """How agents are started on this change. GitLab's labels and notes start nothing: there it is a button."""
    if forge != GITLAB:
        return "`/aces live`"
    return f"press ▶ on job {code(LIVE_JOB)} in the {f'[pipeline]({pipeline})' if pipeline else 'pipeline'}"


def accept_loss(forge: str) -> str:
    """How a writer accepts a loss at one commit."""
    return f"label {code(ACCEPT)}{f', then ▶ on {code(JOB)} again' if forge == GITLAB else ''}"
