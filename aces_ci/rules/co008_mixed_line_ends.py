"""The manifest mixes line ends.

Some lines end in CRLF and some in LF, so tools that match whole lines miss half of them and diffs show lines that
nobody changed. `check --fix` writes LF throughout. A file that is CRLF throughout is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from aces_ci.core.finding import Category, Edit, Severity
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def check(skill: Skill) -> Iterator[Problem]:
    file = skill.files.get(skill.manifest)
    data = file.data if file else None
    if not data:
        return
    windows, all_ends = data.count(b"\r\n"), data.count(b"\n")
    if 0 < windows < all_ends:
        line = data.count(b"\n", 0, data.find(b"\r\n")) + 1
        # A lone CR ends a line too; left beside a CRLF that became LF, the two would be one end where there were two.
        ends = re.finditer(rb"\r\n?", data)
        edits = tuple(Edit(path=skill.manifest, start=end.start(), end=end.end(), text="\n") for end in ends)
        message = f"{windows} of {all_ends} lines end in CRLF, the others in LF."
        yield Problem(message=message, line=line, edits=edits)


RULE = Rule(
    code="CO008",
    slug="mixed-line-ends",
    title="line ends are mixed",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="save the file with LF line ends",
    check=check,
    fires_beyond="AgentWorkers/skills/skills/yorch233/minimax-coding-plan-tool at 1e90d60",
    silent_on="anthropics/skills/skills/algorithmic-art",
    weight=2,
    examples=(
        Example(files={"SKILL.md": manifest("# A\r\ntext\n")}, lines=(5,)),
        Example(files={"SKILL.md": manifest("# A\ntext\n")}),
        Example(files={"SKILL.md": manifest("# A\ntext\n").replace("\n", "\r\n")}),
    ),
)
