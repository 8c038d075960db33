"""Commands that stand in the prose of a document as they are, without backticks: an agent runs them all the same."""

from __future__ import annotations

from collections.abc import Iterator

import re2

from aces_ci.core.reading.outline import Outline

_PIPED = re2.compile(
    r"\b(?:curl|wget)\s[^\n|`]{0,300}://[^\n|`]{1,300}\|\s*(?:sudo\s+(?:-\w+\s+){0,3})?(?:ba|z|da|k)?sh\b(?:\s+-[\w-]*)*"
)
"""A download that is piped to a shell, the one shape which no sentence has by chance."""


def find(text: str, parts: Outline) -> Iterator[tuple[int, str]]:
    """(offset, command) of each; what stands in a block or between backticks is read there."""
    blocks = [(code.line, code.end_line) for code in parts.codes]
    for match in _PIPED.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        opened = text.count("`", text.rfind("\n", 0, match.start()) + 1, match.start()) % 2
        if not opened and not any(first <= line <= last for first, last in blocks):
            yield match.start(), match.group(0)
