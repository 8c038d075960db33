"""Suites of skills on disk, as `evals validate` reports them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from aces_ci import compose
from aces_ci.changes.worktree import search
from aces_ci.core.inert import visible
from aces_ci.core.repo_path import join
from aces_ci.core.suites.eval_place import line_at, places
from aces_ci.ports.dialect import Remark
from aces_ci.tiers.suite import read_suite
from aces_ci.tiers.suite_advice import LAST_LOOK, advise, count_negatives
from aces_ci.tiers.suite_policy import FoundPolicy, policy_of
from aces_ci.tiers.suite_reading import FileReading, Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillSuite:
    """The suite of one skill, with advice."""

    root: str
    suite: Suite
    advice: tuple[Remark, ...]
    policy: FoundPolicy | None = None
    """`evals/config.yml`, where the skill has one."""
    lines: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Skill-relative path of a file to the lines of its values by pointer."""
    attempts: int = LAST_LOOK
    """At the plan's last look."""

    def rows(self, *, cases: bool) -> Iterator[dict[str, Any]]:
        """One row a file, as the JSON contract has them."""
        for file in self.suite.files:
            reading = file.reading
            warnings = [*reading.warnings, *self._advice_on(file)]
            row: dict[str, Any] = {
                "path": join(self.root, file.path),
                "dialect": file.dialect,
                "cases": len(reading.cases),
                "negatives": count_negatives(reading.cases),
                "ignored_keys": list(reading.ignored_keys),
                "errors": [_remark(self.root, remark) for remark in reading.errors],
                "warnings": [_remark(self.root, remark) for remark in warnings],
            }
            if cases:
                row["canonical"] = [asdict(case) for case in reading.cases]
            yield row
        if self.policy is not None:
            yield _policy_row(self.root, self.policy, self.attempts)

    def _advice_on(self, file: FileReading) -> Iterator[Remark]:
        """Advice on a file, and on the files beside it in which its cases stand."""
        holds = {file.path, *(case.provenance.partition("#")[0] for case in file.reading.cases)}
        for remark in self.advice:
            if remark.path in holds:
                yield replace(remark, line=line_at(self.lines.get(remark.path, {}), remark.pointer))


def suites_below(repo: Path, paths: Sequence[Path], *, attempts: int) -> Iterator[SkillSuite]:
    """The suite of every skill that has evaluation files."""
    from aces_ci.statistics.power import attainable

    for found in search(repo, paths).found:
        name = found.skill().name or found.root.rsplit("/", 1)[-1]
        suite = read_suite(found.files, compose.dialects(), skill_name=name)
        if suite.files:
            advice = tuple(advise(suite, attainable, skill_name=name, attempts=attempts))
            named = {remark.path for remark in advice if remark.path in found.files}
            lines = {path: places(path, found.files[path].text or "") for path in named}
            policy = policy_of(found.files)
            yield SkillSuite(root=found.root, suite=suite, advice=advice, lines=lines, policy=policy, attempts=attempts)


def _policy_row(root: str, found: FoundPolicy, attempts: int) -> dict[str, Any]:
    policy = found.policy
    reasons = [
        Remark(
            path=found.path,
            line=line_at(found.lines, "/" + key.replace(".", "/")),
            pointer="/" + key.replace(".", "/"),
            message=f"`{key}` does not apply here: {why}",
            hint="leave it for the tool that reads it, or remove it",
        )
        for key, why in policy.not_applicable.items()
    ]
    if policy.attempts is not None and policy.attempts > attempts:
        pointer = "/attempts" if "/attempts" in found.lines else "/harbor/n_attempts"
        raised = Remark(
            path=found.path,
            line=line_at(found.lines, pointer),
            pointer=pointer,
            message=f"asks for {policy.attempts} attempts; a skill cannot raise the {attempts} of the plan",
            hint="raise the last of `live.attempts.looks` in aces.yml, or write a lower number",
        )
        reasons.append(raised)
    return {
        "path": join(root, found.path),
        "dialect": "run-policy",
        "cases": 0,
        "negatives": 0,
        "ignored_keys": list(policy.not_applicable),
        "errors": [_remark(root, remark) for remark in found.errors],
        "warnings": [_remark(root, remark) for remark in reasons],
    }


def _remark(root: str, remark: Remark) -> dict[str, Any]:
    return {
        "path": join(root, remark.path),
        "line": remark.line,
        "pointer": remark.pointer,
        "message": visible(remark.message, 400),
        "hint": visible(remark.hint, 200),
    }
