"""A merge request's notes. Whose a note is comes from comparing author ids with `GET /user`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from aces_ci.forges._sticky import Note, marked_body
from aces_ci.shell.http import Api


@dataclass(slots=True)
class MergeRequestNotes:
    """`project` is the numeric id, or a percent-encoded path, of the *target* project."""

    api: Api
    project: str
    number: int
    page: str | None = None
    """The merge request's own page, to link a note."""
    word: str = "note"
    _me: int | None = field(default=None, init=False)

    def head(self) -> str | None:
        """The head now; None when the merge request is not open."""
        change = self.api.get(self._path()).data
        return str(change["sha"]) if change["state"] == "opened" else None

    def marked(self, key: str) -> Sequence[Note]:
        """Notes that begin with our marker, oldest first; the system's own left out."""
        rows = self.api.pages(f"{self._path()}/notes", sort="asc", order_by="created_at")
        found = [row for row in rows if not row.get("system") and marked_body(row.get("body") or "", key)]
        if found and self._me is None:
            self._me = int(self.api.get("/user").data["id"])
        return sorted(
            (self._note(row, mine=row["author"]["id"] == self._me) for row in found), key=lambda note: note.id
        )

    def create(self, body: str) -> Note:
        """POST."""
        return self._note(self.api.send("POST", f"{self._path()}/notes", {"body": body}).data, mine=True)

    def edit(self, note: int, body: str) -> Note:
        """PUT."""
        return self._note(self.api.send("PUT", f"{self._path()}/notes/{note}", {"body": body}).data, mine=True)

    def delete(self, note: int) -> None:
        """DELETE."""
        self.api.send("DELETE", f"{self._path()}/notes/{note}")

    def _path(self) -> str:
        return f"/projects/{self.project}/merge_requests/{self.number}"

    def _note(self, row: Any, *, mine: bool) -> Note:
        url = f"{self.page}#note_{row['id']}" if self.page else None
        return Note(
            id=row["id"],
            body=row.get("body") or "",
            mine=mine,
            url=url,
            created_at=row["created_at"],
            updated_at=row["updated_at"],
        )
