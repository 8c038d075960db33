"""Judges goal accuracy in an environment and a process of its own; everything about it that is no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from aces_ci.core.grading.judged import Settled
from aces_ci.core.staging import StagedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One trial as the worker is told it: messages without skill, arm or narration, and the goal."""

    messages: tuple[Mapping[str, Any], ...]
    reference: str


class GoalWorker(Protocol):
    """One worker. It is run in a sandbox by its program; `RECIPE` names the image that holds its environment."""

    name: str
    recipe: str
    interpreter: str
    """In the image."""
    environment: Mapping[str, str]
    """What its process needs set."""

    def program(self) -> StagedFile:
        """The program, relative to HOME."""
        ...

    def context(self) -> tuple[StagedFile, ...]:
        """What its image is built from, beside the recipe."""
        ...

    def installed(self, folder: Path) -> Path | None:
        """The interpreter of an environment on this machine, for sandboxes that have no images; None: not built."""
        ...

    def build(self, folder: Path) -> Path:
        """Build it. Raises UsageError."""
        ...

    def request(
        self, conversations: Sequence[Conversation], *, model: str, base_url: str, token: str, seconds: float
    ) -> bytes:
        """What the program reads on its standard input."""
        ...

    def verdicts(self, reply: bytes, count: int, judge: str) -> tuple[Settled, ...]:
        """One for each conversation, in their order; what cannot be read is an error in each."""
        ...
