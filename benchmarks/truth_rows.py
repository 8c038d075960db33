"""Counts the labelled rows of `tests/traces/truth`: those whose question no other row of the same file repeats.

    python -m benchmarks.truth_rows

A question is all of a row but its name, its answer and its reason. A row that is graded in the shapes of several
harnesses is one row; how many graded snippets the rows make stands beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

TRUTH = Path(__file__).resolve().parents[1] / "tests" / "traces" / "truth"
HARNESSES = 8
"""What `harness: all` stands for: `tests.traces.snippets.HARNESSES`."""
_ANSWER = frozenset({"id", "want", "why", "doubt"})


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of one file."""
    found = yaml.load((TRUTH / f"{name}.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return [row for row in found if isinstance(row, dict)]


def distinct(name: str) -> int:
    """How many different questions a file asks."""
    return len({json.dumps({k: v for k, v in row.items() if k not in _ANSWER}, sort_keys=True) for row in rows(name)})


def snippets(name: str) -> int:
    """How many trajectories its rows are graded on."""
    return sum(_shapes(row.get("harness", "")) for row in rows(name))


def names() -> Iterator[str]:
    """The files of the table."""
    return (path.stem for path in sorted(TRUTH.glob("*.yaml")))


def total() -> int:
    """How many different questions the table asks."""
    return sum(distinct(name) for name in names())


def _shapes(harness: str | list[str]) -> int:
    return len(harness) if isinstance(harness, list) else HARNESSES if harness == "all" else 1


if __name__ == "__main__":
    for each in names():
        print(f"{each:12} {distinct(each):4} distinct rows, {snippets(each):4} graded snippets")
    print(f"{'all':12} {total():4} distinct rows, {sum(map(snippets, names())):4} graded snippets")
