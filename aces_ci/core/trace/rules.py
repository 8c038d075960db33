"""What must hold inside an ATIF document, told all at once, each fault with its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from aces_ci.core.trace.trajectory import Content, Step, Trajectory

AGENT_ONLY = ("model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics")
IMAGES = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
SINCE = {
    "is_copied_context": 5,
    "image": 6,
    "llm_call_count": 7,
    "trajectory_id": 7,
    "subagent_trajectories": 7,
    "extra of a call": 7,
    "extra of a result": 7,
    "audio": 8,
}
"""Field or part to the minor version that brought it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One broken rule. `error` False: the public validator lets it pass, so do we, but say it."""

    pointer: str
    """JSON pointer into the document, e.g. `/steps/3/observation/results/0`."""
    message: str
    error: bool = True


def faults(trajectory: Trajectory, at: str = "") -> Iterator[Fault]:
    """Every fault of a document and of its embedded children, in document order."""
    minor = int(trajectory.schema_version.rsplit(".", 1)[1])
    for used, pointer in _features(trajectory, at):
        if SINCE[used] > minor:
            yield Fault(
                pointer=pointer,
                message=f"{used} came with ATIF-v1.{SINCE[used]}, this is v1.{minor}",
                error=False,
            )
    if minor < 7 and trajectory.session_id is None:
        yield Fault(pointer=f"{at}/session_id", message="required before ATIF-v1.7", error=False)
    for index, step in enumerate(trajectory.steps):
        yield from _step(step, index, f"{at}/steps/{index}", minor)
    yield from _times(trajectory, at)
    total = trajectory.final_metrics.total_steps if trajectory.final_metrics else None
    if total is not None and total != len(trajectory.steps):
        yield Fault(
            pointer=f"{at}/final_metrics/total_steps",
            message=f"says {total}, the document has {len(trajectory.steps)}",
            error=False,
        )
    yield from _children(trajectory, at)


def _step(step: Step, index: int, at: str, minor: int) -> Iterator[Fault]:
    if step.step_id != index + 1:
        yield Fault(pointer=f"{at}/step_id", message=f"is {step.step_id}, the order asks for {index + 1}")
    if step.source != "agent":
        for name in AGENT_ONLY:
            if getattr(step, name) is not None:
                yield Fault(pointer=f"{at}/{name}", message=f"not allowed on a step of source {step.source}")
    elif step.llm_call_count == 0:
        for name in ("metrics", "reasoning_content"):
            if getattr(step, name) is not None:
                yield Fault(pointer=f"{at}/{name}", message="not allowed where llm_call_count is 0")
    yield from _results(step, at, minor)
    yield from _content(step.message, f"{at}/message")


def _results(step: Step, at: str, minor: int) -> Iterator[Fault]:
    ids = Counter(call.tool_call_id for call in step.tool_calls or ())
    for name, count in ids.items():
        if count > 1:
            yield Fault(pointer=f"{at}/tool_calls", message=f"{count} calls have the id {name[:80]}", error=False)
    for place, result in enumerate(step.observation.results if step.observation else ()):
        pointer = f"{at}/observation/results/{place}"
        if result.source_call_id is not None and result.source_call_id not in ids:
            yield Fault(
                pointer=f"{pointer}/source_call_id",
                message=f"no call of this step has the id {result.source_call_id[:80]}",
            )
        for number, ref in enumerate(result.subagent_trajectory_ref or ()):
            if ref.trajectory_id or ref.trajectory_path or (ref.session_id and minor < 7):
                continue
            yield Fault(
                pointer=f"{pointer}/subagent_trajectory_ref/{number}",
                message="names neither trajectory_id nor trajectory_path",
            )
        yield from _content(result.content, f"{pointer}/content")


def _content(content: Content | None, at: str) -> Iterator[Fault]:
    for index, part in enumerate(content if isinstance(content, tuple) else ()):
        here = f"{at}/{index}"
        if part.type == "text" and (part.text is None or part.source is not None):
            yield Fault(pointer=here, message="a text part has `text` and no `source`")
        elif part.type != "text" and (part.source is None or part.text is not None):
            yield Fault(pointer=here, message=f"a part of type {part.type} has `source` and no `text`")
        elif part.type == "image" and part.source and part.source.media_type not in IMAGES:
            yield Fault(pointer=f"{here}/source/media_type", message=f"not one of {', '.join(sorted(IMAGES))}")


def _times(trajectory: Trajectory, at: str) -> Iterator[Fault]:
    last: datetime | None = None
    for index, step in enumerate(trajectory.steps):
        if step.timestamp is None:
            continue
        pointer = f"{at}/steps/{index}/timestamp"
        try:
            now = datetime.fromisoformat(step.timestamp)
        except ValueError:
            yield Fault(pointer=pointer, message="not ISO 8601")
            continue
        if last is not None and (now.tzinfo is None) == (last.tzinfo is None) and now < last:
            yield Fault(pointer=pointer, message="earlier than the step before it", error=False)
        last = now


def _children(trajectory: Trajectory, at: str) -> Iterator[Fault]:
    seen: set[str] = set()
    for index, child in enumerate(trajectory.subagent_trajectories or ()):
        here = f"{at}/subagent_trajectories/{index}"
        if child.trajectory_id is None:
            yield Fault(pointer=f"{here}/trajectory_id", message="an embedded trajectory needs one")
        elif child.trajectory_id in seen:
            yield Fault(pointer=f"{here}/trajectory_id", message="two embedded trajectories share it")
        else:
            seen.add(child.trajectory_id)
        yield from faults(child, here)


def _features(trajectory: Trajectory, at: str) -> Iterator[tuple[str, str]]:
    for name in ("trajectory_id", "subagent_trajectories"):
        if getattr(trajectory, name) is not None:
            yield name, f"{at}/{name}"
    for index, step in enumerate(trajectory.steps):
        here = f"{at}/steps/{index}"
        for name in ("is_copied_context", "llm_call_count"):
            if getattr(step, name) is not None:
                yield name, f"{here}/{name}"
        if any(call.extra is not None for call in step.tool_calls or ()):
            yield "extra of a call", f"{here}/tool_calls"
        results = step.observation.results if step.observation else ()
        if any(result.extra is not None for result in results):
            yield "extra of a result", f"{here}/observation"
        for content in (step.message, *(result.content for result in results)):
            for part in content if isinstance(content, tuple) else ():
                if part.type != "text":
                    yield part.type, here
