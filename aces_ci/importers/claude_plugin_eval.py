"""`aggregate-result.json` of `claude plugin eval`: a run that hit a limit, or skipped paid graders, is missing.

One that a mock aborted is a zero of its author's making and counts; one that timed out counts as it was graded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aces_ci.core.evidence import Imported
from aces_ci.importers._figures import ARMS, figure, label, limited, mapping, mean, number, rows


class ClaudePluginEval:
    """Claimed by `aggregates` with `cases` that have `arms`."""

    name = "claude plugin eval"
    checked = "https://code.claude.com/docs/en/plugin-evals, JSON result (schemaVersion 1)"

    def claims(self, data: object) -> bool:
        """Its camelCase keys."""
        found = mapping(data)
        return "aggregates" in found and any("arms" in case for case in rows(found.get("cases")))

    def read(self, data: object, source: str) -> Sequence[Imported]:
        """The score of each case and arm, then of each arm over its cases: the mean over runs that are there."""
        found = mapping(data)
        partial = f"partial: {label(found.get('partialReason'), 'no reason given')}" if found.get("partial") else ""
        figures: list[Imported] = []
        scores: dict[str, list[float]] = {}
        for case in rows(found.get("cases")):
            for theirs, runs in mapping(case.get("arms")).items():
                arm = ARMS.get(theirs, theirs)
                told = [_score(run) for run in rows(runs)]
                values = [value for value in told if value is not None]
                value = mean(values)
                lost = len(told) - len(values)
                because = f"{lost} of {len(told)} runs are missing" if lost else ""
                metric = f"score/{label(case.get('name'))}"
                figures.append(figure(source, self.name, "", metric, arm, value, len(values), because))
                if value is not None:
                    scores.setdefault(arm, []).append(value)
        for arm, means in scores.items():
            figures.append(figure(source, self.name, "", "score", arm, mean(means), len(means), partial))
        return figures


def _score(run: Mapping[str, Any]) -> float | None:
    """The run's own score, else the weighted share of its scored graders; None where it is missing."""
    if limited(run.get("error")) or run.get("skippedPaidGraders"):
        return None
    own = number(run.get("score"))
    if own is not None:
        return own
    graders = [row for row in rows(run.get("graders", run.get("graderResults"))) if row.get("scored") is not False]
    weights = [(_weight(row), row.get("passed")) for row in graders]
    told = [(weight, passed) for weight, passed in weights if isinstance(passed, bool)]
    total = sum(weight for weight, _ in told)
    if total:
        return number(sum(weight for weight, passed in told if passed) / total)
    # An error that is no limit is the agent's own failure; so is what a mock's `expect` or `abort_when` stopped.
    return 0.0 if run.get("error") or run.get("aborted") else None


def _weight(row: Mapping[str, Any]) -> float:
    """One where there is none; a grader of weight 0 counts for nothing."""
    told = number(row.get("weight"))
    return 1.0 if told is None or told < 0 else told


IMPORTER = ClaudePluginEval()
