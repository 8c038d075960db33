"""skill-creator's `benchmark.json` and `grading.json`.

Its `tokens` may be characters of output and its `delta` depends on the names of the configurations, so neither is
taken over: pass rates and seconds are, from the runs themselves where they are there.
"""

from __future__ import annotations

from collections.abc import Sequence

from aces_ci.core.evidence import Imported
from aces_ci.importers._figures import ARMS, count, figure, label, limited, mapping, mean, number, rows


class SkillCreator:
    """Claimed by `run_summary`, or by `summary.pass_rate` beside graded expectations."""

    name = "skill-creator"
    checked = (
        "anthropics/skills `skills/skill-creator/references/schemas.md`, `scripts/aggregate_benchmark.py` at "
        "9d2f1ae; agentskills/agentskills `docs/skill-creation/evaluating-skills.mdx` at 69ef37e"
    )

    def claims(self, data: object) -> bool:
        """Either of the two files; agentskills.io's grading says `assertion_results`."""
        found = mapping(data)
        graded = "expectations" in found or "assertion_results" in found
        return "run_summary" in found or (graded and "pass_rate" in mapping(found.get("summary")))

    def read(self, data: object, source: str) -> Sequence[Imported]:
        """Mean pass rate of each configuration; the pass rate of one grading."""
        found = mapping(data)
        if "run_summary" not in found:
            summary = mapping(found.get("summary"))
            arm = next((ours for theirs, ours in ARMS.items() if f"/{theirs}/" in f"/{source}/"), "unknown")
            return [
                figure(
                    source,
                    self.name,
                    "",
                    "pass_rate",
                    arm,
                    number(summary.get("pass_rate")),
                    count(summary.get("total")),
                ),
            ]
        skill = label(mapping(found.get("metadata")).get("skill_name"), "")
        return [
            self._arm(found, name, source, skill, metric)
            for name in mapping(found["run_summary"])
            if name != "delta"
            for metric in ("pass_rate", "time_seconds")
        ]

    def _arm(self, found: object, name: str, source: str, skill: str, metric: str) -> Imported:
        data = mapping(found)
        runs = [run for run in rows(data.get("runs")) if run.get("configuration") == name]
        kept = [
            run for run in runs if not any(limited(part.get("error")) for part in (run, mapping(run.get("result"))))
        ]
        values = [value for run in kept if (value := number(mapping(run.get("result")).get(metric))) is not None]
        summed = mapping(mapping(mapping(data["run_summary"]).get(name)).get(metric))
        value = mean(values) if runs else number(summed.get("mean"))
        lost = len(runs) - len(values)
        because = f"{lost} of {len(runs)} runs are missing" if lost else ""
        return figure(source, self.name, skill, metric, ARMS.get(name, name), value, len(values), because)


IMPORTER = SkillCreator()
