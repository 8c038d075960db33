"""A call to a model as a value, and its answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

OVERHEAD_TOKENS = 1_000
"""What a provider adds to a request of its own: roles, and words around the schema."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One closed question. Equal questions are asked once."""

    item: str
    """Stable name of what is asked, e.g. `rubric/description_clarity@3`."""
    system: str
    """Rules for the judge; never holds untrusted text."""
    user: str
    """The task with its evidence: untrusted text JSON-encoded inside a nonce fence."""
    shared: int = 0
    """Characters at the front of `user` that other questions repeat: a provider may cache up to there."""
    schema: Mapping[str, object] = field(default_factory=dict)
    """JSON schema of the reply."""
    vote: int = 1
    """1, 2 or 3: the same question asked again is another question."""
    max_tokens: int = 2048
    """Upper bound of the reply, thinking included."""

    @property
    def most_input_tokens(self) -> int:
        """Upper bound: no tokenizer in use makes more than one token of a byte, and of some bytes it makes one."""
        texts = (self.system, self.user, json.dumps(self.schema))
        return sum(len(text.encode("utf-8", "replace")) for text in texts) + OVERHEAD_TOKENS


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back. Exactly one of `reply` and `error` is set."""

    item: str
    vote: int
    reply: Mapping[str, object] | None = None
    """Validated against the question's schema."""
    error: str | None = None
    """Why there is no reply: refusal, truncation, invalid JSON, 429, time-out, …"""
    model: str | None = None
    """As the provider resolved it."""
    input_tokens: int = 0
    output_tokens: int = 0
    usd_micros: int | None = None
    unsettled: int = 0
    """Requests in front of the one that was answered whose price never came: lost on the way, perhaps paid for."""
    cached: bool = False
    sampling: Mapping[str, object] = field(default_factory=dict)
    """The sampling parameters that were really sent."""
