"""A first suite, or more cases for one: what would be written, as a value that a dry run can show."""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from aces_ci.authoring.templates import draft, with_safety
from aces_ci.core.errors import UsageError
from aces_ci.core.skill import Skill
from aces_ci.core.suites.authors_page import PATH as AUTHORS_PAGE
from aces_ci.core.suites.authors_page import Intent, intent_of
from aces_ci.core.suites.case import Case
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
        UsageError: the file is no JSON object with `evals`.
    """
    before = existing(skill)
    if before is None:
        return new_suite(skill, cases, force=False)
    try:
        document = json.loads(before)
    except ValueError as error:
        raise UsageError(
            f"{TARGET} is not JSON: {error}", code="evals_unreadable", do="aces-ci evals validate says where"
        ) from None
    rows = document.get("evals") if isinstance(document, dict) else None
    if not isinstance(rows, list):
        raise UsageError(
            f"{TARGET} is no object with `evals`",
            code="evals_shape",
            why="cases are added in the agentskills.io format",
            do="add them to a file of their own, or convert it first",
        )
    safe = tuple(with_safety(case) for case in cases)
    text = json.dumps({**document, "evals": [*rows, *map(row, safe)]}, indent=_indent(before), ensure_ascii=False)
    return Draft(path=TARGET, text=text + "\n", before=before, added=safe)


def existing(skill: Skill) -> str | None:
    """The suite in the place where one would be written."""
    file = skill.files.get(TARGET)
    return None if file is None else file.text or ""


def taken(cases: Sequence[Case]) -> frozenset[str]:
    """Ids that new cases must not use."""
    return frozenset(case.id for case in cases)


def _indent(text: str) -> int:
    """The indent that the file has, so that a diff shows only what is new."""
    second = next(iter(text.splitlines()[1:2]), "")
    return len(second) - len(second.lstrip(" ")) or 2
