"""ATIF, the agent trajectory interchange format: the models of versions 1.0 to 1.8.

Shapes follow the public schema as Harbor 0.26 validates it. These models check types only; what must hold
between fields is in `trace_rules`, so that a validator can tell all faults of a document at once. Keys that
the schema does not know are kept (`model_extra`) and reported by the reader. Our own data lives in `extra`,
under the key `aces`.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Version = Literal[
    "ATIF-v1.0",
    "ATIF-v1.1",
    "ATIF-v1.2",
    "ATIF-v1.3",
    "ATIF-v1.4",
    "ATIF-v1.5",
    "ATIF-v1.6",
    "ATIF-v1.7",
    "ATIF-v1.8",
]
WRITES: Version = "ATIF-v1.7"
"""The version that our writer emits: the newest that Harbor's own installed agents write."""

Source = Literal["system", "user", "agent"]
Extra = dict[str, Any]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", protected_namespaces=())


class MediaSource(_Record):
    """Where an image (1.6) or a sound (1.8) lies: a path relative to the document, or a URL."""

    media_type: str
    path: str
    duration_sec: float | None = None
    """Seconds; sounds only."""


class ContentPart(_Record):
    """One part of a multimodal message: `text` has `text`, the others have `source`."""

    type: Literal["text", "image", "audio"]
    text: str | None = None
    source: MediaSource | None = None


Content = str | tuple[ContentPart, ...]
"""A message or an observation: plain text, or parts."""


class SubagentRef(_Record):
    """A pointer to a child trajectory. Before 1.7 `session_id` alone was one."""

    trajectory_id: str | None = None
    trajectory_path: str | None = None
    session_id: str | None = None
    extra: Extra | None = None


class ToolCall(_Record):
    """One call. `arguments` is an object, `{}` for none."""

    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]
    extra: Extra | None = None


class ObservationResult(_Record):
    """What a call gave. ATIF has no field for exit codes: ours stand in `extra` (`exit_code`, `is_error`)."""

    source_call_id: str | None = None
    content: Content | None = None
    subagent_trajectory_ref: tuple[SubagentRef, ...] | None = None
    extra: Extra | None = None


class Observation(_Record):
    """Results of the calls of the same step."""

    results: tuple[ObservationResult, ...]


class Metrics(_Record):
    """Tokens and money of one step. `prompt_tokens` includes the cached ones."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    prompt_token_ids: tuple[int, ...] | None = None
    completion_token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    extra: Extra | None = None


class FinalMetrics(_Record):
    """Totals of the document; `total_cost_usd` includes subagents."""

    total_prompt_tokens: int | None = None
    total_completion_tokens: int | None = None
    total_cached_tokens: int | None = None
    total_cost_usd: float | None = None
    total_steps: int | None = None
    extra: Extra | None = None


class Step(_Record):
    """One turn. Calls, reasoning and metrics belong to agent steps alone; an observation may be on any."""

    step_id: int = Field(ge=1)
    timestamp: str | None = None
    """ISO 8601."""
    source: Source
    model_name: str | None = None
    reasoning_effort: str | float | None = None
    message: Content
    reasoning_content: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    is_copied_context: bool | None = None
    llm_call_count: int | None = Field(default=None, ge=0)
    """0 says that no model made this step; then it has no metrics and no reasoning."""
    extra: Extra | None = None

    @property
    def text(self) -> str:
        """The message as text; media become a marker in brackets."""
        return text_of(self.message)


class Agent(_Record):
    """Who acted: the harness, its version, its model."""

    name: str
    version: str
    model_name: str | None = None
    tool_definitions: tuple[dict[str, Any], ...] | None = None
    extra: Extra | None = None


class Trajectory(_Record):
    """One document."""

    schema_version: Version = WRITES
    session_id: str | None = None
    trajectory_id: str | None = None
    agent: Agent
    steps: tuple[Step, ...] = Field(min_length=1)
    notes: str | None = None
    final_metrics: FinalMetrics | None = None
    continued_trajectory_ref: str | None = None
    extra: Extra | None = None
    subagent_trajectories: tuple[Trajectory, ...] | None = None

    @property
    def aces(self) -> Extra:
        """Our own data: `origin` (gateway, log), `lost` (sentences), `flags`. Empty where we did not write
        it.
        """
        value = (self.extra or {}).get("aces")
        return value if isinstance(value, dict) else {}

    @property
    def answer_digest(self) -> str | None:
        """64 hex digits of the final answer, white space at its ends left out; None where there is none."""
        return sha256(self.answer[1].strip().encode("utf-8", "replace")).hexdigest() if self.answer else None

    @property
    def answer(self) -> tuple[int, str] | None:
        """Step id and text of the last agent step that says something without calling a tool after it.

        The last agent message that is not empty, on a step after which no call was made; None where the run
        ended in the middle of its work.
        """
        for step in reversed(self.steps):
            if step.source != "agent":
                continue
            if step.tool_calls:
                return None
            if step.text.strip():
                return step.step_id, step.text
        return None

    def walk(self) -> Iterator[Trajectory]:
        """This document, then every embedded child, depth first."""
        yield self
        for child in self.subagent_trajectories or ():
            yield from child.walk()


def text_of(content: Content | None) -> str:
    """Text of a message or an observation; None is empty, media become `[image: path]`."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = (
        part.text or "" if part.type == "text" else f"[{part.type}: {part.source.path if part.source else '?'}]"
        for part in content
    )
    return "\n".join(parts)
