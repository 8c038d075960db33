"""A link leads to a heading that is not there.

Headings become anchors as forges make them: lower case, blanks to hyphens, punctuation gone. Only links within
the manifest are checked.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator

from aces_ci.core.finding import Category, Confidence, Severity
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.sample import manifest
from aces_ci.core.rule import Dimension, Example, Problem, Rule
from aces_ci.core.skill import Skill


def _anchor(text: str) -> str:
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def check(skill: Skill) -> Iterator[Problem]:
    parts = outline(skill.body)
    wanted = [link for link in parts.links if link.target.startswith("#") and len(link.target) > 1]
    if not wanted:
        return
    counts: Counter[str] = Counter()
    anchors = set(re.findall(r"(?:id|name)=[\"']([^\"']+)", skill.body))
    for heading in parts.headings:
        anchor = _anchor(heading.text)
        anchors |= {anchor, anchor.strip("-"), f"{anchor}-{counts[anchor]}"}
        counts[anchor] += 1
    for link in wanted:
        target = link.target[1:].lower()
        if target not in anchors and target.strip("-") not in anchors:
            near = difflib.get_close_matches(target, sorted(anchors - {""}), n=1, cutoff=0.5)
            yield Problem(
                message=f"Links to `{link.target}`, but no heading makes that anchor.",
                line=skill.at(link.line),
                hint=f"write #{near[0]}" if near else f"add a heading that makes {link.target}, or take the link out",
            )


RULE = Rule(
    code="CO046",
    slug="broken-anchor",
    title="link to a missing heading",
    dimension=Dimension.CORRECTNESS,
    category=Category.QUALITY,
    severity=Severity.INFO,
    hint="correct the anchor, or the heading",
    check=check,
    fires_beyond="AgentWorkers/skills/skills/alirezarezvani/marketing-demand-acquisition at 1e90d60",
    silent_on="NVIDIA/skills/skills/rtvi-vlm-customize-model",
    weight=2,
    cap=6,
    confidence=Confidence.MEDIUM,
    requires=("SP001", "SP002"),
    examples=(
        Example(files={"SKILL.md": manifest("# Sample\n\nSee [setup](#setup).\n")}, lines=(7,)),
        Example(
            files={
                "SKILL.md": manifest("# Sample\n\nSee [setup](#setup--tools).\n\n## Setup & tools\n\nText is here.\n")
            }
        ),
    ),
)
