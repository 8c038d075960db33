"""A JSON file of the skill is not JSON.

Configuration and data with a comma too many fail only when an agent is already at work. Files that allow
comments by convention are left out, and so is `evals/`, which has its own checks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill

_LOOSE = re.compile(
    r"(^|/)(tsconfig[^/]*|\.eslintrc|\.vscode/.*|devcontainer|package-lock)\.json$|\.jsonc$|^evals/|template|\{\{"
)


def check(skill: Skill) -> Iterator[Problem]:
    for path, file in sorted(skill.files.items()):
        if not path.endswith(".json") or _LOOSE.search(path) or file.text is None or file.size > 500_000:
            continue
        try:
            json.loads(file.text)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", 1)
            yield Problem(
                path=path,
                line=line,
                column=getattr(error, "colno", None),
                message=f"{path} is not JSON: {getattr(error, 'msg', 'nested too deeply')}.",
            )


RULE = Rule(
    code="CO037",
    slug="invalid-json",
    title="a JSON file cannot be read",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.WARNING,
    hint="correct the syntax at this line",
    check=check,
    fires_beyond="AgentWorkers/skills/skills/rokami/docx-formatter at 1e90d60",
    silent_on="openai/skills/skills/.curated/notion-meeting-intelligence",
    weight=5,
    cap=10,
    examples=(
        Example(
            files={"SKILL.md": manifest(), "assets/rates.json": '{\n"a": 1,\n}\n'}, lines=(3,), path="assets/rates.json"
        ),
        Example(files={"SKILL.md": manifest(), "assets/rates.json": '{"a": 1}\n'}),
    ),
)
