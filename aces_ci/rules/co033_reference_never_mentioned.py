"""A reference, a template or an example is mentioned nowhere.

Files below `references/`, `templates/` and `examples/` are loaded when the text points at them, and otherwise never.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.reference import SCRIPT_SUFFIXES
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    paths = [
        path
        for path in sorted(skill.files)
        if (path.startswith(("templates/", "examples/")) or (path.startswith("references/") and path.endswith(".md")))
        and path.rsplit("/", 1)[-1].lower() != "readme.md"
    ]
    if not paths:
        return
    texts = {
        path: file.text or ""
        for path, file in skill.files.items()
        if path.endswith((".md", *SCRIPT_SUFFIXES)) and file.size < 200_000
    }
    texts[skill.manifest] = skill.body
    for path in paths:
        name = path.rsplit("/", 1)[-1]
        stem_ = name.rsplit(".", 1)[0]
        folder = path.rsplit("/", 1)[0] + "/"
        used = any(other != path and (name in text or f"{stem_}" in text) for other, text in texts.items())
        named = (
            f"`{folder}`",
            f"{folder}*",
            f"{folder}<",
            f"{folder}{{",
            f"{folder}$",
            f"`{folder[:-1]}`",
            f"({folder})",
        )
        whole = any(text in skill.body for text in named)
        if not used and not whole:
            yield Problem(
                path=path,
                whole_file=True,
                message=f"{path} is mentioned nowhere, so no agent will open it.",
                hint=f"link {path} from {skill.manifest} and say when to read it, or delete the file",
            )


RULE = Rule(
    code="CO033",
    slug="reference-never-mentioned",
    title="reference is never mentioned",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="link it from SKILL.md, and say when to read it",
    check=check,
    weight=3,
    cap=9,
    requires=("SP001", "SP002"),
    fires_on="obra/superpowers/skills/using-superpowers",
    silent_on="anthropics/skills/skills/doc-coauthoring",
    examples=(
        Example(
            files={"SKILL.md": manifest(), "references/rates.md": "# Rates\n"}, lines=(1,), path="references/rates.md"
        ),
        Example(
            files={"SKILL.md": manifest(), "examples/ledger.ts": "export const x = 1\n"},
            lines=(1,),
            path="examples/ledger.ts",
        ),
        Example(
            files={"SKILL.md": manifest("See [rates](references/rates.md).\n"), "references/rates.md": "# Rates\n"}
        ),
    ),
)
