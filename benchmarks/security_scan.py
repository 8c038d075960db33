"""Measures the security scan: findings, precision by hand-made labels, known attacks, speed.

    python benchmarks/security_scan.py                              the corpus beside the checkout
    python benchmarks/security_scan.py --skills DIR --source NAME   any folder with skills
    python benchmarks/security_scan.py --sample 60 --seed 7         prints unlabelled findings to label, with their keys

    python benchmarks/security_scan.py --labels                     precision by sample, from the labels alone

A label is one row of `security_labels.csv`: key, sample, source, code, severity as first seen, label, reason. `right`
means that a careful maintainer would want the line shown at that severity; `wrong` that they would not. Keys hash the
source, the path, the rule and the line's text, so that a changed line loses its label and a moved one keeps it.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import math
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from corpus import corpus, regular

from aces_ci.changes.parse import parse_skill
from aces_ci.core.finding import Category, Finding
from aces_ci.core.rule import Profile, Rule
from aces_ci.core.skill import Skill
from aces_ci.plugins import load
from aces_ci.tiers.structural import assess

ROOT = Path(__file__).resolve().parents[1]
LABELS = Path(__file__).with_name("security_labels.csv")
LONGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Row:
    """One finding with its key and the text of its line."""

    key: str
    finding: Finding
    text: str


def folder(base: Path) -> Iterator[Skill]:
    """Every skill below a folder, nested skills' files counted to the outer skill as well."""
    roots = sorted({path.parent for path in base.rglob("*") if path.name.lower() == "skill.md"})
    for root in roots:
        files = {}
        for path in sorted(root.rglob("*")):
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= LONGEST:
                name = path.relative_to(root).as_posix()
                files[name] = regular(name, path.read_bytes())
        yield parse_skill(root=root.relative_to(base).as_posix(), files=files)


def rows(source: str, skill: Skill, rules: Sequence[Rule]) -> Iterator[Row]:
    """The findings of one skill."""
    prefix = "" if skill.root == "." else skill.root + "/"
    _, findings = assess(skill, rules, profile=Profile.SPEC)
    for finding in findings:
        file = skill.files.get(finding.path.removeprefix(prefix))
        lines = (file.data if file and file.data else b"").decode("utf-8", "replace").split("\n")
        text = lines[finding.line - 1].strip() if finding.line <= len(lines) else ""
        mark = "\0".join((source, finding.path, finding.code, text))
        yield Row(hashlib.sha256(mark.encode()).hexdigest()[:16], finding, text)


def wilson(right: int, total: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927)."""
    if total == 0:
        return 0.0, 1.0
    z, share = 1.959964, right / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return middle - half, middle + half


def labels() -> dict[str, tuple[str, str]]:
    """Key to label and reason."""
    if not LABELS.exists():
        return {}
    with LABELS.open(encoding="utf-8", newline="") as file:
        return {row["key"]: (row["label"], row["reason"]) for row in csv.DictReader(file)}


def by_sample() -> None:
    """Precision of each severity in each sample, with its interval."""
    tally: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    with LABELS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            tally[row["sample"], row["severity"]][row["label"]] += 1
    for (sample, severity), counts in sorted(tally.items()):
        right, total = counts["right"], sum(counts.values())
        low, high = wilson(right, total)
        print(f"{sample:<8}{severity:<9}{right}/{total} = {right / total:.2f} [{low:.2f}, {high:.2f}]")


def main() -> None:
    """Scan, count, compare with the labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skills", type=Path)
    parser.add_argument("--source", default="corpus")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--severity", default="")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--labels", action="store_true")
    options = parser.parse_args()
    if options.labels:
        by_sample()
        return
    rules = [r for r in load("rules", "RULE", "code") if isinstance(r, Rule) and r.category is Category.SECURITY]
    skills = list(folder(options.skills)) if options.skills else corpus(ROOT.parent / "shared" / "corpus")
    began = time.process_time()
    found = [row for skill in skills for row in rows(options.source, skill, rules)]
    seconds = time.process_time() - began
    known = labels()
    print(f"{len(skills)} skills, {len(found)} findings, {len(skills) / seconds:.1f} skills/s of one core")
    counts = Counter((row.finding.code, row.finding.severity.value) for row in found)
    for (code, severity), count in sorted(counts.items()):
        print(f"  {code} {severity:<9}{count:>5}")
    judged: dict[str, Counter[str]] = defaultdict(Counter)
    for row in found:
        if row.key in known:
            judged[row.finding.severity.value][known[row.key][0]] += 1
    for severity, tally in sorted(judged.items()):
        right, total = tally["right"], sum(tally.values())
        low, high = wilson(right, total)
        print(f"precision {severity:<9}{right}/{total} = {right / total:.2f} [{low:.2f}, {high:.2f}]")
    if options.sample:
        fresh = [r for r in found if r.key not in known and options.severity in ("", r.finding.severity.value)]
        random.Random(options.seed).shuffle(fresh)
        for row in fresh[: options.sample]:
            f = row.finding
            print("\t".join((row.key, f.code, f.severity.value, f"{f.path}:{f.line}", f.message[:90], row.text[:150])))


if __name__ == "__main__":
    main()
