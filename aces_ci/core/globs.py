"""Globs over repository paths: `*` within a folder, `**` over folders, `?` one character."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=512)
def _pattern(glob: str) -> re.Pattern[str]:
    out = ""
    position = 0
    while position < len(glob):
        if glob.startswith("**/", position):
            out, position = out + "(?:.*/)?", position + 3
        elif glob.startswith("**", position):
            out, position = out + ".*", position + 2
        elif glob[position] == "*":
            out, position = out + "[^/]*", position + 1
        elif glob[position] == "?":
            out, position = out + "[^/]", position + 1
        else:
            out, position = out + re.escape(glob[position]), position + 1
    return re.compile(out)


def matches(path: str, glob: str) -> bool:
    """Whether a whole path fits. `skills/**` also fits `skills` itself; `**` fits everything, "." included."""
    return _pattern(glob).fullmatch(path) is not None or (
        glob.endswith("/**") and _pattern(glob[:-3]).fullmatch(path) is not None
    )
