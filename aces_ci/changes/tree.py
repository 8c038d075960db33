"""Trees of names, read folder by folder as they are asked for; links and submodules are never entered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from aces_ci.core.repo_path import join, parent_of, text_of

_DEEPEST = 64
_ILLEGAL = frozenset({b"", b".", b".."})


class EntryKind(StrEnum):
    """What a tree entry is."""

    FOLDER = "folder"
    FILE = "file"
    EXECUTABLE = "executable"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"


_KINDS = {0o040000: EntryKind.FOLDER, 0o120000: EntryKind.SYMLINK, 0o160000: EntryKind.SUBMODULE}


def kind_of_mode(mode: int) -> EntryKind:
    """The kind of a git file mode; anything unheard of is a plain file."""
    return _KINDS.get(mode & 0o170000, EntryKind.EXECUTABLE if mode & 0o100 else EntryKind.FILE)


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a folder."""

    kind: EntryKind
    oid: str
    """The git object, or empty on a disk."""

    @property
    def is_file(self) -> bool:
        """Whether it has content of its own that may be read."""
        return self.kind in (EntryKind.FILE, EntryKind.EXECUTABLE)

    @property
    def may_be_manifest(self) -> bool:
        """A link counts too: agents follow it, so the skill must be seen, though we never read through it."""
        return self.is_file or self.kind is EntryKind.SYMLINK


def parse_tree(data: bytes, oid_bytes: int) -> dict[str, Entry]:
    """The entries of a raw tree object by name.

    A name that no file system can hold ("..", "a/b", ".git") is left out: git itself refuses to check it out.
    """
    found: dict[str, Entry] = {}
    at = 0
    while at < len(data):
        space = data.index(b" ", at)
        end = data.index(b"\0", space)
        name = data[space + 1 : end]
        oid = data[end + 1 : end + 1 + oid_bytes].hex()
        if name not in _ILLEGAL and b"/" not in name and name.lower() != b".git":
            found[text_of(name)] = Entry(kind_of_mode(int(data[at:space], 8)), oid)
        at = end + 1 + oid_bytes
    return found


def parse_listing(rows: Iterable[bytes]) -> dict[str, Entry]:
    """The entries of rows of `ls-tree -r -z` by path."""
    found: dict[str, Entry] = {}
    for row in rows:
        head, tab, path = row.partition(b"\t")
        if tab:
            mode, _, oid = head.split(b" ")
            found[text_of(path)] = Entry(kind_of_mode(int(mode, 8)), oid.decode())
    return found


class Tree(ABC):
    """A tree of names. "." is its top; paths are text as `core.repo_path` writes them."""

    @abstractmethod
    def folder(self, path: str) -> Mapping[str, Entry] | None:
        """What is in a folder, by name; None where there is no such folder."""

    def entry(self, path: str) -> Entry | None:
        """The entry at `path`, or None."""
        return (self.folder(parent_of(path)) or {}).get(path.rpartition("/")[2])

    def walk(self, root: str = ".", enter: Callable[[str], bool] = lambda _: True) -> Iterator[tuple[str, Entry]]:
        """Every path below `root`, folders before what is in them. `enter` decides about each folder."""
        waiting = [(root, 0)]
        while waiting:
            path, depth = waiting.pop()
            for name, entry in (self.folder(path) or {}).items():
                full = join(path, name)
                if entry.kind is not EntryKind.FOLDER:
                    yield full, entry
                elif depth < _DEEPEST and enter(full):
                    yield full, entry
                    waiting.append((full, depth + 1))


class GitTree(Tree):
    """The tree of one commit, each folder read when it is asked for."""

    def __init__(self, oid: str, read: Callable[[str], bytes]) -> None:
        """`oid` is the commit's root tree; `read` gives the raw bytes of a tree object."""
        self._root = oid
        self._read = read
        self._folders: dict[str, Mapping[str, Entry] | None] = {}

    def folder(self, path: str) -> Mapping[str, Entry] | None:
        """See `Tree`."""
        if path not in self._folders:
            oid = self._root if path == "." else self._folder_oid(path)
            self._folders[path] = parse_tree(self._read(oid), len(self._root) // 2) if oid else None
        return self._folders[path]

    def _folder_oid(self, path: str) -> str | None:
        entry = self.entry(path)
        return entry.oid if entry and entry.kind is EntryKind.FOLDER else None
