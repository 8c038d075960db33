"""The optional check run: a bonus beside the job, whose own conclusion is the gate.

A check run made with a workflow's token lands in any suite of the commit, which is an open fault of GitHub;
so it never carries what the job does not.
"""

from __future__ import annotations

from typing import Any

from aces_ci.core.pages import Annotation
from aces_ci.ports.forge import Publication
from aces_ci.shell.http import Api

CHUNK = 50
"""Annotations of one request, the API's limit."""
TEXT_LIMIT = 65_535
"""Bytes of a summary, the API's limit in characters."""
TITLE_LIMIT = 255
MESSAGE_LIMIT = 64_000
_LEVELS = {"error": "failure", "warning": "warning", "notice": "notice"}


def write_check(api: Api, repo: str, name: str, publication: Publication) -> str | None:
    """Create the check run and append the annotations in chunks. Returns its page.

    Raises:
        Forbidden, HttpError: as the API client.
    """
    chunks = [
        [_annotation(note) for note in publication.annotations[start : start + CHUNK]]
        for start in range(0, len(publication.annotations), CHUNK)
    ]
    output: dict[str, Any] = {
        "title": publication.title[:TITLE_LIMIT],
        "summary": _cut(publication.summary),
    }
    created = api.send(
        "POST",
        f"/repos/{repo}/check-runs",
        {
            "name": name,
            "head_sha": publication.head_sha,
            "status": "completed",
            "conclusion": "failure" if publication.failed else "success",
            "output": {**output, "annotations": chunks[0] if chunks else []},
        },
    ).data
    for chunk in chunks[1:]:
        api.send("PATCH", f"/repos/{repo}/check-runs/{created['id']}", {"output": {**output, "annotations": chunk}})
    page = created.get("html_url")
    return page if isinstance(page, str) else None


def _annotation(note: Annotation) -> dict[str, str | int]:
    return {
        "path": note.path,
        "start_line": note.line,
        "end_line": max(note.line, note.end_line),
        "annotation_level": _LEVELS[note.level],
        "title": note.title[:TITLE_LIMIT],
        "message": note.message.encode()[:MESSAGE_LIMIT].decode("utf-8", "ignore"),
    }


def _cut(text: str) -> str:
    data = text.encode()
    if len(data) <= TEXT_LIMIT:
        return text
    tail = "\n\n…the rest is in the report."
    return data[: TEXT_LIMIT - len(tail.encode())].decode("utf-8", "ignore").rpartition("\n")[0] + tail
