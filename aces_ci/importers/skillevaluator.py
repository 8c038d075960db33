"""The reference's `result.json`, `lift.json` and `statistics.json`.

Its two overall lifts (mean of six metrics, mean of five dimensions) can differ in sign: metrics are taken one by one,
and no overall is made of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aces_ci.core.evidence import Imported
from aces_ci.importers._figures import count, figure, label, mapping, number

_METRICS = frozenset({"security", "skill_execution", "skill_efficiency", "accuracy", "goal_accuracy", "behavior_check"})
_SIDES = {"with_skill": "with_skill", "without_skill": "baseline", "delta": "lift"}


class SkillEvaluator:
    """Claimed by `agents` with arms, by metrics with a `delta`, or by paired statistics."""

    name = "SkillEvaluator"
    checked = (
        "NVIDIA/SkillEvaluator `src/skillevaluator/tier3/harbor/collector.py` at e70f0e3 (`result.json`, "
        "`lift.json`; `statistics.json` of 1.2.1 is unverified)"
    )

    def claims(self, data: object) -> bool:
        """One of its three files."""
        found = mapping(data)
        agents = [mapping(agent) for agent in mapping(found.get("agents")).values()]
        return (
            any("with_skill" in agent and "without_skill" in agent for agent in agents)
            or any("delta" in mapping(found.get(name)) for name in _METRICS)
            or ("paired_lift" in found or "paired_case_lift" in found)
        )

    def read(self, data: object, source: str) -> Sequence[Imported]:
        """One figure a metric and arm."""
        found = mapping(data)
        skill = label(found.get("skill_name"), "")
        if "agents" in found:
            return [
                one
                for agent, result in mapping(found["agents"]).items()
                for one in self._agent(mapping(result), source, skill, label(agent))
            ]
        for key in ("paired_case_lift", "paired_lift"):
            if key in found:
                return list(self._paired(mapping(found[key]) or {"mean": found[key]}, source, skill))
        return [
            figure(source, self.name, skill, metric, arm, number(mapping(found[metric]).get(side)))
            for metric in found
            if metric in _METRICS
            for side, arm in _SIDES.items()
        ]

    def _agent(self, result: Mapping[str, Any], source: str, skill: str, agent: str) -> Iterator[Imported]:
        """Scores of both arms; a metric that nobody scored stays unknown, and so do all of a run that failed."""
        ended = str(result.get("execution_status", "succeeded"))
        for side, arm in (("with_skill", "with_skill"), ("without_skill", "baseline")):
            trials = count(result.get(f"num_trials_{side.partition('_')[0]}"))
            for metric, value in mapping(result.get(side)).items():
                if metric in _METRICS:
                    told = number(value if not isinstance(value, Mapping) else value.get("score"))
                    because = "" if told is not None else "not scored"
                    if ended != "succeeded":
                        told, because = None, f"missing: its own run ended as {ended[:40]}"
                    yield figure(source, f"{self.name}, {agent}", skill, metric, arm, told, trials, because)

    def _paired(self, paired: Mapping[str, Any], source: str, skill: str) -> Iterator[Imported]:
        value = number(paired.get("mean", paired.get("lift")))
        cases = count(paired.get("n", paired.get("cases")))
        yield figure(source, self.name, skill, "paired_case_lift", "lift", value, cases)


IMPORTER = SkillEvaluator()
