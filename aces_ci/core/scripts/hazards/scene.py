"""All commands of one script, so that a detector can look at what feeds what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from aces_ci.core.finding import Confidence, Severity
from aces_ci.core.scripts.files.paths import Area, area_in
from aces_ci.core.scripts.hazards.downloads import fetches
from aces_ci.core.scripts.hazards.hazard import Kind
from aces_ci.core.scripts.hazards.holdings import NOTHING, Holdings
from aces_ci.core.scripts.shell.command import Command


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """What a detector says of one command; `danger.classify` adds the place."""

    kind: Kind
    shape: str
    severity: Severity
    message: str
    target: str | None = None
    confidence: Confidence = Confidence.HIGH
    doubt: str = ""


class Scene:
    """One script. `workspaces` are absolute folders that its author may do with as they like.

    `follow` tells what its variables and files hold before each command in turn; it is asked once, and only when
    somebody wants to know.
    """

    def __init__(
        self,
        commands: Sequence[Command],
        workspaces: Sequence[str] = (),
        follow: Callable[[Scene], Iterator[Holdings]] = lambda scene: iter(()),
    ) -> None:
        self.commands = commands
        self.workspaces = workspaces
        self._follow = follow
        self._held: list[Holdings] | None = None
        self._pipelines: dict[int, list[Command]] = {}
        self._children: dict[int, list[Command]] = {}
        for command in commands:
            self._pipelines.setdefault(command.pipeline, []).append(command)
            if command.parent is not None:
                self._children.setdefault(command.parent, []).append(command)

    def area(self, command: Command, path: str) -> Area:
        """The area of a path that the command names, in the folder that it runs in."""
        return area_in(command.folder, path, self.workspaces)

    def held(self, command: Command) -> Holdings:
        """What variables and files hold when the command begins; while that is worked out, as far as it has come."""
        if self._held is None:
            self._held = []
            for now in self._follow(self):
                self._held.append(now)
        return self._held[min(command.index, len(self._held) - 1)] if self._held else NOTHING

    def children(self, command: Command) -> Sequence[Command]:
        """Commands right in its words, or in the script it is handed."""
        return self._children.get(command.index, ())

    @cached_property
    def fetchers(self) -> Sequence[Command]:
        """The commands that download something."""
        return [command for command in self.commands if fetches(command)]

    def stages(self, command: Command) -> Sequence[Command]:
        """Every command of its pipeline, itself included, in the order of the text."""
        return self._pipelines[command.pipeline]

    def before(self, command: Command) -> Sequence[Command]:
        """The stages whose output reaches it."""
        return [other for other in self.stages(command) if other.position < command.position]

    def after(self, command: Command) -> Sequence[Command]:
        """The stages that its output reaches."""
        return [other for other in self.stages(command) if other.position > command.position]

    def inner(self, command: Command) -> Sequence[Command]:
        """Commands in its words (`$(…)`, `<(…)`) or in the script it is handed, at any depth."""
        found: list[Command] = []
        todo = list(self._children.get(command.index, ()))
        while todo:
            each = todo.pop(0)
            found.append(each)
            todo.extend(self._children.get(each.index, ()))
        return found
