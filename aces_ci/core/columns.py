"""Lines for a terminal of 80 columns: broken between words, and never inside of one, so that a path stays whole."""

from __future__ import annotations

import textwrap

WIDTH = 80


def folded(text: str, head: str = "", indent: str | None = None) -> list[str]:
    """`text` after `head`; further lines begin with `indent`, or below the end of the head."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=head,
        subsequent_indent=" " * len(head) if indent is None else indent,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [head.rstrip()]
