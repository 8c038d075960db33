"""The rules over 390 public skills: no crash, only true spec errors, agreement with the public validator."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from aces_ci.changes.parse import parse_skill
from aces_ci.core.finding import Category, Finding, Severity
from aces_ci.core.formats.code_quality import code_quality
from aces_ci.core.rule import Profile, Rule
from aces_ci.core.skill import Sibling, Skill
from aces_ci.plugins import load
from aces_ci.tiers.structural import assess
from benchmarks.corpus import corpus, repositories

EVERY = tuple(rule for rule in load("rules", "RULE", "code") if isinstance(rule, Rule))
RULES = tuple(rule for rule in EVERY if rule.category in (Category.SPEC, Category.QUALITY))

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


Named = dict[str, tuple[Skill, list[Sibling]]]


@pytest.fixture(scope="module")
def named(shared: Path) -> Named:
    """Every skill by repository and path, with the others of its repository."""
    skills, sources = corpus(shared / "corpus"), repositories(shared / "corpus")
    cards: dict[str, list[Sibling]] = {}
    for skill, source in zip(skills, sources, strict=True):
        card = Sibling(path=skill.root, name=skill.name or skill.directory, description=skill.description or "")
        cards.setdefault(source, []).append(card)
    return {
        f"{source}/{skill.root}": (skill, [card for card in cards[source] if card.path != skill.root])
        for skill, source in zip(skills, sources, strict=True)
    }


@pytest.fixture(scope="module")
def assessed(named: Named) -> Assessed:
    result: Assessed = {}
    for name, (skill, _) in named.items():
        structure, findings = assess(skill, RULES, profile=Profile.ACES)
        owner, repo, path = name.split("/", 2)
        result[f"{owner}/{repo}", path] = (skill, findings, structure.score)
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


def test_findings_keep_their_identity_where_lines_move(named: Named) -> None:
    """As GitLab's widget compares them."""
    compared = 0
    long = next(rule.fires_on for rule in EVERY if rule.code == "EF002")
    for skill, _ in (*list(named.values())[::12], named[long]):
        file = skill.files[skill.manifest]
        if not file.data or skill.frontmatter is None or b"\r" in file.data:
            continue
        rows = file.data.split(b"\n")
        above = [b"", b"<!-- owned by the docs team -->" if skill.body.strip() else b"", b""]
        moved = b"\n".join([*rows[: skill.body_line - 1], *above, *rows[skill.body_line - 1 :]])
        files = {**skill.files, skill.manifest: replace(file, data=moved, size=len(moved))}
        then, now = (
            code_quality(assess(each, EVERY, profile=Profile.ACES)[1])
            for each in (skill, parse_skill(root=skill.root, files=files, outside=skill.outside))
        )
        prints = {str(entry["fingerprint"]): entry["check_name"] for entry in then}
        assert len(prints) == len(then), "one finding each"
        assert prints == {str(entry["fingerprint"]): entry["check_name"] for entry in now}
        compared += len(prints)
    assert compared > 100


def with_needed(codes: set[str]) -> list[Rule]:
    """The rules of these codes, and those they need silent."""
    wanted = set(codes)
    while more := {needed for rule in EVERY if rule.code in wanted for needed in rule.requires} - wanted:
        wanted |= more
    return [rule for rule in EVERY if rule.code in wanted]


def fired(rules: list[Rule], profile: Profile, skill: Skill, siblings: list[Sibling]) -> set[str]:
    return {finding.code for finding in assess(skill, rules, profile=profile, siblings=siblings)[1]}


@pytest.mark.parametrize("rule", EVERY, ids=lambda rule: rule.code)
def test_a_rule_fires_and_is_silent_where_its_page_says(rule: Rule, named: Named) -> None:
    rules = with_needed({rule.code, *rule.explained_by})
    profile = Profile.ACES if Profile.ACES in rule.profiles else Profile.STRICT
    assert rule.code not in fired(rules, profile, *named[rule.silent_on])
    assert not rule.fires_on or rule.code in fired(rules, profile, *named[rule.fires_on])


def test_a_rule_that_names_no_public_skill_fires_on_none(named: Named) -> None:
    quiet = {rule.code for rule in EVERY if not rule.fires_on}
    assert all(Profile.ACES in rule.profiles for rule in EVERY if rule.code in quiet)
    rules = with_needed(quiet)
    heard = {name: fired(rules, Profile.ACES, *place) & quiet for name, place in named.items()}
    assert {name: codes for name, codes in heard.items() if codes} == {}
