"""The run policy of a skill among its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aces_ci.core.skill import SkillFile
from aces_ci.core.suites.eval_place import line_at, places
from aces_ci.core.suites.eval_text import parse
from aces_ci.core.suites.run_policy import PATHS, RunPolicy, read_policy
from aces_ci.ports.dialect import Remark


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPolicy:
    """A policy with its file, skill-relative; the default one where the file cannot be read."""

    path: str
    policy: RunPolicy
    errors: tuple[Remark, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)


def policy_of(files: Mapping[str, SkillFile]) -> FoundPolicy | None:
    """What `evals/config.yml` asks for; None where there is none. Never raises for any bytes."""
    path = next((path for path in PATHS if path in files and files[path].data is not None), None)
    data = files[path].data if path else None
    if path is None or data is None:
        return None
    parsed = parse(path, data)
    if parsed.fault is not None:
        fault = parsed.fault
        error = Remark(path=path, line=fault.line, pointer="", message=fault.message, hint=fault.hint)
        return FoundPolicy(path=path, policy=RunPolicy(), errors=(error,))
    policy = read_policy(parsed.data)
    lines = places(path, parsed.text)
    errors = tuple(
        Remark(
            path=path,
            line=line_at(lines, problem.pointer),
            pointer=problem.pointer,
            message=problem.message,
            hint=problem.hint,
        )
        for problem in policy.problems
    )
    return FoundPolicy(path=path, policy=policy, errors=errors, lines=lines)
