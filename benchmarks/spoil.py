"""Ways to spoil a skill: what the operators are made of, and the operators that tuning may look at."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from aces_ci.changes.parse import parse_skill
from aces_ci.core.reading.outline import outline
from aces_ci.core.reading.reference import SCRIPT_SUFFIXES
from aces_ci.core.skill import FileKind, Skill, SkillFile
from benchmarks.corpus import ASSUMED

STUFFED = """# Skill

## Overview
Use this skill when needed. Use for everything. It helps.

## When to use
Use when asked. Do not use otherwise.

## Prerequisites
a

## Instructions
1. Use it
2. Run it
3. Check it

## Examples
```
a
```

## Error handling
If error, handle the failure. Validate.

## Limitations
b

## Troubleshooting
c

## Best practices
d
"""
_FILLER_TEXT = (
    "it is important to keep quality in mind and to think about the overall goal of the work while making sure that "
    "all relevant aspects are considered in a suitable manner by everyone involved"
)
_FILLER = tuple(_FILLER_TEXT.split())
_FAILURE = re.compile(r"(?i)\b(error|fail|failed|failure|fails|invalid|missing|exception|timeout|retry)\b")
_TEST = re.compile(r"(?:^|/)tests?/|(?:^|/)test_|[._-]test\.\w+$")
_TRIGGER = re.compile(r"(?i)\b(use (?:this|it|when|for|if)|when(?:ever)? |triggers? )")


def rewrite(skill: Skill, text: str) -> Skill:
    """The skill with another manifest."""
    data = text.encode()
    file = SkillFile(path=skill.manifest, kind=FileKind.REGULAR, size=len(data), data=data)
    return parse_skill(root=skill.root, files={**skill.files, skill.manifest: file}, outside=skill.outside)


def with_body(skill: Skill, body: str) -> Skill:
    """The skill with the same frontmatter and another body."""
    head = "\n".join(skill.text.split("\n")[: skill.body_line - 1])
    return rewrite(skill, f"{head}\n{body}")


def with_description(skill: Skill, description: str) -> Skill:
    """The skill with another description; its other fields stay."""
    assert skill.frontmatter is not None
    entry = skill.frontmatter["description"]
    lines = skill.text.split("\n")
    line = f"description: {description}"
    end = max(entry.at_value.end_line, entry.at_key.line)
    return rewrite(skill, "\n".join([*lines[: entry.at_key.line - 1], line, *lines[end:]]))


def without_lines(skill: Skill, numbers: set[int]) -> Skill:
    """The skill without these lines of its body, 1-based."""
    lines = skill.body.split("\n")
    return with_body(skill, "\n".join(text for at, text in enumerate(lines, 1) if at not in numbers))


def empty_body(skill: Skill) -> Skill | None:
    return with_body(skill, "") if skill.body.strip() else None


def headings_only(skill: Skill) -> Skill | None:
    headings = outline(skill.body).headings
    rest = [part for part in outline(skill.body).prose if part.kind != "heading"]
    if not headings or not rest:
        return None
    return with_body(skill, "\n\n".join(f"{'#' * head.level} {head.text}" for head in headings) + "\n")


def stuffed_skeleton(skill: Skill) -> Skill | None:
    return with_body(skill, STUFFED) if len(skill.body.split()) > 120 else None


def quarter_body(skill: Skill) -> Skill | None:
    lines = skill.body.rstrip("\n").split("\n")
    return with_body(skill, "\n".join(lines[: len(lines) // 4]) + "\n") if len(lines) >= 8 else None


def filler_text(skill: Skill) -> Skill | None:
    """Same headings, same number of words, nothing said."""
    lines, count = [], 0
    for line in skill.body.split("\n"):
        words = len(line.split())
        if line.startswith("#") or not words:
            lines.append(line)
            continue
        lines.append(" ".join(_FILLER[(count + at) % len(_FILLER)] for at in range(words)))
        count += words
    return with_body(skill, "\n".join(lines)) if count >= 20 else None


def steps_deleted(skill: Skill) -> Skill | None:
    numbers = {
        part.line + at
        for part in outline(skill.body).prose
        if part.kind in ("item", "step")
        for at in range(part.text.count("\n") + 1)
    }
    return without_lines(skill, numbers) if len(numbers) >= 3 else None


def code_removed(skill: Skill) -> Skill | None:
    codes = [code for code in outline(skill.body).codes if code.fenced]
    return without_lines(skill, {at for code in codes for at in range(code.line, code.end_line + 1)}) if codes else None


def links_broken(skill: Skill) -> Skill | None:
    body = skill.body
    for link in outline(body).links:
        path = link.target.split("#")[0].removeprefix("./")
        if path in skill.files and path != skill.manifest:
            body = body.replace(f"({link.target}", f"({Path(path).with_suffix('')}-gone{Path(path).suffix}")
    return with_body(skill, body) if body != skill.body else None


def description_vague(skill: Skill) -> Skill | None:
    return with_description(skill, "Helps with things.") if len(skill.description or "") > 40 else None


def trigger_removed(skill: Skill) -> Skill | None:
    sentences = re.split(r"(?<=[.!?])\s+", skill.description or "")
    kept = [sentence for sentence in sentences if not _TRIGGER.search(sentence)]
    if len(kept) == len(sentences) or not kept:
        return None
    return with_description(skill, '"' + " ".join(kept).replace("\\", "").replace('"', "'") + '"')


def failures_deleted(skill: Skill) -> Skill | None:
    lines = skill.body.split("\n")
    numbers = {at for at, line in enumerate(lines, 1) if _FAILURE.search(line) and not line.startswith("```")}
    return without_lines(skill, numbers) if len(numbers) >= 2 else None


def details_blurred(skill: Skill) -> Skill | None:
    """Names, paths and numbers give way to words that name nothing."""
    body = re.sub(r"`[^`\n]+`", "the thing", re.sub(r"```.*?```", "", skill.body, flags=re.DOTALL))
    body = re.sub(r"\b\d+(?:\.\d+)*\b", "some", body)
    return with_body(skill, body) if skill.body.count("`") >= 6 else None


def half_repeated(skill: Skill) -> Skill | None:
    """The second half is the first half again: as long as before, half of it said."""
    lines = skill.body.rstrip("\n").split("\n")
    half = lines[: len(lines) // 2]
    return with_body(skill, "\n".join([*half, "", *half]) + "\n") if len(lines) >= 16 else None


def references_emptied(skill: Skill) -> Skill | None:
    targets = {link.target.split("#")[0].removeprefix("./") for link in outline(skill.body).links}
    paths = [path for path in targets if path.endswith(".md") and path in skill.files and path != skill.manifest]
    paths = [path for path in paths if skill.files[path].data]
    if not paths:
        return None
    emptied = {path: SkillFile(path=path, kind=FileKind.REGULAR, size=0, data=b"") for path in paths}
    return parse_skill(root=skill.root, files={**skill.files, **emptied}, outside=skill.outside)


def _scripts(skill: Skill) -> list[str]:
    """Programs that the manifest names and that are known to be there; a test is none that an agent is meant to run."""
    return [
        path
        for path, file in skill.files.items()
        if (path.endswith(SCRIPT_SUFFIXES) or (file.kind is FileKind.EXECUTABLE and "." not in path))
        and path in skill.body
        and file.size != ASSUMED
        and not _TEST.search(path)
    ]


def scripts_removed(skill: Skill) -> Skill | None:
    gone = set(_scripts(skill))
    files = {path: file for path, file in skill.files.items() if path not in gone}
    return parse_skill(root=skill.root, files=files, outside=skill.outside) if gone else None


def scripts_undocumented(skill: Skill) -> Skill | None:
    names = [path.rsplit("/", 1)[-1] for path in _scripts(skill)]
    lines = skill.body.split("\n")
    numbers = {at for at, line in enumerate(lines, 1) if any(name in line for name in names)}
    return without_lines(skill, numbers) if names else None


def scripts_renamed(skill: Skill) -> Skill | None:
    names = set(_scripts(skill))
    if not names:
        return None
    files = {}
    for path, file in skill.files.items():
        stem = Path(path)
        new = str(stem.with_name(f"renamed_{stem.name}")) if path in names else path
        files[new] = SkillFile(path=new, kind=file.kind, size=file.size, data=file.data)
    return parse_skill(root=skill.root, files=files, outside=skill.outside)


Operator = Callable[[Skill], Skill | None]
ASKED: Mapping[str, Operator] = {
    function.__name__: function
    for function in (
        empty_body,
        headings_only,
        stuffed_skeleton,
        quarter_body,
        filler_text,
        steps_deleted,
        code_removed,
        links_broken,
        scripts_removed,
        scripts_undocumented,
        scripts_renamed,
    )
}
"""What the score has to answer to. The last three are measured on skills that carry scripts."""

FURTHER: Mapping[str, Operator] = {
    function.__name__: function
    for function in (
        description_vague,
        trigger_removed,
        failures_deleted,
        details_blurred,
        half_repeated,
        references_emptied,
    )
}
"""Further ones that tuning looked at."""
