"""How fast tier 1 is: skills a second on one core, and the 17 Anthropic skills in a fresh process.

    python -m benchmarks.rules_speed ../shared/corpus

Seconds of CPU are counted, not of the clock. A shared machine inflates even those, so a plain loop is timed beside
them: `in loops` is the same figure in units that do not depend on how busy the machine is.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path

from aces_ci.changes.parse import parse_skill
from aces_ci.core.finding import Category
from aces_ci.core.reading import cohesion, lexis, topic
from aces_ci.core.reading.outline import outline
from aces_ci.core.rule import Profile, Rule
from aces_ci.plugins import load
from aces_ci.shell import collector
from aces_ci.tiers.structural import assess
from benchmarks.corpus import corpus

TARGET = 200
"""Skills a second on one core, the security scan apart."""
LOOP = 5_000_000
IDLE = 0.25
"""CPU seconds of the loop on the machine of these figures while it was idle."""


def loop() -> float:
    """CPU seconds of a plain loop."""
    start, total = time.process_time(), 0
    for number in range(LOOP):
        total += number
    return time.process_time() - start


def once(skills: list[tuple[str, dict[str, object], frozenset[str]]], rules: tuple[Rule, ...]) -> float:
    """CPU seconds from bytes to findings, nothing remembered from before."""
    for remembered in (outline, lexis.stems, lexis.stemmed, lexis.exact, topic.frequent, topic.spelled, cohesion.seam):
        remembered.cache_clear()
    start = time.process_time()
    for root, files, outside in skills:
        assess(parse_skill(root=root, files=files, outside=outside), rules, profile=Profile.ACES)  # type: ignore[arg-type]
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus", type=Path)
    options = parser.parse_args()
    collector.rarely()
    rules = tuple(
        rule
        for rule in load("rules", "RULE", "code")
        if isinstance(rule, Rule) and rule.category in (Category.SPEC, Category.QUALITY)
    )
    skills = [(skill.root, dict(skill.files), skill.outside) for skill in corpus(options.corpus)]
    rounds = [(once(skills, rules), loop()) for _ in range(5)]
    seconds, unit = min(rounds, key=lambda pair: pair[0] / pair[1])
    print(f"{len(skills)} skills, {len(rules)} rules, without the security scan")
    print(
        f"{len(skills) / seconds:.0f} skills a second of CPU (target {TARGET}), a loop of {LOOP:,} taking {unit:.2f} s"
    )
    print(
        f"in loops: {seconds / unit:.2f} for the corpus; on a machine where one takes {IDLE} s that is "
        f"{len(skills) / (seconds / unit * IDLE):.0f} skills a second"
    )
    folder = options.corpus / "anthropics__skills"
    command = [sys.executable, "-m", "aces_ci", "check", "--format", "json", "--exit-zero", str(folder)]
    cpu = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    print(f"aces-ci check over the Anthropic skills, whole process: {min(cpu):.2f} s of CPU (target 0.6 s)")


if __name__ == "__main__":
    main()
