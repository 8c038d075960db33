"""An author's grader: the program that a skill brings in `evals/grader.py` or `evals/grader.sh`, as it lies in git."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from aces_ci.core.errors import UsageError
from aces_ci.core.skill import FileKind, Skill
from aces_ci.core.staging import StagedFile
from aces_ci.core.suites.run_policy import Grading

PLACES = ("evals/grader.py", "evals/grader.sh", "evals/tests/grader.py", "evals/tests/grader.sh")
"""Skill-relative; the first that exists is run, as in the reference."""
METHOD = "grader "
ALONGSIDE = "evals/tests/"
"""What a grader may bring beside itself; it stands in its `tests` folder."""
ENTRY = "entry.json"
"""What stands beside it as well: the case, which no file of the author's replaces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grader:
    """An author's program. `files` stand in its `tests` folder; `entry` is the one that is run."""

    entry: str
    """`grader.py`, `grader.sh` or `test.sh`."""
    files: tuple[StagedFile, ...]
    digest: str
    """Of mode and files: part of the method, so that scores of another version are not compared."""
    mode: Grading = Grading.DEFAULT_PLUS_CUSTOM

    @property
    def method(self) -> str:
        """As scores carry it."""
        return f"{METHOD}{self.digest[:12]}"


def grader_of(skill: Skill, mode: Grading) -> Grader | None:
    """The grader that a skill's run policy asks for; None where the metrics grade alone, whatever lies there.

    Raises:
        UsageError: the policy asks for one, and there is none.
    """
    if mode is Grading.DEFAULT:
        return None
    place = next((path for path in PLACES if path in skill.files and skill.files[path].data is not None), None)
    if place is None:
        raise UsageError(
            f"{skill.root} asks for `{mode.value}` and has no grader",
            code="no_grader",
            path=skill.root,
            why="without it nobody could say how the agents did; nothing was spent",
            do="add evals/grader.py or evals/grader.sh, or set grading.mode to default",
        )
    entry = place.rsplit("/", 1)[-1]
    staged = {path.removeprefix(ALONGSIDE): path for path in skill.files if path.startswith(ALONGSIDE)}
    files = tuple(
        StagedFile(path=name, data=data, executable=skill.files[path].kind is FileKind.EXECUTABLE)
        for name, path in sorted({**staged, entry: place}.items())
        if (data := skill.files[path].data) is not None and name != ENTRY
    )
    return Grader(entry=entry, files=files, digest=_digest(files, mode), mode=mode)


def _digest(files: tuple[StagedFile, ...], mode: Grading) -> str:
    total = hashlib.sha256(mode.value.encode())
    for file in files:
        total.update(f"{file.path}\0{len(file.data)}\0".encode())
        total.update(file.data)
    return total.hexdigest()
