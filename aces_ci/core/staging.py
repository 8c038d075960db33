"""What an agent finds: the skills of its arm, and the fixtures of its case. Never `evals/`, never an answer.

Pure: skills and fixtures are values that were read from git objects or a working tree before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePosixPath

from aces_ci.core.errors import UsageError
from aces_ci.core.skill import FileKind, Skill
from aces_ci.core.suites.answer_key import SUITE_FOLDERS, holds_answers
from aces_ci.core.suites.case import Case
from aces_ci.core.trial import Arm

WITHHELD = frozenset({*SUITE_FOLDERS, "results", "aces-results", ".git"})
"""Top folders of a skill that hold tasks, answers and grades, or git's own files."""
FILE_LIMIT = 16 * 1024 * 1024
NAME_LIMIT = 120


class Injection(StrEnum):
    """How the target reaches the agent."""

    NATIVE = "native"
    """Name, description and path are listed; the agent reads the rest when it chooses to."""
    PRELOADED = "preloaded"
    """The whole body stands in the prompt: retrieval is taken out of the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedFile:
    """One file for the sandbox: path below its root, bytes, executable bit."""

    path: str
    data: bytes
    executable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineup:
    """The skills of one comparison. A bundle or a plugin is a target of several skills."""

    target: tuple[Skill, ...]
    previous: tuple[Skill, ...] = ()
    """The target at the merge base; empty where there is none."""
    support: tuple[Skill, ...] = ()
    """Neighbours and decoys: the same in every arm, the baseline included."""

    def of(self, arm: Arm) -> tuple[Skill, ...]:
        """The skills that an arm finds."""
        own = {Arm.WITH_SKILL: self.target, Arm.PREVIOUS: self.previous, Arm.BASELINE: ()}[arm]
        return (*own, *self.support)


def without_suite(skill: Skill, paths: frozenset[str]) -> Skill:
    """A skill without the files in which its cases stand, wherever they lie; its manifest always stays."""
    if paths.isdisjoint(skill.files):
        return skill
    kept = {path: file for path, file in skill.files.items() if path not in paths or path == skill.manifest}
    return replace(skill, files=kept)


def skill_files(skills: Iterable[Skill]) -> tuple[StagedFile, ...]:
    """Every file that an agent may see, below one folder a skill, named as the skill calls itself.

    Raises:
        UsageError: a link, a submodule, a file that was not loaded, two skills of one name. Located.
    """
    laid: dict[str, StagedFile] = {}
    for skill in skills:
        folder = _folder(skill)
        if any(path.startswith(f"{folder}/") for path in laid):
            raise _refused(skill, f"two skills are called `{folder}`", "leave one of them out of the workspace")
        for path, file in sorted(skill.files.items()):
            if PurePosixPath(path).parts[0] in WITHHELD:
                continue
            if file.kind not in (FileKind.REGULAR, FileKind.EXECUTABLE) or file.data is None:
                raise _refused(skill, f"{skill.path_of(path)} is {file.kind.said}", "replace it by a plain file")
            laid[f"{folder}/{path}"] = StagedFile(
                path=f"{folder}/{path}", data=file.data, executable=file.kind is FileKind.EXECUTABLE
            )
    return tuple(laid.values())


def case_files(case: Case, fixtures: Mapping[str, bytes]) -> tuple[StagedFile, ...]:
    """The case's fixtures below the workspace. `fixtures`: content by `CaseFile.source`.

    Raises:
        UsageError: a fixture is missing, holds answers, or would lie outside the workspace.
    """
    laid = []
    for file in case.files:
        target = PurePosixPath(file.target)
        if target.is_absolute() or ".." in target.parts or not target.parts or target.parts[0] == ".git":
            raise UsageError(
                f"case `{case.id}`: the fixture {file.target[:100]!r} does not lie in the workspace",
                code="fixture_path",
                at=case.provenance or None,
                why="an agent's workspace is the only place for fixtures",
                do="give it a relative path without `..`",
            )
        if file.content is None and holds_answers(file.source):
            raise UsageError(
                f"case `{case.id}`: the fixture {file.source[:200]!r} belongs to the suite",
                code="fixture_answers",
                at=case.provenance or None,
                why="an agent could read the tasks and their answers in its workspace",
                do="put what the agent needs into evals/files, and name that",
            )
        data = fixtures.get(file.source) if file.content is None else file.content.encode("utf-8")
        if data is None:
            raise UsageError(
                f"case `{case.id}`: the fixture {file.source[:200]!r} is missing",
                code="fixture_missing",
                at=case.provenance or None,
                why="without it the task cannot be done in any arm",
                do="add the file, or correct its path in the case",
            )
        laid.append(StagedFile(path=str(target), data=data))
    return tuple(laid)


def prompt(case: Case, arm: Arm, lineup: Lineup, injection: Injection) -> str:
    """The task as the agent gets it; preloaded skills stand before it, each in a block of its own."""
    own = {Arm.WITH_SKILL: lineup.target, Arm.PREVIOUS: lineup.previous, Arm.BASELINE: ()}[arm]
    if injection is Injection.NATIVE:
        return case.prompt
    blocks = [f'<skill name="{_folder(skill)}">\n{skill.body.strip()}\n</skill>' for skill in own]
    return "\n\n".join([*blocks, case.prompt])


def digest_of(skills: Sequence[Skill]) -> str:
    """sha256 over everything of them that an agent can see."""
    return _digest(
        [[file.path, hashlib.sha256(file.data).hexdigest(), file.executable] for file in skill_files(skills)]
    )


def digest_of_case(case: Case, fixtures: Mapping[str, bytes]) -> str:
    """sha256 over prompt and fixtures: what can change a run. Checks and answers belong to the grade's key."""
    files = sorted([file.path, hashlib.sha256(file.data).hexdigest()] for file in case_files(case, fixtures))
    return _digest([case.id, case.prompt, case.skill_invocation, files])


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def _folder(skill: Skill) -> str:
    name = skill.directory or skill.name or "skill"
    if "/" in name or name in (".", "..") or len(name) > NAME_LIMIT or not name.isprintable():
        raise _refused(skill, f"`{name[:60]}` is no folder name", "rename the skill's folder")
    return name


def _refused(skill: Skill, what: str, do: str) -> UsageError:
    return UsageError(
        f"{skill.root} cannot be laid out for an agent: {what}",
        code="not_stageable",
        path=skill.root,
        why="what is not staged byte for byte would make the comparison unfair",
        do=do,
    )
