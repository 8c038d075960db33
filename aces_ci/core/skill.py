"""A skill as bytes became it: folder, frontmatter with places, body, files, and what could not be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath


class FileKind(StrEnum):
    """What a path is. Only `regular` and `executable` files have content that anyone may read."""

    REGULAR = "regular"
    EXECUTABLE = "executable"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    LFS = "lfs"
    """A Git LFS pointer: the content is elsewhere and is not fetched."""
    OVERSIZE = "oversize"
    """Longer than the reader's cap; the content was not loaded."""

    @property
    def said(self) -> str:
        """As a sentence names it after `is`."""
        return _SAID[self]


_SAID = {
    FileKind.REGULAR: "a regular file",
    FileKind.EXECUTABLE: "an executable file",
    FileKind.SYMLINK: "a symbolic link",
    FileKind.SUBMODULE: "a submodule",
    FileKind.LFS: "a Git LFS pointer",
    FileKind.OVERSIZE: "too large to be read",
}


def universal_newlines(text: str) -> str:
    """`text` with every line ended by one newline, as all that counts or cuts lines here expects it.

    The ends are those of Python's text files: CR LF, and a lone CR as old editors write it.
    """
    return text.replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFile:
    """One file below a skill. `path` is relative to the skill; `data` is None unless `kind` may be read."""

    path: str
    kind: FileKind
    size: int
    data: bytes | None = None

    @property
    def text(self) -> str | None:
        """Strict UTF-8 text with universal newlines and no byte order mark, or None for anything else."""
        if self.data is None or b"\0" in self.data:
            return None
        try:
            return universal_newlines(self.data.decode("utf-8-sig"))
        except UnicodeDecodeError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The bytes of one skill at one revision, before anyone parses them."""

    root: str
    files: Mapping[str, SkillFile]
    """Every file that belongs to the skill, by skill-relative path."""
    outside: frozenset[str] = frozenset()
    """Repository paths outside the root that the skill links to and that exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A range in a file: 1-based lines and columns, `end_column` exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One top-level frontmatter entry with the places of its key and its value.

    `value` is plain data (str, int, float, bool, None, list, dict); dates stay the text that was written.
    """

    key: str
    value: object
    at_key: Place
    at_value: Place
    written: str = ""
    """The scalar as it stands in the file, quotes included; empty for lists and maps."""
    children: tuple[Field, ...] = ()
    """The entries of a map, one level down, so that each can be located."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseProblem:
    """Why a part of the manifest could not be read; becomes a finding of category spec.

    `kind` is a stable word (`yaml`, `encoding`, `unclosed`, `duplicate_key`, …) that rules select on.
    """

    kind: str
    message: str
    hint: str
    place: Place
    fatal: bool
    """True where the frontmatter has no usable value after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sibling:
    """Another skill that an agent has to choose from: all that it sees of it before it chooses."""

    path: str
    name: str
    description: str
    body: str = ""
    """How its body begins. No agent sees it before it chooses; it tells which words are of this skill alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """One skill at one revision."""

    root: str
    """Repository-relative POSIX path, percent-encoded where bytes are not UTF-8; "." for the root skill."""
    manifest: str
    """File name of the manifest inside the root: `SKILL.md`, or how it is wrongly written."""
    text: str
    """The manifest as text: universal newlines, no byte order mark, undecodable bytes replaced."""
    frontmatter: Mapping[str, Field] | None
    """None where there is none or it could not be read; `problems` says which."""
    body: str
    body_line: int
    """Line of the manifest on which `body` begins."""
    files: Mapping[str, SkillFile] = field(default_factory=dict)
    """Every file below the root but nested skills', by skill-relative path, the manifest included."""
    outside: frozenset[str] = frozenset()
    """Repository paths outside the root that exist; lets a rule tell a broken link from a shared file."""
    problems: tuple[ParseProblem, ...] = ()
    siblings: tuple[Sibling, ...] = ()
    """The skills beside it, for rules about being confused with one."""

    @property
    def directory(self) -> str:
        """The folder's own name, which must equal `name`; empty for a root skill."""
        return "" if self.root == "." else PurePosixPath(self.root).name

    @property
    def name(self) -> str | None:
        """The declared name where it is a non-empty string."""
        return self.string("name")

    @property
    def description(self) -> str | None:
        """The declared description where it is a non-empty string."""
        return self.string("description")

    def string(self, key: str) -> str | None:
        """The value of a top-level key where it is a non-empty string, stripped; else None."""
        entry = (self.frontmatter or {}).get(key)
        value = entry.value if entry else None
        return value.strip() or None if isinstance(value, str) else None

    @property
    def label(self) -> str:
        """What to call it in a sentence: its folder, else its name, else the repository's root."""
        return self.directory or self.name or "root skill"

    @property
    def opening(self) -> int:
        """The manifest's line on which the body's first text stands; where there is none, its last line."""
        blank = len(self.body) - len(self.body.lstrip())
        if blank == len(self.body):
            return max(1, self.body_line - 1)
        return self.body_line + self.body.count("\n", 0, blank)

    def at(self, line: int) -> int:
        """The manifest's line of the body's `line`."""
        return self.body_line + line - 1

    def path_of(self, file: str) -> str:
        """Repository-relative path of a skill-relative one."""
        return file if self.root == "." else f"{self.root}/{file}"


HEAD = 4_000
"""Characters of a sibling's body that are kept; a folder can hold hundreds."""


def sibling_of(skill: Skill) -> Sibling | None:
    """The skill as those beside it see it; None where it has no card."""
    if not (skill.name and skill.description):
        return None
    return Sibling(path=skill.root, name=skill.name, description=skill.description, body=skill.body[:HEAD])
