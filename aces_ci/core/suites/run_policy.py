"""A skill's own run policy, `evals/config.yml`: it chooses cases, lowers attempts, picks graders, and nothing more.

Every key of the reference (SkillEvaluator's `config.yml`, `schema_version: 1`) is understood, or named with the reason
why it does not apply here. Ours stand at the top level: `cases`, `exclude`, `max_cases`, `attempts`, `graders`. Money,
gates, models, networks and mounts are the repository's to decide (`aces.yml`), so a skill cannot widen them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from aces_ci.core.suites.case import Case

PATHS = ("evals/config.yml", "evals/config.yaml")
"""Skill-relative places; the first that exists counts."""


class Grading(StrEnum):
    """Who grades: the metrics, the skill's own grader beside them, or only that one."""

    DEFAULT = "default"
    DEFAULT_PLUS_CUSTOM = "default_plus_custom"
    CUSTOM_ONLY = "custom_only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A key that cannot be used as it is written."""

    pointer: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPolicy:
    """What a skill asks for. None and empty leave the plan alone."""

    attempts: int | None = None
    cases: tuple[str, ...] = ()
    """Ids or globs; empty: all."""
    exclude: tuple[str, ...] = ()
    max_cases: int | None = None
    grading: Grading = Grading.DEFAULT
    native_tasks: bool | None = None
    """`harbor.task_source`: True only native tasks, False only the dataset, None either."""
    not_applicable: Mapping[str, str] = field(default_factory=dict)
    """Dotted key to why it has no meaning here."""
    problems: tuple[Problem, ...] = ()

    def chosen(self, cases: Sequence[Case]) -> tuple[Case, ...]:
        """The cases that are left, in their order."""
        kept = [
            case for case in cases if (not self.cases or _any(case.id, self.cases)) and not _any(case.id, self.exclude)
        ]
        if self.native_tasks is not None:
            kept = [case for case in kept if ("/harbor/" in case.provenance) is self.native_tasks]
        return tuple(kept[: self.max_cases])


def lowered(planned: Sequence[int], attempts: int | None) -> tuple[int, ...]:
    """The planned looks under a skill's own last one: never one more attempt than was planned."""
    if attempts is None or attempts >= planned[-1]:
        return tuple(planned)
    return (*(look for look in planned if look < attempts), attempts)


def read_policy(data: object) -> RunPolicy:
    """The policy of a parsed `config.yml`. Faults are `problems`; what is at fault leaves the plan alone."""
    if not isinstance(data, Mapping):
        return RunPolicy(problems=(Problem(pointer="", message="it is no mapping", hint="write `key: value` lines"),))
    reader = _Reader(data)
    return RunPolicy(
        attempts=reader.lowest("attempts", "harbor.n_attempts"),
        cases=reader.texts("cases"),
        exclude=reader.texts("exclude"),
        max_cases=reader.lowest("max_cases", "harbor.max_cases"),
        grading=reader.grading(),
        native_tasks=TASK_SOURCES.get(reader.word("harbor.task_source", tuple(TASK_SOURCES)) or "auto"),
        not_applicable=dict(reader.inapplicable()),
        problems=tuple(reader.problems),
    )


TASK_SOURCES: Mapping[str, bool | None] = {"auto": None, "evals_json": False, "native_harbor": True}
GRADING_WORDS: Mapping[str, Grading] = {
    **{mode.value: mode for mode in Grading},
    "aces_default": Grading.DEFAULT,
    "aces_plus_custom": Grading.DEFAULT_PLUS_CUSTOM,
}
_UNDERSTOOD = frozenset(
    {
        "schema_version", "attempts", "cases", "exclude", "max_cases", "graders", "harbor.n_attempts",
        "harbor.max_cases", "harbor.task_source", "grading.mode",
    }
)  # fmt: skip
_PLAN = "the repository's plan decides it (aces.yml)"
_NEIGHBOURS = "which skills an agent sees is the repository's to decide (live.workspace in aces.yml)"
_IMAGE = "images are built by aces-ci and pinned by digest"
_SECRET = "no variable of the host reaches a sandbox"
NOT_APPLICABLE: Mapping[str, str] = {
    "harbor.custom_dockerfile_mode": _IMAGE,
    "harbor.base_image_mode": _IMAGE,
    "harbor.pass_threshold": "a case has an outcome in [0, 1], not a cut; compare arms instead",
    "harbor.stop_on_pass": "stopping on a pass would bias an arm; looks are planned ahead",
    "harbor.n_concurrent": _PLAN,
    "harbor.max_agents": _PLAN,
    "harbor.timeout_multiplier": _PLAN,
    "harbor.agent_runtime_preflight": "the sandbox is probed before every run, without paying a model",
    "harbor.agent_workdir": "the workspace is /workspace in every arm",
    "harbor.resources": _PLAN,
    "harbor.runtime_env": _SECRET,
    "harbor.passthrough_env": _SECRET,
    "harbor.pre_agent_setup": "commands of a skill are not run; commit what they make as files below evals/files",
    "harbor.setup_commands": "commands of a skill are not run; commit what they make as files below evals/files",
    "harbor.agents": _PLAN,
    "skill_workspace.mode": _NEIGHBOURS,
    "skill_workspace.include": _NEIGHBOURS,
}
"""Keys of the reference that have no meaning here, and why."""


def _any(name: str, globs: Sequence[str]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs)


class _Reader:
    def __init__(self, data: Mapping[Any, Any]) -> None:
        self.data = data
        self.problems: list[Problem] = []
        version = data.get("schema_version", 1)
        if version != 1 or isinstance(version, bool):
            self._problem("schema_version", "is not 1", "write `schema_version: 1`")

    def inapplicable(self) -> Iterator[tuple[str, str]]:
        """Keys that are known and mean nothing here; an unknown one is a problem."""
        for key in _keys(self.data):
            if key in _UNDERSTOOD:
                continue
            why = NOT_APPLICABLE.get(key)
            if why is None:
                self._problem(key, "is no key of a run policy", "remove it, or see docs/evals.md, Run policy")
            else:
                yield key, why

    def lowest(self, *keys: str) -> int | None:
        """The smallest of these counts."""
        found = []
        for key in keys:
            value = self._at(key)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                self._problem(key, "is no whole number from 1", "write a number")
            else:
                found.append(value)
        return min(found, default=None)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._at(key)
        if value is None:
            return ()
        rows = [value] if isinstance(value, str) else value
        if not isinstance(rows, list) or not all(isinstance(row, str | int) and str(row) for row in rows):
            self._problem(key, "is no list of texts", "write a list")
            return ()
        return tuple(str(row) for row in rows)

    def word(self, key: str, allowed: Sequence[str]) -> str | None:
        """One of the words, or None."""
        value = self._at(key)
        if value is None:
            return None
        if value in allowed:
            return str(value)
        self._problem(key, f"is none of {', '.join(allowed)}", "write one of them")
        return None

    def grading(self) -> Grading:
        """`graders` is ours, `grading.mode` the reference's; ours counts where both stand."""
        found = self.word("graders", tuple(GRADING_WORDS)) or self.word("grading.mode", tuple(GRADING_WORDS))
        return GRADING_WORDS[found] if found else Grading.DEFAULT

    def _at(self, key: str) -> Any:
        node: Any = self.data
        for part in key.split("."):
            if not isinstance(node, Mapping):
                return None
            node = node.get(part)
        return node

    def _problem(self, key: str, message: str, hint: str) -> None:
        self.problems.append(Problem(pointer=_pointer(key), message=f"`{key[:60]}` {message}", hint=hint))


def _pointer(key: str) -> str:
    return "/" + key.replace(".", "/")


def _keys(data: Mapping[Any, Any]) -> Iterator[str]:
    """Dotted keys of the two levels that a policy has; a section that is no mapping is a key of its own."""
    for name, value in data.items():
        if name in ("harbor", "skill_workspace", "grading") and isinstance(value, Mapping):
            yield from (f"{name}.{key}" for key in value)
        elif not (name in ("harbor", "skill_workspace", "grading") and value is None):
            yield str(name)
