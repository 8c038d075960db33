"""`evals replay`: each check of a case on a trace that should pass and one that should fail; dead signals named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from aces_ci.core.grading.subject import Checked
from aces_ci.core.inert import plain
from aces_ci.core.suites.case import Case
from aces_ci.jobs import grade as grade_job
from aces_ci.jobs import grade_inputs
from aces_ci.tiers.grade import subject_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """One check on both traces."""

    check: str
    kind: str
    good: bool | None
    bad: bool | None
    because: tuple[str, str]

    @property
    def signal(self) -> str:
        """What the pair of results says of the check."""
        if self.good is None or self.bad is None:
            return "cannot tell"
        if self.good and not self.bad:
            return "tells them apart"
        if self.bad and not self.good:
            return "dead: upside down"
        return "dead: passes on both" if self.good else "dead: fails on both"


def replay(
    *,
    case_file: Path,
    case_id: str | None,
    passing: Path,
    failing: Path,
    skill: str | None,
    as_json: bool,
    out: Callable[[str], None],
) -> int:
    """Exit code 1 where a check is dead.

    Raises:
        UsageError: the case or a trace cannot be read.
    """
    case = grade_inputs.case_in(case_file, case_id, grade_inputs.skill_in(skill, case_file).name)
    good, bad = (_checked(case, path, skill, case_file) for path in (passing, failing))
    rows = [
        Replayed(
            check=one.check.id,
            kind=one.check.kind.value,
            good=one.passed,
            bad=other.passed,
            because=(one.because, other.because),
        )
        for one, other in zip(good, bad, strict=True)
    ]
    if as_json:
        checks = [
            {
                "check": row.check,
                "kind": row.kind,
                "passing": row.good,
                "failing": row.bad,
                "signal": row.signal,
                "because": list(row.because),
            }
            for row in rows
        ]
        out(json.dumps({"schema_version": 1, "case": case.id, "checks": checks}))
    else:
        for row in rows:
            out(f"{row.signal:<22} {row.check} {row.kind}: {plain(row.because[0], 100)} | {plain(row.because[1], 100)}")
        if not rows:
            out(f"{plain(case.id, 80)} has no deterministic check; sentences are for the judge (aces-ci grade --judge)")
    return 1 if any(row.signal.startswith("dead") for row in rows) else 0


def _checked(case: Case, path: Path, skill: str | None, case_file: Path) -> tuple[Checked, ...]:
    data, trajectory = grade_inputs.trace_in(path)
    wanted = grade_job.Wanted(trace=path, case_file=case_file, skill=skill)
    trial = grade_job.trial_of(trajectory, case, wanted, data)
    cast = grade_job.cast_in(wanted, trial, case, grade_inputs.skill_in(skill, case_file))
    return subject_of(trial, trajectory, case, None, cast).checked
