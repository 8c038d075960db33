"""Prints passed, failed and skipped of each suite; fails on a skip outside the reviewed list, or on an empty suite.

usage: counts.py ALLOWED_SKIPS JUNIT_XML...
The list has one `file::test  reason` a line; a skip is allowed when its test's id begins with a listed one.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path


def suite_of(case: ET.Element) -> str:
    """`tests.e2e.test_act` belongs to suite `e2e`."""
    parts = (case.get("classname") or "").split(".")
    return parts[1] if len(parts) > 2 else parts[-1]


def main(allowed_file: str, *reports: str) -> int:
    """0 when every skip is listed and each report ran something."""
    lines = Path(allowed_file).read_text(encoding="utf-8").splitlines()
    allowed = tuple(line.split()[0] for line in lines if line.strip() and not line.startswith("#"))
    counts: dict[str, Counter[str]] = {}
    unlisted = []
    empty = [report for report in reports if not Path(report).is_file()]
    for report in set(reports) - set(empty):
        cases = list(ET.parse(report).iter("testcase"))
        if not cases:
            empty.append(report)
        for case in cases:
            skipped = case.find("skipped")
            failed = case.find("failure") is not None or case.find("error") is not None
            word = "failed" if failed else "skipped" if skipped is not None else "passed"
            counts.setdefault(suite_of(case), Counter())[word] += 1
            name = f"{case.get('classname')}::{case.get('name')}"
            if skipped is not None and not name.startswith(allowed or ("\0",)):
                unlisted.append(f"{name}: {skipped.get('message')}")
    for suite, found in sorted(counts.items()):
        print(f"{suite}: {found['passed']} passed, {found['failed']} failed, {found['skipped']} skipped")
    total = sum(counts.values(), Counter())
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    for line in unlisted:
        print(f"not on the reviewed list: {line}")
    for report in empty:
        print(f"ran nothing: {report}")
    return 1 if unlisted or empty or total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
