"""An author's grader as it lies in git: `evals/grader.py` or `grader.sh` of a skill, or a native task's verifier."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from aces_ci.core.errors import UsageError
from aces_ci.core.skill import FileKind, Skill
from aces_ci.core.staging import StagedFile
from aces_ci.core.suites.case import Case
from aces_ci.core.suites.run_policy import Grading

PLACES = ("evals/grader.py", "evals/grader.sh", "evals/tests/grader.py", "evals/tests/grader.sh")
"""Skill-relative; the first that exists is run, as in the reference."""
METHOD = "grader "
ALONGSIDE = "evals/tests/"
"""What a grader may bring beside itself; it stands in its `tests` folder."""
TASK = "task.toml"
"""Of a native Harbor task; its verifier stands in the folder `tests` beside it."""
VERIFIERS = ("grader.py", "grader.sh", "test.sh")
"""In a native task's `tests`; the first that exists is run."""
ENVIRONMENT = "evals/environment/"
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
    native: bool = False
    """A native task's verifier: its whole is the outcome of its case in every mode."""
    environment: tuple[StagedFile, ...] = ()
    """What its image is built on: the skill's own `evals/environment/`, where agents work as well."""

    @property
    def endings(self) -> frozenset[int]:
        """Exit codes that are no crash: of `test.sh`, by Harbor's contract, also that of tests that failed."""
        return frozenset({0, 1}) if self.entry == "test.sh" else frozenset({0})

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
    files = _staged(skill, {**_below(skill, ALONGSIDE), entry: place})
    return _grader(skill, entry, files, mode, native=False)


def verifier_of(skill: Skill, case: Case, mode: Grading) -> Grader | None:
    """The verifier that a native task brings for its case; None for cases of a dataset and tasks without one."""
    folder, _, name = case.provenance.partition("#")[0].rpartition("/")
    if name != TASK:
        return None
    found = _below(skill, f"{folder}/tests/")
    entry = next((name for name in VERIFIERS if name in found and skill.files[found[name]].data is not None), None)
    return _grader(skill, entry, _staged(skill, found), mode, native=True) if entry else None


def _grader(skill: Skill, entry: str, files: tuple[StagedFile, ...], mode: Grading, *, native: bool) -> Grader:
    environment = _staged(skill, _below(skill, ENVIRONMENT)) if f"{ENVIRONMENT}Dockerfile" in skill.files else ()
    digest = _digest((*files, *environment), mode)
    return Grader(entry=entry, files=files, digest=digest, mode=mode, native=native, environment=environment)


def _below(skill: Skill, folder: str) -> dict[str, str]:
    return {path.removeprefix(folder): path for path in skill.files if path.startswith(folder)}


def _staged(skill: Skill, places: Mapping[str, str]) -> tuple[StagedFile, ...]:
    return tuple(
        StagedFile(path=name, data=data, executable=skill.files[path].kind is FileKind.EXECUTABLE)
        for name, path in sorted(places.items())
        if (data := skill.files[path].data) is not None and name != ENTRY
    )


def _digest(files: tuple[StagedFile, ...], mode: Grading) -> str:
    total = hashlib.sha256(mode.value.encode())
    for file in files:
        total.update(f"{file.path}\0{len(file.data)}\0".encode())
        total.update(file.data)
    return total.hexdigest()
