"""A pull request's comments: REST over all pages, authorship from GraphQL.

`GET /user` is refused to a workflow's token and a login may be anyone's guess, so the only word on whose a
comment is comes from `viewerDidAuthor`, asked for the few comments that carry our marker.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aces_ci.forges._sticky import Note, marked_body
from aces_ci.shell.http import Api, Forbidden, HttpError

_AUTHOR = "query($ids:[ID!]!){nodes(ids:$ids){... on IssueComment{databaseId viewerDidAuthor}}}"
_IDS = 100
"""Ids of one GraphQL question."""


@dataclass(slots=True)
class Comments:
    """`api` and `graphql` hold the same token; GitHub Enterprise serves the two at different addresses."""

    api: Api
    graphql: Api
    repo: str
    number: int
    word: str = "comment"

    def head(self) -> str | None:
        """The head now; None when the pull request is closed."""
        change = self.api.get(f"/repos/{self.repo}/pulls/{self.number}").data
        return str(change["head"]["sha"]) if change["state"] == "open" else None

    def marked(self, key: str) -> Sequence[Note]:
        """Comments that begin with our marker, oldest first."""
        rows = [
            row
            for row in self.api.pages(f"/repos/{self.repo}/issues/{self.number}/comments")
            if marked_body(row.get("body") or "", key)
        ]
        mine = self._mine([row["node_id"] for row in rows])
        return sorted(
            (
                Note(
                    id=row["id"],
                    body=row.get("body") or "",
                    mine=None if mine is None else row["id"] in mine,
                    url=row.get("html_url"),
                    created_at=row["created_at"],
                    updated_at=row["updated_at"],
                )
                for row in rows
            ),
            key=lambda note: note.id,
        )

    def create(self, body: str) -> Note:
        """POST."""
        return _note(self.api.send("POST", f"/repos/{self.repo}/issues/{self.number}/comments", {"body": body}).data)

    def edit(self, note: int, body: str) -> Note:
        """PATCH."""
        return _note(self.api.send("PATCH", f"/repos/{self.repo}/issues/comments/{note}", {"body": body}).data)

    def delete(self, note: int) -> None:
        """DELETE."""
        self.api.send("DELETE", f"/repos/{self.repo}/issues/comments/{note}")

    def _mine(self, ids: list[str]) -> frozenset[int] | None:
        """Which of these comments this token wrote; None where GraphQL does not say."""
        found: set[int] = set()
        for start in range(0, len(ids), _IDS):
            question = {"query": _AUTHOR, "variables": {"ids": ids[start : start + _IDS]}}
            try:
                data = self.graphql.send("POST", "", question).data
            except (Forbidden, HttpError) as error:
                if error.status in (401, 403, 404):
                    return None
                raise
            nodes = ((data or {}).get("data") or {}).get("nodes")
            if not isinstance(nodes, list):
                return None
            found |= {node["databaseId"] for node in nodes if node and node.get("viewerDidAuthor") is True}
        return frozenset(found)


def _note(row: Any) -> Note:
    return Note(
        id=row["id"],
        body=row.get("body") or "",
        mine=True,
        url=row.get("html_url"),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
