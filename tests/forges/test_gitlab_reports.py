"""The files of GitLab's widgets, as GitLab takes them: Code Quality, metrics, dotenv, JUnit."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from aces_ci import compose, rendering
from aces_ci.core.evidence import RunEnded, Structure
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.report import Report
from aces_ci.tiers.assemble import assemble
from tests.builders import a_changed_skill, a_run

HOSTILE = 'a"\\\n# EOF\nACES_VERDICT=clean\n</testsuite>\ufeff::error::x'
SAMPLE = re.compile(r'[a-z_]+(\{[a-z]+="(?:[^"\\\n]|\\.)*"(,[a-z]+="(?:[^"\\\n]|\\.)*")*\})? -?[0-9.]+')


@pytest.fixture(scope="module")
def report() -> Report:
    """A skill with an odd name and texts that would all break out of their file."""
    skill = replace(a_changed_skill(), name=HOSTILE)
    findings = [
        Finding(
            skill=skill.path,
            code=code,
            severity=severity,
            category=category,
            path=f"{skill.path}/SKILL.md",
            line=line,
            title=HOSTILE,
            message=HOSTILE,
            hint=HOSTILE,
            new=True,
        )
        for code, severity, category, line in (
            ("SP004", Severity.ERROR, Category.SPEC, 2),
            ("CO019", Severity.WARNING, Category.QUALITY, 7),
            ("CO019", Severity.WARNING, Category.QUALITY, 9),
            ("SE001", Severity.CRITICAL, Category.SECURITY, 9),
        )
    ]
    structure = Structure(skill=skill.path, conformant=False, score=41, dimensions={"correctness": 50})
    return assemble([a_run(), skill, structure, *findings, RunEnded(seconds=1.0)])


def text(report: Report, name: str) -> str:
    return compose.renderer(name).render(report, rendering.place_of(report, key="default"))


def test_code_quality_has_what_the_widget_compares_by(report: Report) -> None:
    raw = text(report, "gitlab")
    assert raw.isascii(), "no byte order mark, no look-alike"
    rows = json.loads(raw)
    assert len(rows) == 4
    assert len({row["fingerprint"] for row in rows}) == 4, "equal ones collapse into one"
    for row in rows:
        assert row["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert not row["location"]["path"].startswith(("/", "."))
        assert row["location"]["lines"]["begin"] >= 1
        assert row["description"]
        assert row["check_name"]


def test_metrics_are_one_sample_a_line_up_to_the_only_end(report: Report) -> None:
    *rows, end, last = text(report, "metrics").split("\n")
    assert (end, last) == ("# EOF", "")
    assert rows
    for row in rows:
        assert re.fullmatch(r"# TYPE [a-z_]+ gauge", row) or SAMPLE.fullmatch(row), row


def test_variables_for_later_jobs_fit_and_hold_words_of_ours(report: Report) -> None:
    raw = text(report, "dotenv")
    assert len(raw.encode()) < 5_000
    rows = dict(row.split("=", 1) for row in raw.splitlines())
    assert len(raw.splitlines()) == len(rows) <= 50
    assert rows["ACES_VERDICT"] == report.verdict.state.value == "blocked"
    assert all(re.fullmatch(r"ACES_[A-Z_]+", name) and re.fullmatch(r"[a-z0-9_.]+", rows[name]) for name in rows)


def test_the_test_tab_counts_what_the_report_counts(report: Report) -> None:
    tree = ElementTree.fromstring(text(report, "junit"))
    cases = list(tree.iter("testcase"))
    assert cases
    assert any(case.find("failure") is not None for case in cases)
    assert len(list(tree.iter("testsuite"))) >= 1
