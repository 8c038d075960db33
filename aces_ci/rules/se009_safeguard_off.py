"""A safeguard is switched off: an agent's permissions, a certificate check, a question to the user.

Sometimes right in a throw-away container, never silently right on a user's machine.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.scan.documents import documents, site_of
from aces_ci.core.scan.hazards import problems
from aces_ci.core.scan.injection import find, without
from aces_ci.core.scan.snippets import is_markdown
from aces_ci.core.scan.stance import Stance, about_security, stance
from aces_ci.core.scripts.hazards.hazard import Kind
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    commands = tuple(problems(skill, Kind.UNATTENDED, tail="Nobody is asked, or nothing is checked, any more."))
    yield from commands
    told_of = {(problem.path, problem.line) for problem in commands}
    subject = about_security(skill)
    for path, text in documents(skill):
        if not is_markdown(path):
            continue
        for marker in find(text):
            line = text.count("\n", 0, marker.start) + 1
            if marker.kind != "approve" or site_of(text, line) in {"fence", "table"} or (path, line) in told_of:
                continue
            told = stance(without(text, marker), line, subject=subject)
            yield Problem(
                path=path,
                line=line,
                message=f"This text {marker.what}; the user loses the chance to stop a mistake.",
                severity=marker.severity if told is Stance.ASKS else Severity.INFO,
                confidence=marker.confidence,
            )


RULE = Rule(
    code="SE009",
    slug="safeguard-off",
    title="switches a safeguard off",
    dimension=None,
    category=Category.SECURITY,
    severity=Severity.WARNING,
    hint="leave the safeguard on, or say for which throw-away environment this is meant",
    check=check,
    fires_on="openclaw/skills/skills/walkamolee/ralph-loop-writer",
    silent_on="obra/superpowers/skills/executing-plans",
    examples=(
        Example(
            files={"SKILL.md": manifest("# Sample\n\n```bash\nclaude -p --dangerously-skip-permissions 'go'\n```\n")},
            lines=(8,),
        ),
        Example(
            files={"SKILL.md": manifest("# Sample\n\nDelete old rows without asking for confirmation.\n")}, lines=(7,)
        ),
        Example(files={"SKILL.md": manifest("# Sample\n\n```bash\nnpm install --yes\nclaude -p 'go'\n```\n")}),
    ),
)
