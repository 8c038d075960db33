"""Loads the frozen corpus of public skills, and our own skills with scripts, as values."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from urllib.parse import quote

from aces_ci.changes.parse import parse_skill
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.reference import mentions
from aces_ci.core.skill import FileKind, Skill, SkillFile

OWN = Path(__file__).resolve().parents[1] / "fixtures" / "skills" / "scripted"

ASSUMED = 1
"""Size of a file that is taken to be there because its manifest names it and the corpus lacks it."""


def regular(path: str, data: bytes, kind: FileKind = FileKind.REGULAR) -> SkillFile:
    return SkillFile(path=path, kind=kind, size=len(data), data=data)


def _table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def corpus(folder: Path) -> list[Skill]:
    """All skills of the corpus.

    Its script files were left out when it was frozen: they are present here as files whose content nobody
    may read. In a row that lacks further files, what the manifest links to counts as present too, so that
    a gap of the corpus is not read as a broken link.
    """
    rows = _table(folder / "INDEX.csv")
    omitted: dict[str, set[str]] = defaultdict(set)
    for row in _table(folder / "OMITTED_CODE.csv"):
        omitted[row["repo"]].add(row["path"])
    present: dict[str, set[str]] = {}
    skills = []
    for row in rows:
        base = folder / row["repo"].replace("/", "__")
        if row["repo"] not in present:
            found = {path.relative_to(base).as_posix() for path in base.rglob("*") if path.is_file()}
            present[row["repo"]] = found | omitted[row["repo"]]
        nested = {
            other["path"] + "/"
            for other in rows
            if other["repo"] == row["repo"] and other["path"].startswith(row["path"] + "/")
        }
        prefix = row["path"] + "/" if row["path"] != "." else ""
        files = {}
        outside = set()
        for path in present[row["repo"]]:
            inside = path.startswith(prefix) and not any(path.startswith(other) for other in nested)
            if not inside:
                outside.add(path)
                continue
            name = path[len(prefix) :]
            source = base / path
            if source.is_file():
                files[name] = regular(name, source.read_bytes())
            else:
                files[name] = SkillFile(path=name, kind=FileKind.OVERSIZE, size=0)
        skill = parse_skill(root=row["path"], files=files, outside=frozenset(outside))
        if row["complete"] == "no":
            linked = [link.target.split("#")[0].removeprefix("./") for link in outline(skill.body).links]
            for target in (*linked, *(path for path, _ in mentions(skill))):
                if target and ":" not in target and not target.startswith(("/", "..")):
                    files.setdefault(target, SkillFile(path=target, kind=FileKind.OVERSIZE, size=ASSUMED))
            skill = parse_skill(root=row["path"], files=files, outside=frozenset(outside))
        skills.append(skill)
    return skills


def repositories(folder: Path) -> list[str]:
    """The repository of each skill that `corpus` gives, in its order."""
    return [row["repo"] for row in _table(folder / "INDEX.csv")]


LONGEST = 1_000_000
"""Bytes of a file of a checkout that is read."""


def folder(base: Path) -> list[Skill]:
    """Every skill below a checkout; a nested skill's files count to it alone, all other files are outside."""
    manifests = [path for path in base.rglob("*") if path.name.lower() == "skill.md" and path.is_file()]
    roots = sorted({path.parent for path in manifests})
    data: dict[Path, bytes | None] = {}
    for path in sorted(base.rglob("*")):
        if path.is_file() and not path.is_symlink():
            data[path] = path.read_bytes() if path.stat().st_size <= LONGEST else None
    everything = {path.relative_to(base).as_posix() for path in data}
    skills = []
    for root in roots:
        nested = [other for other in roots if other != root and other.is_relative_to(root)]
        files = {}
        for path in data:
            if path.is_relative_to(root) and not any(path.is_relative_to(other) for other in nested):
                name, held = path.relative_to(root).as_posix(), data[path]
                oversize = SkillFile(path=name, kind=FileKind.OVERSIZE, size=LONGEST + 1)
                kind = FileKind.EXECUTABLE if path.stat().st_mode & 0o100 else FileKind.REGULAR
                files[name] = regular(name, held, kind) if held is not None else oversize
        place = root.relative_to(base).as_posix()
        prefix = "" if place == "." else f"{place}/"
        outside = frozenset(everything - {prefix + name for name in files})
        skills.append(parse_skill(root=place, files=files, outside=outside))
    return skills


def fixtures() -> list[Skill]:
    """Our own skills that carry scripts."""
    skills = []
    for folder in sorted(path for path in OWN.iterdir() if path.is_dir()):
        files = {
            quote(path.relative_to(folder).as_posix()): regular(path.relative_to(folder).as_posix(), path.read_bytes())
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        skills.append(parse_skill(root=f"skills/{folder.name}", files=files))
    return skills
