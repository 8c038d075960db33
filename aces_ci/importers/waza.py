"""waza's results: one object a run of a suite, with the same suite without skills inside it where it was compared.

A run that waza could not grade (its engine broke) is missing; one that was graded counts, whatever else went wrong.
Its own `summary` counts ungraded runs as zeros, so figures are made from the runs themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aces_ci.core.evidence import Imported
from aces_ci.importers._figures import figure, label, limited, mapping, mean, number, rows


class Waza:
    """Claimed by `eval_id` with `summary` and a list of tasks."""

    name = "waza"
    checked = (
        "microsoft/waza `internal/models/outcome.go` at 034c7a0, `internal/testdata/compatibility/v1/results-1.4.json` "
        "at 9198a52"
    )

    def claims(self, data: object) -> bool:
        """Keys that every version of its results has."""
        found = mapping(data)
        return "eval_id" in found and "summary" in found and isinstance(found.get("tasks"), list)

    def read(self, data: object, source: str) -> Sequence[Imported]:
        """Score of each task and arm, then score and pass rate of each arm over its tasks and runs."""
        found = mapping(data)
        other = mapping(found.get("baseline_outcome"))
        # Compared runs carry their baseline; a run that only calls itself one says not what it lacked.
        arm = "unknown" if found.get("is_baseline") is True and not other else "with_skill"
        figures = list(self._arm(found, arm, source))
        return [*figures, *self._arm({"skill": found.get("skill"), **other}, "baseline", source)] if other else figures

    def _arm(self, outcome: Mapping[str, Any], arm: str, source: str) -> Iterator[Imported]:
        skill = label(outcome.get("skill"), "")
        scores: list[float] = []
        passed: list[float] = []
        for task in rows(outcome.get("tasks")):
            runs = rows(task.get("runs"))
            told = [run for run in runs if not _missing(run)]
            graded = [value for run in told if (value := _score(run)) is not None]
            value, name = mean(graded), label(task.get("test_id"))
            because = _lost(runs, len(graded))
            yield figure(source, self.name, skill, f"score/{name}", arm, value, len(graded), because)
            passed += [float(run.get("status") == "passed") for run in told]
            if value is not None:
                scores.append(value)
        yield figure(source, self.name, skill, "score", arm, mean(scores), len(scores))
        yield figure(source, self.name, skill, "pass_rate", arm, mean(passed), len(passed))


def _missing(run: Mapping[str, Any]) -> bool:
    """A limit was hit, it was skipped, or it ended in an error before anything was graded."""
    if limited(run.get("error_msg")) or run.get("status") in ("skipped", "n/a"):
        return True
    return run.get("status") == "error" and not mapping(run.get("validations"))


def _score(run: Mapping[str, Any]) -> float | None:
    """The weighted mean of its graders; a weight that is no positive number counts as one, as waza has it."""
    graders = [mapping(row) for row in mapping(run.get("validations")).values()]
    told = [
        (weight if (weight := number(row.get("weight"))) and weight > 0 else 1.0, value)
        for row in graders
        if (value := number(row.get("score"))) is not None
    ]
    total = sum(weight for weight, _ in told)
    return number(sum(weight * value for weight, value in told) / total) if total else None


def _lost(runs: Sequence[Mapping[str, Any]], told: int) -> str:
    return f"{len(runs) - told} of {len(runs)} runs are missing" if told < len(runs) else "" if runs else "no run"


IMPORTER = Waza()
