"""One comment per change request and key, whoever else runs at the same time.

A comment is ours when its first line is our marker *and* the forge says that this token wrote it. Both
forges share this; they differ in how they list, write and know themselves (`Notes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from aces_ci.core.sticky import read_marker, with_since
from aces_ci.ports.forge import Posted, Publication
from aces_ci.shell.http import Forbidden, HttpError


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One comment that carries our marker. `mine` None: the forge does not tell whose it is."""

    id: int
    body: str
    mine: bool | None
    url: str | None = None
    created_at: str = ""
    updated_at: str = ""
    """The server's times of the first and of the last writing, ISO 8601."""


class Notes(Protocol):
    """The comments of one change request."""

    word: str
    """How a comment is called there."""

    def head(self) -> str | None:
        """The change request's head commit now; None when it is closed."""
        ...

    def marked(self, key: str) -> Sequence[Note]:
        """All comments whose first line is a marker with `key`, over all pages, oldest first."""
        ...

    def create(self, body: str) -> Note: ...

    def edit(self, note: int, body: str) -> Note: ...

    def delete(self, note: int) -> None: ...


def post(notes: Notes, publication: Publication) -> Posted:
    """Create or edit the one comment.

    A refusal for lack of rights is a notice, never an exception.

    Raises:
        HttpError: the forge did not answer, or refused for a reason that is not about rights.
    """
    try:
        return _post(notes, publication)
    except Forbidden as error:
        return Posted(comment="refused", notices=(_refused(notes, error),))


def _post(notes: Notes, publication: Publication) -> Posted:
    if notes.head() != publication.head_sha:
        return Posted(
            comment="stale",
            notices=(f"the head moved on, so {publication.head_sha[:7]} gets no {notes.word}",),
        )
    found = notes.marked(publication.key)
    ours = [note for note in found if note.mine]
    if publication.comment is None:
        return _nothing(notes, ours, publication)
    if ours:
        return _edit(notes, ours, publication.comment, publication.smaller_comment)
    if any(note.mine is None for note in found):
        return Posted(
            comment="refused",
            notices=(
                f"a {notes.word} with our marker is there and the token may not ask who wrote it; "
                "nothing was posted rather than posted twice",
            ),
        )
    return _create(notes, publication)


def _nothing(notes: Notes, ours: Sequence[Note], publication: Publication) -> Posted:
    if not ours:
        return Posted(comment="none")
    return _edit(notes, ours, publication.nothing_comment, publication.nothing_comment)


def _edit(notes: Notes, ours: Sequence[Note], body: str, smaller: str) -> Posted:
    first, *others = ours
    for extra in others:
        _delete(notes, extra.id)
    if _same(with_since(first.body, None), body):
        return Posted(comment="unchanged", url=first.url)
    try:
        since = _shown_since(first, body)
        note, notices = _fitting(lambda text: notes.edit(first.id, with_since(text, since)), body, smaller)
    except (Forbidden, HttpError) as error:
        if error.status not in (403, 404):
            raise
        note, notices = _fitting(notes.create, body, smaller)
        told = f"the earlier {notes.word} could not be edited ({error.status}), so there is a new one"
        return Posted(comment="created", url=note.url, notices=(told, *notices))
    return Posted(comment="edited", url=note.url or first.url, notices=notices)


def _create(notes: Notes, publication: Publication) -> Posted:
    body, smaller = publication.comment or "", publication.smaller_comment
    note, notices = _fitting(notes.create, body, smaller)
    # Another run may have created one since we looked; the later of the two sees both and gives way.
    earlier = [other for other in notes.marked(publication.key) if other.mine and other.id < note.id]
    if not earlier:
        return Posted(comment="created", url=note.url, notices=notices)
    _delete(notes, note.id)
    kept, notices = _fitting(lambda text: notes.edit(earlier[0].id, text), note.body, smaller)
    told = f"another run posted at the same moment; its {notes.word} was kept and edited"
    return Posted(comment="edited", url=kept.url or earlier[0].url, notices=(*notices, told))


class _Write(Protocol):
    def __call__(self, body: str, /) -> Note: ...


def _fitting(write: _Write, body: str, smaller: str) -> tuple[Note, tuple[str, ...]]:
    """Write `body`; where it is too long for the forge, write `smaller`, once."""
    try:
        return write(body), ()
    except HttpError as error:
        if error.status not in (400, 413, 422) or "too long" not in error.said.lower() or smaller == body:
            raise
    return write(smaller), ("the text was too long for the forge; the shorter form was posted",)


def _delete(notes: Notes, note: int) -> None:
    try:
        notes.delete(note)
    except (Forbidden, HttpError) as error:
        if error.status not in (403, 404):
            raise


def _same(left: str, right: str) -> bool:
    """Forges give bodies back with other line ends, or without the last newline."""
    return left.replace("\r\n", "\n").strip() == right.replace("\r\n", "\n").strip()


def _refused(notes: Notes, error: Forbidden) -> str:
    said = f" ({error.said})" if error.said else ""
    return (
        f"no {notes.word}: the token may not write one{said}. "
        "The summary and the report are complete, and the exit code is as without it"
    )


def seen_at(notes: Sequence[Note], head: str) -> str | None:
    """Since when our own comment has shown a result for this very head; None: it does not."""
    times = [
        _seen(note)
        for note in notes
        if note.mine and (marker := read_marker(note.body)) is not None and marker.head == head
    ]
    return max(times, default=None)


def _shown_since(note: Note, body: str) -> str | None:
    """The time to keep where `body` is about the same head: who has read its first result has read it, and may have
    answered with a label, however often a job is run again."""
    old, new = read_marker(note.body), read_marker(body)
    return _seen(note) if old is not None and new is not None and old.head == new.head else None


def _seen(note: Note) -> str:
    """What the marker says, within what the server says of the comment: a marker cannot be older than what it is in."""
    marker = read_marker(note.body)
    if marker is None or marker.since is None:
        return note.updated_at
    return min(max(marker.since, note.created_at), note.updated_at)


def marked_body(body: str, key: str) -> bool:
    """Whether a comment's first line is our marker with `key`."""
    marker = read_marker(body)
    return marker is not None and marker.key == key
