"""Bytes become a Skill: the only reader of frontmatter in the program."""

from __future__ import annotations

from collections.abc import Mapping

from aces_ci.changes.collect import FILE_CAP, SKILL_CAP
from aces_ci.changes.decode import decode
from aces_ci.changes.frontmatter import locate
from aces_ci.changes.yaml_reader import read
from aces_ci.core.skill import Field, FileKind, ParseProblem, Place, Skill, SkillFile

MANIFEST = "SKILL.md"


def manifest_of(files: Mapping[str, SkillFile]) -> str | None:
    """The manifest among skill-relative paths: `SKILL.md`, else the first other spelling of it, else None."""
    if MANIFEST in files:
        return MANIFEST
    return min((path for path in files if path.lower() == "skill.md"), default=None)


def parse_skill(*, root: str, files: Mapping[str, SkillFile], outside: frozenset[str] = frozenset()) -> Skill:
    """The skill below `root`. Pure, and total: whatever is wrong becomes a `ParseProblem`.

    Args:
        root: repository-relative POSIX path, "." for the root skill.
        files: by path relative to `root`; a manifest in any spelling is among them, or is reported missing.
        outside: repository paths outside the root that exist.
    """
    manifest = manifest_of(files) or MANIFEST
    file = files.get(manifest)
    if file is None or file.data is None:
        why, hint = _unread(file)
        problem = ParseProblem(
            kind="no_content",
            message=f"{manifest} {why}.",
            hint=hint,
            place=Place(line=1, column=1, end_line=1, end_column=1),
            fatal=True,
        )
        return Skill(
            root=root,
            manifest=manifest,
            text="",
            frontmatter=None,
            body="",
            body_line=1,
            files=files,
            outside=outside,
            problems=(problem,),
        )
    text, of_bytes = decode(file.data)
    block, of_fences = locate(text)
    fields: Mapping[str, Field] | None = None
    of_yaml: tuple[ParseProblem, ...] = ()
    if block is not None:
        fields, of_yaml = read(block.text, block.line)
    problems = (*of_bytes, *of_fences, *of_yaml)
    return Skill(
        root=root,
        manifest=manifest,
        text=text,
        frontmatter=None if any(problem.fatal for problem in problems) else fields,
        body=text if block is None else block.body,
        body_line=1 if block is None else block.body_line,
        files=files,
        outside=outside,
        problems=problems,
    )


def _unread(file: SkillFile | None) -> tuple[str, str]:
    """Why a manifest has no content here, and what mends it."""
    if file is None:
        return "is missing", "make it a regular file of this folder"
    if file.kind is not FileKind.OVERSIZE:
        return f"cannot be read: it is {file.kind.said}", "make it a regular file of this folder"
    if file.size > FILE_CAP:
        why = f"cannot be read: it is {file.size:,} bytes long, and the limit is {FILE_CAP:,}"
        return why, f"shorten it to {FILE_CAP:,} bytes or fewer: move parts into files that the body links to"
    why = f"cannot be read: the system refuses it, or the files before it fill the skill's limit of {SKILL_CAP:,} bytes"
    return why, "allow reading it, or move large files out of the skill"
