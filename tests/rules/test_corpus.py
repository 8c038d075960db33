"""The rules over 390 public skills: no crash, only true spec errors, agreement with the public validator."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.rule import Profile, Rule
from aces_ci.core.skill import Skill
from aces_ci.plugins import load
from aces_ci.tiers.structural import assess
from benchmarks.corpus import corpus

RULES = tuple(
    rule
    for rule in load("rules", "RULE", "code")
    if isinstance(rule, Rule) and rule.category in (Category.SPEC, Category.QUALITY)
)

Assessed = dict[tuple[str, str], tuple[Skill, tuple[Finding, ...], int | None]]

# What skills-ref 0.1.1 refuses and the specification does not: each difference has a reason.
EXPLAINED = {
    "Unexpected fields in frontmatter": "the specification forbids no further fields (CO002 notes unknown ones)",
    "disallowed JSONesque flow": "flow style is YAML; the specification's own text allows a YAML list (CO009, strict)",
    "ugly disallowed": "the same, as strictyaml words it",
    "While scanning": "the same, as the index shortens it; real YAML errors are SP001 here too",
}


def index_of(shared: Path) -> list[dict[str, str]]:
    text = (shared / "corpus" / "INDEX.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


@pytest.fixture(scope="module")
def assessed(shared: Path) -> Assessed:
    result: Assessed = {}
    for row, skill in zip(index_of(shared), corpus(shared / "corpus"), strict=True):
        structure, findings = assess(skill, RULES, profile=Profile.ACES)
        result[row["repo"], row["path"]] = (skill, findings, structure.score)
    return result


def errors(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.code for finding in findings if finding.severity is Severity.ERROR]


def test_every_skill_is_assessed_and_every_finding_has_a_place_and_a_fix(assessed: Assessed) -> None:
    assert len(assessed) == 390
    for skill, findings, score in assessed.values():
        assert (score is None) == (skill.frontmatter is None)
        assert score is None or 0 <= score <= 100
        for finding in findings:
            assert finding.message and finding.hint and finding.line >= 1
            assert len(finding.title) <= 60
            if finding.path == skill.path_of(skill.manifest):
                assert finding.line <= skill.text.count("\n") + 1


def test_on_the_anthropic_skills_the_only_spec_errors_are_the_true_ones(assessed: Assessed) -> None:
    found = {
        path: [(f.code, f.message) for f in findings if f.severity is Severity.ERROR]
        for (repo, path), (_, findings, _) in assessed.items()
        if repo == "anthropics/skills" and errors(findings)
    }
    assert set(found) == {"skills/claude-api", "template"}
    assert [code for code, _ in found["skills/claude-api"]] == ["SP009"]
    assert "1068" in found["skills/claude-api"][0][1]
    assert [code for code, _ in found["template"]] == ["SP004"]


def test_agreement_with_the_public_validator_except_where_explained(assessed: Assessed, shared: Path) -> None:
    tally: Counter[str] = Counter()
    unexplained = []
    for row in index_of(shared):
        _, findings, _ = assessed[row["repo"], row["path"]]
        ours = errors(findings)
        valid = row["skills_ref_verdict"] == "valid"
        if valid == (not ours):
            tally["agree"] += 1
            continue
        said = [part.strip() for part in row["skills_ref_errors"].split("||")]
        if not ours and all(any(reason in part for reason in EXPLAINED) for part in said):
            tally["explained"] += 1
        else:
            unexplained.append((row["repo"], row["path"], row["skills_ref_verdict"], said, ours))
    assert unexplained == []
    assert tally["agree"] >= 280


def test_what_the_validator_says_is_said_here_too(assessed: Assessed, shared: Path) -> None:
    """Error by error: name, length and fence problems of skills-ref have their code here."""
    same = {
        r"must match skill name": "SP004",
        r"Description exceeds": "SP009",
        r"Compatibility exceeds": "SP010",
        r"Missing required field in frontmatter: description": "SP008",
        r"must start with YAML": "SP002",
        r"not properly closed": "SP001",
        r"mapping values are not allowed": "SP001",
    }
    missing = []
    for row in index_of(shared):
        ours = errors(assessed[row["repo"], row["path"]][1])
        for pattern, code in same.items():
            if re.search(pattern, row["skills_ref_errors"]) and code not in ours:
                missing.append((row["path"], code, ours))
    allowed = {"cmd/waza/tokens/testdata/check/all-pass", "skills/walkamolee/ralph-loop-writer"}
    assert [entry for entry in missing if entry[0] not in allowed] == []


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.fires_on], ids=lambda rule: rule.code)
def test_a_rule_fires_and_is_silent_where_its_page_says(rule: Rule, assessed: Assessed) -> None:
    def codes(name: str) -> set[str]:
        owner, repo, path = name.split("/", 2)
        return {finding.code for finding in assessed[f"{owner}/{repo}", path][1]}

    assert rule.code in codes(rule.fires_on)
    assert rule.code not in codes(rule.silent_on)
