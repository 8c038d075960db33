"""How a fix is shown: a line that has to be written as it stands is code, everything else is a sentence."""

from __future__ import annotations

import re

from aces_ci.core.finding import Finding

_ENTRY = re.compile(r"[a-z][a-z-]*: \S+")
"""One entry of a frontmatter, e.g. `name: log-triage`."""


def is_code(finding: Finding) -> bool:
    """Whether the hint is the new line itself."""
    new = finding.replacement[1].strip() if finding.replacement else None
    return finding.hint == new or _ENTRY.fullmatch(finding.hint) is not None
