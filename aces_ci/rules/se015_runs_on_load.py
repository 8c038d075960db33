"""A command runs when the skill is loaded, before the agent or the user decides anything.

Some agents replace `!`command`` in a skill's text by the command's output, and run hooks that its frontmatter
names. That is a fine way to show `git status`; a command that writes, installs or talks to the network there runs
for everyone whose request merely looks like the description.
"""

from __future__ import annotations

from collections.abc import Iterator

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Example, Problem, Rule
from aces_ci.core.scan.snippets import Site, snippets
from aces_ci.core.scripts.shell.commands import parse
from aces_ci.core.skill import Skill

_QUIET = frozenset(
    {"git", "ls", "cat", "pwd", "date", "echo", "head", "tail", "wc", "find", "grep", "rg",
     "uname", "which", "command", "printf", "gh",
     "node",
     "python", "python3", "sort", "sed", "awk", "tree", "basename", "dirname", "test", "true", "jq", "env", "npm",
     "type", "cut", "tr", "uniq", "whoami", "hostname", "xargs", "if", "["}
)  # fmt: skip


def check(skill: Skill) -> Iterator[Problem]:
    for snippet in snippets(skill):
        if snippet.site is Site.LOAD and snippet.path == skill.manifest and snippet.line >= skill.body_line:
            loud = next((c.name for c in parse(snippet.text) if c.name and c.name not in _QUIET), None)
            if loud is not None:
                yield Problem(
                    path=snippet.path,
                    line=snippet.line,
                    column=snippet.column,
                    message=f"{loud} runs as soon as the skill is loaded, before the agent or the user decides.",
                )
    hooks = (skill.frontmatter or {}).get("hooks")
    if hooks is not None and hooks.value:
        yield Problem(
            path=skill.manifest,
            line=hooks.at_key.line,
            message="Hooks in the frontmatter run commands around the agent's own, whatever it decides.",
            confidence=Confidence.HIGH,
        )


RULE = Rule(
    code="SE015",
    slug="runs-on-load",
    title="runs a command before anyone decides",
    dimension=None,
    category=Category.SECURITY,
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    hint="let the agent run it as a step of the workflow",
    check=check,
    fires_on="sickn33/antigravity-awesome-skills/skills/planning-with-files",
    silent_on="obra/superpowers/skills/using-git-worktrees",
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nState: !`make deploy`\n")}, lines=(7,)),
        Example(
            files={"SKILL.md": manifest(extra="hooks:\n  PostToolUse:\n    - command: ./scripts/after.sh")}, lines=(4,)
        ),
        Example(files={"SKILL.md": manifest("# Sample\n\nState: !`git status --short`\n")}),
    ),
)
