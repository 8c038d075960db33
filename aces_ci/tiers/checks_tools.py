"""Checks on which tools were called and which commands were run."""

from __future__ import annotations

from collections.abc import Mapping

from aces_ci.core.grading.subject import Subject
from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.trace.actions import Action
from aces_ci.core.trace.tools import deed_of
from aces_ci.tiers.checks_result import CannotTell, Told, needed, pattern, shown


def command_ran(subject: Subject, args: Mapping[str, object]) -> Told:
    """A command of this program, or of this pattern, was run."""
    steps = [action.step for action in subject.actions if _runs(action, args)]
    return Told(bool(steps), f"step {steps[0]} ran it" if steps else "it was not run", tuple(steps[:1]))


def command_not_ran(subject: Subject, args: Mapping[str, object]) -> Told:
    """No such command was run."""
    told = command_ran(subject, args)
    return Told(not told.passed, told.because, told.cites)


def used(subject: Subject, args: Mapping[str, object]) -> Told:
    """The tool was called, as often as wanted."""
    name = _tool(args)
    steps = [action.step for action in subject.actions if _is(action, name, args)]
    least, most = args.get("min", 1), args.get("max")
    if not isinstance(least, int) or not (most is None or isinstance(most, int)):
        raise CannotTell("`min` and `max` are whole numbers")
    good = least <= len(steps) <= (most if most is not None else len(steps))
    return Told(good, f"{name} was called {len(steps)} times", tuple(steps[:1]))


def unused(subject: Subject, args: Mapping[str, object]) -> Told:
    """The tool was never called."""
    name = _tool(args)
    steps = [action.step for action in subject.actions if _is(action, name, args)]
    return Told(not steps, f"step {steps[0]} called {name}" if steps else f"{name} was not called", tuple(steps[:1]))


def order(subject: Subject, args: Mapping[str, object]) -> Told:
    """The calls occur in this order; others may stand between them."""
    wanted = args.get("tools")
    if not isinstance(wanted, list | tuple) or not wanted:
        raise CannotTell("the check has no list `tools`")
    left = list(wanted)
    steps: list[int] = []
    for action in subject.actions:
        if left and _agrees(action, left[0]):
            left.pop(0)
            steps.append(action.step)
    because = f"{shown(str(left[0]))} did not come in its place" if left else "in this order"
    return Told(not left, because, tuple(steps))


def exit_status(subject: Subject, args: Mapping[str, object]) -> Told:
    """The last such command ended with this code."""
    code = args.get("code", 0)
    ended = [action for action in subject.actions if action.script is not None and _runs(action, args)]
    if not ended:
        return Told(False, "no such command was run")
    last = ended[-1]
    if last.code is None:
        raise CannotTell(f"step {last.step} does not say how it ended")
    return Told(last.code == code, f"step {last.step} ended with {last.code}", (last.step,))


def _tool(args: Mapping[str, object]) -> str:
    """The tool's name: `tool`, or `name` as some datasets write it."""
    return needed(args, "tool" if "tool" in args else "name")


def _runs(action: Action, args: Mapping[str, object]) -> bool:
    worked = args.get("worked")
    if isinstance(worked, bool) and action.failed is worked:
        return False
    if not args.get("program") and not args.get("pattern"):
        return action.script is not None
    return any(_is_command(command, args) for command in action.commands)


def _is_command(command: Command, args: Mapping[str, object]) -> bool:
    program, text = args.get("program"), args.get("pattern")
    if isinstance(program, str) and command.name != program:
        return False
    if not isinstance(text, str):
        return bool(command.words)
    line = " ".join(word.shape for word in command.words)
    found = pattern(text)
    return found.search(command.source) is not None or found.search(line) is not None


def _is(action: Action, name: str, args: Mapping[str, object]) -> bool:
    """By the tool's own name, or by what such a tool does where an author wrote another program's name for
    it.
    """
    if action.tool != name and action.tool.casefold() != name.casefold():
        own = deed_of(name, {})
        if own.value == "other" or own is not action.deed:
            return False
    wanted = args.get("arguments")
    if not isinstance(wanted, Mapping):
        return True
    return all(
        pattern(str(text)).search(str(action.arguments.get(str(key), ""))) is not None for key, text in wanted.items()
    )


def _agrees(action: Action, wanted: object) -> bool:
    if isinstance(wanted, str):
        return _is(action, wanted, {}) or any(command.name == wanted for command in action.commands)
    if isinstance(wanted, Mapping):
        text = wanted.get("pattern")
        given = " ".join(map(str, action.arguments.values()))
        return _is(action, _tool(wanted), {}) and (not isinstance(text, str) or pattern(text).search(given) is not None)
    raise CannotTell("`tools` holds names, or objects with `name`")
