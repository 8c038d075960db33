"""The line that asks the unprivileged reader for tier 1 of one skill, and how it is read there."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aces_ci.core.skill import FileKind, SkillFile, Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Everything that tier 1 needs to know of one skill."""

    after: Snapshot
    before: Snapshot | None = None
    added: bool
    """Whether there was no skill before, so that all findings are new."""
    siblings: tuple[Snapshot, ...] = ()
    """Manifests of the skills an agent chooses from beside this one."""
    profile: str = "spec"
    disabled: tuple[str, ...] = ()


def to_line(request: Request) -> str:
    """One JSON object on one line; bytes as base64."""
    return json.dumps(
        {
            "after": _dump(request.after),
            "before": request.before and _dump(request.before),
            "added": request.added,
            "siblings": [_dump(sibling) for sibling in request.siblings],
            "profile": request.profile,
            "disabled": list(request.disabled),
        }
    )


def from_line(line: str) -> Request:
    """The request again. The parent wrote it, so nothing here is checked."""
    data = json.loads(line)
    return Request(
        after=_snapshot(data["after"]),
        before=_snapshot(data["before"]) if data["before"] else None,
        added=data["added"],
        siblings=tuple(_snapshot(row) for row in data["siblings"]),
        profile=data["profile"],
        disabled=tuple(data["disabled"]),
    )


def _dump(snapshot: Snapshot) -> Mapping[str, Any]:
    files = [
        [file.path, file.kind.value, file.size, None if file.data is None else base64.b64encode(file.data).decode()]
        for file in snapshot.files.values()
    ]
    return {"root": snapshot.root, "files": files, "outside": sorted(snapshot.outside)}


def _snapshot(data: Mapping[str, Any]) -> Snapshot:
    files = {
        path: SkillFile(path=path, kind=FileKind(kind), size=size, data=None if raw is None else base64.b64decode(raw))
        for path, kind, size, raw in data["files"]
    }
    return Snapshot(root=data["root"], files=files, outside=frozenset(data["outside"]))
