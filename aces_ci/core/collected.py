"""Names of an agent's files: which are taken out of a sandbox, and how the others are told."""

from __future__ import annotations

import unicodedata

DEPTH_LIMIT = 40
NAME_LIMIT = 255
PATH_LIMIT = 1024
NOTE_LIMIT = 50


def wrong_name(path: str, taken: set[str]) -> str | None:
    """Why a path could mislead a reader or a file system; None where it cannot. `taken`: case-folded paths so far."""
    parts = path.split("/")
    if path.startswith("/") or ".." in parts or "\\" in path or ":" in parts[0]:
        return "its name is no plain relative path"
    if len(parts) > DEPTH_LIMIT or len(path) > PATH_LIMIT or any(len(part) > NAME_LIMIT for part in parts):
        return "its name is too long or too deep"
    if any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in path):
        return "its name holds control characters"
    if unicodedata.normalize("NFC", path) != path:
        return "its name is not in normal form"
    if ".git" in parts:
        return "git metadata is never collected"
    if path.casefold() in taken:
        return "its name differs from another one in case only"
    return None


def add_note(notes: list[str], text: str) -> None:
    """Keep the first notes; a million bad names must not fill the report."""
    if len(notes) < NOTE_LIMIT:
        notes.append(text)
    elif len(notes) == NOTE_LIMIT:
        notes.append("more was left out")


def shown(path: str) -> str:
    """A path for one sentence."""
    return ascii(path[:200])
