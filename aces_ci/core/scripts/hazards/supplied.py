"""What a command is handed beside its own words: by `find -exec`, by `xargs`, or by a loop that reads lines."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aces_ci.core.scripts.files.paths import Area, area
from aces_ci.core.scripts.hazards.scene import Scene
from aces_ci.core.scripts.shell.command import Command
from aces_ci.core.scripts.shell.folders import below
from aces_ci.core.scripts.shell.handed import printed

_HANDS_ON = frozenset({"xargs", "parallel"})
_CHOOSES = frozenset(
    {"-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-newer", "-size", "-empty",
     "-user", "-perm", "-samefile", "-inum", "-nouser", "-nogroup", "-xtype", "-links", "-anewer", "-cnewer"}
)  # fmt: skip
_AGES = frozenset({"-mtime", "-mmin", "-atime", "-ctime"})
"""Conditions that nearly everything in a home meets."""
_LISTERS = frozenset({"ls", "dir"})
_CHOOSING_STAGES = frozenset({"grep", "egrep", "rg", "awk", "head", "tail", "sed", "fzf"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Supply:
    """One place that is handed over. `chosen`: only what meets a condition below it."""

    path: str
    chosen: bool = False


def supplied(scene: Scene, command: Command) -> Iterator[Supply]:
    """Every such place, as a path from where the script was started."""
    if command.given and any("{}" in word.shape for word in command.words):
        yield from found([word.shape for word in command.given], command.folder)
    elif _HANDS_ON & set(command.wrappers) or any(_reads_lines(scene, command, w.shape) for w in command.operands):
        yield from _piped(scene.before(command), command)


def _reads_lines(scene: Scene, command: Command, shape: str) -> bool:
    """Whether a word is what `while read NAME` of its pipeline reads."""
    name = shape.strip('"').removeprefix("$")
    return shape.startswith("$") and any(
        stage.name == "read" and any(word.shape == name for word in stage.operands) for stage in scene.stages(command)
    )


def _piped(before: Sequence[Command], command: Command) -> Iterator[Supply]:
    chosen = any(stage.name in _CHOOSING_STAGES for stage in before)
    for stage in before:
        words = [word.shape for word in stage.arguments]
        if stage.name == "find":
            for each in found(words, stage.folder):
                yield Supply(path=each.path, chosen=each.chosen or chosen)
        elif stage.name in _LISTERS:
            targets = [word for word in words if word[:1] != "-"] or ["."]
            yield from (Supply(path=below(stage.folder, f"{path.rstrip('/')}/*"), chosen=chosen) for path in targets)
        elif (text := printed(stage)) is not None:
            yield from (
                Supply(path=below(command.folder, path), chosen=chosen) for path in text.replace("\\0", " ").split()
            )


def found(words: Sequence[str], folder: str) -> Iterator[Supply]:
    """Where a `find` with these arguments begins; without a condition everything below it is found."""
    starts: list[str] = []
    for word in words:
        if word[:1] in {"-", "(", "!"}:
            break
        starts.append(word)
    chosen = any(
        word in _CHOOSES and following.strip("*") != "" for word, following in itertools.pairwise([*words, ""])
    )
    aged = any(word in _AGES for word in words)
    for start in starts or ["."]:
        whole = area(below(folder, start)) in {Area.ROOT, Area.HOME}
        yield Supply(path=below(folder, start), chosen=chosen or (aged and not whole))
