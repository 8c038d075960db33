"""What an agent did, tool call by tool call, whatever its program calls its tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from aces_ci.core.scripts.deeds import shell_files
from aces_ci.core.scripts.files.touch import Touch
from aces_ci.core.scripts.shell import commands
from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.scripts.shell.folders import MOVES
from aces_ci.core.trace import touched
from aces_ci.core.trace.outcome import ended, exit_code, failed
from aces_ci.core.trace.tools import Deed, deed_of, folder_in, path_in, script_in, skill_in, terminal
from aces_ci.core.trace.trajectory import ObservationResult, Step, Trajectory, text_of
from aces_ci.core.trace.wrapped import calls as wrapped_calls


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One call with its result. What is unknown is None."""

    number: int
    """0-based, in the order of the whole trace; a wrapper's inner calls count each."""
    step: int
    """Step id to cite."""
    tool: str
    deed: Deed
    arguments: Mapping[str, object]
    script: str | None = None
    """Shell text of a SHELL action; None where only the run knew it."""
    commands: tuple[Command, ...] = ()
    folder: str | None = None
    """Working directory that the call asked for."""
    path: str | None = None
    """The first file or folder that a file tool names; `touches` has all of them."""
    touches: tuple[Touch, ...] = ()
    """Every file that is read, written or deleted, by a file tool or by the commands of a shell."""
    skill: str | None = None
    output: str | None = None
    """None: the call has no result, the run was cut off."""
    code: int | None = None
    failed: bool | None = None
    ended: bool | None = None
    """Of a shell call: whether the whole ended with exit code 0."""


def actions(trajectory: Trajectory) -> tuple[Action, ...]:
    """Every call of the document, then those of its embedded children, cited by the step that points to
    them.
    """
    found: list[Action] = []
    shells: dict[str, str] = {}
    for step in trajectory.steps:
        found.extend(_of_step(step, step.step_id, len(found), shells))
    for child in trajectory.subagent_trajectories or ():
        cite = _pointing(trajectory, child.trajectory_id)
        for inner in child.walk():
            for step in inner.steps:
                found.extend(_of_step(step, cite, len(found), {}))
    return tuple(found)


def _of_step(step: Step, cite: int, start: int, shells: dict[str, str]) -> Iterator[Action]:
    """`shells` holds where each terminal that stays open was left."""
    results = step.observation.results if step.observation else ()
    by_call = {result.source_call_id: result for result in results if result.source_call_id}
    shared = next((result for result in results if result.source_call_id is None), None)
    for call in step.tool_calls or ():
        result = by_call.get(call.tool_call_id, shared)
        for name, arguments in _unwrapped(call.function_name, call.arguments):
            shell = terminal(name, arguments)
            action = _action(start, cite, name, arguments, result, shells.get(shell or "", ""))
            if shell is not None and action.script and any(each.name in MOVES for each in action.commands):
                shells[shell] = _left(action.script, shells.get(shell, ""))
            yield action
            start += 1


def _unwrapped(name: str, arguments: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    source = arguments.get("input")
    inner = wrapped_calls(source) if name == "exec" and isinstance(source, str) else ()
    if inner:
        yield from ((call.name, call.arguments) for call in inner)
    else:
        yield name, arguments


def _action(
    number: int, step: int, tool: str, arguments: Mapping[str, object], result: ObservationResult | None, left: str
) -> Action:
    deed = deed_of(tool, arguments)
    script = script_in(tool, arguments) if deed is Deed.SHELL else None
    folder = folder_in(arguments) if deed is Deed.SHELL else None
    start = folder or left
    parsed = _parsed(script, start) if script else ()
    output = text_of(result.content) if result is not None else None
    extra = result.extra if result is not None else None
    return Action(
        number=number,
        step=step,
        tool=tool,
        deed=deed,
        arguments=arguments,
        script=script,
        commands=parsed,
        folder=folder,
        touches=_touched(script, start) if script else touched.touches(tool, deed, arguments),
        path=path_in(arguments) if deed in {Deed.READ, Deed.WRITE, Deed.LIST} else None,
        skill=skill_in(arguments) if deed is Deed.SKILL else None,
        output=output,
        code=exit_code(extra, output) if output is not None and deed is Deed.SHELL else None,
        failed=failed(deed, extra, output, parsed),
        ended=ended(extra, output) if deed is Deed.SHELL else None,
    )


@lru_cache(maxsize=4096)
def _parsed(script: str, folder: str) -> tuple[Command, ...]:
    return commands.parse(script, folder)


@lru_cache(maxsize=4096)
def _touched(script: str, folder: str) -> tuple[Touch, ...]:
    parsed = _parsed(script, folder)
    return tuple(touch for command in parsed for touch in shell_files.touches(command, parsed))


def _left(script: str, folder: str) -> str:
    """Where a shell is after the script."""
    return _parsed(f"{script.rstrip()}\n:", folder)[-1].folder


def _pointing(trajectory: Trajectory, identity: str | None) -> int:
    for step in trajectory.steps:
        for result in step.observation.results if step.observation else ():
            if any(ref.trajectory_id == identity for ref in result.subagent_trajectory_ref or ()):
                return step.step_id
    return trajectory.steps[-1].step_id
