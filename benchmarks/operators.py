"""Does the structural score read? Spoils real skills in known ways and measures how the score answers.

    python benchmarks/operators.py ../shared/corpus            the table
    python benchmarks/operators.py ../shared/corpus --seen     what tuning was allowed to look at
    python benchmarks/operators.py ../shared/corpus --write    also rewrites the tables of docs/tier1.md

Three operators and a fifth of the skills were held out from tuning; a hash chose them beforehand.
"""

from __future__ import annotations

import argparse
import re
import statistics
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from aces_ci.changes.parse import parse_skill
from aces_ci.core.finding import Category
from aces_ci.core.reading.outline import outline
from aces_ci.core.rule import Profile, Rule
from aces_ci.core.skill import FileKind, Skill, SkillFile
from aces_ci.plugins import load
from aces_ci.tiers.structural import assess
from benchmarks.corpus import corpus, fixtures

PAPER = {"mean": 79.2, "median": 79.8, "sd": 4.9, "low": 61, "high": 98}
DROP, RISE = 0.95, 2
"""An operator passes when it lowers the score in this share of skills, and raises none by more than RISE."""

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
_FILLER = [
    "it",
    "is",
    "important",
    "to",
    "keep",
    "quality",
    "in",
    "mind",
    "and",
    "to",
    "think",
    "about",
    "the",
    "overall",
    "goal",
    "of",
    "the",
    "work",
    "while",
    "making",
    "sure",
    "that",
    "all",
    "relevant",
    "aspects",
    "are",
    "considered",
    "in",
    "a",
    "suitable",
    "manner",
    "by",
    "everyone",
    "involved",
]
_FAILURE = re.compile(r"(?i)\b(error|fail|failed|failure|fails|invalid|missing|exception|timeout|retry)\b")
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
    """Scripts that the manifest names."""
    return [
        path
        for path in skill.files
        if path.endswith((".py", ".sh", ".js", ".ts", ".mjs", ".rb")) and (path in skill.body)
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
OPERATORS: Mapping[str, Operator] = {
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
        description_vague,
        trigger_removed,
        failures_deleted,
        details_blurred,
        half_repeated,
        references_emptied,
        scripts_removed,
        scripts_undocumented,
        scripts_renamed,
    )
}


def unseen_operators() -> frozenset[str]:
    """The three that tuning never looked at: smallest digests of their names."""
    return frozenset(sorted(OPERATORS, key=lambda name: sha256(name.encode()).hexdigest())[:3])


def unseen_skill(skill: Skill) -> bool:
    """Whether a skill belongs to the fifth that tuning never looked at."""
    return int(sha256(skill.root.encode()).hexdigest(), 16) % 5 == 0


@dataclass(slots=True)
class Row:
    """One operator over one set of skills."""

    n: int = 0
    lowered: int = 0
    raised: int = 0
    change: float = 0.0

    def add(self, before: int, after: int) -> None:
        self.n += 1
        self.lowered += after < before
        self.raised += after > before + RISE
        self.change += after - before

    @property
    def holds(self) -> bool:
        return self.n > 0 and self.lowered / self.n >= DROP and not self.raised


def score(skill: Skill, rules: tuple[Rule, ...]) -> int | None:
    return assess(skill, rules, profile=Profile.ACES)[0].score


def measure(
    skills: list[Skill], rules: tuple[Rule, ...], operators: Mapping[str, Operator], failures: Counter[str]
) -> dict[str, Row]:
    rows = {name: Row() for name in operators}
    for skill in skills:
        before = score(skill, rules)
        if before is None:
            continue
        for name, operator in operators.items():
            spoiled = operator(skill)
            after = score(spoiled, rules) if spoiled else None
            if after is not None:
                rows[name].add(before, after)
                if after >= before:
                    failures[f"{name} {skill.root} {before} -> {after}"] += 1
    return rows


def table(rows: dict[str, Row], hidden: frozenset[str]) -> str:
    lines = ["| operator | lowers | n | raises by more than 2 | mean change |", "|:--|--:|--:|--:|--:|"]
    for name, row in rows.items():
        mark = " (held out)" if name in hidden else ""
        rate = f"{100 * row.lowered / row.n:.1f} %" if row.n else "no skill"
        mean = f"{row.change / row.n:+.1f}" if row.n else ""
        lines.append(f"| {name.replace('_', ' ')}{mark} | {rate} | {row.n} | {row.raised} | {mean} |")
    return "\n".join(lines)


def distribution(scores: list[int]) -> str:
    share = 100 * sum(score >= 80 for score in scores) / len(scores)
    rows = [
        ("n", len(scores), 145),
        ("mean", f"{statistics.mean(scores):.1f}", PAPER["mean"]),
        ("median", f"{statistics.median(scores):.1f}", PAPER["median"]),
        ("standard deviation", f"{statistics.pstdev(scores):.1f}", PAPER["sd"]),
        ("lowest, highest", f"{min(scores)}, {max(scores)}", f"{PAPER['low']}, {PAPER['high']}"),
        ("80 or more", f"{share:.1f} %", "48.9 %"),
    ]
    body = "\n".join(f"| {name} | {ours} | {paper} |" for name, ours, paper in rows)
    return f"| | here | paper |\n|:--|--:|--:|\n{body}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--seen", action="store_true")
    parser.add_argument("--failures", default="")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    # Security and lint take nothing off the score and are left out for speed.
    rules = tuple(
        rule
        for rule in load("rules", "RULE", "code")
        if isinstance(rule, Rule) and rule.category in (Category.SPEC, Category.QUALITY)
    )
    hidden = unseen_operators()
    skills = corpus(options.corpus)
    failures: Counter[str] = Counter()
    texts: dict[str, str] = {}
    operators = {name: function for name, function in OPERATORS.items() if not options.seen or name not in hidden}
    groups = {"seen": [skill for skill in skills if not unseen_skill(skill)]}
    if not options.seen:
        groups["unseen"] = [skill for skill in skills if unseen_skill(skill)]
    for name, group in groups.items():
        texts[f"operators {name}"] = table(measure(group, rules, operators, failures), hidden)
        scores = [value for skill in group if (value := score(skill, rules)) is not None]
        texts[f"distribution {name}"] = distribution(scores)
    if not options.seen:
        written = [skill for skill in skills if len(skill.body.split()) >= 100]
        scores = [value for skill in written if (value := score(skill, rules)) is not None]
        texts["distribution written out"] = distribution(scores)
    scripted = {name: operators[name] for name in operators if name.startswith("scripts_")}
    texts["operators fixtures"] = table(measure(fixtures(), rules, scripted, failures), hidden)
    for title, text in texts.items():
        print(f"\n{title}\n{text}")
    for name in options.failures.split(",") if options.failures else ():
        print("\n".join(line for line in failures if line.startswith(f"{name} ")))
    if options.write:
        write(texts)


def write(texts: dict[str, str]) -> None:
    """Puts each table between its marks in docs/tier1.md."""
    path = Path(__file__).resolve().parents[1] / "docs" / "tier1.md"
    page = path.read_text(encoding="utf-8")
    for title, text in texts.items():
        mark = re.compile(rf"(<!-- measured: {re.escape(title)} -->\n).*?(<!-- end -->)", re.DOTALL)
        page, count = mark.subn(lambda match, text=text: f"{match[1]}{text}\n{match[2]}", page)
        assert count == 1, f"docs/tier1.md has no place for {title}"
    path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
