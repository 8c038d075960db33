"""A first suite, or more cases for one: what would be written, as a value that a dry run can show."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from aces_ci.authoring.templates import draft, with_safety
from aces_ci.core.errors import UsageError
from aces_ci.core.skill import FileKind, Skill
from aces_ci.core.suites import json_splice
from aces_ci.core.suites.authors_page import PATH as AUTHORS_PAGE
from aces_ci.core.suites.authors_page import Intent, intent_of
from aces_ci.core.suites.case import Case
from aces_ci.core.suites.eval_text import parse
from aces_ci.core.suites.eval_write import row, write

TARGET = "evals/evals.json"
BUCKETS = 4
"""Cases of a first suite: one of each bucket; `--full` doubles it."""
_RUNNABLE = (".py", ".sh", ".js", ".ts", ".rb", ".pl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What `evals create` would write, skill-relative."""

    path: str
    text: str
    before: str | None
    """The file that stands there now."""
    added: tuple[Case, ...]

    def diff(self) -> str:
        """Unified, from the old file or from nothing."""
        old = [] if self.before is None else self.before.splitlines(keepends=True)
        new = self.text.splitlines(keepends=True)
        source = "/dev/null" if self.before is None else f"a/{self.path}"
        return "".join(difflib.unified_diff(old, new, source, f"b/{self.path}"))


def scripts_of(skill: Skill) -> tuple[str, ...]:
    """Scripts that the manifest names, so that an agent can be expected to run them."""
    found = [path for path in sorted(skill.files) if path.startswith("scripts/") and path.endswith(_RUNNABLE)]
    return tuple(path for path in found if path in skill.body)


def intent(skill: Skill) -> Intent:
    """What `evals/EVAL.md` asks for."""
    page = skill.files.get(AUTHORS_PAGE)
    return intent_of(page.text if page else None)


def templates(skill: Skill, *, count: int, taken: frozenset[str] = frozenset()) -> tuple[Case, ...]:
    """Cases without a model."""
    return draft(
        name=skill.name or skill.directory or "skill",
        description=skill.description or "",
        scripts=scripts_of(skill),
        intent=intent(skill),
        count=count,
        taken=taken,
    )


def new_suite(skill: Skill, cases: Sequence[Case], *, force: bool) -> Draft:
    """A suite of these cases.

    Raises:
        UsageError: there is a suite already and `force` is not given.
    """
    before = existing(skill)
    if before is not None and not force:
        raise UsageError(
            f"{skill.label} has {TARGET} already",
            code="evals_exist",
            why="cases that somebody wrote are never overwritten unasked",
            do="--add N adds to it; --force replaces it and keeps a backup",
        )
    safe = tuple(with_safety(case) for case in cases)
    text, _ = write(safe, skill.name or skill.directory)
    return Draft(path=TARGET, text=text, before=before, added=safe)


def added_to(skill: Skill, cases: Sequence[Case]) -> Draft:
    """The suite that stands there with these cases behind its own, which stay as they are.

    Raises:
        UsageError: the file is no JSON object with `evals`, or a link.
    """
    if existing(skill) is None:
        return new_suite(skill, cases, force=False)
    before, start = rows_of(skill)
    safe = tuple(with_safety(case) for case in cases)
    text = json_splice.appended(before, start, [row(case) for case in safe])
    return Draft(path=TARGET, text=text, before=before, added=safe)


def rows_of(skill: Skill) -> tuple[str, int]:
    """(text of the suite with every character that it has, where the list `evals` starts in it).

    Raises:
        UsageError: it cannot be read whole, is not strict JSON, or no object with `evals`.
    """
    file = skill.files.get(TARGET)
    data = (file.data if file else None) or b""
    parsed = parse(TARGET, data)
    if parsed.fault is not None:
        where = "" if parsed.fault.line is None else f":{parsed.fault.line}"
        raise UsageError(
            f"{TARGET}{where}: {parsed.fault.message}",
            code="evals_unreadable",
            why="what is written into it could not be told from what stands there; nothing was written",
            do=parsed.fault.hint,
        )
    if not isinstance(parsed.data, dict) or not isinstance(parsed.data.get("evals"), list):
        raise UsageError(
            f"{TARGET} is no object with `evals`",
            code="evals_shape",
            why="cases are added to and refined in the agentskills.io format",
            do="add them to a file of their own, or convert it first",
        )
    text = data.decode("utf-8")
    found = json_splice.member(text, json_splice.first(text), "evals")
    if found is None:
        raise AssertionError("the key was there when it was parsed")
    return text, found.start


def existing(skill: Skill) -> str | None:
    """The suite in the place where one would be written, as far as it is text: for a diff, never for a backup.

    Raises:
        UsageError: a link stands there.
    """
    file = skill.files.get(TARGET)
    if file is None:
        return None
    if file.kind in (FileKind.SYMLINK, FileKind.SUBMODULE):
        raise UsageError(
            f"{TARGET} is {file.kind.said}, not a regular file",
            code="evals_link",
            why="writing would replace something else than a suite",
            do="put a plain file there, or remove it",
        )
    return (file.data or b"").decode("utf-8", "replace")


def taken(cases: Sequence[Case]) -> frozenset[str]:
    """Ids that new cases must not use."""
    return frozenset(case.id for case in cases)
