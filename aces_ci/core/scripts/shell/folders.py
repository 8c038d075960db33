"""Which folder the commands of a script run in, as far as the script itself says."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from aces_ci.core.scripts.shell.command import Word

MOVES = frozenset({"cd", "chdir", "pushd", "popd"})
_ELSEWHERE = ("/", "~", "$", "`")
"""How a path begins that does not go on from where the script is."""
_DYNAMIC = ("~", "$", "`")


def below(folder: str, path: str) -> str:
    """`path` as it is meant in `folder`, both shapes of words; "" is the folder that the script started in."""
    if not folder or not path or path.startswith(_ELSEWHERE):
        return path
    joined = f"{folder.rstrip('/')}/{path}"
    return joined if folder.startswith(_DYNAMIC) else posixpath.normpath(joined)


class Folders:
    """The folder of one shell process, followed from command to command. A subshell works on a `copy`."""

    __slots__ = ("_before", "_stack", "now")

    def __init__(self, now: str = "", stack: Sequence[str] = (), before: str = "") -> None:
        self.now = now
        self._stack = list(stack)
        self._before = before

    def copy(self) -> Folders:
        """A process of its own that starts where this one is."""
        return Folders(self.now, self._stack, self._before)

    def follow(self, name: str | None, arguments: Sequence[Word]) -> None:
        """Take note of a `cd`, `pushd` or `popd`; any other command leaves the folder as it is."""
        if name not in MOVES:
            return
        shapes = [word.shape for word in arguments]
        target = next((shape for shape in shapes if shape == "-" or shape[:1] != "-"), None)
        if name == "popd":
            self._go(self._stack.pop() if self._stack else self._before)
        elif name == "pushd":
            goal = below(self.now, target) if target else (self._stack.pop() if self._stack else self._before)
            self._stack.append(self.now)
            self._go(goal)
        elif target == "-":
            self._go(self._before)
        else:
            self._go(below(self.now, target) if target else "$HOME")

    def _go(self, folder: str) -> None:
        self._before, self.now = self.now, folder
