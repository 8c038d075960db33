"""Harbor's job and trial `result.json`: rewards of trials, whose exceptions are failures or missing, never silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aces_ci.core.evidence import Imported
from aces_ci.importers._figures import figure, label, limited, mapping, number, rows

_OWN = (
    "AgentTimeoutError", "NonZeroAgentExitCodeError", "ContextWindowExceededError", "OutputTokenExceededError",
    "ContextLengthExceededError", "OutputLengthExceededError", "AgentSafetyRefusalError",
)  # fmt: skip
"""Exceptions that are the agent's own end, with which Harbor itself takes a reward to be valid."""


class Harbor:
    """Claimed by a trial's `verifier_result`, or by a job's `stats` with `evals`."""

    name = "Harbor"
    checked = (
        "harbor 0.26.0 (PyPI) `harbor/models/trial/result.py`, `trial/config.py`, `trial/error_policy.py`, "
        "`job/result.py` and `verifier/result.py`"
    )

    def claims(self, data: object) -> bool:
        """Either file; the folder is walked by the caller."""
        found = mapping(data)
        return ("trial_name" in found and "task_name" in found) or "evals" in mapping(found.get("stats"))

    def read(self, data: object, source: str) -> Sequence[Imported]:
        """Each reward of a trial. Of a job nothing is taken: its means count broken trials by rules of its own."""
        found = mapping(data)
        if "trial_name" not in found:
            return []
        task, trial = label(found.get("task_name")), label(found.get("trial_name"))
        arm = _arm(found, source)
        rewards = mapping(mapping(found.get("verifier_result")).get("rewards"))
        errors = _errors(found)
        name = next((label(error.get("exception_type"), "") for error in errors), "")
        lost = any(map(_missing, errors))
        if rewards and found.get("reward_valid") is not False and not lost:
            return [
                figure(source, self.name, "", f"{label(key)}/{task}/{trial}", arm, number(value), 1)
                for key, value in rewards.items()
            ]
        if name in _OWN and not lost:
            return [figure(source, self.name, "", f"reward/{task}/{trial}", arm, 0.0, 1, f"the agent failed: {name}")]
        because = f"missing: {name or 'the verifier gave no reward'}"
        return [figure(source, self.name, "", f"reward/{task}/{trial}", arm, None, 0, because)]


def _errors(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The trial's own exception, then those of its steps, which are recorded there alone."""
    steps = [mapping(step.get("exception_info")) for step in rows(found.get("step_results"))]
    return [error for error in (mapping(found.get("exception_info")), *steps) if error]


def _missing(error: Mapping[str, Any]) -> bool:
    """By type and message; a traceback names lines of code, and what else stood on the stack."""
    return limited(error.get("exception_message")) or limited(error.get("exception_type"))


def _arm(found: Mapping[str, Any], source: str) -> str:
    """By the skills that the agent of the trial was given, else by the job's name as SkillEvaluator gives it."""
    agent = mapping(mapping(found.get("config")).get("agent"))
    if "skills" in agent:
        return "with_skill" if agent["skills"] else "baseline"
    jobs = [part for part in source.split("/") if part.endswith(("-with", "-without"))]
    if not jobs:
        return "unknown"
    return "with_skill" if jobs[-1].endswith("-with") else "baseline"


IMPORTER = Harbor()
