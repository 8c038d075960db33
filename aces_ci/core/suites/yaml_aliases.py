"""YAML aliases before they are followed: a small file must not stand for gigabytes, nor a value for itself."""

from __future__ import annotations

from typing import Any

import yaml

EXPANDED_LIMIT = 20_000
"""Values of one file once every alias is written out; a public suite that uses them has a few hundred."""


def fault(text: str, loader: Any) -> tuple[str, int] | None:
    """What is wrong with the aliases of a text and its line, 1-based; None where they can be followed.

    Raises:
        yaml.YAMLError: the text is no YAML.
    """
    sizes: dict[str, int] = {}
    stack: list[tuple[str | None, int]] = [(None, 0)]
    events: Any = yaml.parse(text, Loader=loader)
    for event in events:
        size = 0
        if isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            stack.append((event.anchor, 1))
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            anchor, size = stack.pop()
            if anchor:
                sizes[anchor] = size
        elif isinstance(event, yaml.ScalarEvent):
            size = 1
            if event.anchor:
                sizes[event.anchor] = 1
        elif isinstance(event, yaml.AliasEvent):
            if any(anchor == event.anchor for anchor, _ in stack):
                return "an alias stands for what contains it", _line(event)
            size = sizes.get(str(event.anchor), 1)
        if size:
            anchor, held = stack[-1]
            stack[-1] = (anchor, held + size)
            if sizes and held + size > EXPANDED_LIMIT:
                return f"its aliases stand for more than {EXPANDED_LIMIT} values", _line(event)
    return None


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1
