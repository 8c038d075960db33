"""Files of a skill that hold tasks, answers or grades: no agent may find one in its workspace."""

from __future__ import annotations

from pathlib import PurePosixPath

SUITE_FOLDERS = ("evals", "eval", "evaluations", ".plugin-eval")
"""Where suites stand, beside `tests`, which holds other files as well."""
INPUTS = frozenset({"files", "fixtures"})
"""Folders of a suite whose files are made for agents."""
_TOP = frozenset({"EVAL.md", "config.yml", "config.yaml", "grader.py", "grader.sh"})
_NAMES = frozenset({"criteria.json", "task.toml"})
_FOLDERS = frozenset({"harbor", "tests", "graders", "results"})
_STEMS = ("evals.", "eval.", "dataset.")


def holds_answers(path: str) -> bool:
    """Whether a skill-relative path is one of a suite by its name alone, whatever is in it."""
    parts = PurePosixPath(path).parts
    if not parts or parts[0] not in SUITE_FOLDERS:
        return False
    inner = parts[1:]
    if any(part in INPUTS for part in inner[:-1]):
        return False
    if len(inner) == 1 and inner[0] in _TOP:
        return True
    return bool(inner) and (
        inner[-1] in _NAMES or inner[-1].startswith(_STEMS) or any(part in _FOLDERS for part in inner[:-1])
    )
