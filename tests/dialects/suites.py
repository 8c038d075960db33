"""Skills as mappings of files, for suites."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from aces_ci import compose
from aces_ci.core.skill import FileKind, SkillFile
from aces_ci.tiers.suite import Suite, read_suite


def files_below(root: Path) -> dict[str, bytes]:
    """Every file of a folder by its relative path."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def suite_of(files: Mapping[str, bytes | str | object], name: str = "tide-tables") -> Suite:
    """The suite of a skill; values that are no text are written as JSON."""
    raw = {path: _bytes(value) for path, value in files.items()}
    found = {path: SkillFile(path=path, kind=FileKind.REGULAR, size=len(data), data=data) for path, data in raw.items()}
    return read_suite(found, compose.dialects(), skill_name=name)


def _bytes(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode()
