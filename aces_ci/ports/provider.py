"""Who answers a question."""

from __future__ import annotations

from typing import Protocol

from aces_ci.core.question import Answer, Question


class Provider(Protocol):
    """One provider with one model.

    Every failure that a judge can cause (refusal, truncation, bad JSON, 429 after retries, time-out) is an Answer
    with `error` set. Raises UsageError only for what the user must fix before money is spent: wrong key, unknown
    model, no price under a dollar budget.
    """

    name: str
    model: str

    def ask(self, question: Question) -> Answer:
        """One reply. Blocking; called from several threads at once."""
        ...
