"""Does the structural score read? Spoils real skills in known ways and measures how the score answers.

    python -m benchmarks.operators ../shared/corpus                    the tables
    python -m benchmarks.operators ../shared/corpus --seen             what tuning may look at, and nothing else
    python -m benchmarks.operators ../shared/corpus --fresh DIR        further skills, one repository a folder of DIR
    python -m benchmarks.operators ../shared/corpus --fresh DIR --write    also rewrites the tables of docs/tier1.md

Three operators (`held_out.py`), a fifth of the corpus' skills and the fresh ones are held out from tuning.
`--failures` names skills of the seen part alone.
"""

from __future__ import annotations

import argparse
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path

from aces_ci.core.finding import Category
from aces_ci.core.repo_path import parent_of
from aces_ci.core.rule import Profile, Rule
from aces_ci.core.skill import Sibling, Skill
from aces_ci.plugins import load
from aces_ci.tiers.structural import assess
from benchmarks.corpus import corpus, fixtures, folder, repositories
from benchmarks.held_out import (
    FORMER,
    HELD_OUT,
    body_of_another,
    commands_blanked,
    conflict_left_in,
    descriptions_mixed_up,
    every_second_line_gone,
    headings_rotated,
    lists_flattened,
    made_vague,
    merged_with_another,
    sections_gutted,
    sentences_cut_short,
    slop_added,
)
from benchmarks.spoil import ASKED, FURTHER, Operator

PAPER = {"mean": 79.2, "median": 79.8, "sd": 4.9, "low": 61, "high": 98}
DROP, RISE = 0.95, 2
"""An operator passes when it lowers the score in this share of skills, and raises none by more than RISE."""

FRESH = 100
"""Fresh skills that are measured: those with the smallest digests."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A skill, the skills beside it, and the descriptions and bodies of the others in its repository."""

    skill: Skill
    donors: tuple[str, ...]
    bodies: tuple[str, ...] = ()
    beside: tuple[Sibling, ...] = ()
    """The skills of its folder, which `check` compares it with."""


def unseen(skill: Skill) -> bool:
    """Whether a skill belongs to the fifth of the corpus that tuning never looked at."""
    return int(sha256(skill.root.encode()).hexdigest(), 16) % 5 == 0


def subjects(skills: Sequence[Skill], sources: Sequence[str]) -> list[Subject]:
    """Every skill with the descriptions of its repository, or of all where it is alone there.

    Copies of a skill under its own name are no other skills.
    """
    told: dict[str, set[str]] = {}
    bodies: dict[str, set[str]] = {}
    copies: dict[str | None, set[str]] = {}
    folders: dict[tuple[str, str], list[Sibling]] = {}
    for skill, source in zip(skills, sources, strict=True):
        told.setdefault(source, set()).add(skill.description or "")
        bodies.setdefault(source, set()).add(skill.body)
        copies.setdefault(skill.name, set()).add(skill.body)
        if skill.name and skill.description:
            card = Sibling(path=skill.root, name=skill.name, description=skill.description)
            folders.setdefault((source, parent_of(skill.root)), []).append(card)
    every = {text for texts in bodies.values() for text in texts}
    everything = {text for texts in told.values() for text in texts} - {""}
    found = []
    for skill, source in zip(skills, sources, strict=True):
        near = told[source] - {"", skill.description}
        elsewhere = bodies[source] - copies[skill.name] or every - copies[skill.name]
        cards = () if skill.root == "." else folders.get((source, parent_of(skill.root)), ())
        found.append(
            Subject(
                skill,
                tuple(sorted(near or everything - {skill.description})),
                tuple(sorted(elsewhere)),
                tuple(card for card in cards if card.path != skill.root),
            )
        )
    return found


def held_out(_: Subject) -> Mapping[str, Operator]:
    """The operators that nobody looked at while rules were tuned."""
    functions: Mapping[str, Operator] = {
        "headings_rotated": headings_rotated,
        "slop_added": slop_added,
        "conflict_left_in": conflict_left_in,
    }
    assert functions.keys() == HELD_OUT.keys()
    return functions


def former(subject: Subject) -> Mapping[str, Operator]:
    """The operators that were held out before, whose figures led to changes."""
    functions: Mapping[str, Operator] = {
        "merged_with_another": partial(merged_with_another, bodies=subject.bodies),
        "sentences_cut_short": sentences_cut_short,
        "made_vague": made_vague,
        "body_of_another": partial(body_of_another, bodies=subject.bodies),
        "lists_flattened": lists_flattened,
        "every_second_line_gone": every_second_line_gone,
        "commands_blanked": commands_blanked,
        "sections_gutted": sections_gutted,
        "descriptions_mixed_up": partial(descriptions_mixed_up, donors=subject.donors),
    }
    assert functions.keys() == FORMER.keys()
    return functions


@dataclass(slots=True)
class Row:
    """One operator over one set of skills."""

    changes: list[int] = field(default_factory=list)

    @property
    def lowered(self) -> int:
        return sum(change < 0 for change in self.changes)

    @property
    def holds(self) -> bool:
        return bool(self.changes) and self.lowered / len(self.changes) >= DROP and max(self.changes) <= RISE

    def cells(self) -> Iterator[str]:
        if not self.changes:
            yield from ("no skill", "0", "", "", "")
            return
        yield f"{100 * self.lowered / len(self.changes):.1f} %"
        yield str(len(self.changes))
        yield str(sum(change > RISE for change in self.changes))
        yield f"{max(self.changes):+d}"
        yield f"{statistics.mean(self.changes):+.1f}"


def score(skill: Skill, rules: tuple[Rule, ...], beside: tuple[Sibling, ...]) -> int | None:
    return assess(skill, rules, profile=Profile.ACES, siblings=beside)[0].score


def measure(
    group: Sequence[Subject], rules: tuple[Rule, ...], chosen: Callable[[Subject], Mapping[str, Operator]]
) -> tuple[dict[str, Row], list[str]]:
    """The rows, and a line for every skill whose score did not go down."""
    rows: dict[str, Row] = {}
    failures = []
    for subject in group:
        before = score(subject.skill, rules, subject.beside)
        if before is None:
            continue
        for name, operator in chosen(subject).items():
            row = rows.setdefault(name, Row())
            spoiled = operator(subject.skill)
            after = score(spoiled, rules, subject.beside) if spoiled else None
            if after is not None:
                row.changes.append(after - before)
                if after >= before:
                    failures.append(f"{name} {subject.skill.root} {before} -> {after}")
    return rows, failures


def table(rows: Mapping[str, Row]) -> str:
    lines = [
        "| operator | lowers | n | raises by more than 2 | highest change | mean change |",
        "|:--|--:|--:|--:|--:|--:|",
    ]
    for name, row in rows.items():
        title = name.replace("_", " ") + (" (held out)" if name in HELD_OUT else "")
        lines.append(f"| {title} | {' | '.join(row.cells())} |")
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


def scored_rules() -> tuple[Rule, ...]:
    """Security and lint take nothing off the score and are left out for speed."""
    return tuple(
        rule
        for rule in load("rules", "RULE", "code")
        if isinstance(rule, Rule) and rule.category in (Category.SPEC, Category.QUALITY)
    )


def of_scripts(_: Subject) -> Mapping[str, Operator]:
    """The three that the corpus, which carries no scripts, cannot answer."""
    return {name: operator for name, operator in ASKED.items() if name.startswith("scripts_")}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--fresh", type=Path)
    parser.add_argument("--seen", action="store_true")
    parser.add_argument("--failures", default="")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rules = scored_rules()
    every = subjects(corpus(options.corpus), repositories(options.corpus))
    groups = {"seen": [subject for subject in every if not unseen(subject.skill)]}
    if not options.seen:
        groups["unseen"] = [subject for subject in every if unseen(subject.skill)]
        if options.fresh:
            named = [(skill, base.name) for base in sorted(options.fresh.iterdir()) for skill in folder(base)]
            drawn = subjects([skill for skill, _ in named], [source for _, source in named])
            drawn.sort(key=lambda subject: sha256(f"fresh {subject.skill.root}".encode()).hexdigest())
            groups["fresh"] = drawn[:FRESH]

    def chosen(subject: Subject) -> Mapping[str, Operator]:
        unseen_ones = {} if options.seen else held_out(subject)
        return {**ASKED, **unseen_ones, **former(subject), **FURTHER}

    texts: dict[str, str] = {}
    wanted = tuple(f"{name} " for name in options.failures.split(",") if name)
    for name, group in groups.items():
        rows, failures = measure(group, rules, chosen)
        texts[f"operators {name}"] = table(rows)
        if name == "seen" and wanted:
            print("\n".join(line for line in failures if line.startswith(wanted)))
        scores = [value for subject in group if (value := score(subject.skill, rules, subject.beside)) is not None]
        texts[f"distribution {name}"] = distribution(scores)
        print(f"{name} done", flush=True)
    if not options.seen:
        written = [subject for subject in every if len(subject.skill.body.split()) >= 100]
        texts["distribution written out"] = distribution(
            [value for subject in written if (value := score(subject.skill, rules, subject.beside)) is not None]
        )
    own, failures = measure([Subject(skill, ()) for skill in fixtures()], rules, of_scripts)
    texts["operators fixtures"] = table(own)
    print("\n".join(line for line in failures if line.startswith(wanted)) if wanted else "")
    for title, text in texts.items():
        print(f"\n{title}\n{text}")
    if options.write:
        write(texts)


def _filled(match: re.Match[str], text: str) -> str:
    return f"{match[1]}{text}\n{match[2]}"


def write(texts: dict[str, str]) -> None:
    """Puts each table between its marks in docs/tier1.md."""
    path = Path(__file__).resolve().parents[1] / "docs" / "tier1.md"
    page = path.read_text(encoding="utf-8")
    for title, text in texts.items():
        mark = re.compile(rf"(<!-- measured: {re.escape(title)} -->\n).*?(<!-- end -->)", re.DOTALL)
        page, count = mark.subn(partial(_filled, text=text), page)
        assert count == 1, f"docs/tier1.md has no place for {title}"
    path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
