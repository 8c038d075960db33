"""Reads skills from a folder on disk without git; links are never followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from aces_ci.changes.called import called, instead
from aces_ci.changes.collect import entries_of, outside_of, skill_file, within_caps
from aces_ci.changes.links import linked
from aces_ci.changes.owner import Owners, manifest_in, manifests_above
from aces_ci.changes.parse import parse_skill
from aces_ci.changes.tree import Entry, EntryKind, Tree
from aces_ci.core.errors import UsageError
from aces_ci.core.repo_path import bytes_of, join, text_of
from aces_ci.core.skill import Skill, SkillFile
from aces_ci.shell.git import find_git_dir

_SKIPPED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache", "aces-results"})
# Our output under a name of the user's choice. Both, so that one stray file hides no folder of skills.
_OUTPUT = frozenset({"evidence.jsonl", ".gitignore"})
_MOST_FOLDERS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One skill on disk."""

    top: Path
    """What `root` is relative to: the checkout, else the folder that was named."""
    root: str
    files: Mapping[str, SkillFile]
    outside: frozenset[str]

    def skill(self) -> Skill:
        """The same, parsed."""
        return parse_skill(root=self.root, files=self.files, outside=self.outside)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What was found, and how many folders were looked into."""

    found: tuple[Found, ...]
    folders: int


def find(root: Path, paths: Sequence[str | Path]) -> list[tuple[str, Mapping[str, SkillFile]]]:
    """Root and files of every skill that `search` selects."""
    return [(found.root, found.files) for found in search(root, paths).found]


def search(root: Path, paths: Sequence[str | Path]) -> Search:
    """The skills that `paths` select, each once; without paths, those below `root`.

    A path inside a skill selects that skill, a folder also the skills below it; a file in no skill selects
    nothing. Paths are taken relative to `root`. A single word that leads to no skill is the name of one below `root`.

    Raises:
        UsageError: a named path does not exist or leads out of its checkout, a named folder holds no skill and
            is in none, or a name is that of several.
    """
    trees: dict[Path, DiskTree] = {}
    chosen: dict[tuple[Path, str], None] = {}
    folders = 0
    for named in paths or (Path(),):
        path = root / named
        _stay_inside(root, Path(named))
        if not os.path.lexists(path):
            chosen[_by_name(root, Path(named), trees, _missing)] = None
            continue
        top, inside, is_folder = _place(path)
        tree = trees.setdefault(top, DiskTree(top))
        roots = dict.fromkeys(_containing(tree, inside, is_folder))
        if is_folder:
            below, looked = _below(tree, inside)
            roots.update(dict.fromkeys(below))
            folders += looked
            if paths and not roots:
                chosen[_by_name(root, Path(named), trees, partial(_no_skill, looked=looked))] = None
        chosen.update({(top, skill): None for skill in roots})
    found = tuple(_read(trees[top], top, skill) for top, skill in sorted(chosen))
    return Search(found=found, folders=folders)


class DiskTree(Tree):
    """The names below a folder on disk."""

    def __init__(self, top: Path) -> None:
        self._top = os.fsencode(top)
        self._folders: dict[str, Mapping[str, Entry] | None] = {}
        self._sizes: dict[str, int] = {}

    def folder(self, path: str) -> Mapping[str, Entry] | None:
        """See `Tree`. Devices, pipes and sockets are left out, as git would."""
        if path not in self._folders:
            try:
                # `scandir` of a link would list its target: the parent's entry says what it is.
                entry = None if path == "." else self.entry(path)
                listed = path == "." or (entry is not None and entry.kind is EntryKind.FOLDER)
                self._folders[path] = dict(sorted(self._scan(path))) if listed else None
            except OSError:
                self._folders[path] = None
        return self._folders[path]

    def size(self, path: str) -> int:
        """Bytes of a file that `folder` listed."""
        return self._sizes[path]

    def read(self, path: str, cap: int) -> bytes | None:
        """The bytes of a regular file, or None where it is longer than `cap`, a link, or cannot be read."""
        try:
            handle = os.open(self._on_disk(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return None
            data = file.read(cap + 1)
        return data if len(data) <= cap else None

    def _scan(self, path: str) -> Iterator[tuple[str, Entry]]:
        with os.scandir(self._on_disk(path)) as entries:
            for entry in entries:
                info = entry.stat(follow_symlinks=False)
                kind = _kind(info.st_mode)
                if kind is not None and entry.name.lower() != b".git":
                    name = text_of(entry.name)
                    self._sizes[join(path, name)] = info.st_size
                    yield name, Entry(kind, "")

    def _on_disk(self, path: str) -> bytes:
        return self._top if path == "." else os.path.join(self._top, bytes_of(path))  # noqa: PTH118 - bytes


def _kind(mode: int) -> EntryKind | None:
    if stat.S_ISDIR(mode):
        return EntryKind.FOLDER
    if stat.S_ISLNK(mode):
        return EntryKind.SYMLINK
    if stat.S_ISREG(mode):
        return EntryKind.EXECUTABLE if mode & 0o100 else EntryKind.FILE
    return None


def _stay_inside(root: Path, named: Path) -> None:
    """Whoever wrote the checkout made its links: one that leads a folder out of it is not followed.

    Links above a checkout, and `root` itself, are the caller's own.
    """
    current = root
    for part in named.parts:
        current /= part
        if not (current.is_symlink() and current.is_dir()):
            continue
        checkout = find_git_dir(current.parent.resolve())
        if checkout is not None and not current.resolve().is_relative_to(checkout[1].resolve()):
            shown = text_of(os.fsencode(current))
            raise UsageError(
                f"{shown} is a link that leads out of the repository",
                code="linked_path",
                why="a skill is what the repository holds; such links are not followed",
                do="name the folder that it points to",
                path=shown,
            )


def _place(path: Path) -> tuple[Path, str, bool]:
    """Top, path below it, and whether it is a folder. A link to a folder of the checkout stands for it."""
    is_folder = path.is_dir()
    path = path.resolve() if is_folder else path.parent.resolve() / path.name
    folder = path if is_folder else path.parent
    checkout = find_git_dir(folder)
    if checkout is not None:
        top = checkout[1]
    else:
        # Without a repository there is no root skill: its folder's name is the name it must have.
        top = folder.parent if manifest_in(DiskTree(folder), ".") else folder
    return top, text_of(os.fsencode(path.relative_to(top))), is_folder


def _containing(tree: DiskTree, path: str, is_folder: bool) -> Iterable[str]:
    """The skill that `path` lies in, or is the folder of; none or one."""
    if path == ".":
        return ["."] if manifest_in(tree, ".") else []
    manifests = manifests_above(tree, [join(path, "_") if is_folder else path])
    owners = Owners(manifests=manifests, root_links=_root_links(tree) if "." in manifests else frozenset())
    owner = owners.of(join(path, "_") if is_folder else path)
    return [owner] if owner is not None else []


def _below(tree: DiskTree, start: str) -> tuple[list[str], int]:
    folders = [start]
    for path, entry in tree.walk(start, lambda path: not _is_skipped(tree, path)):
        if entry.kind is EntryKind.FOLDER:
            folders.append(path)
        if len(folders) > _MOST_FOLDERS:
            raise UsageError(
                f"more than {_MOST_FOLDERS} folders to search",
                code="too_many_folders",
                do="name the folder that holds the skills",
            )
    probes = [join(folder, "_") for folder in folders if manifest_in(tree, folder)]
    real = manifests_above(tree, probes)
    return [folder for folder in folders if folder in real], len(folders)


def _is_skipped(tree: DiskTree, path: str) -> bool:
    return path.rpartition("/")[2] in _SKIPPED or (tree.folder(path) or {}).keys() >= _OUTPUT


def _by_name(
    root: Path, named: Path, trees: dict[Path, DiskTree], refusal: Callable[[Path, Sequence[str]], UsageError]
) -> tuple[Path, str]:
    """Top and root of the one skill below `root` that is called so."""
    if len(named.parts) != 1:
        raise refusal(root / named, ())
    top, inside, _ = _place(root)
    tree = trees.setdefault(top, DiskTree(top))
    below, _ = _below(tree, inside)
    found = called(text_of(os.fsencode(named)), below, lambda skill: _read(tree, top, skill).skill().name)
    if found is None:
        raise refusal(root / named, below)
    return top, found


def _missing(path: Path, here: Sequence[str]) -> UsageError:
    shown = text_of(os.fsencode(path))
    return UsageError(f"{shown} does not exist", code="missing_path", do=instead(here), path=shown)


def _no_skill(path: Path, here: Sequence[str], *, looked: int) -> UsageError:
    shown = text_of(os.fsencode(path))
    return UsageError(
        f"no SKILL.md below {shown} (searched {looked} folder{'' if looked == 1 else 's'})",
        code="no_skill",
        why="a skill is a folder that holds SKILL.md",
        do=instead(here),
        path=shown,
    )


def _read(tree: DiskTree, top: Path, root: str) -> Found:
    manifest = manifest_in(tree, root)
    assert manifest is not None
    entries = entries_of(tree, root, manifest, _root_links(tree) if root == "." else frozenset())
    sizes = {path: tree.size(join(root, path)) for path, _ in entries}
    loadable = within_caps((path, sizes[path]) for path, entry in entries if entry.is_file)
    files = {
        path: skill_file(
            path,
            entry.kind,
            sizes[path],
            tree.read(join(root, path), sizes[path]) if path in loadable else None,
        )
        for path, entry in entries
    }
    return Found(top=top, root=root, files=files, outside=outside_of(tree, root, files))


def _root_links(tree: DiskTree) -> frozenset[str]:
    manifest = manifest_in(tree, ".")
    data = tree.read(manifest, 256 * 1024) if manifest else None
    return linked(data.decode("utf-8", "replace"), ".", ".") if data else frozenset()
