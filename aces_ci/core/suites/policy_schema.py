"""The JSON schema of a skill's run policy, `evals/config.yml`: what is read, and what is named as not applicable."""

from __future__ import annotations

from typing import Any

from aces_ci.core.suites.run_policy import GRADING_WORDS, NOT_APPLICABLE, TASK_SOURCES

_COUNT = {"type": "integer", "minimum": 1}
_NAMES = {"type": ["array", "string"], "items": {"type": ["string", "integer"]}}
_SECTIONS = ("harbor", "skill_workspace", "grading")


def schema() -> dict[str, Any]:
    """Draft 2020-12. Keys without a meaning here are allowed, and described by the reason."""
    grading = {"enum": list(GRADING_WORDS), "description": "Who grades: metrics, the skill's own grader, or both."}
    sections: dict[str, dict[str, Any]] = {name: {} for name in _SECTIONS}
    for key, why in NOT_APPLICABLE.items():
        section, _, name = key.partition(".")
        sections[section][name] = {"description": f"Not applicable here: {why}"}
    sections["harbor"] |= {
        "n_attempts": {**_COUNT, "description": "As `attempts`."},
        "max_cases": {**_COUNT, "description": "As `max_cases` at the top."},
        "task_source": {"enum": list(TASK_SOURCES), "description": "Native tasks, the dataset, or both."},
    }
    sections["grading"] |= {"mode": grading}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "evals/config.yml",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "schema_version": {"const": 1},
            "cases": {**_NAMES, "description": "Ids or globs; all where it is left out."},
            "exclude": {**_NAMES, "description": "Ids or globs that do not run."},
            "max_cases": {**_COUNT, "description": "The first so many."},
            "attempts": {**_COUNT, "description": "The last look; it lowers the plan and never raises it."},
            "graders": grading,
            **{
                name: {"type": ["object", "null"], "additionalProperties": False, "properties": keys}
                for name, keys in sections.items()
            },
        },
    }
